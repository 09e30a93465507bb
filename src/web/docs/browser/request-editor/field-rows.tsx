/** Renders a form of the fields in the OpenAPI document: those with a value, and a list of the others to add. */
import { type ReactNode, useId, useState } from 'react';
import type { FieldFact } from './operations.ts';

export type Values = Readonly<Record<string, unknown>>;

export interface FieldRowsProps {
  fields: readonly FieldFact[];
  values: Values;
  onValues: (values: Values) => void;
  /** Name of one item: field, option. */
  noun: string;
}

export function FieldRows({ fields, values, onValues, noun }: FieldRowsProps): ReactNode {
  const known = new Map(fields.map((field) => [field.name, field]));
  const others = fields.filter(({ name }) => !Object.hasOwn(values, name));
  const set = (name: string, value: unknown) => onValues({ ...values, [name]: value });
  const remove = (name: string) =>
    onValues(Object.fromEntries(Object.entries(values).filter(([each]) => each !== name)));
  return (
    <div className="play-form">
      {Object.entries(values).map(([name, value]) => (
        <FieldRow
          key={name}
          field={known.get(name) ?? unknownField(name)}
          value={value}
          onValue={(changed) => set(name, changed)}
          onRemove={() => remove(name)}
        />
      ))}
      {others.length === 0 ? null : <Adder noun={noun} fields={others} onAdd={({ name, first }) => set(name, first)} />}
    </div>
  );
}

const unknownField = (name: string): FieldFact => ({
  name,
  type: 'anything',
  description: 'This server does not document this field.',
  required: false,
  control: 'json',
  choices: [],
  first: '',
});

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

type ControlProps = Pick<RowProps, 'field' | 'value' | 'onValue'> & { id: string };

function Control({ id, field, value, onValue }: ControlProps): ReactNode {
  const common = { id, 'aria-describedby': `${id}-about` };
  const { name, control, choices } = field;
  if (control === 'boolean' && (typeof value === 'boolean' || value === 'true' || value === 'false')) {
    return (
      <select
        {...common}
        value={String(value)}
        onChange={({ target }) => onValue(typeof value === 'boolean' ? target.value === 'true' : target.value)}
      >
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  }
  if (control === 'choice' && choices.includes(String(value))) {
    return (
      <select {...common} value={String(value)} onChange={({ target }) => onValue(target.value)}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice === '' ? '(empty)' : choice}
          </option>
        ))}
      </select>
    );
  }
  if (control === 'number' && typeof value === 'number') {
    return <NumberControl id={id} value={value} onValue={onValue} />;
  }
  if (control !== 'json' && typeof value === 'string') {
    const shared = {
      ...common,
      value,
      spellCheck: false,
      onChange: ({ target }: { target: { value: string } }) => onValue(target.value),
    };
    return longTexts.includes(name) ? <textarea {...shared} rows={4} /> : <input {...shared} type="text" />;
  }
  return <JsonControl id={id} value={value} onValue={onValue} />;
}

interface NumberProps {
  id: string;
  value: number;
  onValue: (value: unknown) => void;
}

/** Accepts numbers; an empty field has no effect. */
function NumberControl({ id, value, onValue }: NumberProps): ReactNode {
  const [text, setText] = useState(String(value));
  const isNumber = text.trim() !== '' && Number.isFinite(Number(text));
  return (
    <>
      <input
        id={id}
        aria-describedby={`${id}-problem ${id}-about`}
        aria-invalid={!isNumber}
        type="number"
        step="any"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          if (Number.isFinite(target.valueAsNumber)) onValue(target.valueAsNumber);
        }}
      />
      <p id={`${id}-problem`} className="problem" role="status">
        {isNumber ? '' : `Not a number. The request still uses ${value}.`}
      </p>
    </>
  );
}

/** Accepts JSON; text that is not valid JSON yet stays in the field and has no effect. */
function JsonControl({ id, value, onValue }: Omit<ControlProps, 'field'>): ReactNode {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [problem, setProblem] = useState('');
  const change = (changed: string) => {
    setText(changed);
    let parsed: unknown;
    try {
      parsed = JSON.parse(changed);
    } catch {
      return setProblem('Not valid JSON. The request still uses the previous value.');
    }
    setProblem('');
    onValue(parsed);
  };
  return (
    <>
      <textarea
        id={id}
        aria-describedby={`${id}-problem ${id}-about`}
        aria-invalid={problem !== ''}
        value={text}
        spellCheck={false}
        rows={Math.min(8, text.split('\n').length)}
        onChange={({ target }) => change(target.value)}
      />
      <p id={`${id}-problem`} className="problem" role="status">
        {problem}
      </p>
    </>
  );
}

interface AdderProps {
  noun: string;
  fields: readonly FieldFact[];
  onAdd: (field: FieldFact) => void;
}

function Adder({ noun, fields, onAdd }: AdderProps): ReactNode {
  const [chosen, setChosen] = useState('');
  const field = fields.find(({ name }) => name === chosen) ?? fields[0];
  return (
    <p className="play-adder">
      <select aria-label={`The ${noun} to add`} value={field?.name} onChange={({ target }) => setChosen(target.value)}>
        {fields.map(({ name, type }) => (
          <option key={name} value={name}>
            {`${name}: ${type}`}
          </option>
        ))}
      </select>{' '}
      <button type="button" onClick={() => field && onAdd(field)}>
        {`Add ${noun}`}
      </button>
    </p>
  );
}
