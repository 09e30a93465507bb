/** What comes back: the answer, the browser while it works, and the lines of the code's console. */
import type { ReactNode } from 'react';
import { AnswerBox } from '../call/answer-box.tsx';
import type { Kind } from './shared-address.ts';
import { panelId, TabRow } from './tab-row.tsx';
import type { Run } from './use-run.ts';
import type { ConsoleLine } from './watched-code.ts';

export type View = 'live' | 'answer' | 'console';

const views: Readonly<Record<Kind, readonly { id: View; label: string }[]>> = {
  rest: [{ id: 'answer', label: 'Answer' }],
  bql: [
    { id: 'live', label: 'Live' },
    { id: 'answer', label: 'Answer' },
  ],
  code: [
    { id: 'live', label: 'Live' },
    { id: 'answer', label: 'Answer' },
    { id: 'console', label: 'Console' },
  ],
};

export interface ResultPaneProps {
  kind: Kind;
  view: View;
  onView: (view: View) => void;
  run: Run;
  onToken: (token: string) => void;
}

export function ResultPane({ kind, view, onView, run, onToken }: ResultPaneProps): ReactNode {
  const { state, live, code, lines } = run;
  return (
    <section aria-label="Result" className="play-result">
      <div className="play-bar">
        <TabRow label="Parts of the result" name="play-view" tabs={views[kind]} chosen={view} onChoose={onView} />
      </div>
      <div className="play-pane" id={panelId('play-view')} role="tabpanel" aria-labelledby={`play-view-${view}`}>
        {/* Both stay while another tab is open: a frame that is taken out ends its live view. */}
        <div hidden={view !== 'live' || kind !== 'bql'}>{live.element}</div>
        <div hidden={view !== 'live' || kind !== 'code'}>{code.element}</div>
        <div hidden={view !== 'answer'}>
          {state.name === 'ready' ? <p className="run-note">The answer comes here. Press Run.</p> : null}
          <AnswerBox state={state} onToken={onToken} />
        </div>
        {view === 'console' ? <Console lines={lines} /> : null}
      </div>
    </section>
  );
}

function Console({ lines }: { lines: readonly ConsoleLine[] }): ReactNode {
  if (lines.length === 0) return <p className="run-note">What the code writes with console.log comes here.</p>;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls must be reached by keyboard
    <ol className="play-console" tabIndex={0} aria-label="Console">
      {lines.map(({ level, text }, index) => (
        <li key={index} className={level}>
          {text}
        </li>
      ))}
    </ol>
  );
}
