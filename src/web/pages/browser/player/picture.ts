/** Shows a tab, as a video or as the rebuilt page. Times are milliseconds since the start of the tab. */
export interface TabView {
  readonly ms: number;
  play(): void;
  pause(): void;
  seek(ms: number): void;
  setSpeed(speed: number): void;
  /** Removes it from the page. */
  remove(): void;
}

/** Receives the events of the video or rebuilt page. */
export interface TabViewListener {
  /** The tab is visible. */
  onShown(): void;
  /** The length is now known more precisely, in milliseconds. */
  onLength(ms: number): void;
  onEnd(): void;
  onError(text: string): void;
}
