/** Renders the navbar: brand, guides, reference, token box, search, colour mode. */
import type { ReactNode } from 'react';
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

/** The id of the active guide. */
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

function Dropdown({ id, face, entries }: { id: string; face: string; entries: readonly Entry[] }): ReactNode {
  return (
    <div className="dropdown" data-dropdown={id}>
      <button type="button" aria-expanded="false" aria-haspopup="true" aria-controls={`menu-${id}`}>
        <span data-face>{face}</span>
      </button>
      <ul id={`menu-${id}`}>
        {entries.map(({ label, href, active }) => (
          <li key={label}>
            <a href={href} aria-current={active ? 'page' : undefined}>
              {label}
            </a>
          </li>
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

export function Brand(): ReactNode {
  return (
    <a className="brand" href="/">
      <img src="/favicon.svg" alt="" width="24" height="24" fetchPriority="low" />
      {site.name}
    </a>
  );
}

export function Navbar(props: NavbarProps): ReactNode {
  const { path, sidebars, version } = props;
  const integrations = sidebars.find(({ id }) => id === 'aiIntegrations');
  return (
    <nav className="navbar" aria-label="Main">
      <button
        type="button"
        className="needs-script drawer-toggle icon"
        data-drawer-open
        aria-expanded="false"
        aria-controls="docs-drawer"
        aria-label="Menu"
      >
        <span className="i-menu" aria-hidden="true" />
      </button>
      <Brand />
      <div className="nav-left">
        <Dropdown id="guides" face={guideFace(props)} entries={guideEntries(props)} />
        <Dropdown id="reference" face="API Reference" entries={referenceEntries(path, sidebars)} />
        {integrations === undefined ? null : (
          <a className="nav-link" href={pagesOf(integrations.items)[0]?.path}>
            AI Integrations
          </a>
        )}
      </div>
      <div className="nav-right">
        <TokenBox id="docs-token" />
        <Dropdown
          id="version"
          face={`v${version}`}
          entries={[{ label: `${version} (this server)`, href: path, active: true }]}
        />
        <Dropdown id="language" face="English" entries={[{ label: 'English', href: path, active: true }]} />
        {/* oxlint-disable-next-line jsx-a11y/anchor-is-valid -- hidden until a script has filled in the address */}
        <a className="nav-link stars" href="#" data-repository hidden>
          GitHub <span className="badge">{site.stars}</span>
        </a>
        {/* oxlint-disable-next-line jsx-a11y/anchor-is-valid -- hidden until a script has filled in the address */}
        <a className="nav-link signup" href="#" data-signup hidden>
          Sign Up
        </a>
        <button type="button" className="needs-script ask" data-ask aria-haspopup="dialog">
          Ask AI
        </button>
        <SearchForm id="docs-search" />
        <button type="button" className="needs-script theme icon" data-theme-toggle aria-label="Colour mode">
          <span className="i-light" aria-hidden="true" />
          <span className="i-dark" aria-hidden="true" />
          <span className="i-system" aria-hidden="true" />
        </button>
      </div>
    </nav>
  );
}

export function TokenBox({ id }: { id: string }): ReactNode {
  return (
    <form className="token-box needs-script" data-token-box>
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
        title="Fills the samples and Run buttons of every page. It stays in this browser."
      >
        <span className="i-eye" aria-hidden="true" />
      </button>
      <button type="submit">Save</button>
      <output aria-live="polite" />
    </form>
  );
}

function SearchForm({ id, query = '', large = false }: { id: string; query?: string; large?: boolean }): ReactNode {
  return (
    <form className={large ? 'search large' : 'search'} role="search" action="/search" method="get" data-search>
      <label htmlFor={id} className="hidden">
        Search the documentation
      </label>
      <input
        id={id}
        type="search"
        name="q"
        placeholder="Search"
        defaultValue={query}
        autoComplete="off"
        required
        maxLength={200}
      />
      <kbd aria-hidden="true" className="needs-script" data-hint />
      <button type="button" className="clear" data-clear aria-label="Clear the search" hidden>
        ×
      </button>
    </form>
  );
}
