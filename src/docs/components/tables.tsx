/** Renders tables and figures from the service's own tables: none of their content is typed by hand. */
import type { ReactNode } from 'react';
import type { ErrorFact, Field, RouteFact, RouteKind, SettingFact } from '../site/model.ts';
import { fallbackGroup } from '../site/setting-groups.ts';
import { useSource } from './facts.tsx';
import { Table } from './prose.tsx';

/** Text with `code` in backticks. */
export function Rich({ text }: { text: string }): ReactNode {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) =>
      part.startsWith('`') && part.length > 2 ? <code key={index}>{part.slice(1, -1)}</code> : part,
    );
}

export function FieldTable({ fields, name = 'Field' }: { fields: readonly Field[]; name?: string }): ReactNode {
  return (
    <Table>
      <thead>
        <tr>
          <th scope="col">{name}</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.name}>
            <td>
              <code>{field.name}</code>
              {field.required ? <span className="badge"> required</span> : null}
            </td>
            <td className="type">{field.type}</td>
            <td>
              <Rich text={field.description} />
              {field.byDefault === undefined ? null : (
                <span className="default">
                  {' '}
                  Default <code>{field.byDefault}</code>.
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function findRoute(routes: readonly RouteFact[], path: string, method?: string): RouteFact {
  const found = routes.find(
    (route) => (route.path === path || route.paths.includes(path)) && (method === undefined || route.method === method),
  );
  if (found === undefined) throw new Error(`No route has the path ${path}`);
  return found;
}

export function ParamTable(props: {
  route?: string;
  part?: 'body' | 'query';
  parameter?: string;
  command?: string;
}): ReactNode {
  const { facts } = useSource();
  if (props.command !== undefined) {
    const command = facts.commands.find(({ name }) => name === props.command);
    if (command === undefined) throw new Error(`No command is called ${props.command}`);
    return <FieldTable fields={command.fields} name="Option" />;
  }
  if (props.parameter !== undefined) {
    const fields = facts.parameters[props.parameter];
    if (fields === undefined) throw new Error(`No parameter is called ${props.parameter}`);
    return <FieldTable fields={fields} />;
  }
  const route = findRoute(facts.routes, props.route ?? '');
  return props.part === 'query' ? (
    <FieldTable fields={route.query} name="Parameter" />
  ) : (
    <FieldTable fields={route.body} />
  );
}

/** The errors of a status that a route itself can end with. */
const errorsOf = (errors: readonly ErrorFact[], route: RouteFact, status: number) =>
  errors.filter((error) => error.status === status && route.errors.includes(error.code));
const errorPage = '/baas/troubleshooting/http-error-codes';

export function StatusTable({ route, method }: { route: string; method?: string }): ReactNode {
  const { facts } = useSource();
  const found = findRoute(facts.routes, route, method);
  return (
    <Table>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Reasons</th>
        </tr>
      </thead>
      <tbody>
        {found.statuses.map((status) => (
          <tr key={status}>
            <td>
              <a href={`${errorPage}#${status}`}>{status}</a>
            </td>
            <td>
              {errorsOf(facts.errors, found, status)
                .map(({ title }) => title)
                .join(' ')}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

export function ErrorList(): ReactNode {
  const { facts } = useSource();
  return (
    <Table>
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Status</th>
          <th scope="col">Socket closes with</th>
          <th scope="col">Meaning</th>
          <th scope="col">Send again</th>
        </tr>
      </thead>
      <tbody>
        {facts.errors.map(({ code, status, closeCode, title, retryable }) => (
          <tr key={code}>
            <td>
              <code>{code}</code>
            </td>
            <td>{status}</td>
            <td>{closeCode}</td>
            <td>{title}</td>
            <td>{retryable ? 'yes, later' : 'no'}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function settingsOf(all: readonly SettingFact[], groups: Readonly<Record<string, readonly string[]>>, group: string) {
  const grouped = new Set(Object.values(groups).flat());
  const names = groups[group];
  if (names === undefined) throw new Error(`No group of settings is called ${group}`);
  return all.filter(
    (setting) =>
      setting.names.some((name) => names.includes(name)) ||
      (group === fallbackGroup && !setting.names.some((name) => grouped.has(name))),
  );
}

export function EnvVarTable({ group, names }: { group?: string; names?: string }): ReactNode {
  const { facts } = useSource();
  const wanted = names?.split(',').map((name) => name.trim());
  const rows =
    wanted === undefined
      ? settingsOf(facts.settings, facts.settingGroups, group ?? '')
      : facts.settings.filter((setting) => setting.names.some((name) => wanted.includes(name)));
  return (
    <Table>
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">Value</th>
          <th scope="col">Default</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((setting) => (
          <tr key={setting.option}>
            <td>
              {setting.names.map((name) => (
                <code key={name}>{name}</code>
              ))}
              <code className="option">{setting.option}</code>
            </td>
            <td className="type">{setting.expected}</td>
            <td>{setting.byDefault === 'not set' ? '–' : <code>{setting.byDefault}</code>}</td>
            <td>
              <Rich text={setting.description} />
              {setting.unit === undefined ? null : ` In ${setting.unit}.`}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

export function RouteTable({ kind = 'all' }: { kind?: RouteKind | 'all' }): ReactNode {
  const { facts } = useSource();
  const rows = facts.routes.filter((route) => kind === 'all' || route.kind === kind);
  return (
    <Table>
      <thead>
        <tr>
          <th scope="col">Method</th>
          <th scope="col">Path</th>
          <th scope="col">What it does</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((route) => (
          <tr key={`${route.method} ${route.path}`}>
            <td>{route.method}</td>
            <td>
              <code>{route.path}</code>
            </td>
            <td>{route.summary}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

export function Endpoint({ method, path, variants }: { method: string; path: string; variants?: boolean }): ReactNode {
  const { facts } = useSource();
  const paths = variants === true ? findRoute(facts.routes, path).paths : [path];
  return (
    <div className="endpoint">
      {paths.map((each) => (
        <p key={each}>
          <span className="method">{method}</span> <code>{each}</code>
        </p>
      ))}
    </div>
  );
}
