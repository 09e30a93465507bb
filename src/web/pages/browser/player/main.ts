/** Starts the player page: loads the description of the recording, and opens the first tab that is not blank. */
import type { PlayedRecording, PlayedTab } from '../../serve/played-recording.ts';
import { button, cloneTemplate, part } from '../dom/parts.ts';
import { createControls } from './controls.ts';
import { displayUrl } from './timeline-events.ts';
import { createShow } from './show.ts';
import { chooseAmong } from './tab-row.ts';
import { clock, day, size } from './words.ts';

const { body } = document;
const from = body.dataset['from'] ?? '';

const show = createShow(from);
createControls(show);

/** Browsers start with a blank tab, which clients often do not use. */
const isBlank = ({ website }: PlayedTab) => website === '' || website === 'about:blank';
const nameOf = (tab: PlayedTab) => tab.title || (isBlank(tab) ? `Tab ${tab.tab}` : displayUrl(tab.website));

function download(id: string, address: string, name: string | undefined): void {
  const link = part(id, HTMLAnchorElement);
  link.hidden = name === undefined;
  if (name !== undefined) Object.assign(link, { href: address, download: name });
}

function open(recording: PlayedRecording, tab: PlayedTab): void {
  const hasVideo = recording.kind === 'video' && tab.bytes > 0;
  const name = `recording-${new Date(tab.startedOn).toISOString().slice(0, 16).replace(':', '')}-${tab.tab}`;
  download('mp4', `${from}/video.mp4?tab=${tab.tab}`, hasVideo ? `${name}.mp4` : undefined);
  download('webm', `${from}/video.webm?tab=${tab.tab}`, hasVideo ? `${name}.webm` : undefined);
  part('stage', HTMLElement).setAttribute('aria-labelledby', `tab-${tab.tab}`);
  show.open(recording.kind, tab);
}

function start(recording: PlayedRecording): void {
  const { tabs, kind, startedOn, endedOn, pagesLeftOut } = recording;
  const first = tabs.find((tab) => !isBlank(tab)) ?? tabs[0];
  const title = first ? nameOf(first) : 'Recording';
  document.title = `Recording: ${title}`;
  part('title', HTMLElement).textContent = title;
  const bytes = tabs.reduce((sum, tab) => sum + (kind === 'video' ? tab.bytes : tab.eventBytes), 0);
  part('facts', HTMLElement).textContent = `${day(startedOn)}, ${clock(endedOn - startedOn)}, ${size(bytes)}`;
  const notes = [
    recording.state === 'cut short' ? `Cut short: ${recording.reason ?? 'it ended unexpectedly.'}` : '',
    pagesLeftOut > 0 ? `${pagesLeftOut} more pages were not recorded.` : '',
  ].filter(Boolean);
  show.showNote(notes.join(' '));

  // Do not skip in videos: typing and scrolling are visible in them but leave no events.
  const skips = kind === 'replay';
  button('skip').ariaPressed = String(skips);
  show.setSkipping(skips);

  const row = part('tabs', HTMLElement);
  for (const tab of tabs) {
    const choice = cloneTemplate('tab');
    choice.id = `tab-${tab.tab}`;
    choice.textContent = nameOf(tab);
    choice.ariaSelected = String(tab === first);
    choice.tabIndex = tab === first ? 0 : -1;
    row.append(choice);
  }
  chooseAmong(row, (id) => {
    const tab = tabs.find((each) => `tab-${each.tab}` === id);
    if (tab) open(recording, tab);
  });
  if (first) open(recording, first);
  else show.showMessage('Nothing was recorded', 'The session had no pages.');
}

/** The document of a replay may never finish loading, which would delay this page's own `load` event. */
const loaded = new Promise((resolve) => {
  if (document.readyState === 'complete') resolve(undefined);
  else addEventListener('load', resolve);
});

fetch(`${from}/meta`)
  .then(async (answer) => {
    if (!answer.ok) throw new Error(String(answer.status));
    await loaded;
    // The server's own response.
    start((await answer.json()) as PlayedRecording);
  })
  .catch(() =>
    show.showMessage('The recording could not be loaded', 'The link may have expired. Reload the page to try again.'),
  );
