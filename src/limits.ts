/**
 * How much a request may hold, in one table: far above what people send, far below what hurts. Whatever is bigger is
 * refused in milliseconds, with an answer that is short.
 */

/** JSON that callers send, as a body or over a socket, before anything else looks at it. */
export const jsonLimits = {
  /** Real bodies nest less than ten deep. */
  depth: 100,
  /** Values and names altogether; a text of many megabytes is one. */
  values: 150_000,
} as const;

/** Entries of the lists and maps of the schemas. */
export const listLimits = {
  addScriptTag: 500,
  addStyleTag: 500,
  cookies: 2_000,
  patterns: 500,
  requestInterceptors: 200,
  resourceTypes: 100,
  elements: 1_000,
  /** Names and values of one map of headers, or one list of them. */
  headers: 100,
  launchArgs: 200,
  preferences: 1_000,
  brands: 50,
  audits: 500,
  budgets: 100,
  waitUntil: 10,
  /** Members of objects whose names are the caller's own. */
  names: 10_000,
} as const;

/** Longest address that Chromium opens (its `url::kMaxURLChars`). */
export const urlCharacters = 2_097_152;

/** What a BrowserQL document may hold. */
export const documentLimits = {
  characters: 400_000,
  tokens: 20_000,
  depth: 60,
  steps: 250,
  aliases: 250,
  /** Fields after fragments are put in place. */
  fields: 10_000,
  /** Errors that are told of one document. */
  errors: 20,
} as const;

/** What an answer or a log line says about a failure. */
export const tellingLimits = {
  /** Things wrong with one request that are told; the others are counted. */
  issues: 20,
  /** Issues that are looked for before the search ends. */
  foundIssues: 1_000,
  messageCharacters: 4_000,
  issueCharacters: 1_000,
  pathCharacters: 200,
  /** One text in a log line, in characters, and entries of one list or object there. */
  logCharacters: 4_000,
  logEntries: 50,
} as const;

/** Regular expressions of callers. */
export const patternLimits = {
  characters: 2_000,
  /** Processor time of one call for those that have no linear form, in milliseconds. */
  workerMs: 50,
} as const;
