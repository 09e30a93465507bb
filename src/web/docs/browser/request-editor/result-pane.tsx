/** Renders the result: the response, the browser while it runs, and the console output of the code. */
import type { ReactNode } from 'react';
import { ResponseBox } from '../call/response-box.tsx';
import type { RequestKind } from './shared-address.ts';
import { panelId, TabRow } from './tab-row.tsx';
import type { Run } from './use-run.ts';
import type { ConsoleLine } from './watched-code.ts';

export type View = 'live' | 'answer' | 'console';

const views: Readonly<Record<RequestKind, readonly { id: View; label: string }[]>> = {
  rest: [{ id: 'answer', label: 'Response' }],
  bql: [
    { id: 'live', label: 'Live' },
    { id: 'answer', label: 'Response' },
  ],
  code: [
    { id: 'live', label: 'Live' },
    { id: 'answer', label: 'Response' },
    { id: 'console', label: 'Console' },
  ],
};

export interface ResultPaneProps {
  kind: RequestKind;
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
        {/* Both stay mounted while another tab is open: removing a frame ends its live view. */}
        <div hidden={view !== 'live' || kind !== 'bql'}>{live.element}</div>
        <div hidden={view !== 'live' || kind !== 'code'}>{code.element}</div>
        <div hidden={view !== 'answer'}>
          {state.name === 'ready' ? <p className="run-note">Press Run to see the response here.</p> : null}
          <ResponseBox state={state} onToken={onToken} />
        </div>
        {view === 'console' ? <Console lines={lines} /> : null}
      </div>
    </section>
  );
}

function Console({ lines }: { lines: readonly ConsoleLine[] }): ReactNode {
  if (lines.length === 0) return <p className="run-note">The output of console.log appears here.</p>;
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
