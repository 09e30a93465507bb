/** What the documentation answers. */
import type { Passage } from '../search/passages.ts';

/** What a reader asks for. */
interface Asked {
  request: Request;
  /** Where the addresses in the sitemap begin for this reader, without a slash at its end. */
  base: string;
}

export interface Docs {
  /** The answer to GET or HEAD; undefined when the documentation is not built or does not have this path. */
  answer(asked: Asked): Promise<Response | undefined>;
  /** Passages of the pages that answer a question best; none when the documentation is not built. */
  passages(question: string, most: number, length: number): Promise<Passage[]>;
  /** The 404 page for a path that no route answers, for clients that accept HTML; undefined for other clients. */
  missing(request: Request, message: string): Promise<Response | undefined>;
}
