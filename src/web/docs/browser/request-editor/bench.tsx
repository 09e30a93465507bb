/** Renders the request editor: the request on the left, its response and the browser on the right. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { CopyAs } from '../call/copy-as.tsx';
import { type Language, snippetOf } from '../call/snippets.ts';
import { copyText } from '../run/copy.ts';
import { RunButton } from '../run/run-button.tsx';
import { currentToken, saveToken } from '../run/token.ts';
import { base, origin } from '../shell/page-context.ts';
import { messageOf } from '../shell/page-parts.ts';
import { callOf } from './call-of.ts';
import { CallPane, type Part, partsOf } from './call-pane.tsx';
import { initialDrafts, ofKind, operationFor, restDraft } from './first-work.ts';
import type { Operation } from './operations.ts';
import { ResultPane, type View } from './result-pane.tsx';
import { samples } from './samples.ts';
import { fragmentOf, type RequestKind, type Draft } from './shared-address.ts';
import { panelId, TabRow } from './tab-row.tsx';
import { useRun } from './use-run.ts';

export interface BenchProps {
  operations: readonly Operation[];
  shared: { work: Draft | undefined; notice: string };
}

const kinds: readonly { id: RequestKind; label: string }[] = [
  { id: 'rest', label: 'REST' },
  { id: 'bql', label: 'BrowserQL' },
  { id: 'code', label: 'Puppeteer' },
];

const firstPart = (kind: RequestKind): Part => partsOf[kind][0]?.id ?? 'text';

export function RequestForm({ operations, shared }: BenchProps): ReactNode {
  const [works, setWorks] = useState(() => initialDrafts(operations));
  const [kind, setKind] = useState<RequestKind>('rest');
  const [part, setPart] = useState<Part>('form');
  const [view, setView] = useState<View>('answer');
  const [notice, setNotice] = useState('');
  // Forms keep typed text: a different draft needs a new form.
  const [filled, setFilled] = useState(0);
  const run = useRun();
  const runButton = useRef<HTMLButtonElement>(null);
  const work = works[kind];
  const operation = operationFor(operations, work);
  const isRunning = run.state.name === 'running';

  const edit = (changed: Draft) => setWorks((before) => ({ ...before, [changed.kind]: changed }));
  const fill = (changed: Draft) => {
    edit(changed);
    setFilled((before) => before + 1);
  };
  const choose = (chosen: RequestKind) => {
    run.stop();
    setKind(chosen);
    setPart(firstPart(chosen));
    setView(chosen === 'rest' ? 'answer' : 'live');
  };
  const start = async () => {
    setNotice('');
    setView(kind === 'rest' ? 'answer' : 'live');
    await run.start(work, operation);
    // If there was a live view, its last frame stays in the other tab.
    setView('answer');
  };
  const latest = useRef({ choose, fill });
  useEffect(() => {
    latest.current = { choose, fill };
  });
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- a URL that changes later fills in the editor too
    setNotice(shared.notice);
    if (shared.work === undefined) return;
    latest.current.choose(shared.work.kind);
    latest.current.fill(shared.work);
  }, [shared]);

  const share = async () => {
    try {
      const fragment = await fragmentOf(work);
      history.replaceState(history.state, '', fragment);
      await copyText(`${origin}/playground${fragment}`);
      setNotice(
        'Link copied. It contains the request, not your token. Browsers do not send the part after # to any server.',
      );
    } catch (error) {
      setNotice(messageOf(error));
    }
  };
  const copy = async (language: Language) => {
    try {
      const call = callOf(work, operation);
      await copyText(snippetOf(language, { call, token: currentToken(), origin, answers: operation.answers }));
    } catch (error) {
      run.fail(error);
      setView('answer');
    }
  };
  return (
    <div className="play">
      <div className="play-head">
        <TabRow
          label="Request type"
          name="play-kind"
          tabs={kinds}
          chosen={kind}
          onChoose={choose}
          className="play-kinds"
        />
        <span className="play-tools">
          <button type="button" onClick={() => void share()}>
            Share
          </button>
          <CopyAs onCopy={copy} />
        </span>
      </div>
      <p className="play-notice" role="status">
        {notice}
      </p>
      <div className="play-bench" id={panelId('play-kind')} role="tabpanel" aria-labelledby={`play-kind-${kind}`}>
        <section aria-label="Request">
          <div className="play-bar">
            <TabRow
              label="Parts of the request"
              name="play-part"
              tabs={partsOf[kind]}
              chosen={part}
              onChoose={setPart}
            />
            <RunButton ref={runButton} isRunning={isRunning} onRun={start} onStop={run.stop} />
          </div>
          <Begin operations={operations} work={work} onFill={fill} onEdit={edit} />
          <div
            className="play-pane"
            id={panelId('play-part')}
            role="tabpanel"
            aria-labelledby={`play-part-${part}`}
            key={`${kind} ${filled}`}
          >
            <CallPane
              part={part}
              work={work}
              operation={operation}
              onWork={edit}
              onRun={() => void start()}
              onLeave={() => runButton.current?.focus()}
              mistakes={run.mistakes}
            />
            <p className="run-note">
              {operation.summary}. <a href={`${base}/open-api`}>All fields and responses</a>
            </p>
          </div>
        </section>
        <ResultPane
          kind={kind}
          view={view}
          onView={setView}
          run={run}
          onToken={(token) => {
            saveToken(token);
            void start();
          }}
        />
      </div>
    </div>
  );
}

interface BeginProps {
  operations: readonly Operation[];
  work: Draft;
  onFill: (work: Draft) => void;
  onEdit: (work: Draft) => void;
}

/** Chooses the route and a sample to start from. */
function Begin({ operations, work, onFill, onEdit }: BeginProps): ReactNode {
  const { kind } = work;
  const routes = ofKind(operations, kind);
  const operation = operationFor(operations, work);
  const route = (path: string) => {
    const chosen = routes.find((each) => each.path === path);
    if (chosen === undefined) return;
    if (kind === 'rest') onFill(restDraft(chosen));
    else onEdit({ ...work, route: path });
  };
  return (
    <div className="play-begin">
      <label>
        Route
        <select value={operation.path} onChange={({ target }) => route(target.value)}>
          {routes.map(({ method, path }) => (
            <option key={path} value={path}>
              {`${method} ${path}`}
            </option>
          ))}
        </select>
      </label>
      {kind === 'rest' ? null : (
        <label>
          Sample
          <select
            value={samples[kind].find(({ text }) => text === work.text)?.name ?? ''}
            onChange={({ target }) => {
              const sample = samples[kind].find(({ name }) => name === target.value);
              if (sample !== undefined) onFill({ ...work, text: sample.text, variables: sample.variables });
            }}
          >
            <option value="" disabled>
              Your own
            </option>
            {samples[kind].map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
