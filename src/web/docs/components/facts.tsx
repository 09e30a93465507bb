/** Provides the data about the service and the highlighter to every component. */
import { createContext, useContext } from 'react';
import type { CostFigures } from '../site/costs.ts';
import type { Facts, Highlight, GeneratedImage, SampleCount } from '../site/model.ts';

export interface Source {
  facts: Facts;
  highlight: Highlight;
  costs: CostFigures;
  /** Number of samples on all pages. */
  samples: SampleCount;
  /** Images that the service has generated, by file name. */
  pictures: Readonly<Record<string, GeneratedImage>>;
  /** Returns the pages of a sidebar group, identified by the last segment of the group's path. */
  category(name: string): readonly { path: string; label: string; description: string }[];
}

const SourceContext = createContext<Source | undefined>(undefined);

export const SourceProvider = SourceContext.Provider;

/** @throws Error outside a SourceProvider */
export function useSource(): Source {
  const source = useContext(SourceContext);
  if (source === undefined) throw new Error('useSource must be called inside a SourceProvider');
  return source;
}
