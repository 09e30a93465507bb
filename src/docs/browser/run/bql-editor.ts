/**
 * The editor of BrowserQL documents, fetched on first use: colours, completion and checks from the schema of this very
 * server. It lives in a shadow root: there its styles are constructed sheets, which the page's policy allows.
 */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Text } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { graphql } from 'cm6-graphql';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { base } from '../shell/page-context.ts';

/** An error of a BrowserQL answer, with its place in the document when the server names one. */
export interface BqlProblem {
  message: string;
  /** From 1. */
  line: number | undefined;
  /** From 1. */
  column: number | undefined;
  /** The operation, as the document calls it. */
  path: string;
}

export interface BqlEditorOptions {
  /** An empty element, which becomes the host of the editor's shadow root. */
  host: HTMLElement;
  text: string;
  schema: GraphQLSchema | undefined;
  /** Accessible name; says how to leave. */
  label: string;
  onText: (text: string) => void;
  /** Ctrl+Enter, on a Mac also Command+Enter. */
  onRun: () => void;
  /** Escape, when no list of completions is open. */
  onLeave: () => void;
}

export interface BqlEditor {
  focus(): void;
  /** Marks what the server said about the document; the next change takes the marks away. */
  mark(problems: readonly BqlProblem[]): void;
  close(): void;
}

const colours = HighlightStyle.define([
  { tag: [tags.definitionKeyword, tags.keyword, tags.modifier], color: 'var(--tk-keyword)' },
  { tag: tags.string, color: 'var(--tk-string)' },
  { tag: [tags.bool, tags.integer, tags.float, tags.null, tags.special(tags.name)], color: 'var(--tk-constant)' },
  { tag: tags.propertyName, color: 'var(--tk-function)' },
  { tag: tags.lineComment, color: 'var(--tk-comment)' },
  { tag: [tags.variableName, tags.attributeName, tags.atom], color: 'var(--tk-parameter)' },
  { tag: [tags.punctuation, tags.paren, tags.brace, tags.separator], color: 'var(--tk-punctuation)' },
]);

const mono = { fontFamily: 'var(--mono)' };
const box = { background: 'var(--back)', color: 'var(--text)', border: '1px solid var(--line)' };

/** By the page's own variables, so that the colour mode needs no word of its own. */
const look = EditorView.theme({
  '&': { ...box, borderRadius: '8px', fontSize: '0.86rem', maxHeight: '24rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { ...mono, lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--text)', padding: '0.5rem 0' },
  '.cm-gutters': { background: 'var(--raised)', color: 'var(--soft)', borderRight: '1px solid var(--line)' },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--accent-soft)', color: 'inherit' },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'none', color: 'var(--bad)' },
  '.cm-tooltip': { ...box, borderRadius: '8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { ...mono, fontSize: '0.86rem', maxWidth: 'min(30rem, 85vw)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.2rem 0.6rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent-soft)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { color: 'var(--accent)', textDecoration: 'none', fontWeight: '600' },
  '.cm-tooltip.cm-completionInfo': { padding: '0.4rem 0.7rem', overflowY: 'auto', maxHeight: '14rem' },
  '.cm-diagnostic': { ...mono, borderLeft: '3px solid var(--bad)', padding: '0.3rem 0.6rem' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
});

/** Where the server's line and column (both from 1) lie; the word that begins there is marked. */
function diagnosticOf(doc: Text, { message, line, column }: BqlProblem): Diagnostic[] {
  if (line === undefined || line < 1 || line > doc.lines) return [];
  const { from, to, text } = doc.line(line);
  const start = Math.min(from + Math.max(0, (column ?? 1) - 1), to);
  const word = /^\w+/.exec(text.slice(start - from))?.[0].length ?? 1;
  return [{ from: start, to: Math.min(start + word, doc.length), severity: 'error', message }];
}

let schema: Promise<GraphQLSchema | undefined> | undefined;

/** The language of this server, asked for once a document; without it the editor has colours only. */
export function loadSchema(): Promise<GraphQLSchema | undefined> {
  schema ??= (async () => {
    const response = await fetch(`${base}/bql/schema.graphql`);
    if (!response.ok) throw new Error(`The schema: ${response.status}`);
    return buildSchema(await response.text());
  })().catch(() => {
    schema = undefined;
    return undefined;
  });
  return schema;
}

/**
 * Typing over a selection is done here: browsers put the colours of the replaced text on the new one as an inline style,
 * which the page's policy blocks with an error in the console.
 */
const typingOverSelection = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || empty || view.composing) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    return true;
  },
});

export function createBqlEditor(options: BqlEditorOptions): BqlEditor {
  const { host, text, schema: language, label, onText, onRun, onLeave } = options;
  const root = host.attachShadow({ mode: 'open' });
  // Outside, the field is the host, no place to type in: the page would take letters as its own keys.
  host.addEventListener('keydown', (event) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
  });
  const done = (action: () => void) => () => {
    action();
    return true;
  };
  // A list that is shown is closed first; one that is only on its way keeps nobody.
  const leave = (from: EditorView) => {
    if (completionStatus(from.state) === 'active') return false;
    closeCompletion(from);
    onLeave();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        // Tab has no binding: it leaves the editor as it leaves every other field.
        keymap.of([
          { key: 'Mod-Enter', run: done(onRun) },
          { key: 'Ctrl-Enter', run: done(onRun) },
          { key: 'Escape', run: leave },
          ...completionKeymap,
          ...closeBracketsKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        lineNumbers(),
        history(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ icons: false }),
        graphql(language),
        syntaxHighlighting(colours),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onText(state.doc.toString());
        }),
        typingOverSelection,
        look,
      ],
    }),
  });
  return {
    focus: () => view.focus(),
    mark: (problems) => {
      const { doc } = view.state;
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.flatMap((problem) => diagnosticOf(doc, problem)),
        ),
      );
    },
    close: () => view.destroy(),
  };
}
