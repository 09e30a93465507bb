/** Defines the data of generated pages: plain values for the renderer. */
import type { Field, PageMeta, RouteFact, SampleCount, Sidebar } from './model.ts';

/** An argument, a field or an enum value. Its type is in SDL; empty for enum values. */
export interface SchemaEntry extends Field {
  deprecated: string | undefined;
  /** Path of the entry's own page. */
  path: string | undefined;
}

export interface SchemaSection {
  title: string;
  id: string;
  /** Heading of the first column: Argument, Field or Value. */
  name: string;
  entries: readonly SchemaEntry[];
}

export interface SchemaLinks {
  title: string;
  id: string;
  links: readonly { label: string; path: string; description: string }[];
}

/** Operations with the same purpose, with an icon. */
export interface SchemaGroup extends SchemaLinks {
  icon: 'globe' | 'person' | 'table' | 'clock' | 'swap' | 'users';
}

export interface SchemaContent {
  kind: 'schema';
  description: string;
  /** SDL of the operation, directive or type, without descriptions. */
  signature: string;
  /** Page path of each type, to link names in signatures and tables. */
  types: Readonly<Record<string, string>>;
  sections: readonly SchemaSection[];
  lists: readonly SchemaLinks[];
  /** The groups of all operations; only on the first page of the schema. */
  groups: readonly SchemaGroup[];
  /** A BrowserQL document that uses the operation. */
  example: string | undefined;
  /** Whether the test suite runs the example against a server; it checks every example against the schema. */
  tested: boolean;
  deprecated: string | undefined;
}

/** Without `group`, the list of all operations; else the operations of the group with this id. */
interface OperationsContent {
  kind: 'open-api';
  routes: readonly RouteFact[];
  group: string | undefined;
}

export type ReferenceContent = OperationsContent | SchemaContent;

/** A generated page. */
export interface ReferencePage {
  path: string;
  meta: PageMeta & { samples: SampleCount };
  content: ReferenceContent;
}

/** All generated pages, their sidebars and redirects. */
export interface Reference {
  pages: ReferencePage[];
  sidebars: Sidebar[];
  redirects: Record<string, string>;
}
