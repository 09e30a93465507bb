/** Renders a page of the BrowserQL schema: description, signature, example with Run, tables, back-links. */
import type { ReactNode } from 'react';
import { Icon } from '../../theme/icons.tsx';
import type { SchemaContent, SchemaEntry, SchemaGroup, SchemaLinks, SchemaSection } from '../site/reference.ts';
import { CodeBlock, Linked, parseMeta } from './code-block.tsx';
import { H2, Warning } from './prose.tsx';
import { FieldFilter, FieldRow, minFieldsForFilter, Rich } from '../fields/fields.tsx';

/** The arguments of an operation, the fields of a type or the values of an enum. */
function EntryList(props: { section: SchemaSection; filtered: boolean } & Pick<SchemaContent, 'types'>): ReactNode {
  const {
    section: { entries, id, name },
    types,
    filtered,
  } = props;
  return (
    <div className="fields" data-fields="">
      {filtered && entries.length >= minFieldsForFilter ? (
        <FieldFilter count={entries.length} noun={name.toLowerCase()} />
      ) : null}
      <dl>
        {entries.map((entry) => (
          <FieldRow
            key={entry.name}
            id={`${id}.${entry.name}`}
            label={entry.name}
            name={
              entry.path && (
                <a href={entry.path}>
                  <code>{entry.name}</code>
                </a>
              )
            }
            type={
              entry.type && (
                <code>
                  <Linked text={entry.type} links={types} />
                </code>
              )
            }
            badges={[
              ...(entry.required ? ['required'] : []),
              ...(entry.deprecated === undefined ? [] : ['deprecated']),
            ]}
            byDefault={entry.byDefault}
          >
            {entry.description === '' && entry.deprecated === undefined ? null : (
              <p>
                <Rich text={entry.description} />
                {entry.deprecated === undefined ? null : ` Deprecated: ${entry.deprecated}`}
              </p>
            )}
          </FieldRow>
        ))}
      </dl>
    </div>
  );
}

/** A list with more values than this, such as countries, is shown as a grid instead of a table of hundreds of rows. */
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

/** Returns the first clause of a sentence, for one-line entries: the operation's page has the rest. */
const clauseOf = (text: string): string => text.replace(/(?:[:;,]|\s\(|\s(?:when|typically)\s|\.$).*$/, '');

/** Links to pages of the schema, one line each. */
function Entries({ links }: Pick<SchemaLinks, 'links'>): ReactNode {
  return (
    <ul className="entries">
      {links.map(({ label, path, description }) => (
        <li key={path} className="entry">
          <a href={path}>
            <code>{label}</code> <span>{clauseOf(description)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Shows all operations in groups, in two columns if they fit. */
function Groups({ groups }: { groups: readonly SchemaGroup[] }): ReactNode {
  const count = groups.reduce((sum, { links }) => sum + links.length, 0);
  return (
    <div data-fields="">
      <FieldFilter count={count} noun="operation" />
      <div className="entry-groups">
        {groups.map(({ id, title, icon, links }) => (
          <section key={id} className="entry-group">
            <Icon name={icon} />
            <H2 id={id}>{title}</H2>
            <Entries links={links} />
          </section>
        ))}
      </div>
    </div>
  );
}

export function SchemaPage({ content }: { content: SchemaContent }): ReactNode {
  const { description, signature, types, sections, lists, groups, example, tested, deprecated } = content;
  return (
    <>
      {deprecated === undefined ? null : (
        <Warning title="Deprecated">
          <p>{deprecated}</p>
        </Warning>
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
      {groups.length === 0 ? null : <Groups groups={groups} />}
      {sections.map((section) => (
        <section key={section.id}>
          <H2 id={section.id}>{section.title}</H2>
          {section.name === 'Value' && section.entries.length > gridFrom ? (
            <ValueGrid entries={section.entries} />
          ) : (
            <EntryList section={section} types={types} filtered={sections.length < 5} />
          )}
        </section>
      ))}
      {lists.map(({ title, id, links }) => (
        <section key={id}>
          <H2 id={id}>{title}</H2>
          <Entries links={links} />
        </section>
      ))}
    </>
  );
}
