/** What shows a tab: a video, or the page built anew. Moments are milliseconds from its beginning on. */
export interface Picture {
  readonly ms: number;
  play(): void;
  pause(): void;
  seek(ms: number): void;
  setSpeed(speed: number): void;
  /** Takes it off the page. */
  remove(): void;
}

/** Whom it tells what. */
export interface PictureListener {
  /** It can be seen. */
  shown(): void;
  /** It plays longer or shorter than was known, in milliseconds. */
  lasts(ms: number): void;
  ended(): void;
  failed(text: string): void;
}
