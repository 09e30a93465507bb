/** Defines the data of pages: plain values that the build collects and the React components render. */
import type { RouteGroup } from './route-groups.ts';

/** A field of a request or of a response: one row of a table. */
export interface Field {
  /** Dotted path: `options.margin.top`. */
  name: string;
  /** The type as text. */
  type: string;
  required: boolean;
  /** The default as JSON, if the schema has one. */
  byDefault: string | undefined;
  description: string;
}

export interface SettingFact {
  group: string;
  names: readonly string[];
  option: string;
  expected: string;
  byDefault: string;
  description: string;
  unit: string | undefined;
  secret: boolean;
}

export interface ErrorFact {
  code: string;
  status: number;
  /** The WebSocket close code for this error. */
  closeCode: number;
  title: string;
  retryable: boolean;
}

/** One operation of the service; its paths under the browser prefixes are treated as one. */
export interface RouteFact {
  group: RouteGroup;
  /** `WS` for a WebSocket. */
  method: string;
  /** The first of its paths: the path without a browser prefix, if there is one. */
  path: string;
  /** All paths of the operation. */
  paths: readonly string[];
  summary: string;
  description: string;
  answers: readonly string[];
  /** Fields of its JSON response; empty if that may be anything, or if there is none. */
  answer: readonly Field[];
  /** A response with every field, generated from the schema; undefined if there is no JSON response with fields. */
  answerExample: unknown;
  statuses: readonly number[];
  /** Codes of the errors that it can return. */
  errors: readonly string[];
  /** A working request body, if the operation accepts one. */
  example: unknown;
  body: readonly Field[];
  query: readonly Field[];
  open: boolean;
}

/** A token of highlighted code. */
export interface CodeToken {
  text: string;
  /** Class without its prefix: `keyword`, `string`; empty for plain text. */
  kind: string;
}

export type Highlight = (code: string, language: string) => CodeToken[][];

/** How CDP methods are treated. */
export interface ProtocolFacts {
  /** Domains with the names of their methods that are passed through unchanged. */
  passes: readonly { domain: string; methods: readonly string[] }[];
  /** Rules for other methods, each with all methods that it applies to. */
  rules: readonly { kind: string; note: string; methods: readonly string[] }[];
}

/** Data about the service that pages show; the build derives them from the service's tables. */
export interface Facts {
  version: string;
  settings: readonly SettingFact[];
  errors: readonly ErrorFact[];
  /** Exit codes of the program, with what to do about each. */
  exitCodes: readonly { code: number; meaning: string; advice: string }[];
  routes: readonly RouteFact[];
  /** Launch switches in the order of their table, grouped by reason. */
  switches: readonly { treatment: 'passed' | 'server' | 'refused'; reason: string; names: readonly string[] }[];
  /** The commands that this service adds to CDP connections, with their parameters. */
  commands: readonly { name: string; fields: readonly Field[] }[];
  /** Features of plans: where each is used, and the presets that include it. */
  features: readonly { name: string; summary: string; ways: readonly string[]; presets: readonly string[] }[];
  presets: readonly { name: string; concurrent: number | undefined }[];
  /** Treatment of CDP commands from clients with their own browser, a virtual browser, or a context of a shared one. */
  protocol: Readonly<Record<'browser' | 'virtual' | 'context', ProtocolFacts>>;
  /** Fields of JSON query parameters such as `launch`, by parameter. */
  parameters: Readonly<Record<string, readonly Field[]>>;
  /** Pinned packages and runtimes: name and version. */
  versions: readonly { name: string; version: string; use: string }[];
  /** The values that `/config` of a server with default settings returns. */
  defaults: Readonly<Record<string, string>>;
}

/** A heading of level 2 or 3. */
export interface Heading {
  level: number;
  id: string;
  text: string;
}

/** The text under one heading, for the search. */
export interface Section {
  id: string;
  heading: string;
  /** The text, without code blocks. */
  text: string;
  /** The names that occur only in code blocks, each once. */
  code: string;
}

export interface PageMeta {
  path: string;
  title: string;
  /** The question that the first two sentences answer. The search finds the page by it. Empty for pages that answer none. */
  question: string;
  description: string;
  keywords: string;
  hideToc: boolean;
  /** Why the page has no sample; empty if it has one. */
  noSample: string;
  /**
   * `headings`: the search finds the page by its title, its headings and the first sentence below each. For pages for
   * contributors, the changelog, figures, tables of values and the comparison.
   */
  search?: 'headings' | undefined;
}

/** Number of samples of a page by how the test suite treats them. */
export interface SampleCount {
  executed: number;
  checked: number;
  never: number;
}

/** An image that the service has generated. */
export interface GeneratedImage {
  url: string;
  /** In pixels. */
  width: number;
  height: number;
  /** Alternative text: what the image shows. */
  text: string;
}

/** A page with its rendered article. */
export interface Page extends PageMeta {
  article: string;
  headings: readonly Heading[];
  sections: readonly Section[];
  markdown: string;
  samples: SampleCount;
}

/** A link or a group of links in a sidebar. */
export interface SidebarItem {
  label: string;
  /** Path of the page; undefined for a group without a landing page. */
  path?: string;
  items?: readonly SidebarItem[];
}

export interface Sidebar {
  id: string;
  label: string;
  /** Short label on the button of the guides' dropdown. */
  short: string;
  items: readonly SidebarItem[];
}

/** The server status that `/status` shows: as a page, and to programs as JSON. */
export interface ServerStatus {
  /** Whether a request would be served now. */
  available: boolean;
  /** Message that gives the reason. */
  message: string;
  version: string;
  running: number;
  concurrent: number;
  waiting: number;
  queued: number;
  tokenNeeded: boolean;
  browsers: readonly { name: string; version: string }[];
}
