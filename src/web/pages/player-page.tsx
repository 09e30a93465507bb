/** The page that plays a recording. Its script fills it; until the recording is loaded, nothing is shown. */
import type { ReactNode } from 'react';
import { type Assets, Document } from './document.tsx';
import { ThemeButton } from '../theme/brand.tsx';
import { Icon, type IconName } from '../theme/icons.tsx';
import { slot } from './serve/page-slots.ts';

const Head = (): ReactNode => (
  <header className="head">
    <h1 id="title">Recording</h1>
    <p id="facts" className="facts num" />
    <div className="acts">
      <a id="mp4" className="button" href="#mp4" download hidden>
        <Icon name="save" small />
        MP4
      </a>
      <a id="webm" className="button" href="#webm" download hidden>
        <Icon name="save" small />
        WebM
      </a>
    </div>
    <ThemeButton />
    <p id="note" className="note" role="status" hidden />
  </header>
);

const Stage = (): ReactNode => (
  <div id="stage" className="stage" role="tabpanel" aria-labelledby="tab-1" tabIndex={-1}>
    <div className="veil" role="status">
      <Icon name="info" />
      <b id="veil-title">Loading</b>
      <span id="veil-text" />
    </div>
    <noscript>
      <p className="veil">The player needs JavaScript.</p>
    </noscript>
  </div>
);

const Controls = (): ReactNode => (
  <>
    <div
      id="track"
      className="track"
      role="slider"
      tabIndex={0}
      aria-label="Position"
      aria-valuemin={0}
      aria-valuemax={0}
      aria-valuenow={0}
      aria-valuetext="0:00 of 0:00"
    >
      <i className="line" />
      <i id="done" className="line done" />
      <span id="marks" />
      <i id="knob" className="knob" />
    </div>
    <div className="controls num">
      <button type="button" id="play" className="icon" aria-label="Play" title="Play">
        <Icon name="play" />
        <Icon name="pause" />
      </button>
      <span className="clock">
        <span id="now">0:00</span> <span className="soft">/ </span>
        <span id="length" className="soft">
          0:00
        </span>
      </span>
      <span className="gap" />
      <button type="button" id="skip" className="choice" aria-pressed="true">
        <Icon name="check" small />
        Skip idle
      </button>
      <select id="speed" className="choice" aria-label="Speed" defaultValue="1">
        {[0.5, 1, 2, 4, 8].map((speed) => (
          <option key={speed} value={speed}>
            {speed}×
          </option>
        ))}
      </select>
      <button type="button" id="full-screen" className="icon" aria-label="Full screen" title="Full screen">
        <Icon name="full" />
      </button>
    </div>
  </>
);

const lists = [
  ['events', 'Events'],
  ['console', 'Console'],
  ['network', 'Network'],
] as const;

const Happened = (): ReactNode => (
  <aside aria-label="What happened">
    <div className="pane-bar">
      <div id="list-tabs" className="tabs" role="tablist" aria-label="What happened">
        {lists.map(([id, text]) => (
          <button
            type="button"
            key={id}
            id={`show-${id}`}
            className="tab"
            role="tab"
            aria-selected={id === 'events'}
            aria-controls={id}
            tabIndex={id === 'events' ? 0 : -1}
          >
            {text} {id === 'events' ? null : <span className="count num" />}
          </button>
        ))}
      </div>
    </div>
    {lists.map(([id]) => (
      <div key={id} id={id} className="list" role="tabpanel" aria-labelledby={`show-${id}`} hidden={id !== 'events'}>
        <p className="none">Nothing yet</p>
        <ol />
        <p className="more" hidden />
      </div>
    ))}
  </aside>
);

/** The row templates, by the kind of event. */
const rows: readonly [kind: string, icon: IconName][] = [
  ['navigation', 'globe'],
  ['reload', 'reload'],
  ['click', 'person'],
  ['error', 'warn'],
  ['notice', 'info'],
  ['console', 'terminal'],
  ['request', 'arrow'],
];

const Templates = (): ReactNode => (
  <>
    {rows.map(([kind, icon]) => (
      <template key={kind} id={`row-${kind}`}>
        <li>
          <button type="button" className="bare row" data-kind={kind}>
            <span className="at num" />
            <Icon name={icon} small />
            <span className="text" />
          </button>
        </li>
      </template>
    ))}
    <template id="tab">
      <button type="button" className="tab" role="tab" aria-controls="stage">
        Tab
      </button>
    </template>
  </>
);

export const PlayerPage = ({ assets }: { assets: Assets }): ReactNode => {
  const base = slot('player', 'base');
  const data = { 'data-from': base + slot('player', 'data'), 'data-state': 'loading' } as const;
  return (
    <Document assets={assets} title="Recording" base={base} theme={slot('player', 'theme')} data={data} switchesTheme>
      <div className="page">
        <Head />
        <main className="player">
          <section id="screen" className="screen" aria-label="Recording">
            <div className="pane-bar">
              <div id="tabs" className="tabs" role="tablist" aria-label="Recorded tabs" />
            </div>
            <Stage />
            <Controls />
          </section>
          <Happened />
        </main>
      </div>
      <Templates />
    </Document>
  );
};
