/** What the server tells the player of a recording, as JSON. */
export interface PlayedRecording {
  kind: 'video' | 'replay';
  state: 'finished' | 'cut short';
  /** Why it ended. */
  reason: string | null;
  /** Epoch milliseconds, as all moments. */
  startedOn: number;
  endedOn: number;
  pagesLeftOut: number;
  /** When the link ends. */
  expiresAt: number;
  tabs: PlayedTab[];
}

export interface PlayedTab {
  /** From 1 on. */
  tab: number;
  title: string;
  website: string;
  /** In pixels. */
  width: number;
  height: number;
  /** Of the MP4 file; 0 when there is none. */
  bytes: number;
  /** Of the file of events; 0 when there is none. */
  eventBytes: number;
  startedOn: number;
  endedOn: number;
}
