/** Declares how a command of a CDP client is judged, and what a rule may ask of the session that it was sent to. */

export type Params = Readonly<Record<string, unknown>>;

/**
 * What happens to a command: it passes, perhaps with other parameters; the server answers it; it is refused with a
 * sentence; or it is answered as a browser answers a method that it lacks.
 */
export type Verdict = { pass: Params } | { answer: object } | { refuse: string } | { unknown: true };

/** The files that a session shares with its clients. */
export interface FileAccess {
  /**
   * The path of a file that pages may get: of a file in the session's directory, by its name or its path, or of one
   * below SHARED_FILE_DIRS.
   * @throws Refusal that says where to put the file
   */
  pathOf(named: string): Promise<string>;
  /**
   * The directory in which downloads land when a client names this one: the same below SHARED_FILE_DIRS, else the
   * session's own.
   */
  downloadDirectory(named: string | undefined): Promise<string>;
}

/** What rules know of the session that a command was sent to. */
export interface RuleContext {
  /**
   * `browser`: the client has a browser to itself; `virtual`: a virtual one, which keeps it apart from others; `context`:
   * code with a context of a shared browser.
   */
  scope: 'browser' | 'virtual' | 'context';
  /** True for a browser with tabs and menus, whose shortcuts clients could press; false for the headless shell. */
  full: boolean;
  /** Whether a page may open this address. */
  allowsUrl(text: string): boolean;
  /** Undefined where clients have no files. */
  files: FileAccess | undefined;
  /**
   * Starts a local proxy, which applies the network policy, in front of one that a client names for a context; resolves
   * with its address for the browser.
   * @throws ServiceError for an invalid proxy, one that is refused, or one that cannot be reached
   */
  openProxy(server: string, bypass: string | undefined): Promise<string>;
  /** Methods and domains (`Domain.*`) of ALLOWED_CDP_METHODS, which pass whatever the table says of them. */
  allowedMethods: ReadonlySet<string>;
}
