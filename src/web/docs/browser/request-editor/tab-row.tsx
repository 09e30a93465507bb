/** Renders a row of tabs; the arrow keys are handled by the script of every page. */
import type { ReactNode } from 'react';

export interface TabRowProps<Id extends string> {
  label: string;
  /** Prefix of the ids of tabs and panels. */
  name: string;
  tabs: readonly { id: Id; label: string }[];
  chosen: Id;
  onChoose: (id: Id) => void;
  className?: string;
}

export const panelId = (name: string): string => `${name}-panel`;

export function TabRow<Id extends string>({
  label,
  name,
  tabs,
  chosen,
  onChoose,
  className,
}: TabRowProps<Id>): ReactNode {
  return (
    <div role="tablist" aria-label={label} className={className ?? 'play-tabs'}>
      {tabs.map(({ id, label: text }) => (
        <button
          key={id}
          id={`${name}-${id}`}
          type="button"
          role="tab"
          aria-selected={id === chosen}
          aria-controls={panelId(name)}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
