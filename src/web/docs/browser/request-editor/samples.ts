/** Lists the samples that the request editor offers for each kind of request; the first one is preselected. */
import { demoSiteUrl } from '../../samples/target.ts';
import type { RequestKind } from './shared-address.ts';

export interface Sample {
  name: string;
  text: string;
  variables: string;
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
      variables: '',
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
      variables: '',
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
      variables: '',
    },
  ],
};
