/** The meta.json of a finished recording, without its id. */
export const finishedRecording = {
  session: 's',
  trackingId: null,
  browser: 'Chrome/156',
  state: 'finished',
  reason: 'x',
  startedOn: 1,
  endedOn: 2,
  frameRate: 15,
  tabs: [],
  account: '',
  pagesLeftOut: 0,
  kind: 'replay',
};
