/**
 * Renders the API reference: a list of every operation of the service's OpenAPI document, and a page for each group with
 * samples and Run buttons.
 */
import type { ReactNode } from 'react';
import { commonBodyFields, sharedFields } from '../site/field-tree.ts';
import type { RouteFact } from '../site/model.ts';
import { groupRoutes, operationId } from '../site/route-groups.ts';
import { sampleOrigin, sampleSocketOrigin } from '../site/site.ts';
import { connectionSamples } from '../samples/connections.ts';
import { type Language, snippetOf } from '../samples/snippets.ts';
import { CodeBlock, parseMeta } from './code-block.tsx';
import { H2, type TabItem } from './prose.tsx';
import { PlainFields } from '../fields/fields.tsx';
import { Operation, OperationRow, PathText } from './operation.tsx';
import { Method } from './tables.tsx';

function samplesOf(route: RouteFact): TabItem[] {
  const sample = (title: string, language: string, code: string, run: boolean): TabItem => ({
    label: title,
    panel: (
      <CodeBlock
        code={code}
        language={language}
        meta={{ ...parseMeta(`title="${title}"`), mode: run ? 'ci' : '' }}
        untitled
        // No "tested" label for /performance, which has its own tests, since an audit on a busy machine may exceed the
        // time limit of a request; and none for the key directory, which exists only where an operator has set one up.
        claim={!/^\/\.well-known\/|\/performance$/.test(route.path)}
      />
    ),
  });
  if (route.method === 'WS') {
    const samples = connectionSamples(route.path, `${sampleSocketOrigin}${route.path}`);
    return samples.map(({ label, code }) => sample(label, 'js', code, false));
  }
  const { method, path, example, answers } = route;
  // test/docs/samples-reference.test.ts sends requests that neither need an earlier id nor stop the server.
  const standsAlone = !path.includes('{') && path !== '/drain';
  const call =
    example === undefined
      ? { method, path, headers: {} }
      : { method, path, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(example) };
  const write = (language: Language) =>
    snippetOf(language, { call, token: '', origin: sampleOrigin, answers: answers[0] ?? '' });
  return [
    sample('curl', 'sh', write('curl'), standsAlone),
    sample('JavaScript', 'js', write('node'), false),
    ...(example === undefined ? [] : [sample('Python', 'python', write('python'), false)]),
  ];
}

/** A query parameter that at least this many operations share is listed once, under the common fields. */
const commonFrom = 10;

const referencePath = (id: string) => `/open-api/${id}`;

/** Fields and query parameters that many operations share: the first page lists them once. */
const sharedBy = (routes: readonly RouteFact[]) => ({
  body: commonBodyFields(routes.filter(({ group }) => group === 'rest').map(({ body }) => body)),
  query: sharedFields(
    routes.map(({ query }) => query),
    commonFrom,
  ),
});

/** Lists the operations of a page, and the pages of the other groups. */
function PageLinks({
  routes,
  members,
  id,
}: {
  routes: readonly RouteFact[];
  members: readonly RouteFact[];
  id: string;
}): ReactNode {
  return (
    <ul>
      <li>
        <a href="/open-api">All operations</a>
      </li>
      {groupRoutes(routes).map(({ group }) => (
        <li key={group.id}>
          <a href={referencePath(group.id)}>{group.title}</a>
          {group.id !== id ? null : (
            <ul>
              {members.map((route) => (
                <li key={operationId(route)}>
                  <a href={`#${operationId(route)}`}>
                    <span>
                      <PathText path={route.path} />
                    </span>
                    {/* POST is the usual method and needs no badge. */}
                    {route.method === 'POST' ? null : <Method name={route.method} />}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Lists every operation by group, and the fields that many operations share. */
export function OpenApiPage({ routes }: { routes: readonly RouteFact[] }): ReactNode {
  const shared = sharedBy(routes);
  return (
    <>
      <p>
        Every route of this server, as described in <a href="/openapi.json">/openapi.json</a>, with its fields, errors
        and samples. Save your token and press Run.
      </p>
      <form className="operation-filter needs-script">
        <input
          id="operation-filter"
          type="search"
          data-filter-operations
          placeholder="Filter by path or word"
          aria-label="Filter operations"
          autoComplete="off"
          spellCheck={false}
        />
        <output htmlFor="operation-filter">{`${routes.length} of ${routes.length} operations`}</output>
      </form>
      {groupRoutes(routes).map(({ group, members }) => (
        <section key={group.id} data-operations={group.id}>
          <H2 id={group.id}>{group.title}</H2>
          <p>{group.text}</p>
          {/* Excluded from the search: the pages of the groups have the same words. */}
          <ul className="operation-rows" data-unsearched="">
            {members.map((route) => (
              <OperationRow key={operationId(route)} route={route} page={referencePath(group.id)} />
            ))}
          </ul>
        </section>
      ))}
      <H2 id="common">Common fields</H2>
      <p>Fields and parameters that many operations share.</p>
      <details className="common" id="common-fields">
        <summary>Body fields of the REST APIs</summary>
        <PlainFields fields={shared.body} scope="body" />
      </details>
      <details className="common" id="common-query">
        <summary>Query parameters</summary>
        <PlainFields fields={shared.query} scope="query" />
      </details>
    </>
  );
}

/** Shows the operations of a group, with their list on the left and each operation's sample on its right. */
export function OperationsPage({ routes, id }: { routes: readonly RouteFact[]; id: string }): ReactNode {
  const shared = sharedBy(routes);
  const found = groupRoutes(routes).find(({ group }) => group.id === id);
  if (found === undefined) throw new Error(`Unknown group of operations: ${id}`);
  const links = <PageLinks routes={routes} members={found.members} id={id} />;
  return (
    <>
      <p>{found.group.text}</p>
      <div className="operations">
        <div className="operations-side">
          <details className="toc-mobile" data-unsearched="">
            <summary>Operations</summary>
            {links}
          </details>
          <nav className="toc" aria-label="Operations" data-unsearched="">
            {links}
          </nav>
        </div>
        <div className="operations-list">
          <H2 id="operations">Operations</H2>
          {found.members.map((route) => (
            <Operation key={operationId(route)} route={route} shared={shared} samples={samplesOf(route)} />
          ))}
        </div>
      </div>
    </>
  );
}
