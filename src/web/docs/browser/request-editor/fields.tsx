/** Renders forms of the fields in the OpenAPI document: those with a value, and a list of the others to add. */
import { type ReactNode, useId, useState } from 'react';
import { parseJson } from '../../site/json.ts';
import type { Draft } from './draft.ts';
import type { FieldFact } from './operations.ts';
import { Select } from './select.tsx';

type Values = Readonly<Record<string, unknown>>;

interface FieldRowsProps {
  fields: readonly FieldFact[];
  values: Values;
  onValues: (values: Values) => void;
  /** Name of one item: field, option. */
  noun: string;
}

export function FieldRows({ fields, values, onValues, noun }: FieldRowsProps): ReactNode {
  const others = fields.filter(({ name }) => !Object.hasOwn(values, name));
  return (
    <div className="play-form">
      {Object.entries(values).map(([name, value]) => (
        <FieldRow
          key={name}
          field={fields.find((field) => field.name === name) ?? { ...unknownField, name }}
          value={value}
          onValue={(changed) => onValues({ ...values, [name]: changed })}
          onRemove={() => onValues(Object.fromEntries(Object.entries(values).filter(([each]) => each !== name)))}
        />
      ))}
      {others.length === 0 ? null : (
        <Adder noun={noun} fields={others} onAdd={({ name, first }) => onValues({ ...values, [name]: first })} />
      )}
    </div>
  );
}

const unknownField: Omit<FieldFact, 'name'> = {
  type: 'anything',
  description: 'This server does not document this field.',
  control: 'json',
  choices: [],
  first: '',
};

interface OptionRowsProps {
  query: readonly FieldFact[];
  options: Draft['options'];
  onOptions: (options: Draft['options']) => void;
}

/** Renders the query parameters of a request. A query has only text: numbers and JSON are converted. */
export function OptionRows({ query, options, onOptions }: OptionRowsProps): ReactNode {
  const read = (name: string, text: string): unknown => {
    const control = query.find((field) => field.name === name)?.control;
    const value = control === 'number' || control === 'json' ? parseJson(text) : undefined;
    return value === undefined ? text : value;
  };
  const write = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
  return (
    <FieldRows
      fields={query}
      values={Object.fromEntries(Object.entries(options).map(([name, text]) => [name, read(name, text)]))}
      noun="option"
      onValues={(values) =>
        onOptions(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, write(value)])))
      }
    />
  );
}

interface RowProps {
  field: FieldFact;
  value: unknown;
  onValue: (value: unknown) => void;
  onRemove: () => void;
}

function FieldRow({ field, value, onValue, onRemove }: RowProps): ReactNode {
  const id = useId();
  const { name, type, description } = field;
  return (
    <div className="play-field">
      <div className="play-field-head">
        <label htmlFor={id}>
          <code>{name}</code>
        </label>
        <span className="play-type">{type}</span>
        <button type="button" className="play-remove" aria-label={`Remove ${name}`} onClick={onRemove}>
          ×
        </button>
      </div>
      <Control id={id} field={field} value={value} onValue={onValue} />
      <p id={`${id}-about`}>{description.replaceAll('`', '')}</p>
    </div>
  );
}

/** Fields that contain long text. */
const longTexts: readonly string[] = ['html', 'code'];
const booleans: readonly string[] = ['true', 'false'];

type ControlProps = Pick<RowProps, 'field' | 'value' | 'onValue'> & { id: string };
type Typed = { target: { value: string } };

function Control({ id, field, value, onValue }: ControlProps): ReactNode {
  const { name, control } = field;
  const choices = control === 'boolean' ? booleans : field.choices;
  const common = { id, 'aria-describedby': `${id}-about`, spellCheck: false };
  if (choices.includes(String(value))) {
    const options = Object.fromEntries(choices.map((choice) => [choice, choice || '(empty)']));
    const choose = (chosen: string) => onValue(typeof value === 'boolean' ? chosen === 'true' : chosen);
    return <Select {...common} value={String(value)} options={options} onChoose={choose} />;
  }
  if (control === 'json' || typeof value !== 'string') {
    const isNumber = control === 'number' && typeof value === 'number';
    return <ParsedControl id={id} value={value} isNumber={isNumber} onValue={onValue} />;
  }
  const change = ({ target }: Typed) => onValue(target.value);
  if (longTexts.includes(name)) return <textarea {...common} value={value} rows={4} onChange={change} />;
  return <input {...common} type="text" value={value} onChange={change} />;
}

function parsed(text: string, isNumber: boolean): unknown {
  if (isNumber) return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
  return parseJson(text);
}

/** Accepts a number or JSON; text that is not valid yet stays in the field and has no effect. */
function ParsedControl({
  id,
  value,
  isNumber,
  onValue,
}: Omit<ControlProps, 'field'> & { isNumber: boolean }): ReactNode {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const isValid = parsed(text, isNumber) !== undefined;
  const props = {
    id,
    'aria-describedby': `${id}-problem ${id}-about`,
    'aria-invalid': !isValid,
    value: text,
    spellCheck: false,
    onChange: ({ target }: Typed) => {
      setText(target.value);
      const changed = parsed(target.value, isNumber);
      if (changed !== undefined) onValue(changed);
    },
  };
  return (
    <>
      {isNumber ? (
        <input {...props} type="number" step="any" />
      ) : (
        <textarea {...props} rows={Math.min(8, text.split('\n').length)} />
      )}
      <p id={`${id}-problem`} className="problem" role="status">
        {isValid ? '' : `Not ${isNumber ? 'a number' : 'valid JSON'}. The request still uses the previous value.`}
      </p>
    </>
  );
}

function Adder(props: Pick<FieldRowsProps, 'noun' | 'fields'> & { onAdd: (field: FieldFact) => void }): ReactNode {
  const { noun, fields, onAdd } = props;
  const [chosen, setChosen] = useState('');
  const field = fields.find(({ name }) => name === chosen) ?? fields[0];
  return (
    <p className="play-adder">
      <Select
        aria-label={`The ${noun} to add`}
        value={field?.name ?? ''}
        options={Object.fromEntries(fields.map(({ name, type }) => [name, `${name}: ${type}`]))}
        onChoose={setChosen}
      />{' '}
      <button type="button" onClick={() => field && onAdd(field)}>
        {`Add ${noun}`}
      </button>
    </p>
  );
}
