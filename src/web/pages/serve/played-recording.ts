/** Describes a recording for the player, as JSON from the server. */
export interface PlayedRecording {
  kind: 'video' | 'replay';
  state: 'finished' | 'cut short';
  /** Why the recording ended. */
  reason: string | null;
  /** In epoch milliseconds, like all times here. */
  startedOn: number;
  endedOn: number;
  pagesLeftOut: number;
  /** When the link expires. */
  expiresAt: number;
  tabs: PlayedTab[];
}

export interface PlayedTab {
  /** Number of the tab, starting at 1. */
  tab: number;
  title: string;
  website: string;
  /** In pixels. */
  width: number;
  height: number;
  /** Size of the MP4 file; 0 if there is none. */
  bytes: number;
  /** Size of the event file; 0 if there is none. */
  eventBytes: number;
  startedOn: number;
  endedOn: number;
}
