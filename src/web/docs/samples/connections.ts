/** Writes code that connects to a WebSocket of this server. */

/** A package's name in quotes: written out, the imports in the samples would look like imports of this file. */
const quoted = (name: string): string => `'${name}'`;

interface ConnectionSample {
  /** What connects. */
  label: string;
  code: string;
}

/**
 * Returns a sample for each library that can connect.
 * @param path path of the socket
 * @param url its URL, with the path
 */
export function connectionSamples(path: string, url: string): [ConnectionSample, ...ConnectionSample[]] {
  if (/\/bql\b/.test(path)) {
    return [{ label: 'JavaScript', code: `const socket = new WebSocket('${url}', 'graphql-transport-ws');` }];
  }
  const isNative = /\bplaywright\b/.test(path);
  const engine = /firefox|webkit/.exec(path)?.[0] ?? 'chromium';
  const method = isNative ? 'connect' : 'connectOverCDP';
  const playwright = {
    label: 'Playwright',
    code: `import { ${engine} } from ${quoted('playwright-core')};\n\nconst browser = await ${engine}.${method}('${url}');`,
  };
  if (isNative) return [playwright];
  const code = `import puppeteer from ${quoted('puppeteer-core')};\n\nconst browser = await puppeteer.connect({ browserWSEndpoint: '${url}' });`;
  return [{ label: 'Puppeteer', code }, playwright];
}
