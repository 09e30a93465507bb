/** Renders a code field: a plain text area until its editor is loaded, or if the editor cannot be fetched. */
import { type ComponentProps, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { lazy } from '../shell/page-context.ts';
import type { Editor, EditorOptions, EditorError } from './editor.ts';

interface EditorFieldProps {
  /** Name of the lazy script that has the editor. */
  script: 'bql-editor' | 'code-editor' | 'json-editor';
  /** Accessible name: what the field contains. */
  name: string;
  text: string;
  onText: (text: string) => void;
  onRun: () => void;
  /** Called when the reader leaves the editor with Escape. */
  onLeave: () => void;
  /** Errors to mark in the text. */
  mistakes: readonly EditorError[];
}

/** A text area that Ctrl+Enter runs. */
export function PlainField(
  props: Pick<EditorFieldProps, 'text' | 'onText' | 'onRun'> & ComponentProps<'textarea'>,
): ReactNode {
  const { text, onText, onRun, ...rest } = props;
  return (
    <textarea
      {...rest}
      value={text}
      spellCheck={false}
      rows={Math.min(20, text.split('\n').length + 1)}
      onChange={({ target }) => onText(target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onRun();
      }}
    />
  );
}

const keysOf = (name: string): string =>
  `${name}. Ctrl+Enter runs it, Ctrl+Space completes, Escape or Tab leaves the editor.`;

export function EditorField(props: EditorFieldProps): ReactNode {
  const { script, name, text, onText, mistakes } = props;
  const host = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const [editor, setEditor] = useState<Editor>();
  const [failed, setFailed] = useState(false);
  // The editor is created once: it must call the callbacks of the latest render, not those of the first.
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    let made: Editor | undefined;
    let gone = false;
    let hadFocus = false;
    const options = (): EditorOptions | undefined => {
      if (gone || host.current === null) return undefined;
      hadFocus = document.activeElement === plain.current;
      return {
        host: host.current,
        text: latest.current.text,
        label: keysOf(latest.current.name),
        // flushSync: a Ctrl+Enter right after the last letter must run the text that the reader sees.
        onText: (changed) => flushSync(() => latest.current.onText(changed)),
        onRun: () => latest.current.onRun(),
        onLeave: () => latest.current.onLeave(),
      };
    };
    const make = async () => {
      const { openEditor }: typeof import('./json-editor.ts') = await lazy(script);
      made = await openEditor(options);
      setEditor(made);
      if (hadFocus) made?.focus();
    };
    make().catch(() => setFailed(true));
    return () => {
      gone = true;
      made?.close();
    };
  }, [script]);
  useEffect(() => editor?.replace(text), [editor, text]);
  useEffect(() => editor?.mark(mistakes), [editor, mistakes]);
  return (
    <>
      <div ref={host} className="bql-editor" />
      {editor !== undefined ? null : (
        <PlainField
          ref={plain}
          aria-label={failed ? name : `${name}, the editor is loading`}
          {...{ text, onText, onRun: props.onRun }}
        />
      )}
      <p className="run-hint">
        {failed ? (
          'The editor could not be loaded. Use this plain field instead.'
        ) : (
          <>
            <kbd>Ctrl</kbd>+<kbd>Space</kbd> completes, <kbd>Ctrl</kbd>+<kbd>Enter</kbd> runs, <kbd>Esc</kbd> leaves the
            editor.
          </>
        )}
      </p>
    </>
  );
}
