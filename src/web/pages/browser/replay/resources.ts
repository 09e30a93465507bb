/**
 * Replaces the URLs in the events of a recording by those of the resources in it: the policy of this document forbids
 * all others.
 */
import { rewriteCss } from '../../../../browser/injected/css-links.ts';
import { isRecord } from './messages.ts';
import type { RecordedEvent } from './messages.ts';

/** Attributes from which elements load something that a recording has. */
const loadedBy: Readonly<Record<string, readonly string[]>> = {
  link: ['href'],
  img: ['src'],
  input: ['src'],
  video: ['poster'],
  image: ['href', 'xlink:href'],
  use: ['href', 'xlink:href'],
  feimage: ['href', 'xlink:href'],
  textpath: ['href', 'xlink:href'],
  mpath: ['href', 'xlink:href'],
  pattern: ['href', 'xlink:href'],
  lineargradient: ['href', 'xlink:href'],
  radialgradient: ['href', 'xlink:href'],
  body: ['background'],
  table: ['background'],
  td: ['background'],
  th: ['background'],
};
const loadsInCss = /url\(|image-set\(|@import/i;

export class Resources {
  /** `data:` URLs by URL. */
  readonly #data = new Map<string, string>();
  readonly #urls = new Map<string, string>();
  /** URLs that were looked for before they had arrived. */
  readonly #missing = new Set<string>();
  /** Rewritten events that need nothing else. */
  readonly #done = new WeakSet<RecordedEvent>();
  /** Base URLs of documents and changes. */
  readonly #bases = new WeakMap<RecordedEvent, string>();
  /** Ids of the text nodes in style elements. */
  readonly #styles = new Set<number>();
  /** Names of the elements whose attributes may change, by id. */
  readonly #tags = new Map<number, string>();
  #base = '';
  /** Whether all resources have arrived. */
  #isComplete = false;
  /** Whether something was rewritten that depends on what the recording does not have. */
  #isOpen = false;

  /** @returns whether a document that has been shown needs one of these events */
  add(events: readonly RecordedEvent[]): boolean {
    let isNeeded = false;
    for (const event of events) {
      const { type, data } = event;
      if (type === 4 && typeof data['href'] === 'string') this.#base = data['href'];
      if (type === 2) this.#base = baseIn(data['node'], this.#base);
      this.#bases.set(event, this.#base);
      const { payload } = data;
      if (type !== 5 || data['tag'] !== 'resource' || !isRecord(payload)) continue;
      const { url, data: content } = payload;
      if (typeof url !== 'string' || typeof content !== 'string') continue;
      if (!/^data:(?:(?:image|font)\/[\w.+-]+|text\/css);base64,/.test(content) || this.#data.has(url)) continue;
      this.#data.set(url, content);
      isNeeded ||= this.#missing.has(url);
    }
    return isNeeded;
  }

  /** Called when all resources have arrived. @returns whether a document that has been shown changes with that */
  complete(): boolean {
    this.#isComplete = true;
    return this.#isOpen;
  }

  /** Rewrites an event before it is applied. */
  rewrite(event: RecordedEvent): void {
    if (this.#done.has(event)) return;
    if (this.#isComplete) this.#done.add(event);
    const { type, data } = event;
    const base = this.#bases.get(event) ?? this.#base;
    if (type === 2) return this.#walk(data['node'], base);
    if (data['source'] === 0) {
      for (const { node } of records(data['adds'])) {
        this.#walk(node, base);
        // The library would keep the document of a frame that was empty when it was recorded first.
        if (isRecord(node) && node['type'] === 0 && records(node['childNodes']).length === 0)
          node['compatMode'] = 'empty';
      }
      for (const { id, attributes } of records(data['attributes'])) {
        if (isRecord(attributes)) this.#attributes(this.#tags.get(Number(id)) ?? '', attributes, base);
      }
      for (const text of records(data['texts'])) {
        if (this.#styles.has(Number(text['id']))) this.#css(text, 'value', base);
      }
    }
    for (const rule of records(data['adds'])) this.#css(rule, 'rule', base);
    for (const { rules } of records(data['styles'])) for (const rule of records(rules)) this.#css(rule, 'rule', base);
    for (const name of ['replace', 'replaceSync']) this.#css(data, name, base);
    if (isRecord(data['set'])) this.#css(data['set'], 'value', base);
  }

  /** The URL under which a resource can be shown; that given when the recording does not have it. */
  #urlOf(address: string, base: string): string {
    // The recorder takes `blob:` URLs in style sheets for relative ones.
    const absolute = (URL.parse(address, base)?.href ?? address).replace(/^https?:.*\/(?=blob:)/, '');
    const [plain = ''] = absolute.split('#', 1);
    const fragment = absolute.slice(plain.length);
    const found = this.#made(plain);
    if (found !== undefined) return found + fragment;
    // The recorder completes references to elements of the same document too.
    if (fragment !== '' && this.#isComplete) return fragment;
    this.#isOpen ||= fragment !== '';
    return address;
  }

  #made(url: string): string | undefined {
    const known = this.#urls.get(url);
    if (known !== undefined) return known;
    const data = this.#data.get(url);
    // What a style sheet needs may arrive after it.
    const isEarly = !this.#isComplete && data?.startsWith('data:text/css') === true;
    this.#isOpen ||= isEarly;
    if (data === undefined && !this.#isComplete) this.#missing.add(url);
    if (data === undefined || isEarly) return undefined;
    const [head = '', content = ''] = data.split(',', 2);
    const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
    const type = head.slice(5).split(';', 1)[0] ?? '';
    const made = (part: BlobPart) => URL.createObjectURL(new Blob([part], { type }));
    if (type !== 'text/css') {
      const file = made(bytes);
      this.#urls.set(url, file);
      return file;
    }
    // A style sheet may import itself.
    this.#urls.set(url, '');
    const sheet = made(this.#cssOf(new TextDecoder().decode(bytes), url));
    this.#urls.set(url, sheet);
    return sheet;
  }

  /** Uses a list instead of recursion, because a document may be nested deeper than the stack allows. */
  #walk(root: unknown, base: string): void {
    const left: [node: unknown, isStyle: boolean][] = [[root, false]];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [node, isStyle] = next;
      if (!isRecord(node)) continue;
      const { id, tagName, attributes, childNodes } = node;
      if (isStyle) {
        this.#styles.add(Number(id));
        this.#css(node, 'textContent', base);
      }
      const tag = typeof tagName === 'string' ? tagName.toLowerCase() : '';
      if (isRecord(attributes)) {
        this.#attributes(tag, attributes, base);
        this.#content(node, attributes, base);
      }
      if (tag in loadedBy || tag === 'source') this.#tags.set(Number(id), tag);
      if (Array.isArray(childNodes)) for (const child of childNodes) left.push([child, tag === 'style']);
    }
  }

  #attributes(tag: string, attributes: Record<string, unknown>, base: string): void {
    const loads = loadedBy[tag] ?? [];
    for (const [name, value] of Object.entries(attributes)) {
      if (name === 'style' && isRecord(value)) this.#declarations(value, base);
      if (typeof value !== 'string' || value === '') continue;
      if (loads.includes(name.toLowerCase())) attributes[name] = this.#urlOf(value, base);
      else if (name === 'srcset' && (tag === 'img' || tag === 'source')) this.#sourceSet(attributes, value, base);
      else if (loadsInCss.test(value)) this.#css(attributes, name, base);
    }
  }

  /** Shows a picture in place of an element that loads it as a document. */
  #content(node: Record<string, unknown>, attributes: Record<string, unknown>, base: string): void {
    const { rr_picture: address, style } = attributes;
    if (typeof address !== 'string') return;
    const url = this.#urlOf(address, base);
    if (url === address) return;
    delete attributes['rr_picture'];
    // Without a document, this element is not displayed.
    if (node['tagName'] === 'embed') Object.assign(node, { tagName: 'img', attributes: { ...attributes, src: url } });
    else attributes['style'] = `${typeof style === 'string' ? `${style};` : ''}content:url("${url}")`;
  }

  /** The properties of a style attribute that have changed: values, with their priority if they have one. */
  #declarations(changed: Record<string, unknown>, base: string): void {
    for (const [name, value] of Object.entries(changed)) {
      if (Array.isArray(value) && typeof value[0] === 'string') value[0] = this.#cssOf(value[0], base);
      else this.#css(changed, name, base);
    }
  }

  /** Keeps the candidates that the recording has: it has only those that the browser chose. */
  #sourceSet(attributes: Record<string, unknown>, text: string, base: string): void {
    const candidates = [...text.matchAll(/\s*([^\s,]\S*[^\s,]|[^\s,])(?:\s+([^,]+))?\s*(?:,|$)/g)].map(
      ([, url = '', size = '']) => ({ url: this.#urlOf(url, base), size }),
    );
    const found = candidates.filter(({ url }) => /^(?:blob:null|data:)/.test(url));
    const kept = this.#isComplete ? found : candidates;
    this.#isOpen ||= kept.length > found.length;
    if (kept.length > 0) attributes['srcset'] = kept.map(({ url, size }) => `${url} ${size}`.trim()).join(', ');
    else delete attributes['srcset'];
  }

  #css(holder: Record<string, unknown>, name: string, base: string): void {
    const text = holder[name];
    if (typeof text === 'string') holder[name] = this.#cssOf(text, base);
  }

  #cssOf(text: string, base: string): string {
    return loadsInCss.test(text) ? rewriteCss(text, base, (url) => this.#urlOf(url, base)) : text;
  }
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The URL of the document's base element, which the recorder has made absolute. */
function baseIn(node: unknown, otherwise: string): string {
  const left = [node];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (!isRecord(next)) continue;
    const { tagName, attributes, childNodes } = next;
    if (tagName === 'body') continue;
    if (tagName === 'base' && isRecord(attributes) && typeof attributes['href'] === 'string') return attributes['href'];
    if (Array.isArray(childNodes)) left.push(...childNodes.toReversed());
  }
  return otherwise;
}
