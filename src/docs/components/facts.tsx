/** Gives every component the facts of the service and the highlighter. */
import { createContext, useContext } from 'react';
import type { Facts, Highlight } from '../site/model.ts';

export interface Source {
  facts: Facts;
  highlight: Highlight;
  /** Labels and paths of the pages of a sidebar group, with their descriptions, by the last segment of its path. */
  category(name: string): readonly { path: string; label: string; description: string }[];
}

const SourceContext = createContext<Source | undefined>(undefined);

export const SourceProvider = SourceContext.Provider;

/** @throws Error outside of a SourceProvider */
export function useSource(): Source {
  const source = useContext(SourceContext);
  if (source === undefined) throw new Error('A component was rendered without facts');
  return source;
}
