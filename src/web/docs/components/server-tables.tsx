/** Renders tables of commands, launch switches, versions and limits; scripts fill in the running server's limits. */
import { capitalize } from '../../../base/text.ts';
import { Fragment, type ReactNode } from 'react';
import type { Facts } from '../site/model.ts';
import { useSource } from './facts.tsx';
import { Table } from './prose.tsx';
import { FieldRow, PlainFields, Rich } from '../fields/fields.tsx';

export function CommandTable(): ReactNode {
  return (
    <div className="fields">
      <dl>
        {useSource().facts.commands.map(({ name, summary, fields, isEvent, feature }) => (
          <FieldRow
            key={name}
            id={`command.${name}`}
            label={name}
            name={<code>{name}</code>}
            type=""
            badges={[...(isEvent ? ['event'] : []), ...(feature === undefined ? [] : [`plan: ${feature}`])]}
            byDefault={undefined}
          >
            <p>
              <Rich text={summary} />
            </p>
            {fields.length === 0 ? null : (
              <details className="kids">
                <summary>{fields.length === 1 ? '1 parameter' : `${fields.length} parameters`}</summary>
                <PlainFields fields={fields} scope={name} />
              </details>
            )}
          </FieldRow>
        ))}
      </dl>
    </div>
  );
}

/** Shows the features of plans, with the presets that include each. */
export function FeatureTable(): ReactNode {
  const { features, presets } = useSource().facts;
  return (
    <div data-unsearched="">
      <Table>
        <thead>
          <tr>
            <th scope="col">Feature</th>
            {presets.map(({ name }) => (
              <th key={name} scope="col">
                <code>{name}</code>
              </th>
            ))}
            <th scope="col">Used by</th>
          </tr>
        </thead>
        <tbody>
          {features.map((feature) => (
            <tr key={feature.name}>
              <td>
                <p>
                  <code>{feature.name}</code>
                </p>
                <p>{feature.summary}</p>
              </td>
              {presets.map(({ name }) => (
                <td key={name}>{feature.presets.includes(name) ? 'yes' : 'no'}</td>
              ))}
              <td>
                {feature.ways.map((way) => (
                  <p key={way}>
                    <code>{way}</code>
                  </p>
                ))}
              </td>
            </tr>
          ))}
          <tr>
            <td>
              concurrent requests (<code>concurrent</code>)
            </td>
            {presets.map(({ name, concurrent }) => (
              <td key={name}>{concurrent ?? 'all'}</td>
            ))}
            <td>every request that needs a browser</td>
          </tr>
        </tbody>
      </Table>
    </div>
  );
}

/** Shows the rules for Chrome DevTools Protocol commands that are not passed through unchanged. */
export function ProtocolRules({ scope }: { scope: keyof Facts['protocol'] }): ReactNode {
  return (
    <Table>
      <thead>
        <tr>
          <th scope="col">Commands</th>
          <th scope="col">Verdict</th>
          <th scope="col">Effect, or reason for refusal</th>
        </tr>
      </thead>
      <tbody>
        {useSource().facts.protocol[scope].rules.map(({ kind, note, methods }) => (
          <tr key={`${kind} ${note}`}>
            <td>
              {methods.map((method) => (
                <p key={method}>
                  <code>{method}</code>
                </p>
              ))}
            </td>
            <td>{kind}</td>
            <td>
              <Rich text={note} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** The exit codes of the program. */
export function ExitCodes(): ReactNode {
  return (
    <Table>
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Meaning, and what to do</th>
        </tr>
      </thead>
      <tbody>
        {useSource().facts.exitCodes.map(({ code, meaning, advice }) => (
          <tr key={code}>
            <td>
              <code>{code}</code>
            </td>
            <td>
              <p>{meaning}</p>
              <p>{advice}</p>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** Shows the commands that are passed through unchanged, by domain. */
export function ProtocolPasses({ scope }: { scope: keyof Facts['protocol'] }): ReactNode {
  return (
    <dl className="switches">
      {useSource().facts.protocol[scope].passes.map(({ domain, methods }) => (
        <Fragment key={domain}>
          <dt>{domain}</dt>
          <dd>
            {methods.map((method) => (
              <Fragment key={method}>
                <code>{method.slice(domain.length + 1)}</code>{' '}
              </Fragment>
            ))}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** The launch switches of one treatment (passed through, decided by the server, or rejected), grouped by reason. */
export function SwitchList({ treatment }: Pick<Facts['switches'][number], 'treatment'>): ReactNode {
  const rows = useSource().facts.switches.filter((row) => row.treatment === treatment);
  return (
    <dl className="switches">
      {rows.map(({ reason, names }) => (
        <Fragment key={reason}>
          <dt>
            <Rich text={capitalize(reason)} />
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

export function VersionTable(): ReactNode {
  return (
    <Table>
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">Version</th>
          <th scope="col">Use</th>
        </tr>
      </thead>
      <tbody>
        {useSource().facts.versions.map(({ name, version, use }) => (
          <tr key={name}>
            <td>{name}</td>
            <td>
              <code>{version}</code>
            </td>
            <td>{use}</td>
          </tr>
        ))}
      </tbody>
    </Table>
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
  const { facts } = useSource();
  return (
    <Table>
      <thead>
        <tr>
          <th scope="col">Limit</th>
          <th scope="col">This server</th>
        </tr>
      </thead>
      <tbody>
        {limits
          .filter(([name]) => facts.defaults[name] !== undefined)
          .map(([name, text]) => (
            <tr key={name}>
              <td>{text}</td>
              <td>
                <LiveFact name={name} />
              </td>
            </tr>
          ))}
      </tbody>
    </Table>
  );
}
