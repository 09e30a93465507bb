// Creates the events of a hostile document, which tries to run scripts, reach a server, navigate and submit a form.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { RecordedEvent } from './made-recordings.ts';

export interface Trap {
  url: string;
  /** Connections that have reached the server, and the requests on them. */
  reached: string[];
  close(): Promise<void>;
}

/** Starts a server on loopback that nothing should reach. */
export async function startTrap(): Promise<Trap> {
  const reached: string[] = [];
  const server = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.setHeader('Access-Control-Allow-Origin', '*').end('here');
  });
  server.on('connection', () => reached.push('connection'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The trap has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    reached,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Node {
  id: number;
  type: number;
  [member: string]: unknown;
}

type Attributes = Record<string, string>;
type Part = readonly [tag: string, attributes: Attributes, ...children: (string | Part)[]];

/** Marks the document if it ever runs. */
const script = `document.documentElement.dataset.ran = '1'; top.location = 'URL/top'; fetch('URL/fetch')`;

const head: Part[] = [
  ['meta', { 'http-equiv': 'refresh', content: '0;url=URL/refresh' }],
  ['base', { href: 'URL/' }],
  ['link', { rel: 'stylesheet', href: 'URL/style.css' }],
  ...['preconnect', 'dns-prefetch', 'prefetch', 'modulepreload', 'icon', 'manifest', 'stylesheet preconnect'].map(
    (rel): Part => ['link', { rel, href: `URL/${rel}` }],
  ),
  ['link', { rel: 'preload', as: 'image', href: 'URL/preload' }],
  [
    'style',
    {},
    `@import 'URL/import.css'; @font-face { font-family: f; src: url(URL/font) }
     body { background: url(URL/background); font-family: f; cursor: url(URL/cursor), auto }`,
  ],
  ['script', {}, script],
  ['script', { src: 'URL/script.js' }],
];

const body: Part[] = [
  ['p', { id: 'words' }, 'Still here'],
  ['img', { src: 'URL/image', srcset: 'URL/image2 2x', onerror: script }],
  ['img', { src: 'x', onerror: script, onload: script }],
  ['a', { href: `javascript:${script}`, ping: 'URL/ping', target: '_top' }, 'Link'],
  ['a', { href: 'URL/away', target: '_top', id: 'away' }, 'Away'],
  ['iframe', { src: 'URL/frame' }],
  ['iframe', { rr_src: 'URL/frame2' }],
  ['iframe', { srcdoc: `<script>${script}</script><img src="URL/inner" onerror="${script}">` }],
  ['iframe', { src: `data:text/html,<script>${script}</script><meta http-equiv=refresh content="0;url=URL/data">` }],
  ['iframe', { src: `javascript:${script}` }],
  ['iframe', { sandbox: '', srcdoc: `<link rel=preconnect href="URL/"><link rel=dns-prefetch href="URL/">` }],
  ['frame', { src: `data:text/html,<link rel=preconnect href="URL/">` }],
  ['object', { data: `data:text/html,<link rel=preconnect href="URL/">` }],
  ['embed', { src: `data:text/html,<link rel=preconnect href="URL/">` }],
  ['object', { data: 'URL/object' }],
  ['embed', { src: 'URL/embed' }],
  ['video', { src: 'URL/video', poster: 'URL/poster', autoplay: '' }],
  ['audio', { src: 'URL/audio', autoplay: '' }],
  ['form', { action: 'URL/form', id: 'form' }, ['input', { autofocus: '', onfocus: script }], ['button', {}, 'Send']],
  ['svg', { onload: script }, ['image', { href: 'URL/svg-image' }], ['use', { href: 'URL/use#x' }]],
  ['details', { open: '', ontoggle: script }],
  ['div', { style: 'background: url(URL/inline); width: 9px; height: 9px' }],
];

/** The events of such a document, and of a later change that adds its content again. @param start epoch milliseconds */
export function hostileEvents(url: string, start: number): RecordedEvent[] {
  let id = 0;
  const filled = (text: string) => text.replaceAll('URL', url);
  const build = (part: string | Part): Node => {
    if (typeof part === 'string') return { id: ++id, type: 3, textContent: filled(part) };
    const [tagName, attributes, ...children] = part;
    const own = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, filled(value)]));
    const isSvg = ['svg', 'image', 'use'].includes(tagName) ? { isSVG: true } : {};
    return { id: ++id, type: 2, tagName, attributes: own, childNodes: children.map(build), ...isSvg };
  };
  const headNode = build(['head', {}, ...head]);
  const bodyNode = build(['body', {}, ...body]);
  const html = { id: ++id, type: 2, tagName: 'html', attributes: {}, childNodes: [headNode, bodyNode] };
  const doctype = { id: ++id, type: 1, name: 'html', publicId: '', systemId: '' };
  const node = { id: ++id, type: 0, childNodes: [doctype, html] };
  // A change lists each node separately, parents before their children.
  const addsOf = (part: string | Part, parentId: number): object[] => {
    const whole = build(part);
    const [, , ...children] = typeof part === 'string' ? [] : part;
    const own = { parentId, nextId: null, node: { ...whole, childNodes: [] } };
    return [own, ...children.flatMap((child) => addsOf(child, whole.id))];
  };
  const late: Part[] = [...head, ...body, ['b', {}, 'The end']];
  const adds = late.flatMap((part) => addsOf(part, bodyNode.id));
  const harmless = build(['link', {}]);
  adds.push({ parentId: bodyNode.id, nextId: null, node: harmless });
  const empty = { texts: [], attributes: [], removes: [] };
  const link = `<link rel=preconnect href="${url}/late">`;
  const armed = { rel: 'preconnect', href: `${url}/late`, srcdoc: link, src: `data:text/html,${link}` };
  return [
    { type: 4, timestamp: start, data: { href: `${url}/`, width: 800, height: 500 } },
    { type: 2, timestamp: start + 10, data: { node, initialOffset: { top: 0, left: 0 } } },
    { type: 3, timestamp: start + 400, data: { source: 0, ...empty, adds } },
    {
      type: 3,
      timestamp: start + 500,
      data: { source: 0, ...empty, adds: [], attributes: [{ id: harmless.id, attributes: armed }] },
    },
    { type: 3, timestamp: start + 600, data: { source: 8, id: 3, adds: [{ rule: `@import url(${url}/rule)` }] } },
    { type: 5, timestamp: start + 900, data: { tag: 'navigation', payload: { url: `javascript:${filled(script)}` } } },
  ];
}
