/** Opens in place of a sample, immediately sends the sample to this server, and shows the response by its type. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { RunnableRequest } from '../../samples/runnable.ts';
import { parseJson } from '../../site/json.ts';
import { keys, recall, remember } from '../shell/store.ts';
import type { Draft } from './draft.ts';
import { useEditor } from './editor.tsx';

function indented(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}

function draftOf({ path, query, body = '', variables = '' }: RunnableRequest): Draft {
  const kind = query === undefined ? 'rest' : 'bql';
  return { kind, route: path, text: query ?? indented(body), variables, options: {} };
}

export function PanelForm({ request, onClose }: { request: RunnableRequest; onClose: () => void }): ReactNode {
  const { method, path } = request;
  const [draft, setDraft] = useState(() => draftOf(request));
  const isBql = draft.kind === 'bql';
  const [watches, setWatches] = useState(() => isBql && recall(keys.browserView) !== 'off');
  const panel = useRef<HTMLElement>(null);
  const target = { ...request, query: [] };
  const editor = useEditor({ draft, onDraft: setDraft, target, watches, runsFirst: true });
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: 'nearest' });
    void editor.start();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps -- once: later runs are the reader's
  }, []);
  const watch = (on: boolean) => {
    setWatches(on);
    remember(keys.browserView, on ? '' : 'off');
  };
  return (
    <section ref={panel} className="run" aria-label="Run this sample" tabIndex={-1}>
      <div className="run-head">
        <span className="method">{method}</span> <code>{path}</code>
        {isBql ? (
          <label className="run-switch">
            <input type="checkbox" checked={watches} onChange={({ target: box }) => watch(box.checked)} /> Show browser
          </label>
        ) : null}
        <span className="run-tools">
          {editor.copyAs}
          <button type="button" onClick={onClose}>
            Close
          </button>
          {editor.runButton}
        </span>
      </div>
      <div className={watches ? 'run-columns' : undefined}>
        <div>{method === 'GET' ? null : editor.fields}</div>
        {watches ? editor.run.stage.element : null}
      </div>
      {editor.response}
    </section>
  );
}
