/** The drafts to start from: samples for each kind of request, of which the first one is preselected, and examples. */
import { demoSiteUrl, onDemoSite } from '../../samples/target.ts';
import type { Draft, RequestKind } from './draft.ts';
import type { Operation } from './operations.ts';

interface Sample {
  name: string;
  text: string;
  variables?: string;
}

/** The page that samples open. */
const target = `${demoSiteUrl}shop`;

const form = '<h1>Sign in</h1><form><label>Work email <input id=email></label> <button>Continue</button></form>';

/** Samples for BrowserQL and for code; REST requests use the examples of the OpenAPI document. */
export const samples: Readonly<Record<Exclude<RequestKind, 'rest'>, readonly [Sample, ...Sample[]]>> = {
  bql: [
    {
      name: 'Open a page and read it',
      text: `mutation ReadTitle {
  goto(url: "${target}", waitUntil: load) {
    status
  }
  heading: text(selector: "h1") {
    text
  }
}
`,
    },
    {
      name: 'Fill in a form',
      text: `mutation FillIn($html: String!, $email: String!) {
  content(html: $html) {
    status
  }
  type(selector: "#email", text: $email) {
    time
  }
  screenshot(type: jpeg) {
    base64
  }
}
`,
      variables: `${JSON.stringify({ html: form, email: 'maria@acme.example' }, null, 2)}\n`,
    },
    {
      name: 'Print to PDF',
      text: `mutation Print {
  content(html: "<h1>Invoice 2041</h1><p>Due soon: 1,280 euros</p>") {
    status
  }
  pdf(format: a5) {
    base64
  }
}
`,
    },
  ],
  code: [
    {
      name: 'Open a page and read it',
      text: `export default async function ({ page, context }) {
  await page.goto(context.url);
  console.log('opened', page.url());
  return {
    title: await page.title(),
    links: await page.$$eval('a', (all) => all.map((link) => link.href)),
  };
}
`,
      variables: `{ "url": "${target}" }\n`,
    },
    {
      name: 'Fill in a form',
      text: `export default async function ({ page, context }) {
  await page.setContent(context.html);
  await page.type('#email', 'maria@acme.example', { delay: 60 });
  return page.screenshot();
}
`,
      variables: `${JSON.stringify({ html: form }, null, 2)}\n`,
    },
    {
      name: 'Print to PDF',
      text: `export default async function ({ page }) {
  await page.setContent('<h1>Invoice 2041</h1><p>Due soon: 1,280 euros</p>');
  return page.pdf({ format: 'A5' });
}
`,
    },
  ],
};

/** A draft of each kind. */
type Drafts = Readonly<Record<RequestKind, Draft>>;

/** Returns a draft of a route: with the example of the OpenAPI document, or the first sample of its kind. */
export function draftOf({ kind, path, example }: Operation): Draft {
  if (kind === 'bql' || kind === 'code') {
    const [{ text, variables = '' }] = samples[kind];
    return { kind, route: path, text, variables, options: {} };
  }
  const text = onDemoSite(JSON.stringify(example ?? {}, null, 2));
  return { kind: 'rest', route: path, text: `${text}\n`, variables: '', options: {} };
}

/** Returns the operation of a draft. @throws Error when the server offers no operation of this kind */
export function operationOf(
  operations: readonly Operation[],
  { kind, route }: Pick<Draft, 'kind' | 'route'>,
): Operation {
  const all = operations.filter((operation) => operation.kind === kind);
  const found = all.find(({ path }) => path === route) ?? all[0];
  if (found === undefined) throw new Error('This server has no routes of this type.');
  return found;
}

export function initialDrafts(operations: readonly Operation[]): Drafts {
  const draft = (kind: RequestKind, route = '') => draftOf(operationOf(operations, { kind, route }));
  return { rest: draft('rest', '/screenshot'), bql: draft('bql'), code: draft('code') };
}
