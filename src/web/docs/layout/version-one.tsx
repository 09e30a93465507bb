/** Renders the common parts of a page about version 1: note, description, what to send today, and table of changes. */
import { Fragment, type ReactNode } from 'react';
import { oldPages } from '../v1/table.ts';
import { admonition, H2, Table } from '../components/prose.tsx';

const Note = admonition('warning');

/** Renders a name in code, which may wrap after its underscores. */
function Name({ text }: { text: string }): ReactNode {
  return (
    <code>
      {text.split(/(?<=_)/).map((part, index) => (
        <Fragment key={index}>
          {index === 0 ? null : <wbr />}
          {part}
        </Fragment>
      ))}
    </code>
  );
}

/** Renders text with code and links: `[label](/path)`. */
function Line({ text }: { text: string }): ReactNode {
  return text.split(/(\[[^\]]+\]\([^)]+\)|`[^`]+`)/).map((part, index) => {
    const [, label, href] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
    if (label !== undefined)
      return (
        <a key={index} href={href}>
          <Line text={label} />
        </a>
      );
    return part.startsWith('`') ? <Name key={index} text={part.slice(1, -1)} /> : part;
  });
}

/**
 * @param of path of the page under /baas/v1
 * @param children what to send today: samples that the test suite runs
 */
export function VersionOne({ of, children }: { of: string; children?: ReactNode }): ReactNode {
  const page = oldPages[of];
  if (page === undefined) throw new Error(`src/web/docs/v1 has no ${of}`);
  const { now, was, changes } = page;
  const next = <a href={now.path}>{now.label}</a>;
  return (
    <>
      <Note title="Version 1 is deprecated">
        <p>Use this page to move code written for browserless 1, line by line. For anything new, see {next}.</p>
      </Note>
      <H2 id="what-it-was">What it was</H2>
      <p>
        <Line text={was} />
      </p>
      <H2 id="what-to-send-today">What to send today</H2>
      {children}
      <H2 id="old-and-new">Old and new</H2>
      <div className="changes">
        <Table>
          <thead>
            <tr>
              <th>Version 1</th>
              <th>Today</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(([before, after]) => (
              <tr key={before}>
                <td>
                  <Line text={before} />
                </td>
                <td>
                  <Line text={after} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
    </>
  );
}
