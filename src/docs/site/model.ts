/** The data of pages: plain values that the build collects and React components render. */

/** A field of a request: one row of a table of parameters. */
export interface Field {
  /** Dotted path: `options.margin.top`. */
  name: string;
  /** What it must be, in words. */
  type: string;
  required: boolean;
  /** The default as JSON, when the schema has one. */
  byDefault: string | undefined;
  description: string;
}

export interface SettingFact {
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
  /** How a WebSocket is closed for it. */
  closeCode: number;
  title: string;
  retryable: boolean;
}

export type RouteKind = 'rest' | 'socket' | 'session' | 'bql' | 'manage';

/** One operation of the service, its browser prefixes folded into one. */
export interface RouteFact {
  kind: RouteKind;
  method: string;
  /** The first of its paths, the bare one where there is one. */
  path: string;
  /** All paths that it answers. */
  paths: readonly string[];
  summary: string;
  description: string;
  answers: readonly string[];
  statuses: readonly number[];
  /** A request body that works, when there is a body. */
  example: unknown;
  body: readonly Field[];
  query: readonly Field[];
  open: boolean;
}

/** A piece of highlighted code. */
export interface CodeToken {
  text: string;
  /** Class without its prefix: `keyword`, `string`; empty for plain text. */
  kind: string;
}

export type Highlight = (code: string, language: string) => CodeToken[][];

/** Facts of the service that pages show, derived from its tables by the build. */
export interface Facts {
  version: string;
  settings: readonly SettingFact[];
  settingGroups: Readonly<Record<string, readonly string[]>>;
  errors: readonly ErrorFact[];
  routes: readonly RouteFact[];
  /** Commands and events of ours on a CDP connection. */
  /** Launch switches in the order of their table; those of one reason stand together. */
  switches: readonly { treatment: 'passed' | 'server' | 'refused'; reason: string; names: readonly string[] }[];
  commands: readonly { name: string; summary: string; fields: readonly Field[]; isEvent: boolean }[];
  /** Fields of JSON query parameters, by parameter: `launch`. */
  parameters: Readonly<Record<string, readonly Field[]>>;
  /** Pinned packages and runtimes: name and version. */
  versions: readonly { name: string; version: string; use: string }[];
  /** Values of `/config` of a server without settings. */
  defaults: Readonly<Record<string, string>>;
}

/** A heading of level 2 or 3. */
export interface Heading {
  level: number;
  id: string;
  text: string;
}

/** The text below one heading, for the search. */
export interface Section {
  id: string;
  heading: string;
  text: string;
}

export interface PageMeta {
  path: string;
  title: string;
  description: string;
  keywords: string;
  hideToc: boolean;
  /** Why the page has no sample, when it has none. */
  noSample: string;
}

/** Samples of a page by how the test suite treats them. */
export interface SampleCount {
  executed: number;
  checked: number;
  never: number;
}

/** A page whose article is rendered. */
export interface Page extends PageMeta {
  article: string;
  headings: readonly Heading[];
  sections: readonly Section[];
  markdown: string;
  samples: SampleCount;
}

/** A link of a sidebar or a group of them. */
export interface SidebarItem {
  label: string;
  /** Path of the page; undefined for a group without a landing page. */
  path?: string;
  items?: readonly SidebarItem[];
}

export interface Sidebar {
  id: string;
  label: string;
  /** Shown on the dropdown's face. */
  short: string;
  items: readonly SidebarItem[];
}
