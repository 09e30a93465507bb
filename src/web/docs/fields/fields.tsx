/** Renders a list of fields: name, type, badges and default on one line, description below, nested fields collapsed. */
import type { ReactNode } from 'react';
import { type FieldNode, fieldTree } from '../site/field-tree.ts';
import type { Field } from '../site/model.ts';

/** Renders text with `code` in backticks. */
export function Rich({ text }: { text: string }): ReactNode {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) =>
      part.startsWith('`') && part.length > 2 ? <code key={index}>{part.slice(1, -1)}</code> : part,
    );
}

interface FieldRowProps {
  id: string;
  /** The full name, for the label of the link. */
  label: string;
  /** The displayed name, if it is more than the full name in code. */
  name?: ReactNode;
  type: ReactNode;
  badges?: readonly string[];
  byDefault?: string | undefined;
  children?: ReactNode;
}

export function FieldRow({
  id,
  label,
  name = <code>{label}</code>,
  type,
  badges = [],
  byDefault,
  children,
}: FieldRowProps): ReactNode {
  return (
    <div className="field" id={id}>
      <dt>
        {name} {type === '' ? null : <span className="type">{type}</span>}
        {badges.map((badge) => (
          <span key={badge}>
            {' '}
            <span className={badge === 'required' ? 'badge required' : 'badge'}>{badge}</span>
          </span>
        ))}
        {byDefault === undefined ? null : (
          <>
            {' '}
            <span className="default">
              default <code>{byDefault}</code>
            </span>
          </>
        )}
        <a className="hash" href={`#${id}`} aria-label={`Direct link to ${label}`}>
          #
        </a>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

const anchorOf = (scope: string, name: string): string => `${scope}.${name.replaceAll('[]', '').replace(/^\./, '')}`;

export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function FieldNodes({ nodes, scope }: { nodes: readonly FieldNode[]; scope: string }): ReactNode {
  return nodes.map(({ field, leaf, inner }) => (
    <FieldRow
      key={field.name}
      id={anchorOf(scope, field.name)}
      label={field.name}
      name={
        <code>
          {leaf === field.name ? null : <span className="hidden">{field.name.slice(0, -leaf.length)}</span>}
          {leaf}
        </code>
      }
      type={field.type}
      badges={field.required ? ['required'] : []}
      byDefault={field.byDefault}
    >
      {field.description === '' ? null : (
        <p>
          <Rich text={field.description} />
        </p>
      )}
      {inner.length === 0 ? null : (
        <details className="kids">
          <summary>
            {pluralize(inner.length, 'field')} of <code>{leaf}</code>
          </summary>
          <dl>
            <FieldNodes nodes={inner} scope={scope} />
          </dl>
        </details>
      )}
    </FieldRow>
  ));
}

/** Lists with at least this many fields have a filter. */
export const minFieldsForFilter = 8;

/**
 * Renders a box that shows only fields matching every word typed. The box needs JavaScript; the list does not. `noun` is
 * the singular for the counted items; `ofPage` filters every list on the page.
 */
export function FieldFilter(props: { count: number; noun: string; ofPage?: boolean }): ReactNode {
  const { count, noun, ofPage } = props;
  return (
    <div className="field-filter needs-script">
      <input
        type="search"
        data-filter-fields={noun}
        data-of-page={ofPage}
        placeholder={`Filter ${noun}s`}
        aria-label={`Filter ${noun}s`}
        autoComplete="off"
        spellCheck={false}
      />
      <output>{pluralize(count, noun)}</output>
    </div>
  );
}

interface FieldListProps {
  fields: readonly Field[];
  /** Subject of the list and prefix of every anchor: `body`, `query`. */
  scope: string;
  noun?: string;
  /** Fields that many operations accept; they are collapsed at the end. */
  common?: readonly Field[];
}

/** Renders the fields of a request or a response, with a filter if there are many. */
export function FieldList({ fields, scope, noun = 'field', common = [] }: FieldListProps): ReactNode {
  const others = fieldTree(common);
  const nodes = fieldTree(fields);
  const many = nodes.length + others.length >= minFieldsForFilter;
  return (
    <div className="fields" data-fields="">
      {many ? <FieldFilter count={fields.length + common.length} noun={noun} /> : null}
      {nodes.length === 0 ? null : (
        <dl>
          <FieldNodes nodes={nodes} scope={scope} />
        </dl>
      )}
      {others.length === 0 ? null : (
        <details className="common" id={`${scope}.common`}>
          <summary>
            Common {noun}s <small>{shortList(others.map(({ leaf }) => leaf))}</small>
          </summary>
          <dl>
            <FieldNodes nodes={others} scope={scope} />
          </dl>
        </details>
      )}
    </div>
  );
}

/** Renders the fields without a filter, for pages with many lists. */
export function PlainFields({ fields, scope }: { fields: readonly Field[]; scope: string }): ReactNode {
  return (
    <div className="fields">
      <dl>
        <FieldNodes nodes={fieldTree(fields)} scope={scope} />
      </dl>
    </div>
  );
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 2);
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - 2} more` : shown.join(', ');
}
