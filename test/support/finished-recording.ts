/** The meta.json of a recording that has ended, but for its id. */
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
