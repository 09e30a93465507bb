/** Renders a whole document: head, navbar, sidebar, content, footer. It is readable without scripts. */
import type { ReactNode } from 'react';
import type { GeneratedImage, Page, Sidebar } from '../site/model.ts';
import { pagesOf } from '../site/sidebars.ts';
import { hasMarkdown, site, unlisted } from '../site/site.ts';
import { Content, markdownPathOf } from './content.tsx';
import { Brand, ThemeButton } from '../../theme/brand.tsx';
import { Icon } from '../../theme/icons.tsx';
import {
  AskButton,
  DashboardLink,
  guideEntries,
  Home,
  LinkItem,
  Navbar,
  PageMenus,
  RepositoryLink,
  SignUpLink,
  TokenBox,
} from './navbar.tsx';
import { SidebarTree } from './sidebar.tsx';

interface Assets {
  /** URL of the style sheet. */
  style: string;
  /** URL of the script that every page loads. */
  script: string;
  /** Text of the script that runs before the first paint. */
  inline: string;
  /** URLs of the lazy scripts, by name. */
  lazy: Readonly<Record<string, string>>;
  /** URL of the search worker's script. */
  worker: string;
  /** URL of the search index. */
  index: string;
  /** The preview image that social networks show with a link to a page. */
  card: Pick<GeneratedImage, 'url' | 'text'>;
  /** URL of the font that every page needs for its first paint. */
  font: string;
  /** Changes when the build's content changes; a query parameter of page module URLs. */
  build: string;
}

export interface DocumentProps {
  page: Page;
  sidebar: Sidebar | undefined;
  sidebars: readonly Sidebar[];
  version: string;
  assets: Assets;
}

export function titleOf(page: { path: string; title: string }): string {
  return page.path === '/' ? `${site.name} | ${site.tagline}` : `${page.title} | ${site.name}`;
}

/** Omits canonical links and breadcrumb data, which need an origin: the server adds them if it knows its origin. */
function Head({ page, assets }: DocumentProps): ReactNode {
  const title = titleOf(page);
  return (
    <head>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
      <meta name="description" content={page.description} />
      <meta name="theme-color" content="#ffffff" />
      {unlisted(page.path) || page.path === '/404' ? <meta name="robots" content="noindex" /> : null}
      <meta property="og:title" content={title} />
      <meta property="og:description" content={page.description} />
      <meta property="og:type" content={page.path === '/' ? 'website' : 'article'} />
      <meta property="og:site_name" content={site.name} />
      <meta property="og:locale" content={site.locale} />
      <meta property="og:image:alt" content={assets.card.text} />
      <meta name="twitter:card" content="summary_large_image" />
      <meta name="docs-card" content={assets.card.url} />
      <meta name="docs-origin-slot" content="" />
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      {hasMarkdown(page.path) ? <link rel="alternate" type="text/markdown" href={markdownPathOf(page.path)} /> : null}
      <link rel="preload" as="font" type="font/woff2" href={assets.font} crossOrigin="" />
      <link rel="stylesheet" href={assets.style} />
      <script dangerouslySetInnerHTML={{ __html: assets.inline }} />
      <script
        type="module"
        src={assets.script}
        data-build={assets.build}
        data-index={assets.index}
        data-worker={assets.worker}
        data-lazy={JSON.stringify(assets.lazy)}
        id="docs-script"
      />
    </head>
  );
}

function FooterGroup({ id, title, children }: { id: string; title: string; children: ReactNode }): ReactNode {
  return (
    <section aria-labelledby={`docs-footer-${id}`}>
      <h2 id={`docs-footer-${id}`}>{title}</h2>
      <ul>{children}</ul>
    </section>
  );
}

function Footer({ sidebars, version }: { sidebars: readonly Sidebar[]; version: string }): ReactNode {
  const paths = new Set(sidebars.flatMap(({ items }) => pagesOf(items).map(({ path }) => path)));
  const guides = [
    { path: site.docsRoot, label: 'Quick start' },
    { path: '/rest-apis/intro', label: 'REST APIs' },
    { path: '/browserql/start', label: 'BrowserQL' },
    { path: '/baas/start', label: 'Puppeteer and Playwright' },
  ].filter(({ path }) => paths.has(path));
  return (
    <footer className="footer">
      <div>
        <Brand />
        <p className="footer-about">
          Version {version}. MIT license. Served by the same process that runs your browsers.
        </p>
        <label className="footer-switch needs-script">
          <input type="checkbox" data-single-keys defaultChecked />
          <span>
            Keys <kbd>/</kbd> <kbd>[</kbd> <kbd>]</kbd> search and turn pages
          </span>
        </label>
      </div>
      <FooterGroup id="guides" title="Docs">
        {guides.map(({ path, label }) => (
          <LinkItem key={path} href={path} label={label} />
        ))}
        <LinkItem href="/open-api" label="API reference" />
      </FooterGroup>
      <FooterGroup id="community" title="Community">
        <li>
          <RepositoryLink>Repository</RepositoryLink>
        </li>
        <LinkItem href="/baas/migrate" label="Migrate from browserless" />
        <li data-links="" hidden />
      </FooterGroup>
      <FooterGroup id="more" title="More">
        <LinkItem href="/status" label="Server status" data-plain />
        <li>
          <DashboardLink />
        </li>
        <LinkItem href="/openapi.json" label="openapi.json" data-plain />
        <LinkItem href="/llms.txt" label="llms.txt" data-plain />
        <LinkItem href="/search" label="Search" />
        <li data-sign-out="" hidden />
      </FooterGroup>
    </footer>
  );
}

export function Document(props: DocumentProps): ReactNode {
  const { page, sidebar, sidebars } = props;
  return (
    <html lang={site.locale} data-theme="light" data-theme-choice="light">
      <Head {...props} />
      <body>
        <div id="docs-top" tabIndex={-1}>
          <a className="skip" href="#docs-main">
            Skip to main content
          </a>
        </div>
        <div id="docs-progress" aria-hidden="true" />
        <p id="docs-announcer" className="hidden" role="status" aria-live="polite" />
        <div id="docs-announcement" role="region" aria-label="Announcement" hidden />
        <Navbar path={page.path} sidebarId={sidebar?.id} sidebars={sidebars} version={props.version} />
        <div className="frame">
          <nav
            id="docs-sidebar"
            className="sidebar"
            aria-label="Docs sidebar"
            data-sidebar={sidebar?.id}
            hidden={sidebar === undefined}
          >
            {sidebar === undefined ? null : <SidebarTree items={sidebar.items} path={page.path} />}
          </nav>
          <main id="docs-main" tabIndex={-1}>
            <Content page={page} sidebar={sidebar} />
          </main>
        </div>
        <Footer sidebars={sidebars} version={props.version} />
        <button type="button" id="docs-to-top" className="needs-script" hidden>
          Back to top
        </button>
        <div id="docs-backdrop" hidden />
        <div id="docs-drawer" role="dialog" aria-modal="true" aria-label="Menu" hidden>
          <div className="drawer-head">
            <Home />
            <button type="button" className="icon" data-drawer-close aria-label="Close the menu">
              <Icon name="close" />
            </button>
          </div>
          <div className="drawer-panel" data-panel-name="main">
            <ul>
              {guideEntries({ path: page.path, sidebarId: sidebar?.id, sidebars }).map(({ label, href, active }) => (
                <LinkItem key={label} label={label} href={href} aria-current={active ? 'true' : undefined} />
              ))}
              <LinkItem href="/open-api" label="API Reference" />
              <LinkItem href="/search" label="Search" />
              <li>
                <DashboardLink />
              </li>
              <li>
                <RepositoryLink>
                  Repository{' '}
                  <span className="badge" data-stars="">
                    {site.stars}
                  </span>
                </RepositoryLink>
              </li>
              <li>
                <SignUpLink />
              </li>
            </ul>
          </div>
          <div className="drawer-panel" data-panel-name="docs">
            <button type="button" data-main-menu>
              <Icon name="back" small /> Back to main menu
            </button>
            <nav aria-label="Docs sidebar (menu)" data-drawer-sidebar />
          </div>
          <div className="drawer-foot">
            <TokenBox id="docs-drawer-token" />
            <div>
              <PageMenus prefix="drawer-" version={props.version} path={page.path} />
              <AskButton />
              <ThemeButton />
            </div>
          </div>
        </div>
        <aside id="docs-support" aria-label="Support" hidden />
      </body>
    </html>
  );
}
