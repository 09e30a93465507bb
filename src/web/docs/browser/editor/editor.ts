/**
 * Edits code with syntax highlighting in a shadow root, whose styles are constructed style sheets: the page's
 * Content-Security-Policy allows those. The languages are in the scripts that import this one.
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
import { EditorState, type Extension, type Text } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** An error in the text. */
export interface EditorError {
  message: string;
  /** 1-based; undefined when the position is unknown. */
  line: number | undefined;
  /** 1-based. */
  column: number | undefined;
}

export interface EditorOptions {
  /** An empty element, which becomes the host of the editor's shadow root. */
  host: HTMLElement;
  text: string;
  /** Accessible name; includes how to leave the editor. */
  label: string;
  onText: (text: string) => void;
  /** Called on Ctrl+Enter, and on a Mac also on Command+Enter. */
  onRun: () => void;
  /** Called on Escape when no list of completions is open. */
  onLeave: () => void;
}

const highlightColors = HighlightStyle.define([
  { tag: [tags.definitionKeyword, tags.keyword, tags.modifier], color: 'var(--tk-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--tk-string)' },
  { tag: [tags.bool, tags.integer, tags.float, tags.number, tags.null], color: 'var(--tk-constant)' },
  { tag: tags.special(tags.name), color: 'var(--tk-constant)' },
  { tag: tags.propertyName, color: 'var(--tk-function)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--tk-comment)' },
  { tag: [tags.variableName, tags.attributeName, tags.atom], color: 'var(--tk-parameter)' },
  { tag: [tags.punctuation, tags.paren, tags.brace, tags.separator, tags.operator], color: 'var(--tk-punctuation)' },
]);

const mono = { fontFamily: 'var(--mono)' };
const box = { background: 'var(--bg)', color: 'var(--text)', border: '1px solid var(--line)' };

/** Uses the page's CSS variables, so that the editor follows the color mode automatically. */
const theme = EditorView.theme({
  '&': { ...box, borderRadius: '8px', fontSize: '0.86rem', maxHeight: 'var(--editor-height, 24rem)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { ...mono, lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--text)', padding: '0.5rem 0' },
  '.cm-gutters': { background: 'var(--bg-1)', color: 'var(--text-2)', borderRight: '1px solid var(--line)' },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--accent-soft)', color: 'inherit' },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'none', color: 'var(--bad)' },
  '.cm-tooltip': { ...box, borderRadius: '8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { ...mono, fontSize: '0.86rem', maxWidth: 'min(30rem, 85vw)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.2rem 0.6rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent-soft)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--text-2)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { color: 'var(--accent)', textDecoration: 'none', fontWeight: '600' },
  '.cm-tooltip.cm-completionInfo': { padding: '0.4rem 0.7rem', overflowY: 'auto', maxHeight: '14rem' },
  '.cm-diagnostic': { ...mono, borderLeft: '3px solid var(--bad)', padding: '0.3rem 0.6rem' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
});

/** Marks the word that starts at an error's line and column. */
function diagnosticOf(doc: Text, { message, line, column }: EditorError): Diagnostic[] {
  if (line === undefined || line < 1 || line > doc.lines) return [];
  const { from, to, text } = doc.line(line);
  const start = Math.min(from + Math.max(0, (column ?? 1) - 1), to);
  const word = /^\w+/.exec(text.slice(start - from))?.[0].length ?? 1;
  return [{ from: start, to: Math.min(start + word, doc.length), severity: 'error', message }];
}

/**
 * Replaces a selection with typed text in code: browsers would copy the colors of the replaced text to the new text as
 * an inline style, which the page's Content-Security-Policy blocks with an error in the console.
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

export type Editor = ReturnType<typeof createEditor>;

/** Returns a function that opens an editor for a language, or nothing if its options are gone by then. */
export const opener =
  (loadLanguage: () => Promise<Extension>) =>
  async (options: () => EditorOptions | undefined): Promise<Editor | undefined> => {
    const language = await loadLanguage();
    // While the language was loading, the text may have changed, and the reader may have left.
    const current = options();
    return current && createEditor(current, language);
  };

/** @param language highlighting, completion and checks of the language */
function createEditor({ host, text, label, onText, onRun, onLeave }: EditorOptions, language: Extension) {
  const root = host.attachShadow({ mode: 'open' });
  // Outside the shadow root, the event's target is the host, not a text field: the page would see shortcuts.
  host.addEventListener('keydown', (event) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
  });
  let isReplacing = false;
  const handled = (action: () => void) => () => {
    action();
    return true;
  };
  // Escape first closes an open completion list; a list that is still pending does not delay leaving the editor.
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
        // Tab has no binding: it moves the focus out of the editor, as in every other field.
        keymap.of([
          { key: 'Mod-Enter', run: handled(onRun) },
          { key: 'Ctrl-Enter', run: handled(onRun) },
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
        language,
        syntaxHighlighting(highlightColors),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged && !isReplacing) onText(state.doc.toString());
        }),
        typingOverSelection,
        theme,
      ],
    }),
  });
  return {
    focus: () => view.focus(),
    /** Replaces the whole text without calling `onText`. */
    replace: (changed: string) => {
      if (changed === view.state.doc.toString()) return;
      isReplacing = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: changed } });
      isReplacing = false;
    },
    /** Marks errors in the text; the next edit clears the marks. */
    mark: (errors: readonly EditorError[]) => {
      const diagnostics = errors.flatMap((mistake) => diagnosticOf(view.state.doc, mistake));
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    close: () => view.destroy(),
  };
}
