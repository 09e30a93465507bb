/** Shows the passages of the search index that answer a question best, in a dialog. It asks no language model. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Hit } from '../../search/engine.ts';
import { addressOf, snippet } from '../../search/snippet.ts';
import { base } from '../shell/page-context.ts';
import { Boundary } from '../run/run-panel.tsx';
import { searchFor } from './search-client.ts';

const examples = [
  'How do I get started?',
  'What is BrowserQL?',
  'Which API endpoints are there?',
  'How does authentication with a token work?',
  'How do I use a proxy?',
  'What are the rate limits and queues?',
];
const passages = 5;
const passageCharacters = 260;

type State = { name: 'empty' } | { name: 'answering' } | { name: 'answered'; hits: Hit[] } | { name: 'failed' };

function Ask({ onClose }: { onClose: () => void }): ReactNode {
  const [question, setQuestion] = useState('');
  const [state, setState] = useState<State>({ name: 'empty' });
  const dialog = useRef<HTMLDialogElement>(null);
  const asked = useRef(0);
  useEffect(() => dialog.current?.showModal(), []);
  const ask = async (text: string) => {
    setQuestion(text);
    if (text.trim() === '') return;
    const mine = ++asked.current;
    setState({ name: 'answering' });
    try {
      const hits = await searchFor(text, passages);
      if (mine === asked.current) setState({ name: 'answered', hits });
    } catch {
      if (mine === asked.current) setState({ name: 'failed' });
    }
  };
  return (
    <dialog ref={dialog} className="ask-dialog" aria-label="Ask AI" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void ask(question);
        }}
      >
        <label htmlFor="ask-question">Ask these pages</label>
        <input
          id="ask-question"
          value={question}
          onChange={({ target }) => setQuestion(target.value)}
          maxLength={200}
        />
        <button type="submit" className="primary">
          Ask
        </button>
        <button type="button" onClick={() => dialog.current?.close()} aria-label="Close">
          ×
        </button>
      </form>
      {state.name === 'empty' ? (
        <ul>
          {examples.map((example) => (
            <li key={example}>
              <button type="button" onClick={() => void ask(example)}>
                {example}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <div role="status" aria-live="polite">
        {state.name === 'answering' ? <p>Looking…</p> : null}
        {state.name === 'failed' ? <p className="error-box">The search index could not be loaded.</p> : null}
        {state.name === 'answered' && state.hits.length === 0 ? <p>No results</p> : null}
        {state.name === 'answered'
          ? state.hits.map((hit) => (
              <blockquote key={hit.url}>
                <p>
                  {snippet(hit.content, hit.terms, passageCharacters).map(({ text, marked }, index) =>
                    marked ? <mark key={index}>{text}</mark> : text,
                  )}
                </p>
                <a href={base + addressOf(hit.url, [])} onClick={() => dialog.current?.close()}>
                  {hit.title}
                  {hit.heading === '' ? '' : ` › ${hit.heading}`}
                </a>
              </blockquote>
            ))
          : null}
      </div>
      <p className="small">
        Answers are passages of this documentation, found in your browser. Nothing is sent anywhere.
      </p>
    </dialog>
  );
}

export function openAsk(button: HTMLElement): void {
  const host = document.createElement('div');
  document.body.append(host);
  const root = createRoot(host);
  const close = () => {
    root.unmount();
    host.remove();
    button.focus();
  };
  root.render(
    <Boundary>
      <Ask onClose={close} />
    </Boundary>,
  );
}
