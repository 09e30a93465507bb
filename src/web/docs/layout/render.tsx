/** Renders MDX and data to markup. Only the build runs it: the server needs no React. */
import { getMDXComponent } from 'mdx-bundler/client/index.js';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Content } from './content.tsx';
import { Document, type DocumentProps } from './document.tsx';
import { guideFace } from './navbar.tsx';
import { SidebarTree } from './sidebar.tsx';
import type { Page, Sidebar, SidebarItem } from '../site/model.ts';
import type { ReferenceContent } from '../site/reference.ts';
import * as costs from '../components/costs.tsx';
import { type Source, SourceProvider } from '../components/facts.tsx';
import * as home from '../components/home.tsx';
import { Diagram } from '../diagrams/diagram.tsx';
import * as images from '../components/images.tsx';
import * as prose from '../components/prose.tsx';
import * as serverTables from '../components/server-tables.tsx';
import * as tables from '../components/tables.tsx';
import { SchemaPage } from '../components/schema-page.tsx';
import { OpenApiPage, OperationsPage } from '../components/open-api.tsx';
import * as hosts from '../components/request-editor-host.tsx';

export { titleOf } from './document.tsx';

/** The components that an MDX page may use. */
const components = {
  h2: prose.H2,
  h3: prose.H3,
  h4: prose.H4,
  a: prose.Link,
  pre: prose.Pre,
  code: prose.InlineCode,
  table: prose.Table,
  Tabs: prose.Tabs,
  Note: prose.admonition('note'),
  Tip: prose.admonition('tip'),
  Info: prose.admonition('info'),
  Warning: prose.Warning,
  Danger: prose.admonition('danger'),
  Details: prose.Details,
  Cards: prose.Cards,
  Card: prose.Card,
  CategoryCards: prose.CategoryCards,
  ...tables,
  ...serverTables,
  ...home,
  ...costs,
  ...images,
  ...hosts,
  Diagram,
  VersionOne: prose.VersionOne,
  Changes: prose.Changes,
};

const withSource = (source: Source, node: ReactNode) =>
  renderToStaticMarkup(<SourceProvider value={source}>{node}</SourceProvider>);

/** Renders the article of a page from its compiled MDX. */
export function renderArticle(code: string, source: Source): string {
  const Body = getMDXComponent(code);
  return withSource(source, <Body components={components} />);
}

export function renderDocument(props: DocumentProps): string {
  return `<!doctype html>${renderToStaticMarkup(<Document {...props} />)}`;
}

/** Renders the content with which a soft navigation replaces the old page. */
export function renderContent(page: Page, sidebar: Sidebar | undefined): string {
  return renderToStaticMarkup(<Content page={page} sidebar={sidebar} />);
}

/** Renders the article of a generated page. */
export function renderReference(content: ReferenceContent, source: Source): string {
  return withSource(source, <ReferenceBody content={content} />);
}

function ReferenceBody({ content }: { content: ReferenceContent }): ReactNode {
  if (content.kind === 'schema') return <SchemaPage content={content} />;
  const { routes, group } = content;
  return group === undefined ? <OpenApiPage routes={routes} /> : <OperationsPage routes={routes} id={group} />;
}

/** Renders a sidebar without a current entry: the browser marks the entry. */
export function renderSidebar(items: readonly SidebarItem[]): string {
  return renderToStaticMarkup(<SidebarTree items={items} path="" />);
}

export { guideFace };
