/**
 * Answers questions in a dialog: with the best passage of the pages, or, if the operator has configured a language
 * model, with the model's answer and the pages that it received.
 */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Passage } from '../../search/passages.ts';
import { markTerms } from '../../search/snippet.ts';
import { askExamples, type AskSource } from '../../site/ask.ts';
import { base, setting } from '../shell/page-context.ts';
import { Boundary } from '../run/boundary.tsx';
import { askModel } from './ask-model.ts';
import { passagesOf } from './search-client.ts';
import { searchIcons } from './search-icons.ts';

const pages = 4;
const passageCharacters = 420;

type State =
  | { name: 'empty' }
  | { name: 'answering' }
  | { name: 'found'; passages: Passage[] }
  | { name: 'written'; text: string; sources: AskSource[]; reason: string; ended: boolean }
  | { name: 'failed'; reason: string };

const asksModel = (): boolean => setting('ask') === 'model';

const AskIcon = ({ name }: { name: keyof typeof searchIcons }): ReactNode => (
  <svg className="i" viewBox="0 0 20 20" aria-hidden="true">
    <path d={searchIcons[name]} />
  </svg>
);

function Source({ source, onFollow }: { source: AskSource; onFollow: () => void }): ReactNode {
  return (
    <a href={base + source.url} onClick={onFollow}>
      {source.title}
      {source.heading === '' ? '' : ` › ${source.heading}`}
    </a>
  );
}

function Found({ passages, onFollow }: { passages: Passage[]; onFollow: () => void }): ReactNode {
  const [best, ...others] = passages;
  if (best === undefined) return <p>No results</p>;
  return (
    <>
      <blockquote className="ask-answer">
        <p>
          {markTerms(best.text, best.terms).map(({ text, marked }, index) =>
            marked ? <mark key={index}>{text}</mark> : text,
          )}
        </p>
        <Source source={best} onFollow={onFollow} />
      </blockquote>
      {others.length === 0 ? null : <Sources title="More pages" sources={others} onFollow={onFollow} />}
    </>
  );
}

function Sources(props: { title: string; sources: readonly AskSource[]; onFollow: () => void }): ReactNode {
  const { title, sources, onFollow } = props;
  return (
    <>
      <p className="ask-more">{title}</p>
      <ol className="ask-sources">
        {sources.map((source) => (
          <li key={source.url}>
            <Source source={source} onFollow={onFollow} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Answer({ state, onFollow }: { state: State; onFollow: () => void }): ReactNode {
  if (state.name === 'empty') return null;
  if (state.name === 'answering') return <p>Searching…</p>;
  if (state.name === 'failed') return <p className="error-box">{state.reason}</p>;
  if (state.name === 'found') return <Found passages={state.passages} onFollow={onFollow} />;
  return (
    <>
      <p className="ask-answer ask-written">{state.text}</p>
      {state.reason === '' ? null : <p className="error-box">{state.reason}</p>}
      {state.ended ? <Sources title="Pages used by the model" sources={state.sources} onFollow={onFollow} /> : null}
    </>
  );
}

function Ask({ first, onClose }: { first: string; onClose: () => void }): ReactNode {
  const [question, setQuestion] = useState(first);
  const [state, setState] = useState<State>({ name: 'empty' });
  const dialog = useRef<HTMLDialogElement>(null);
  const asking = useRef(new AbortController());
  useEffect(() => {
    dialog.current?.showModal();
    if (first !== '') dialog.current?.querySelector('form')?.requestSubmit();
    return () => asking.current.abort();
  }, [first]);
  const ask = async (text: string) => {
    setQuestion(text);
    if (text.trim() === '') return;
    asking.current.abort();
    const mine = new AbortController();
    asking.current = mine;
    const show = (next: State) => {
      if (!mine.signal.aborted) setState(next);
    };
    show({ name: 'answering' });
    try {
      if (asksModel()) await write(text, mine.signal, show);
      else show({ name: 'found', passages: await passagesOf(text, pages, passageCharacters) });
    } catch (error) {
      const reason = asksModel() && error instanceof Error ? error.message : 'The search index could not be loaded.';
      show({ name: 'failed', reason });
    }
  };
  const close = () => dialog.current?.close();
  const asksAbout = asksModel() ? 'Ask about this server' : 'Ask the docs';
  const busy = state.name === 'answering' || (state.name === 'written' && !state.ended);
  return (
    <dialog ref={dialog} className="ask-dialog" aria-label="Ask AI" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void ask(question);
        }}
      >
        <AskIcon name="ask" />
        <label htmlFor="ask-question" className="hidden">
          {asksAbout}
        </label>
        <input
          id="ask-question"
          value={question}
          placeholder={asksAbout}
          autoComplete="off"
          onChange={({ target }) => setQuestion(target.value)}
          maxLength={200}
        />
        <button type="submit" className="primary">
          Ask
        </button>
        <button type="button" className="icon" onClick={close} aria-label="Close">
          <AskIcon name="close" />
        </button>
      </form>
      {state.name === 'empty' ? (
        <ul className="ask-examples">
          {askExamples.map((example) => (
            <li key={example}>
              <button type="button" onClick={() => void ask(example)}>
                {example}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <div role="status" aria-live="polite" aria-busy={busy}>
        <Answer state={state} onFollow={close} />
      </div>
      <p className="ask-foot">
        {asksModel()
          ? 'Your question and passages from these pages are sent to the language model that the operator of this server has chosen. Models make mistakes: check important answers.'
          : 'The answer is a passage from these pages, found in your browser. Nothing is sent anywhere.'}
      </p>
    </dialog>
  );
}

/** Shows the model's answer as it streams in. @throws Error when the server refuses the question */
async function write(question: string, signal: AbortSignal, show: (state: State) => void): Promise<void> {
  let [text, reason] = ['', ''];
  let sources: AskSource[] = [];
  for await (const line of askModel(question, signal)) {
    if (line.kind === 'sources') sources = line.sources;
    else if (line.kind === 'text') text += line.text;
    else if (line.kind === 'failed') reason = line.reason;
    if (line.kind === 'text' || line.kind === 'end')
      show({ name: 'written', text, sources, reason, ended: line.kind === 'end' });
  }
}

/**
 * @param opener element that receives the focus when the dialog closes
 * @param question asked immediately unless empty
 */
export function openAsk(opener: HTMLElement, question = ''): void {
  const host = document.createElement('div');
  document.body.append(host);
  const root = createRoot(host);
  const close = () => {
    root.unmount();
    host.remove();
    opener.focus();
  };
  root.render(
    <Boundary>
      <Ask first={question} onClose={close} />
    </Boundary>,
  );
}
