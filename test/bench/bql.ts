// Compares BrowserQL with requests that do similar work: goto and title with /content, mapped rows with the load of the
// same page alone. In this table, the baseline is the request that it is compared with. Parsing a document is measured
// in this process.
import { loadLanguage } from '../../src/api/bql/language/schema.ts';
import { prepareDocument } from '../../src/api/bql/language/document.ts';
import { succeeded } from '../support/checks/expect.ts';
import { startProcess } from '../support/service.ts';
import { median } from './measure.ts';
import { limits, type Report } from './report.ts';

const warmUpJobs = 4;
const rowCount = 200;

/** A typical document; the number makes its text unique, so that it is never cached. */
const documentOf = (number: number): string => `mutation Login${number}($user: String!, $password: String!) {
  reject(type: [image, font, media]) { enabled }
  goto(url: "https://example.com/login", waitUntil: networkIdle) { status url }
  user: type(selector: "#user", text: $user) { time }
  pass: type(selector: "#pass", text: $password, delay: [20, 60]) { time }
  banner: if(selector: "#consent", visible: true) { click(selector: "#consent .ok") { time } }
  send: click(selector: "button[type=submit]") { x y }
  rows: mapSelector(selector: "li.product") {
    sku: attribute(name: "data-sku") { value }
    label: mapSelector(selector: ".label") { innerText }
    link: mapSelector(selector: "a") { href: attribute(name: "href") { value } }
  }
  api: response(type: [xhr, fetch], url: "*/api/*", operator: and) { url status body headers { name value } }
  screenshot(type: jpeg, quality: 70, fullPage: true) { base64 format }
}`;

/** @param siteUrl the test site */
export async function measureBql(siteUrl: string, jobs: number, report: Report): Promise<void> {
  const language = await loadLanguage();
  const readMs: number[] = [];
  for (let job = -warmUpJobs; job < Math.max(jobs, 20); job++) {
    const request = { query: documentOf(job + warmUpJobs), variables: { user: 'me', password: 's3' } };
    const began = performance.now();
    prepareDocument(language, request);
    if (job >= 0) readMs.push(performance.now() - began);
  }
  report.add({
    name: 'bql: parsing and validating a nine-step document, p50 ms',
    server: median(readMs),
    limit: limits.bqlReadMs,
    detail: { readMs },
  });

  const service = await startProcess();
  const timed = async (path: string, body: Record<string, unknown>, proof: string): Promise<number> => {
    const began = performance.now();
    const { text } = succeeded(await service.post(path, body));
    const tookMs = performance.now() - began;
    if (!text.includes(proof) || text.includes('"errors"')) throw new Error(`${path} returned ${text.slice(0, 500)}`);
    return tookMs;
  };
  const bql = (query: string, url: string, proof: string) => () =>
    timed('/chromium/bql', { query, variables: { url } }, proof);
  const small = `${siteUrl}/small`;
  const rows = `${siteUrl}/bql/rows?n=${rowCount}`;
  const open = 'mutation Open($url: String!) { goto(url: $url) { status } title { title } }';
  const map = `mutation Rows($url: String!) { goto(url: $url) { status } title { title }
    rows: mapSelector(selector: "li.row") { number: attribute(name: "data-n") { value }
      bold: mapSelector(selector: "b") { innerText } slanted: mapSelector(selector: "i") { innerText }
      link: mapSelector(selector: "a") { innerText href: attribute(name: "href") { value } } } }`;
  const kinds = {
    content: () => timed('/content', { url: small }, '<h1'),
    title: bql(open, small, '"title":"Small"'),
    page: bql(open, rows, '"title":"Rows"'),
    rows: bql(map, rows, `"innerText":"b${rowCount - 1}"`),
  };
  const names = ['content', 'title', 'page', 'rows'] as const;
  const ms: Record<keyof typeof kinds, number[]> = { content: [], title: [], page: [], rows: [] };
  try {
    // Alternate, starting each round with a different kind, so that other load and work left over from a job affect all
    // kinds equally.
    for (let job = -warmUpJobs; job < jobs; job++) {
      const from = (job + warmUpJobs) % names.length;
      for (const name of [...names.slice(from), ...names.slice(0, from)]) {
        const tookMs = await kinds[name]();
        if (job >= 0) ms[name].push(tookMs);
      }
    }
  } finally {
    await service.stop();
  }
  const title = median(ms.title);
  const content = median(ms.content);
  report.add({
    name: 'bql: goto and title vs. content, small: p50 ms',
    server: title,
    floor: content,
    ratio: title / content,
    limit: limits.bqlTitleRatio,
    detail: { title: ms.title, content: ms.content },
  });
  report.add({
    name: `bql: ${rowCount} rows with three nested fields, in addition to the page itself: p50 ms`,
    server: median(ms.rows) - median(ms.page),
    limit: limits.bqlRowsMs,
    detail: { rows: ms.rows, page: ms.page },
  });
}
