/** The live view page. Its script fills it; before the first message, only the word Connecting is visible. */
import type { ReactNode } from 'react';
import { type Assets, Document } from './document.tsx';
import { Icon, type IconName } from '../theme/icons.tsx';
import { PageDialog, Refusal, Templates } from './live-dialogs.tsx';
import { slot } from './serve/page-slots.ts';

interface ToolProps {
  id: string;
  label: string;
  icon: IconName;
  className?: string;
}

const Tool = ({ id, label, icon, className = '' }: ToolProps): ReactNode => (
  <button type="button" id={id} className={`icon ${className}`.trim()} aria-label={label} title={label}>
    <Icon name={icon} />
  </button>
);

/** The top of the watched browser: tabs and address bar. */
const Bar = (): ReactNode => (
  <header>
    <div id="tabs" className="tabs" hidden>
      <ul id="tab-list" aria-label="Browser tabs" />
      <Tool id="new-tab" label="New tab" icon="plus" className="act" />
    </div>
    <div className="bar">
      <h1 id="page-title">Live view</h1>
      <div id="nav" className="nav" hidden>
        <Tool id="back" label="Back" icon="back" className="wide act" />
        <Tool id="forward" label="Forward" icon="arrow" className="wide act" />
        <Tool id="reload" label="Reload" icon="reload" className="act" />
        <form id="address-form" className="field address">
          <Icon name="lock" small />
          <Icon name="globe" small />
          <input
            id="address"
            aria-label="Address"
            inputMode="url"
            enterKeyHint="go"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
          />
        </form>
      </div>
      <div className="tools">
        <Tool id="paste" label="Paste from clipboard" icon="clipboard" className="act" />
        <Tool id="open-keyboard" label="Keyboard" icon="keyboard" className="act" />
        <button
          type="button"
          id="show-downloads"
          className="icon act"
          aria-label="Downloads"
          title="Downloads"
          popoverTarget="downloads"
          hidden
        >
          <Icon name="save" />
        </button>
        <Tool id="full-screen" label="Full screen" icon="full" className="wide" />
      </div>
    </div>
  </header>
);

const TaskPrompt = (): ReactNode => (
  <section id="ask" className="ask" aria-label="Your task" hidden>
    <Icon name="person" />
    <div className="words">
      <b id="instructions" />
      <span>
        The script is waiting for you. It continues when you press Done
        <span id="countdown" className="num" />.
      </span>
    </div>
    <div className="acts">
      <button type="button" id="say-cannot">
        I can’t
      </button>
      <button type="button" id="done" className="primary">
        <Icon name="check" small />
        Done
      </button>
    </div>
  </section>
);

const Stage = (): ReactNode => (
  <main id="stage" className="stage">
    <div id="frame" className="frame">
      <canvas id="screen" role="img" aria-label="Remote browser; press F6 to leave it" />
      <textarea
        id="keys"
        aria-label="Keyboard input for the remote browser"
        tabIndex={-1}
        autoComplete="off"
        autoCorrect="off"
        autoCapitalize="off"
        spellCheck={false}
      />
    </div>
    <div className="chips" role="status">
      <span className="chip">
        <Icon name="eye" small />
        <span id="mode" />
      </span>
      <span className="chip">
        <i className="dot" />
        <span id="speed" />
      </span>
    </div>
    <div id="notes" className="notes" role="status" />
    <div className="veil" role="status">
      <i className="spin" />
      <Icon name="check" />
      <Icon name="info" />
      <b id="veil-title">Connecting</b>
      <span id="veil-text" />
    </div>
    <noscript>
      <p className="veil">The live view needs JavaScript.</p>
    </noscript>
  </main>
);

/** Keys that phones do not have: the button's text, its label, KeyboardEvent.key and keyCode. */
const keys = [
  ['Tab', 'Tab', 'Tab', 9],
  ['Esc', 'Escape', 'Escape', 27],
  ['←', 'Left', 'ArrowLeft', 37],
  ['→', 'Right', 'ArrowRight', 39],
  ['↑', 'Up', 'ArrowUp', 38],
  ['↓', 'Down', 'ArrowDown', 40],
] as const;

const Foot = (): ReactNode => (
  <footer>
    <div id="key-row" className="keys" role="toolbar" aria-label="Keys">
      {keys.map(([text, label, key, code]) => (
        <button type="button" key={key} aria-label={label} data-key={key} data-code={code}>
          {text}
        </button>
      ))}
      <button type="button" id="hold-ctrl" aria-label="Apply Ctrl to the next key" aria-pressed="false">
        Ctrl
      </button>
    </div>
    <div className="foot num">
      <span>
        <i className="dot" />
        <span id="state">Connecting</span>
      </span>
      <span id="rate">0 fps</span>
      <span id="page-size" className="wide" />
      <span>
        <Icon name="users" small />
        <span id="viewers">1 watching</span>
      </span>
      <span id="remaining" className="wide" />
    </div>
  </footer>
);

export const LivePage = ({ assets }: { assets: Assets }): ReactNode => {
  const base = slot('live', 'base');
  const data = { 'data-socket': base + slot('live', 'socket'), 'data-state': 'connecting' } as const;
  return (
    <Document assets={assets} title="Live view" base={base} theme={slot('live', 'theme')} data={data}>
      <Bar />
      <TaskPrompt />
      <Stage />
      <Foot />
      <PageDialog />
      <Refusal />
      <div id="downloads" className="float list" popover="auto" role="region" aria-label="Downloads">
        <ul id="download-list" />
      </div>
      <Templates />
    </Document>
  );
};
