/** Defines the documentation's interface to the application. */
import type { Passage } from '../search/passages.ts';

/** A reader's request. */
interface DocsRequest {
  request: Request;
  /** Base URL of the sitemap entries for this reader, without a trailing slash. */
  base: string;
}

export interface Docs {
  /** Answers GET or HEAD; returns undefined when the documentation is not built or does not have this path. */
  answer(asked: DocsRequest): Promise<Response | undefined>;
  /** Returns the passages that best answer a question; empty when the documentation is not built. */
  passages(question: string, most: number, length: number): Promise<Passage[]>;
  /** Returns the 404 page for a path without a route to clients that accept HTML; undefined for other clients. */
  missing(request: Request, message: string): Promise<Response | undefined>;
}
