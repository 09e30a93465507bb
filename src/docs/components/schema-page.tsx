/** Renders a page of the BrowserQL schema: description, signature, example with Run, tables, back-links. */
import type { ReactNode } from 'react';
import type { SchemaContent, SchemaEntry } from '../site/reference.ts';
import { CodeBlock, parseMeta } from './code-block.tsx';
import { Card, Cards, H2, Table } from './prose.tsx';
import { Rich } from './tables.tsx';

function TypeText({ type, types }: { type: string; types: SchemaContent['types'] }): ReactNode {
  return (
    <code>
      {type.split(/(\w+)/).map((part, index) =>
        types[part] === undefined ? (
          part
        ) : (
          <a key={index} href={types[part]}>
            {part}
          </a>
        ),
      )}
    </code>
  );
}

function EntryTable({
  name,
  entries,
  types,
}: { name: string; entries: readonly SchemaEntry[] } & Pick<SchemaContent, 'types'>): ReactNode {
  const typed = entries.some(({ type }) => type !== '');
  return (
    <Table>
      <thead>
        <tr>
          <th scope="col">{name}</th>
          {typed ? <th scope="col">Type</th> : null}
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.name}>
            <td>
              {entry.path === undefined ? (
                <code>{entry.name}</code>
              ) : (
                <a href={entry.path}>
                  <code>{entry.name}</code>
                </a>
              )}
              {entry.required ? <span className="badge"> required</span> : null}
              {entry.deprecated === undefined ? null : <span className="badge"> deprecated</span>}
            </td>
            {typed ? (
              <td className="type">
                <TypeText type={entry.type} types={types} />
              </td>
            ) : null}
            <td>
              <Rich text={entry.description} />
              {entry.byDefault === undefined ? null : (
                <>
                  {' '}
                  Default <code>{entry.byDefault}</code>.
                </>
              )}
              {entry.deprecated === undefined ? null : <> Deprecated: {entry.deprecated}</>}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** From this many values on, such as countries, a list becomes a grid instead of a table of hundreds of rows. */
const gridFrom = 40;

function ValueGrid({ entries }: { entries: readonly SchemaEntry[] }): ReactNode {
  return (
    <ul className="values">
      {entries.map(({ name, description }) => (
        <li key={name} title={description || undefined}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  );
}

export function SchemaPage({ content }: { content: SchemaContent }): ReactNode {
  const { description, signature, types, sections, lists, example, tested, deprecated } = content;
  return (
    <>
      {deprecated === undefined ? null : (
        <aside className="admonition warning" aria-label="Deprecated">
          <p className="admonition-title">Deprecated</p>
          <p>{deprecated}</p>
        </aside>
      )}
      <p>
        <Rich text={description === '' ? 'Part of GraphQL itself.' : description} />
      </p>
      {signature === '' ? null : (
        <CodeBlock code={signature} language="graphql" meta={parseMeta('title="Signature"')} links={types} />
      )}
      {example === undefined ? null : (
        <>
          <H2 id="example">Example</H2>
          <CodeBlock
            code={example}
            language="graphql"
            meta={{ ...parseMeta('title="BrowserQL"'), mode: 'ci' }}
            claim={tested}
          />
        </>
      )}
      {sections.map(({ title, id, name, entries }) => (
        <section key={id}>
          <H2 id={id}>{title}</H2>
          {name === 'Value' && entries.length > gridFrom ? (
            <ValueGrid entries={entries} />
          ) : (
            <EntryTable name={name} entries={entries} types={types} />
          )}
        </section>
      ))}
      {lists.map(({ title, id, links }) => (
        <section key={id}>
          <H2 id={id}>{title}</H2>
          <Cards>
            {links.map(({ label, path, description: text }) => (
              <Card key={path} href={path} title={label}>
                {text}
              </Card>
            ))}
          </Cards>
        </section>
      ))}
    </>
  );
}
