/** Declares the settings of live views and applies the defaults to requests. */

export interface LiveViewSettings {
  /** How long the link works, in milliseconds; 0 for as long as the page lives. */
  timeoutMs: number;
  /** False for a view-only link. */
  interactive: boolean;
  /** Whether the page takes the size of the viewer's window. */
  resizable: boolean;
  /** Highest quality for frames of a moving page, 1 to 100. */
  quality: number;
  /** Format and quality of the still image that is captured when the page is at rest. */
  still: 'jpeg' | 'png';
  stillQuality: number;
  /** Whether the quality adapts to how fast viewers receive frames. */
  adapts: boolean;
  /** Whether viewers see and may use the tabs and the address bar. */
  showsBrowser: boolean;
  /** Whether viewers show their own lists and dialogs for fields whose popups do not appear in captured images. */
  emulatesComponents: boolean;
  /** What the person is asked to do; empty if nothing. */
  instructions: string;
}

/** Options of commands, BrowserQL and REST, under the names that clients use. */
export interface LiveViewRequest {
  /** How long the link works, in milliseconds. Default and 0: as long as the page lives. */
  timeout?: number | undefined;
  /** Default true. */
  interactive?: boolean | undefined;
  /** Default true. */
  resizable?: boolean | undefined;
  /** 1 to 100. Default 70 while the page moves, 100 when it is at rest. */
  quality?: number | undefined;
  /** Format of the image when the page is at rest; frames of a moving page are JPEG. Default png. */
  type?: 'jpeg' | 'png' | undefined;
  /** Default false. */
  showBrowserInterface?: boolean | undefined;
  /** Whether the quality is lowered for viewers that cannot keep up. Default true. */
  compressed?: boolean | undefined;
  /** Default true. */
  emulateComponents?: boolean | undefined;
  /** Default none. */
  instructions?: string | undefined;
}

export function settingsOf(request: LiveViewRequest): LiveViewSettings {
  const { timeout = 0, quality } = request;
  return {
    timeoutMs: timeout,
    interactive: request.interactive ?? true,
    resizable: request.resizable ?? true,
    quality: quality ?? 70,
    still: request.type ?? 'png',
    stillQuality: quality ?? 100,
    adapts: request.compressed ?? true,
    showsBrowser: request.showBrowserInterface ?? false,
    emulatesComponents: request.emulateComponents ?? true,
    instructions: request.instructions ?? '',
  };
}
