/** Declares the settings of live views, and fills in what a request for one leaves out. */

export interface LiveViewSettings {
  /** How long the link works, in milliseconds; 0 for as long as the page lives. */
  timeoutMs: number;
  /** False for a link with which people watch only. */
  interactive: boolean;
  /** Whether the page gets the size of the viewer's window. */
  resizable: boolean;
  /** Best quality of the pictures of a moving page, 1 to 100. */
  quality: number;
  /** Format and quality of the sharp picture that comes when the page rests. */
  still: 'jpeg' | 'png';
  stillQuality: number;
  /** Whether the quality follows what viewers can take. */
  adapts: boolean;
  /** Whether viewers see tabs and the address, and may change them. */
  showsBrowser: boolean;
  /** Whether viewers get lists and dialogs of their own for fields whose own no picture shows. */
  emulatesComponents: boolean;
  /** What the person is asked to do; empty for nothing. */
  instructions: string;
}

/** What commands, BrowserQL and REST can ask for, by the names that clients use. */
export interface LiveViewRequest {
  /** How long the link works, in milliseconds; for as long as the page lives when left out, or 0. */
  timeout?: number | undefined;
  /** Default true. */
  interactive?: boolean | undefined;
  /** Default true. */
  resizable?: boolean | undefined;
  /** 1 to 100. Default 70 while the page moves, 100 when it rests. */
  quality?: number | undefined;
  /** Of the picture when the page rests; pictures of a moving page are JPEG. Default png. */
  type?: 'jpeg' | 'png' | undefined;
  /** Default false. */
  showBrowserInterface?: boolean | undefined;
  /** Whether pictures get worse for viewers that cannot take better ones. Default true. */
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
