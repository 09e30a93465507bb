/** Renders the elements of prose: headings with anchors, links, tables, tabs, notes, cards. */
import {
  Children,
  createContext,
  Fragment,
  isValidElement,
  type PropsWithChildren,
  type ReactElement,
  type ReactNode,
  useContext,
  useId,
} from 'react';
import { CodeBlock, parseMeta } from './code-block.tsx';
import { useSource } from './facts.tsx';
import { Substituted } from './sample-lines.tsx';
import { Rich } from '../fields/fields.tsx';

function textOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) return node.map(textOf).join('');
  return isValidElement<PropsWithChildren>(node) ? textOf(node.props.children) : '';
}

function heading(Level: 'h2' | 'h3' | 'h4') {
  return function Heading({ id, children }: PropsWithChildren<{ id?: string }>): ReactNode {
    return (
      <Level id={id}>
        {children}
        {id === undefined ? null : (
          <a className="hash" href={`#${id}`} aria-label={`Direct link to ${textOf(children)}`}>
            #
          </a>
        )}
      </Level>
    );
  };
}

export const H2 = heading('h2');
export const H3 = heading('h3');
export const H4 = heading('h4');

export function Link({ href = '', children }: { href?: string; children?: ReactNode }): ReactNode {
  if (!/^https?:/.test(href)) return <a href={href}>{children}</a>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className="external">
      {children}
      <span className="hidden"> (opens in a new tab)</span>
    </a>
  );
}

/** The props of a code fence: MDX passes the language as a class, and the attributes after it as `metastring`. */
type FenceProps = PropsWithChildren<{ className?: string; metastring?: string }>;

export function Pre({ children }: PropsWithChildren): ReactNode {
  return <Fence node={children} untitled={false} />;
}

function Fence({ node, untitled }: { node: ReactNode; untitled: boolean }): ReactNode {
  if (!isValidElement<FenceProps>(node)) return <pre>{node}</pre>;
  const { className = '', metastring = '', children } = node.props;
  const language = /language-(\w+)/.exec(className)?.[1] ?? 'text';
  return <CodeBlock code={textOf(children)} language={language} meta={parseMeta(metastring)} untitled={untitled} />;
}

/** Renders text that may wrap wherever the pattern matches. */
export function Wrapping({ text, at }: { text: string; at: RegExp }): ReactNode {
  return text.split(at).map((part, index) => (
    <Fragment key={index}>
      {index === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ));
}

/** True inside `<Changes>`: names in code may wrap after their underscores. */
const ChangesContext = createContext(false);

export function InlineCode({ children }: PropsWithChildren): ReactNode {
  const inChanges = useContext(ChangesContext);
  if (typeof children !== 'string') return <code>{children}</code>;
  return <code>{inChanges ? <Wrapping text={children} at={/(?<=_)/} /> : <Substituted text={children} />}</code>;
}

export function Table({ children }: PropsWithChildren): ReactNode {
  return (
    <div className="table" tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  );
}

/** The content of a cell: text with `code` in backticks, several paragraphs of it, or an element. */
type Cell = string | readonly string[] | ReactElement;

function CellContent({ cell }: { cell: Cell }): ReactNode {
  if (typeof cell === 'string') return <Rich text={cell} />;
  if (isValidElement(cell)) return cell;
  return cell.map((text) => (
    <p key={text}>
      <Rich text={text} />
    </p>
  ));
}

/** Shows a table of data. */
export function DataTable({ head, rows }: { head: readonly string[]; rows: readonly (readonly Cell[])[] }): ReactNode {
  return (
    <Table>
      <thead>
        <tr>
          {head.map((text, column) => (
            <th key={column} scope="col">
              <Rich text={text} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column}>
                <CellContent cell={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

const slugOf = (label: string): string =>
  label
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

export interface TabItem {
  label: string;
  panel: ReactNode;
}

/**
 * Shows code blocks as tabs, which are in the bar of the block. All panels are in the markup, for search, print and
 * readers without scripts.
 */
export function TabSet(props: { group: string; items: readonly TabItem[]; name?: string }): ReactNode {
  const { group, items, name } = props;
  const keys = items.map(({ label }) => slugOf(label));
  const id = useId();
  return (
    <div className="tabs" data-group={group} data-has={keys.join(' ')} data-code>
      <div role="tablist" aria-label={name ?? 'Variants'}>
        {items.map(({ label }, index) => (
          <button
            key={label}
            type="button"
            role="tab"
            data-tab={keys[index]}
            aria-controls={`${id}${keys[index]}`}
            aria-selected={index === 0}
            tabIndex={index === 0 ? 0 : -1}
          >
            {label}
          </button>
        ))}
      </div>
      {items.map(({ label, panel }, index) => (
        <div
          key={label}
          id={`${id}${keys[index]}`}
          role="tabpanel"
          data-panel={keys[index]}
          data-first={index === 0 || undefined}
          aria-label={label}
        >
          <p className="panel-label">{label}</p>
          {panel}
        </div>
      ))}
    </div>
  );
}

/** Shows code fences, which need titles, as tabs. */
export function Tabs({ group = 'client', children }: PropsWithChildren<{ group?: string }>): ReactNode {
  const items = Children.toArray(children).flatMap((child): TabItem[] => {
    const code = isValidElement<PropsWithChildren>(child) ? child.props.children : undefined;
    if (!isValidElement<FenceProps>(code)) return [];
    const { title } = parseMeta(code.props.metastring ?? '');
    if (title === '') throw new Error('A fence in <Tabs> needs a title');
    return [{ label: title, panel: <Fence node={code} untitled /> }];
  });
  return <TabSet group={group} items={items} />;
}

const kinds = { note: 'Note', tip: 'Tip', info: 'Info', warning: 'Warning', danger: 'Danger' } as const;

export function admonition(kind: keyof typeof kinds) {
  return function Admonition({ title, children }: PropsWithChildren<{ title?: string }>): ReactNode {
    return (
      <aside className={`admonition ${kind}`} aria-label={title ?? kinds[kind]}>
        <p className={title === undefined ? 'admonition-title hidden' : 'admonition-title'}>{title ?? kinds[kind]}</p>
        {children}
      </aside>
    );
  };
}

export const Warning = admonition('warning');

/** The note at the top of a page about version 1. Its children link to the page for new users. */
export function VersionOne({ children }: PropsWithChildren): ReactNode {
  return (
    <Warning title="Version 1 is deprecated">
      <p>Use this page to move code written for browserless 1, line by line. For anything new, see {children}.</p>
    </Warning>
  );
}

/** Shows a table of old and new names in two columns of equal width. */
export function Changes({ children }: PropsWithChildren): ReactNode {
  return (
    <ChangesContext value={true}>
      <div className="changes">{children}</div>
    </ChangesContext>
  );
}

export function Details({ summary, children }: PropsWithChildren<{ summary: string }>): ReactNode {
  return (
    <details>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}

export function Cards({ children }: PropsWithChildren): ReactNode {
  return <div className="cards">{children}</div>;
}

export function Card({ href, title, children }: PropsWithChildren<{ href: string; title: string }>): ReactNode {
  return (
    <section className="card">
      <p className="card-title">
        <a href={href}>{title}</a>
      </p>
      {typeof children === 'string' ? <p>{children}</p> : children}
    </section>
  );
}

export function CategoryCards({ of }: { of: string }): ReactNode {
  return (
    <Cards>
      {useSource()
        .category(of)
        .map(({ path, label, description }) => (
          <Card key={path} href={path} title={label}>
            {description}
          </Card>
        ))}
    </Cards>
  );
}
