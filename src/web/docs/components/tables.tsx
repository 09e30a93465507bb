/** Renders tables and numbers from the service's own tables: none of their content is written by hand. */
import { Fragment, type ReactNode } from 'react';
import { commonBodyFields, splitFields } from '../site/field-tree.ts';
import type { ErrorFact, RouteFact, SettingFact } from '../site/model.ts';
import type { RouteGroup } from '../site/route-groups.ts';
import { useSource } from './facts.tsx';
import { DataTable } from './prose.tsx';
import { FieldFilter, FieldList, FieldRow, Rich } from '../fields/fields.tsx';

function findRoute(routes: readonly RouteFact[], path: string, method?: string): RouteFact {
  const found = routes.find(
    (route) => (route.path === path || route.paths.includes(path)) && (method === undefined || route.method === method),
  );
  if (found === undefined) throw new Error(`Unknown route: ${path}`);
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
    if (command === undefined) throw new Error(`Unknown command: ${props.command}`);
    return <FieldList fields={command.fields} scope={command.name} noun="option" />;
  }
  if (props.parameter !== undefined) {
    const fields = facts.parameters[props.parameter];
    if (fields === undefined) throw new Error(`Unknown parameter: ${props.parameter}`);
    return <FieldList fields={fields} scope={props.parameter} />;
  }
  const route = findRoute(facts.routes, props.route ?? '');
  if (props.part === 'query') return <FieldList fields={route.query} scope="query" noun="parameter" />;
  const bodies = facts.routes.filter(({ group }) => group === 'rest').map(({ body }) => body);
  const { own, common } = splitFields(route.body, route.group === 'rest' ? commonBodyFields(bodies) : []);
  return <FieldList fields={own} common={common} scope="body" />;
}

/** Returns the errors with this status that a route can return. */
const errorsOf = (errors: readonly ErrorFact[], route: RouteFact, status: number) =>
  errors.filter((error) => error.status === status && route.errors.includes(error.code));
/** Path of the page that explains each error. */
export const errorPage = '/baas/troubleshooting/http-error-codes';

export function StatusTable({ route, method }: { route: string; method?: string }): ReactNode {
  const { facts } = useSource();
  const found = findRoute(facts.routes, route, method);
  return (
    <dl className="statuses">
      {found.statuses.map((status) => (
        <div key={status} className="status">
          <dt>
            <a href={`${errorPage}#${status}`}>{status}</a>
          </dt>
          <dd>
            {errorsOf(facts.errors, found, status)
              .map(({ title }) => title)
              .join(' ')}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function ErrorList(): ReactNode {
  const { facts } = useSource();
  return (
    <div className="fields" data-fields="">
      <FieldFilter count={facts.errors.length} noun="error" />
      <dl>
        {facts.errors.map(({ code, status, closeCode, title, retryable }) => (
          <FieldRow
            key={code}
            id={`error.${code}`}
            label={code}
            type={`${status}, closes a socket with ${closeCode}`}
            badges={retryable ? ['retry later'] : []}
          >
            <p>{title}</p>
          </FieldRow>
        ))}
      </dl>
    </div>
  );
}

function SettingRow({ setting }: { setting: SettingFact }): ReactNode {
  const { names, option, expected, byDefault, description, unit, secret } = setting;
  const [first = option, ...others] = names;
  return (
    <FieldRow
      id={first}
      label={first}
      name={
        <>
          <code>{first}</code>
          {others.map((name) => (
            <Fragment key={name}>
              {' '}
              <code id={name}>{name}</code>
            </Fragment>
          ))}{' '}
          <code className="option">{option}</code>
        </>
      }
      type={expected}
      badges={secret ? ['secret'] : []}
      byDefault={byDefault === 'not set' ? undefined : byDefault}
    >
      <p>
        <Rich text={description} />
        {unit === undefined ? null : ` In ${unit}.`}
      </p>
    </FieldRow>
  );
}

/** Shows the settings of a group, or those with the given names. */
export function EnvVarTable({ group, names }: { group?: string; names?: string }): ReactNode {
  const { facts } = useSource();
  const wanted = names?.split(',').map((name) => name.trim()) ?? [];
  const rows = facts.settings.filter(
    (setting) => setting.group === group || setting.names.some((name) => wanted.includes(name)),
  );
  if (rows.length === 0) throw new Error(`No settings: ${group ?? names}`);
  return (
    <div className="fields" data-fields="">
      <dl>
        {rows.map((setting) => (
          <SettingRow key={setting.option} setting={setting} />
        ))}
      </dl>
    </div>
  );
}

/** Shows a filter for all settings of a page, across all its lists. */
export function SettingFilter(): ReactNode {
  return <FieldFilter count={useSource().facts.settings.length} noun="setting" ofPage />;
}

/** Shows the method of a route as a badge; its class sets the color. */
export function Method({ name }: { name: string }): ReactNode {
  return <span className={`method ${name.toLowerCase()}`}>{name}</span>;
}

/** Shows the routes of a group, or those with a method. */
export function RouteTable({ group, method }: { group?: RouteGroup; method?: string }): ReactNode {
  const { facts } = useSource();
  const rows = facts.routes.filter((route) => route.group === group || route.method === method);
  return (
    <DataTable
      head={['Method', 'Path', 'What it does']}
      rows={rows.map(({ method: verb, path, summary }) => [<Method key={verb} name={verb} />, `\`${path}\``, summary])}
    />
  );
}
