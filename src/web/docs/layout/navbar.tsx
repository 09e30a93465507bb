/** Renders the navbar: brand, guides, reference, search, the operator's links, token, color mode. */
import type { ComponentProps, ReactNode } from 'react';
import { Brand, ThemeButton } from '../../theme/brand.tsx';
import { Icon } from '../../theme/icons.tsx';
import type { Sidebar } from '../site/model.ts';
import { pagesOf } from '../site/sidebars.ts';
import { site } from '../site/site.ts';

export interface NavbarProps {
  path: string;
  /** Id of the sidebar that contains the page. */
  sidebarId: string | undefined;
  sidebars: readonly Sidebar[];
  version: string;
}

const guideOrder = ['overview', 'browserQL', 'baasV2', 'restApis', 'enterprise', 'baasV1'];

/** Returns the id of the active guide. */
function activeGuide(path: string, sidebarId: string | undefined): string | undefined {
  if (path.includes('/baas/v1/')) return 'baasV1';
  if (`${path}/`.includes('/bql-schema/')) return 'browserQL';
  if (path.includes('/open-api')) return 'baasV2';
  return sidebarId;
}

interface Entry {
  label: string;
  href: string;
  active: boolean;
}

/** Renders a link in a list. */
export function LinkItem({ label, ...rest }: { label: string } & ComponentProps<'a'>): ReactNode {
  return (
    <li>
      <a {...rest}>{label}</a>
    </li>
  );
}

/** Renders a menu. The name gives the meaning of the button's label, if its text alone is unclear. */
function Dropdown(props: { id: string; face: string; name?: string; entries: readonly Entry[] }): ReactNode {
  const { id, face, name, entries } = props;
  return (
    <div className="dropdown" data-dropdown={id}>
      <button
        type="button"
        className="nav-link"
        aria-expanded="false"
        aria-haspopup="true"
        aria-controls={`menu-${id}`}
      >
        {name === undefined ? null : <span className="hidden">{name}: </span>}
        <span data-face>{face}</span>
      </button>
      <ul id={`menu-${id}`} className="float">
        {entries.map(({ label, href, active }) => (
          <LinkItem key={label} label={label} href={href} aria-current={active ? 'page' : undefined} />
        ))}
      </ul>
    </div>
  );
}

export function guideEntries({ path, sidebarId, sidebars }: Omit<NavbarProps, 'version'>): Entry[] {
  const active = activeGuide(path, sidebarId);
  return guideOrder.flatMap((id) => {
    const sidebar = sidebars.find((each) => each.id === id);
    const first = sidebar === undefined ? undefined : pagesOf(sidebar.items)[0];
    // The deprecated guide appears on its own pages only.
    if (sidebar === undefined || first === undefined || (id === 'baasV1' && active !== id)) return [];
    return [{ label: sidebar.label, href: first.path, active: id === active }];
  });
}

export function guideFace({ path, sidebarId, sidebars }: Omit<NavbarProps, 'version'>): string {
  const active = activeGuide(path, sidebarId);
  return sidebars.find(({ id }) => guideOrder.includes(id) && id === active)?.short ?? 'API Guides';
}

function referenceEntries(path: string, sidebars: readonly Sidebar[]): Entry[] {
  const hasSchema = sidebars.some(({ id }) => id === 'bql');
  return [
    ...(hasSchema
      ? [{ label: 'BrowserQL Schema', href: '/bql-schema/schema', active: path.startsWith('/bql-schema/') }]
      : []),
    { label: 'BaaS V2 Swagger Schema', href: '/open-api', active: path.startsWith('/open-api') },
  ];
}

/** Renders the brand as a link to the home page. */
export function Home(): ReactNode {
  return (
    <a className="home-link" href="/">
      <Brand />
    </a>
  );
}

/** Renders the menus of the version and of the language, which have one entry each. */
export function PageMenus(props: { version: string; path: string; prefix?: string }): ReactNode {
  const { version, path, prefix = '' } = props;
  const menus = [
    { id: 'version', name: 'Version', face: `v${version}`, label: `${version} (this server)` },
    { id: 'language', name: 'Language', face: 'English', label: 'English' },
  ];
  return menus.map(({ id, label, ...rest }) => (
    <Dropdown key={id} id={prefix + id} {...rest} entries={[{ label, href: path, active: true }]} />
  ));
}

/** Renders a link whose URL the server replaces when the operator has configured a different one. */
export function RepositoryLink({ className, children }: { className?: string; children: ReactNode }): ReactNode {
  return (
    <a data-link="repository" href={site.projectPage} className={className}>
      {children}
    </a>
  );
}

export function SignUpLink({ className }: { className?: string }): ReactNode {
  return (
    <a data-link="sign-up" href="#docs-token" className={className}>
      Sign Up
    </a>
  );
}

export function AskButton(): ReactNode {
  return (
    <button type="button" className="needs-script ask icon nav-button" data-ask aria-haspopup="dialog">
      <Icon name="ask" />
      <span>Ask AI</span>
    </button>
  );
}

/** Renders the token box; in narrow windows, a key button opens it. */
function TokenKey(): ReactNode {
  return (
    <div className="token-key" data-token-key>
      <button
        type="button"
        className="needs-script icon"
        aria-expanded="false"
        aria-controls="docs-token-box"
        aria-label="API token"
      >
        <Icon name="key" />
      </button>
      <TokenBox id="docs-token" />
    </div>
  );
}

export function Navbar(props: NavbarProps): ReactNode {
  const { path, sidebars, version } = props;
  const integrations = sidebars.find(({ id }) => id === 'aiIntegrations');
  return (
    <nav className="navbar" aria-label="Main">
      <div className="nav-left">
        <button
          type="button"
          className="needs-script drawer-toggle icon"
          data-drawer-open
          aria-expanded="false"
          aria-controls="docs-drawer"
          aria-label="Menu"
        >
          <Icon name="menu" />
        </button>
        <Home />
        <div className="nav-words">
          <Dropdown id="guides" face={guideFace(props)} entries={guideEntries(props)} />
          <Dropdown id="reference" face="API Reference" entries={referenceEntries(path, sidebars)} />
          {integrations === undefined ? null : (
            <a className="nav-link" href={pagesOf(integrations.items)[0]?.path}>
              AI Integrations
            </a>
          )}
          <a
            className="nav-link wide-only"
            href="/playground"
            aria-current={path === '/playground' ? 'page' : undefined}
          >
            Playground
          </a>
          <DashboardLink className="nav-link wide-only" />
        </div>
      </div>
      <SearchForm />
      <div className="nav-right">
        <PageMenus version={version} path={path} />
        <RepositoryLink className="nav-link">
          <Icon name="repo" />
          <span className="hidden">Repository, stars: </span>
          <span data-stars="">{site.stars}</span>
        </RepositoryLink>
        <SignUpLink className="nav-link sign-up" />
        <AskButton />
        <TokenKey />
        <ThemeButton />
      </div>
    </nav>
  );
}

/** Renders the dashboard link; the server removes it if the operator has disabled the dashboard. */
export function DashboardLink({ className }: { className?: string }): ReactNode {
  return (
    <a data-link="dashboard" href="/dashboard" className={className} data-plain>
      Dashboard
    </a>
  );
}

export function TokenBox({ id }: { id: string }): ReactNode {
  return (
    <form id={`${id}-box`} className="token-box needs-script" data-token-box>
      <label htmlFor={id} className="hidden">
        API token
      </label>
      <input id={id} type="password" placeholder="API token" autoComplete="off" spellCheck={false} />
      <button
        type="button"
        className="icon"
        data-reveal
        aria-pressed="false"
        aria-label="Show the token"
        title="Used by the samples and Run buttons on every page. Stored only in this browser."
      >
        <Icon name="eye" small />
      </button>
      <button type="submit">Save</button>
      <output aria-live="polite" />
    </form>
  );
}

function SearchForm(): ReactNode {
  return (
    <form className="search" role="search" action="/search" method="get" data-search>
      <label htmlFor="docs-search" className="hidden">
        Search the documentation
      </label>
      <input
        id="docs-search"
        type="search"
        name="q"
        placeholder="Search"
        defaultValue=""
        autoComplete="off"
        required
        maxLength={200}
      />
      <kbd aria-hidden="true" className="needs-script" data-hint />
      <button type="button" className="clear" data-clear aria-label="Clear the search" hidden>
        <Icon name="close" small />
      </button>
    </form>
  );
}
