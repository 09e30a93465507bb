/** Renders the part of a page that changes: breadcrumbs, article, pager, table of contents. */
import type { ReactNode } from 'react';
import type { Heading, Page, SampleCount, Sidebar } from '../site/model.ts';
import { pagesOf, trailOf } from '../site/sidebars.ts';
import { hasMarkdown } from '../site/site.ts';

export interface ContentProps {
  page: Page;
  sidebar: Sidebar | undefined;
}

function Breadcrumbs({ page, sidebar }: ContentProps): ReactNode {
  if (sidebar === undefined) return null;
  const trail = [{ label: sidebar.label, path: undefined }, ...trailOf(sidebar.items, page.path)];
  return (
    <nav className="breadcrumbs" aria-label="Breadcrumbs">
      <ol>
        <li>
          <a href="/" aria-label="Home">
            Home
          </a>
        </li>
        {trail.map(({ label, path }, index) => (
          <li key={`${index}${label}`}>
            {path === undefined || path === page.path ? (
              <span aria-current={path === page.path ? 'page' : undefined}>{label}</span>
            ) : (
              <a href={path}>{label}</a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function TocList({ headings }: { headings: readonly Heading[] }): ReactNode {
  const tops = headings.filter(({ level }) => level === 2);
  return (
    <ul>
      {tops.map((top) => {
        const rest = headings.slice(headings.indexOf(top) + 1);
        const end = rest.findIndex(({ level }) => level === 2);
        const below = rest.slice(0, end === -1 ? rest.length : end);
        return (
          <li key={top.id}>
            <a href={`#${top.id}`}>{top.text}</a>
            {below.length === 0 ? null : (
              <ul>
                {below.map(({ id, text }) => (
                  <li key={id}>
                    <a href={`#${id}`}>{text}</a>
                  </li>
                ))}
              </ul>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Pager({ page, sidebar }: ContentProps): ReactNode {
  const pages = sidebar === undefined ? [] : pagesOf(sidebar.items);
  const at = pages.findIndex(({ path }) => path === page.path);
  const [previous, next] = at === -1 ? [] : [pages[at - 1], pages[at + 1]];
  if (previous === undefined && next === undefined) return null;
  return (
    <nav className="pager" aria-label="Docs pages">
      {previous === undefined ? null : (
        <a className="previous" rel="prev" href={previous.path}>
          <small>Previous</small>
          {previous.label}
        </a>
      )}
      {next === undefined ? null : (
        <a className="next" rel="next" href={next.path}>
          <small>Next</small>
          {next.label}
        </a>
      )}
    </nav>
  );
}

function Verified({ executed, checked, never }: SampleCount): ReactNode {
  const all = executed + checked + never;
  if (all === 0) return null;
  const samples = `${all} ${all === 1 ? 'sample' : 'samples'}`;
  if (executed === 0) return <p className="samples-run">{`${samples}, not run by the test suite`}</p>;
  return <p className="samples-run verified">{`${executed} of ${samples} run by the test suite`}</p>;
}

export function markdownPathOf(path: string): string {
  return path === '/' ? '/index.md' : `${path}.md`;
}

function PageHead({ page, sidebar }: ContentProps): ReactNode {
  return (
    <div className="page-head">
      <Breadcrumbs page={page} sidebar={sidebar} />
      {hasMarkdown(page.path) ? (
        <span className="copy-page">
          <button type="button" className="needs-script" data-copy-page={markdownPathOf(page.path)}>
            Copy page
          </button>
          <a href={markdownPathOf(page.path)} data-plain>
            Markdown
          </a>
        </span>
      ) : null}
    </div>
  );
}

function Prose({ html, part = '' }: { html: string; part?: string }): ReactNode {
  return <div className={`prose ${part}`.trim()} dangerouslySetInnerHTML={{ __html: html }} />;
}

/** In small windows, the table of contents is collapsed below the first paragraph, which introduces the page. */
function ProseWithToc({ page, headings }: { page: Page; headings: readonly Heading[] }): ReactNode {
  const lead = /^<p>.*?<\/p>/s.exec(page.article)?.[0] ?? '';
  return (
    <>
      {lead === '' ? null : <Prose html={lead} />}
      <details className="toc-mobile">
        <summary>On this page</summary>
        <TocList headings={headings} />
      </details>
      <Prose html={page.article.slice(lead.length)} part={lead === '' ? '' : 'rest'} />
    </>
  );
}

/** With more headings than this, such as in the glossary, the table of contents lists only those of level 2. */
const tocHeadings = 50;

function headingsOfToc({ hideToc, headings }: Page): readonly Heading[] {
  if (hideToc) return [];
  return headings.length > tocHeadings ? headings.filter(({ level }) => level === 2) : headings;
}

/** Renders the part that a soft navigation replaces; the sidebar is separate. */
export function Content({ page, sidebar }: ContentProps): ReactNode {
  const headings = headingsOfToc(page);
  const hasToc = headings.some(({ level }) => level === 2);
  // The home page starts with its title, and has its own count of samples.
  const isHome = page.path === '/';
  return (
    <div className={hasToc ? 'content with-toc' : 'content'}>
      <div className="column">
        {isHome ? null : <PageHead page={page} sidebar={sidebar} />}
        <article data-path={page.path}>
          <h1>{page.title}</h1>
          {hasToc ? <ProseWithToc page={page} headings={headings} /> : <Prose html={page.article} />}
          {isHome ? null : <Verified {...page.samples} />}
        </article>
        <Pager page={page} sidebar={sidebar} />
      </div>
      {hasToc ? (
        <nav className="toc" aria-label="On this page">
          <p>On this page</p>
          <TocList headings={headings} />
        </nav>
      ) : null}
    </div>
  );
}
