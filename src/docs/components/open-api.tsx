/** Renders the API reference: every operation of the service's OpenAPI document, with samples and Run buttons. */
import type { ReactNode } from 'react';
import type { RouteFact, RouteKind } from '../site/model.ts';
import { sampleOrigin, sampleSocketOrigin, sampleToken } from '../site/site.ts';
import { CodeBlock, parseMeta } from './code-block.tsx';
import { H2, H3, type TabItem, TabSet } from './prose.tsx';
import { quoted } from './url-builder.tsx';
import { FieldTable, Rich, StatusTable } from './tables.tsx';

const groups: readonly { kind: RouteKind; title: string; id: string; text: string; oldTag: string }[] = [
  {
    kind: 'rest',
    title: 'REST APIs',
    id: 'rest-apis',
    text: 'One JSON request, one answer. The same body works below every browser prefix.',
    oldTag: 'Browser-REST-APIs',
  },
  {
    kind: 'bql',
    title: 'BrowserQL',
    id: 'browserql',
    text: 'GraphQL documents that drive a browser.',
    oldTag: 'Browser-REST-APIs',
  },
  {
    kind: 'socket',
    title: 'WebSocket APIs',
    id: 'websocket-apis',
    text: 'Addresses that Puppeteer and Playwright connect to.',
    oldTag: 'Browser-WebSocket-APIs',
  },
  {
    kind: 'session',
    title: 'Sessions',
    id: 'sessions',
    text: 'Browsers that outlive a connection.',
    oldTag: 'Browser-REST-APIs',
  },
  {
    kind: 'manage',
    title: 'Management APIs',
    id: 'management-apis',
    text: 'The state of the server. These take no slot.',
    oldTag: 'Management-REST-APIs',
  },
];

function operationId({ method, path }: { method: string; path: string }): string {
  const words = path.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '');
  return `${method.toLowerCase()}-${words || 'root'}`.toLowerCase();
}

function samplesOf(route: RouteFact): TabItem[] {
  const sample = (title: string, language: string, code: string, run: boolean): TabItem => ({
    label: title,
    panel: (
      <CodeBlock
        code={code}
        language={language}
        meta={{ ...parseMeta(`title="${title}"`), mode: run ? 'ci' : '' }}
        untitled
        // No claim for /performance, whose page has its own tests: a busy machine's audit may exceed a request's limit. The
        // directory of keys is there for operators who have one.
        claim={!/^\/\.well-known\/|\/performance$/.test(route.path)}
      />
    ),
  });
  if (route.kind === 'socket') {
    const url = `${sampleSocketOrigin}${route.path}?token=${sampleToken}`;
    const native = route.path.endsWith('/playwright');
    const engine = /^\/(firefox|webkit)/.exec(route.path)?.[1] ?? 'chromium';
    const playwright = `import { ${engine} } from ${quoted('playwright-core')};\n\nconst browser = await ${engine}.${native ? 'connect' : 'connectOverCDP'}('${url}');`;
    const puppeteer = `import puppeteer from ${quoted('puppeteer-core')};\n\nconst browser = await puppeteer.connect({ browserWSEndpoint: '${url}' });`;
    return [
      ...(native ? [] : [sample('Puppeteer', 'js', puppeteer, false)]),
      sample('Playwright', 'js', playwright, false),
    ];
  }
  const url = `${sampleOrigin}${route.path}`;
  // test/docs/samples-reference.test.ts runs the calls that need no id from an earlier call.
  const standsAlone = !route.path.includes('{');
  if (route.example === undefined) {
    const changes = route.method !== 'GET';
    return [
      sample('curl', 'sh', `curl --fail-with-body ${changes ? `-X ${route.method} ` : ''}${url}`, standsAlone),
      sample(
        'JavaScript',
        'js',
        `const response = await fetch('${url}'${changes ? `, { method: '${route.method}' }` : ''});\nconsole.log(await response.text());`,
        false,
      ),
    ];
  }
  const body = JSON.stringify(route.example, null, 2);
  const oneLine = JSON.stringify(route.example).replaceAll("'", `'\\''`);
  return [
    sample(
      'curl',
      'sh',
      `curl --fail-with-body ${url} \\\n  -H 'Content-Type: application/json' \\\n  -d '${oneLine}'`,
      standsAlone,
    ),
    sample(
      'JavaScript',
      'js',
      `const response = await fetch('${url}', {\n  method: '${route.method}',\n  headers: { 'Content-Type': 'application/json' },\n  body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),\n});\nif (!response.ok) throw new Error(await response.text());\nconst result = await response.arrayBuffer();`,
      false,
    ),
    sample(
      'Python',
      'python',
      `import json, urllib.request\n\nbody = json.loads("""${JSON.stringify(route.example).replaceAll('\\', '\\\\')}""")\nrequest = urllib.request.Request(\n    "${url}",\n    data=json.dumps(body).encode(),\n    headers={"Content-Type": "application/json"},\n)\nresult = urllib.request.urlopen(request).read()`,
      false,
    ),
  ];
}

function Operation({ route, oldTag }: { route: RouteFact; oldTag: string }): ReactNode {
  return (
    <section className="operation" data-operation={`${route.method} ${route.path} ${route.summary}`}>
      {/* Anchors of the OpenAPI viewer that this reference replaces: old links still work. */}
      {route.paths.map((path) => (
        <span
          key={path}
          id={`tag/${oldTag}/paths/${path.replaceAll('/', '~1')}/${route.method === 'WS' ? 'get' : route.method.toLowerCase()}`}
        />
      ))}
      <H3 id={operationId(route)}>{`${route.method} ${route.path}`}</H3>
      <p>
        <strong>{route.summary}.</strong> <Rich text={route.description} />
      </p>
      {route.paths.length > 1 ? (
        <p className="small">
          Also at{' '}
          {route.paths.slice(1).map((path, index) => (
            <span key={path}>
              {index > 0 ? ', ' : ''}
              <code>{path}</code>
            </span>
          ))}
          .
        </p>
      ) : null}
      <p className="small">
        {route.open ? 'No token needed.' : 'Wants the token, when the server has one.'}
        {route.answers.length === 0 ? '' : ` Answers ${route.answers.join(', ')}.`}
      </p>
      <TabSet group="client" items={samplesOf(route)} name={`Samples of ${route.method} ${route.path}`} ofCode />
      {route.body.length === 0 ? null : (
        <details>
          <summary>Body: {route.body.length} fields</summary>
          <FieldTable fields={route.body} />
        </details>
      )}
      {route.query.length === 0 ? null : (
        <details>
          <summary>Query: {route.query.length} parameters</summary>
          <FieldTable fields={route.query} name="Parameter" />
        </details>
      )}
      {route.answer.length === 0 ? null : (
        // Kept out of the search: many routes repeat the names, and every reader who searches loads the index.
        <details data-unsearched="">
          <summary>Answer: {route.answer.length} fields</summary>
          <FieldTable fields={route.answer} />
        </details>
      )}
      {/* Nor these, which the page of status codes has. */}
      <details data-unsearched="">
        <summary>Errors</summary>
        <StatusTable route={route.path} method={route.method} />
      </details>
    </section>
  );
}

export function OpenApiPage({ routes }: { routes: readonly RouteFact[] }): ReactNode {
  return (
    <>
      <p>
        Every route of this server, from the document that it answers at <a href="/openapi.json">/openapi.json</a>. Fill
        in your token above and press Run.
      </p>
      <form className="operation-filter needs-script">
        <label htmlFor="operation-filter">Filter</label>
        <input
          id="operation-filter"
          type="search"
          data-filter-operations
          placeholder="path or word"
          autoComplete="off"
          spellCheck={false}
        />
        <output htmlFor="operation-filter">{`${routes.length} of ${routes.length} operations`}</output>
      </form>
      {groups.map(({ kind, title, id, text, oldTag }) => {
        const members = routes.filter((route) => route.kind === kind);
        if (members.length === 0) return null;
        return (
          <section key={kind} data-operations={kind}>
            <H2 id={id}>{title}</H2>
            <p>{text}</p>
            {members.map((route) => (
              <Operation key={`${route.method} ${route.path}`} route={route} oldTag={oldTag} />
            ))}
          </section>
        );
      })}
    </>
  );
}
