/** The playground: the request on the left, its response and the browser on the right. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { copyText } from '../run/copy.ts';
import { base, origin } from '../shell/page-context.ts';
import { messageOf } from '../shell/page-parts.ts';
import { isJson, parseJson } from '../../site/json.ts';
import { type Draft, fragmentOf, type RequestKind } from './draft.ts';
import { useEditor } from './editor.tsx';
import { FieldRows, OptionRows } from './fields.tsx';
import type { Operation } from './operations.ts';
import { draftOf, initialDrafts, operationOf, samples } from './samples.ts';
import { Select } from './select.tsx';
import type { ConsoleLine } from './watched-browser.ts';

const kinds = { rest: 'REST', bql: 'BrowserQL', code: 'Puppeteer' } as const;

type Part = 'form' | 'text' | 'options';
const parts: Readonly<Record<RequestKind, Partial<Record<Part, string>>>> = {
  rest: { form: 'Form', text: 'JSON', options: 'Options' },
  bql: { text: 'Query', options: 'Options' },
  code: { text: 'Code', options: 'Options' },
};

type View = 'live' | 'answer' | 'console';
const views: Readonly<Record<RequestKind, Partial<Record<View, string>>>> = {
  rest: { answer: 'Response' },
  bql: { live: 'Live', answer: 'Response' },
  code: { live: 'Live', answer: 'Response', console: 'Console' },
};

export interface PageFormProps {
  operations: readonly Operation[];
  /** The content of the URL; a new object fills in the form again. */
  shared: { draft: Draft | undefined; notice: string };
}

export function PageForm({ operations, shared }: PageFormProps): ReactNode {
  const [drafts, setDrafts] = useState(() => initialDrafts(operations));
  const [kind, setKind] = useState<RequestKind>('rest');
  const [part, setPart] = useState<Part>('form');
  const [view, setView] = useState<View>('answer');
  const [notice, setNotice] = useState('');
  // Forms keep typed text: a different draft needs a new form.
  const [filled, setFilled] = useState(0);
  const draft = drafts[kind];
  const operation = operationOf(operations, draft);
  const watches = kind !== 'rest';

  const edit = (changed: Draft) => setDrafts((before) => ({ ...before, [changed.kind]: changed }));
  const fill = (changed: Draft) => {
    edit(changed);
    setFilled((before) => before + 1);
  };
  const onRun = (ended: boolean) => {
    if (!ended) setNotice('');
    // If there was a live view, its last frame stays in the other tab.
    setView(watches && !ended ? 'live' : 'answer');
  };
  const { answers } = operation;
  const editor = useEditor({ draft, onDraft: edit, target: operation, answers, watches, onRun });
  const { run, fields, copyAs, runButton, response } = editor;
  const choose = (chosen: RequestKind) => {
    run.reset();
    setKind(chosen);
    setPart(chosen === 'rest' ? 'form' : 'text');
    setView(chosen === 'rest' ? 'answer' : 'live');
  };
  const latest = useRef({ choose, fill });
  useEffect(() => {
    latest.current = { choose, fill };
  });
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- a URL that changes later fills in the editor too
    setNotice(shared.notice);
    if (shared.draft === undefined) return;
    latest.current.choose(shared.draft.kind);
    latest.current.fill(shared.draft);
  }, [shared]);

  const share = async () => {
    try {
      const fragment = await fragmentOf(draft);
      history.replaceState(history.state, '', fragment);
      await copyText(`${origin}/playground${fragment}`);
      setNotice(
        'Link copied. It contains the request, not your token. Browsers do not send the part after # to any server.',
      );
    } catch (error) {
      setNotice(messageOf(error));
    }
  };
  return (
    <div className="play">
      <div className="play-head">
        <TabRow label="Request type" name="play-kind" tabs={kinds} chosen={kind} onChoose={choose} />
        <span className="play-tools">
          <button type="button" onClick={() => void share()}>
            Share
          </button>
          {copyAs}
        </span>
      </div>
      <p className="play-notice" role="status">
        {notice}
      </p>
      <div className="play-bench" id="play-kind-panel" role="tabpanel" aria-labelledby={`play-kind-${kind}`}>
        <section aria-label="Request">
          <div className="play-bar">
            <TabRow label="Parts of the request" name="play-part" tabs={parts[kind]} chosen={part} onChoose={setPart} />
            {runButton}
          </div>
          <Begin operations={operations} draft={draft} onFill={fill} onEdit={edit} />
          <div
            className="play-pane"
            id="play-part-panel"
            role="tabpanel"
            aria-labelledby={`play-part-${part}`}
            key={`${kind} ${filled}`}
          >
            {part === 'options' ? (
              <Options draft={draft} operation={operation} onDraft={edit} />
            ) : operation.method === 'GET' ? (
              <p className="run-note">This request has no body.</p>
            ) : part === 'form' ? (
              <Form draft={draft} operation={operation} onDraft={edit} />
            ) : (
              fields
            )}
            <p className="run-note">
              {operation.summary}. <a href={`${base}/open-api`}>All fields and responses</a>
            </p>
          </div>
        </section>
        <section aria-label="Result" className="play-result">
          <div className="play-bar">
            <TabRow label="Parts of the result" name="play-view" tabs={views[kind]} chosen={view} onChoose={setView} />
          </div>
          <div className="play-pane" id="play-view-panel" role="tabpanel" aria-labelledby={`play-view-${view}`}>
            {/* Stays mounted while another tab is open: removing a frame ends its live view. */}
            <div hidden={view !== 'live'}>{run.stage.element}</div>
            <div hidden={view !== 'answer'}>
              {run.state.name === 'ready' ? <p className="run-note">Press Run to see the response here.</p> : null}
              {response}
            </div>
            {view === 'console' ? <Console lines={run.lines} /> : null}
          </div>
        </section>
      </div>
    </div>
  );
}

interface TabRowProps<Id extends string> {
  label: string;
  /** Prefix of the ids of tabs and panel. */
  name: string;
  /** Labels by id. */
  tabs: Readonly<Partial<Record<Id, string>>>;
  chosen: Id;
  onChoose: (id: Id) => void;
}

/** Renders a row of tabs; the arrow keys are handled by the script of every page. */
function TabRow<Id extends string>({ label, name, tabs, chosen, onChoose }: TabRowProps<Id>): ReactNode {
  const ids = Object.keys(tabs) as Id[]; // The keys of a literal.
  return (
    <div role="tablist" aria-label={label} className={`play-tabs ${name}s`}>
      {ids.map((id) => (
        <button
          key={id}
          id={`${name}-${id}`}
          type="button"
          role="tab"
          aria-selected={id === chosen}
          aria-controls={`${name}-panel`}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {tabs[id]}
        </button>
      ))}
    </div>
  );
}

interface BeginProps {
  operations: readonly Operation[];
  draft: Draft;
  onFill: (draft: Draft) => void;
  onEdit: (draft: Draft) => void;
}

/** Chooses the route and a sample to start from. */
function Begin({ operations, draft, onFill, onEdit }: BeginProps): ReactNode {
  const { kind, text } = draft;
  const routes = operations.filter((operation) => operation.kind === kind);
  const choose = (route: string) => {
    if (kind === 'rest') onFill(draftOf(operationOf(operations, { kind, route })));
    else onEdit({ ...draft, route });
  };
  const offered = kind === 'rest' ? [] : samples[kind];
  return (
    <div className="play-begin">
      <Select
        label="Route"
        value={operationOf(operations, draft).path}
        options={Object.fromEntries(routes.map(({ method, path }) => [path, `${method} ${path}`]))}
        onChoose={choose}
      />
      {offered.length === 0 ? null : (
        <Select
          label="Sample"
          value={offered.find((sample) => sample.text === text)?.name ?? ''}
          options={Object.fromEntries(offered.map(({ name }) => [name, name]))}
          placeholder="Your own"
          onChoose={(name) => onFill({ ...draft, variables: '', ...offered.find((sample) => sample.name === name) })}
        />
      )}
    </div>
  );
}

interface PartProps {
  draft: Draft;
  operation: Operation;
  onDraft: (draft: Draft) => void;
}

function Form({ draft, operation, onDraft }: PartProps): ReactNode {
  const values = parseJson(draft.text);
  if (!isJson(values)) {
    return <p className="run-note">The body is not a JSON object. Fix it in the JSON tab to use the form.</p>;
  }
  return (
    <FieldRows
      fields={operation.body}
      values={values}
      noun="field"
      onValues={(changed) => onDraft({ ...draft, text: `${JSON.stringify(changed, null, 2)}\n` })}
    />
  );
}

function Options({ draft, operation, onDraft }: PartProps): ReactNode {
  if (operation.query.length === 0) return <p className="run-note">This request has no options.</p>;
  return (
    <OptionRows
      query={operation.query}
      options={draft.options}
      onOptions={(options) => onDraft({ ...draft, options })}
    />
  );
}

function Console({ lines }: { lines: readonly ConsoleLine[] }): ReactNode {
  if (lines.length === 0) return <p className="run-note">The output of console.log appears here.</p>;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls must be reached by keyboard
    <ol className="play-console" tabIndex={0} aria-label="Console">
      {lines.map(({ type, text }, index) => (
        <li key={index} className={type}>
          {text}
        </li>
      ))}
    </ol>
  );
}
