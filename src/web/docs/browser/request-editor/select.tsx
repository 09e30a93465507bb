/** Renders a list to choose from. */
import type { ComponentProps, ReactNode } from 'react';

interface SelectProps<Value extends string> extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  /** Visible label. */
  label?: string;
  value: Value | '';
  /** Names by value. */
  options: Readonly<Record<Value, string>>;
  onChoose: (value: Value) => void;
  /** Shown, but not offered, while the value is empty. */
  placeholder?: string;
}

export function Select<Value extends string>(props: SelectProps<Value>): ReactNode {
  const { label, options, onChoose, placeholder, ...rest } = props;
  const values = Object.keys(options) as Value[]; // Its own keys.
  const select = (
    // The browser can only report a value of the list.
    <select {...rest} onChange={({ target }) => onChoose(target.value as Value)}>
      {placeholder === undefined ? null : (
        <option value="" disabled>
          {placeholder}
        </option>
      )}
      {values.map((value) => (
        <option key={value} value={value}>
          {options[value]}
        </option>
      ))}
    </select>
  );
  if (label === undefined) return select;
  return (
    <label>
      {label}
      {select}
    </label>
  );
}
