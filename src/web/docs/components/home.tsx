/** Renders the parts of the home page: the intro with the live panel, the server status strip, tasks, numbers. */
import type { PropsWithChildren, ReactNode } from 'react';
import { Icon, type IconName } from '../../theme/icons.tsx';
import { site } from '../site/site.ts';
import { useSource } from './facts.tsx';
import { Picture } from './images.tsx';

const kinds = [
  { kind: 'png', label: 'PNG', icon: 'desk' },
  { kind: 'phone', label: 'Phone', icon: 'phone' },
  { kind: 'pdf', label: 'PDF', icon: 'file' },
] as const;

/** Requests a screenshot or PDF of a URL from this server. Without scripts, it shows only the initial image. */
export function LivePanel(): ReactNode {
  return (
    <section className="panel" aria-label="Try this server">
      <form className="panel-bar needs-script" data-live-panel>
        <label className="hidden" htmlFor="panel-address">
          Page URL
        </label>
        <input
          id="panel-address"
          name="address"
          type="text"
          inputMode="url"
          required
          maxLength={2_000}
          autoComplete="off"
          spellCheck={false}
          defaultValue={site.panelAddress}
        />
        <fieldset className="choice">
          <legend className="hidden">Output format</legend>
          {kinds.map(({ kind, label, icon }) => (
            <label key={kind}>
              <input type="radio" name="kind" value={kind} defaultChecked={kind === 'png'} />
              <Icon name={icon} small />
              {label}
            </label>
          ))}
        </fieldset>
        <button type="submit" className="primary">
          Capture
        </button>
      </form>
      <div className="panel-picture" data-panel-picture>
        <Picture of="shop" early />
      </div>
      <div className="panel-foot num">
        <output aria-live="polite" data-panel-said>
          Made with POST /screenshot
        </output>
        <a href="/rest-apis/screenshot-api">See the request</a>
      </div>
    </section>
  );
}

/** Shows the first steps: two buttons and the command that starts a server. */
export function Start(): ReactNode {
  return (
    <div className="start">
      <p className="actions">
        <a className="button primary large" href={site.docsRoot}>
          Quick start
        </a>
        <a className="button large" href="/rest-apis/screenshot-api">
          Run a sample
        </a>
      </p>
      <p className="command">
        <span aria-hidden="true">$</span> <code>npm start</code> <span>in a clone, browser included</span>
      </p>
    </div>
  );
}

/** Shows the server's status, which a script fetches. Without scripts, the link to the status page remains. */
export function ServerStrip(): ReactNode {
  const entries = [
    ['Version', 'version', useSource().facts.version, 'num'],
    ['Browsers', 'browsers', '–'],
    ['Running', 'load', '–', 'num'],
    ['Token', 'token', '–'],
  ];
  return (
    <dl className="strip" aria-label="This server" data-unsearched>
      <div>
        <dt>This server</dt>
        <dd>
          <a href="/status" data-plain data-strip="health">
            Status
          </a>
        </dd>
      </div>
      {entries.map(([label, name, value, className]) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd className={className} data-strip={name}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Tasks({ children }: PropsWithChildren): ReactNode {
  return <div className="cards tasks">{children}</div>;
}

/** Links to the page about a task, which the route performs. */
export function Task(
  props: PropsWithChildren<{ href: string; title: string; icon: IconName; route: string }>,
): ReactNode {
  const { href, title, icon, route, children } = props;
  return (
    <section className="card task">
      <Icon name={icon} />
      <p className="card-title">
        <a href={href}>{title}</a>
      </p>
      {children}
      <p className="go">
        <code>{route}</code>
        <Icon name="arrow" small />
      </p>
    </section>
  );
}

/** A button that leads to a page. */
export function More({ href, label }: { href: string; label: string }): ReactNode {
  return (
    <p className="actions">
      <a className="button large" href={href}>
        {label}
      </a>
    </p>
  );
}

/** Shows text on the left and its subject on the right. */
export function Split({ children }: PropsWithChildren): ReactNode {
  return <section className="split">{children}</section>;
}

/** Shows three measured numbers, each with a link to how it was measured. */
export function Figures(): ReactNode {
  const { costs, samples } = useSource();
  const { contentMs, floorMs, idleSessions, idleMiB, cores } = costs.highlights;
  const all = samples.executed + samples.checked + samples.never;
  return (
    <section className="figures" aria-label="Measured">
      <div>
        <p className="figure">
          {Math.round(contentMs)} <span>ms</span>
        </p>
        <p>
          for the HTML of a small page, median; a bare script on the same browser takes {Math.round(floorMs)} ms.{' '}
          <a href="/overview/curves">How it was measured</a>
        </p>
      </div>
      <div>
        <p className="figure">
          {idleSessions.toLocaleString('en')} <span>sessions</span>
        </p>
        <p>
          idle at the same time on {cores} cores, {Math.round(idleMiB)} MiB each.{' '}
          <a href="/overview/curves">How it was measured</a>
        </p>
      </div>
      <div>
        <p className="figure">
          {samples.executed} <span>of {all}</span>
        </p>
        <p>
          samples on these pages are run by the test suite against a real server.{' '}
          <a href="/contributing/architecture">How it is tested</a>
        </p>
      </div>
    </section>
  );
}
