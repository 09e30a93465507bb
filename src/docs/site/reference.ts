/** The data of generated pages, as plain values for the renderer. */
import type { PageMeta, RouteFact, SampleCount, Sidebar } from './model.ts';

interface OpenApiContent {
  kind: 'open-api';
  routes: readonly RouteFact[];
}

/** An argument, a field or a value. */
export interface SchemaEntry {
  name: string;
  /** The type as SDL writes it; empty for values of an enum. */
  type: string;
  required: boolean;
  byDefault: string | undefined;
  description: string;
  deprecated: string | undefined;
  /** Page of the entry itself. */
  path: string | undefined;
}

export interface SchemaSection {
  title: string;
  id: string;
  /** Head of the first column: Argument, Field, Value. */
  name: string;
  entries: readonly SchemaEntry[];
}

export interface SchemaLinks {
  title: string;
  id: string;
  links: readonly { label: string; path: string; description: string }[];
}

export interface SchemaContent {
  kind: 'schema';
  description: string;
  /** SDL of the thing itself, without descriptions. */
  signature: string;
  /** Page of each type, for the names in signatures and tables. */
  types: Readonly<Record<string, string>>;
  sections: readonly SchemaSection[];
  lists: readonly SchemaLinks[];
  /** A document that uses it. */
  example: string | undefined;
  /** Whether the test suite runs the example against a server; all of them are checked against the schema. */
  tested: boolean;
  deprecated: string | undefined;
}

export type ReferenceContent = OpenApiContent | SchemaContent;

/** A generated page. */
export interface ReferencePage {
  path: string;
  meta: PageMeta & { samples: SampleCount };
  content: ReferenceContent;
}

/** All generated pages and where they stand. */
export interface Reference {
  pages: ReferencePage[];
  sidebars: Sidebar[];
  redirects: Record<string, string>;
}
