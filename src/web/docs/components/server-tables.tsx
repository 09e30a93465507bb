/** Renders tables of launch switches, versions and limits; scripts fill in the running server's limits. */
import { capitalize } from '../../../base/text.ts';
import { Fragment, type ReactNode } from 'react';
import type { Facts } from '../site/model.ts';
import { useSource } from './facts.tsx';
import { DataTable } from './prose.tsx';
import { Rich } from '../fields/fields.tsx';

/** Shows the features of plans, with the presets that include each. */
export function FeatureTable(): ReactNode {
  const { features, presets } = useSource().facts;
  const rows = features.map(({ name, summary, ways, presets: including }) => [
    [`\`${name}\``, summary],
    ...presets.map((preset) => (including.includes(preset.name) ? 'yes' : 'no')),
    ways.map((way) => `\`${way}\``),
  ]);
  const concurrent = presets.map((preset) => String(preset.concurrent ?? 'all'));
  return (
    <div data-unsearched="">
      <DataTable
        head={['Feature', ...presets.map(({ name }) => `\`${name}\``), 'Used by']}
        rows={[...rows, ['concurrent requests (`concurrent`)', ...concurrent, 'every request that needs a browser']]}
      />
    </div>
  );
}

/** Shows the rules for Chrome DevTools Protocol commands that are not passed through unchanged. */
export function ProtocolRules({ scope }: { scope: keyof Facts['protocol'] }): ReactNode {
  const { rules } = useSource().facts.protocol[scope];
  return (
    <DataTable
      head={['Commands', 'Verdict', 'Effect, or reason for refusal']}
      rows={rules.map(({ kind, note, methods }) => [methods.map((method) => `\`${method}\``), kind, note])}
    />
  );
}

/** The exit codes of the program. */
export function ExitCodes(): ReactNode {
  const { exitCodes } = useSource().facts;
  return (
    <DataTable
      head={['Code', 'Meaning, and what to do']}
      rows={exitCodes.map(({ code, meaning, advice }) => [`\`${code}\``, [meaning, advice]])}
    />
  );
}

/** Lists names below what they have in common. */
function NameGroups({ groups }: { groups: readonly { title: string; names: readonly string[] }[] }): ReactNode {
  return (
    <dl className="switches">
      {groups.map(({ title, names }) => (
        <Fragment key={title}>
          <dt>
            <Rich text={title} />
          </dt>
          <dd>
            {names.map((name) => (
              <Fragment key={name}>
                <code>{name}</code>{' '}
              </Fragment>
            ))}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** Shows the commands that are passed through unchanged, by domain. */
export function ProtocolPasses({ scope }: { scope: keyof Facts['protocol'] }): ReactNode {
  const groups = useSource().facts.protocol[scope].passes.map(({ domain, methods }) => {
    return { title: domain, names: methods.map((method) => method.slice(domain.length + 1)) };
  });
  return <NameGroups groups={groups} />;
}

/** The launch switches of one treatment (passed through, decided by the server, or rejected), grouped by reason. */
export function SwitchList({ treatment }: Pick<Facts['switches'][number], 'treatment'>): ReactNode {
  const rows = useSource().facts.switches.filter((row) => row.treatment === treatment);
  return <NameGroups groups={rows.map(({ reason, names }) => ({ title: capitalize(reason), names }))} />;
}

export function VersionTable(): ReactNode {
  const { versions } = useSource().facts;
  return (
    <DataTable
      head={['Part', 'Version', 'Use']}
      rows={versions.map(({ name, version, use }) => [name, `\`${version}\``, use])}
    />
  );
}

/** Values that only the running server knows. */
const asked = new Set(['token', 'chromium', 'chrome', 'edge', 'firefox', 'webkit', 'playwright', 'puppeteer']);

/** A value of `/docs-facts`: the markup has the default, and a script replaces it with the running server's value. */
export function LiveFact({ name }: { name: string }): ReactNode {
  const { facts } = useSource();
  const value = name === 'version' ? facts.version : facts.defaults[name];
  if (value === undefined && !asked.has(name)) throw new Error(`/docs-facts has no value named ${name}`);
  return (
    <span className="live" data-live={name} title="The default; replaced by this server's own value when it responds">
      {value ?? '…'}
    </span>
  );
}

const limits = [
  ['timeout', 'Maximum duration of a request, in ms'],
  ['concurrent', 'Maximum number of concurrent requests'],
  ['queued', 'Maximum number of queued requests'],
  ['maxPayloadSize', 'Maximum size of a request body, in bytes'],
] as const;

export function LimitTable(): ReactNode {
  const { defaults } = useSource().facts;
  return (
    <DataTable
      head={['Limit', 'This server']}
      rows={limits
        .filter(([name]) => defaults[name] !== undefined)
        .map(([name, text]) => [text, <LiveFact key={name} name={name} />])}
    />
  );
}
