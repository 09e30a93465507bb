/** Declares the verdicts on commands of CDP clients, and what rules may use from the session of a command. */

export type Params = Readonly<Record<string, unknown>>;

/**
 * What happens to a command: it passes, perhaps with changed parameters; the server responds to it; it is refused with
 * a message; or it fails like an unknown method in a browser.
 */
export type Verdict = { pass: Params } | { answer: object } | { refuse: string } | { unknown: true };

/** The files that a session shares with its clients. */
export interface FileAccess {
  /**
   * Returns the path of a file that pages may receive: a file in the session's directory, given by name or path, or a
   * file in SHARED_FILE_DIRS.
   * @throws Refusal that says where to put the file
   */
  pathOf(named: string): Promise<string>;
  /**
   * Returns the directory for downloads when a client specifies this one: the same directory if it is under
   * SHARED_FILE_DIRS, otherwise the session's own.
   */
  downloadDirectory(named: string | undefined): Promise<string>;
}

/** What rules may use about the session that a command was sent to. */
export interface RuleContext {
  /**
   * `browser`: the client has a browser to itself; `virtual`: it has a virtual browser, which isolates it from other
   * clients; `context`: code with a context of a shared browser.
   */
  scope: 'browser' | 'virtual' | 'context';
  /** True for a browser with tabs and menus, whose shortcuts clients could press; false for the headless shell. */
  full: boolean;
  /** Whether a page may open this URL. */
  allowsUrl(text: string): boolean;
  /** Undefined where clients have no files. */
  files: FileAccess | undefined;
  /**
   * Starts a local proxy, which applies the network policy, in front of the proxy that a client specifies for a
   * context; resolves with the URL of the local proxy for the browser.
   * @throws ServiceError for a proxy that is invalid, is refused or cannot be reached
   */
  openProxy(server: string, bypass: string | undefined): Promise<string>;
  /** Methods and domains (`Domain.*`) of ALLOWED_CDP_METHODS, which pass regardless of the table. */
  allowedMethods: ReadonlySet<string>;
}
