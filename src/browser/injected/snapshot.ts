/** Serializes a copy of the current document inside the page, with its URLs rewritten to local files. */
import { rewriteCss } from './css-links.ts';
import { isTag } from './dom.ts';

/** Returns the frame elements of this document in order, including those in open shadow trees. */
export function framesOf(): Element[] {
  const found: Element[] = [];
  const search = (root: ParentNode) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.localName === 'iframe' || element.localName === 'frame') found.push(element);
      if (element.shadowRoot) search(element.shadowRoot);
    }
  };
  search(document);
  return found;
}

/** Starts images and frames with `loading=lazy`, then waits for fonts; scrolling loads the other lazy content. */
export async function loadLazy(): Promise<void> {
  const lazy = document.querySelectorAll<HTMLImageElement | HTMLIFrameElement>('[loading=lazy]');
  for (const element of lazy) element.loading = 'eager';
  await document.fonts.ready;
}

/**
 * Returns the document as markup.
 * @param files local paths of the loaded resources, by absolute URL without a fragment
 * @param frames local paths of the frames in the order of `framesOf`; an empty string for one that could not be read
 */
export function snapshot(files: Record<string, string>, frames: readonly string[]): string {
  const base = document.baseURI;
  // The local path of an absolute URL, or the URL itself when there is no file.
  const toLocal = (url: string): string => {
    const [plain = url] = url.split('#', 1);
    const file = files[plain];
    return file === undefined ? url : file + url.slice(plain.length);
  };
  const absolute = (text: string): string | undefined => {
    const trimmed = text.trim();
    const stays = trimmed === '' || trimmed.startsWith('#') || /^(data|javascript|mailto|tel|about):/i.test(trimmed);
    return stays || !URL.canParse(trimmed, base) ? undefined : new URL(trimmed, base).href;
  };
  const local = (text: string): string | undefined => {
    const url = absolute(text);
    return url === undefined ? undefined : toLocal(url);
  };
  const rules = (sheet: CSSStyleSheet) => Array.from(sheet.cssRules, ({ cssText }) => cssText).join('\n');
  const inert = document.implementation.createHTMLDocument('');
  let frame = 0;

  // Keeps the candidates that were loaded: there is no file for those that the browser did not choose.
  const sourceSet = (text: string): string =>
    [...text.matchAll(/\s*([^\s,]\S*[^\s,]|[^\s,])(?:\s+([^,]+))?\s*(?:,|$)/g)]
      .flatMap(([, url = '', size = '']) => {
        const found = absolute(url);
        if (found === undefined) return url.startsWith('data:') ? [`${url} ${size}`.trim()] : [];
        const file = toLocal(found);
        return file === found ? [] : [`${file} ${size}`.trim()];
      })
      .join(', ');

  const loadedBy: Record<string, readonly string[]> = {
    img: ['src'],
    input: ['src'],
    source: ['src'],
    video: ['src', 'poster'],
    audio: ['src'],
    track: ['src'],
    embed: ['src'],
    object: ['data'],
    script: ['src'],
    link: ['href'],
    image: ['href', 'xlink:href'],
    use: ['href', 'xlink:href'],
    feimage: ['href', 'xlink:href'],
    body: ['background'],
    table: ['background'],
    td: ['background'],
    th: ['background'],
  };
  const leadingTo = ['href', 'action', 'formaction', 'cite', 'longdesc'];

  const change = (original: Element, copy: Element): void => {
    const name = original.localName;
    const rewrite = (attribute: string, to: (text: string) => string | undefined) => {
      const text = copy.getAttribute(attribute);
      const changed = text === null ? undefined : to(text);
      if (changed !== undefined) copy.setAttribute(attribute, changed);
    };
    // These attributes apply only to network requests of the original.
    for (const attribute of ['integrity', 'crossorigin', 'nonce', 'ping']) copy.removeAttribute(attribute);
    if (name === 'base' || name === 'noscript') return copy.remove();
    if (name === 'meta') {
      const kind = copy.getAttribute('http-equiv')?.toLowerCase();
      if (copy.hasAttribute('charset') || (kind && /^(content-type|content-security-policy.*|refresh)$/.test(kind)))
        copy.remove();
      return;
    }
    if (
      name === 'link' &&
      /\b(preload|modulepreload|prefetch|preconnect|dns-prefetch|prerender)\b/i.test(copy.getAttribute('rel') ?? '')
    ) {
      return copy.remove();
    }
    const loads = loadedBy[name.toLowerCase()] ?? [];
    for (const attribute of loads) rewrite(attribute, local);
    for (const attribute of leadingTo) if (!loads.includes(attribute)) rewrite(attribute, absolute);
    rewrite('style', (text) => rewriteCss(text, base, toLocal));
    if (name === 'img' || name === 'source') {
      rewrite('srcset', sourceSet);
      if (copy.getAttribute('srcset') === '') copy.removeAttribute('srcset');
      // Remove a source that was not chosen: the browser would request it from the network.
      if (name === 'source' && original.parentElement?.localName === 'picture' && !copy.hasAttribute('srcset'))
        copy.remove();
    }
    if (isTag(original, 'img')) {
      copy.removeAttribute('loading');
      const shown = original.currentSrc ? toLocal(original.currentSrc) : '';
      if (shown !== '' && shown !== original.currentSrc && !copy.hasAttribute('srcset'))
        copy.setAttribute('src', shown);
    }
    if (name === 'iframe' || name === 'frame') {
      const file = frames[frame++] ?? '';
      copy.removeAttribute('srcdoc');
      copy.removeAttribute('loading');
      if (file !== '') copy.setAttribute('src', file);
      else rewrite('src', absolute);
    }
    if (isTag(original, 'style')) {
      // Rules that scripts insert into an empty sheet are not in its text.
      const text = original.textContent.trim() === '' && original.sheet ? rules(original.sheet) : original.textContent;
      copy.textContent = rewriteCss(text, base, toLocal);
    }
    if (isTag(original, 'input')) {
      if (original.type === 'checkbox' || original.type === 'radio') {
        if (original.checked) copy.setAttribute('checked', '');
        else copy.removeAttribute('checked');
      } else if (original.type !== 'password' && original.type !== 'file' && original.value) {
        copy.setAttribute('value', original.value);
      }
    }
    if (isTag(original, 'textarea')) copy.textContent = original.value;
    if (isTag(original, 'option')) {
      if (original.selected) copy.setAttribute('selected', '');
      else copy.removeAttribute('selected');
    }
    if (isTag(original, 'canvas') && isTag(copy, 'canvas')) {
      try {
        const picture = original.toDataURL();
        copy.style.setProperty('background', `url("${picture}") content-box 0 0 / 100% 100% no-repeat`, 'important');
      } catch {
        // The canvas is tainted by pixels of another origin and cannot be read.
      }
    }
  };

  const addSheets = (root: DocumentOrShadowRoot, place: ParentNode) => {
    for (const sheet of root.adoptedStyleSheets) {
      const style = inert.createElement('style');
      style.textContent = rewriteCss(rules(sheet), base, toLocal);
      place.append(style);
    }
  };

  const walk = (original: ParentNode, copy: ParentNode): void => {
    // Read before any change, while both trees have the same elements in the same order.
    const copies = [...copy.querySelectorAll('*')];
    [...original.querySelectorAll('*')].forEach((element, index) => {
      const twin = copies[index];
      if (twin === undefined) return;
      const shadow = element.shadowRoot;
      change(element, twin);
      if (!shadow) return;
      const template = inert.createElement('template');
      template.setAttribute('shadowrootmode', shadow.mode);
      for (const child of shadow.childNodes) template.content.append(inert.importNode(child, true));
      walk(shadow, template.content);
      addSheets(shadow, template.content);
      twin.prepend(template);
    });
  };

  const root = inert.importNode(document.documentElement, true);
  // `walk` handles descendants only; the root element has attributes too.
  change(document.documentElement, root);
  walk(document.documentElement, root);
  let head = root.querySelector('head');
  if (!head) {
    head = inert.createElement('head');
    root.prepend(head);
  }
  addSheets(document, head);
  const charset = inert.createElement('meta');
  charset.setAttribute('charset', 'utf-8');
  // The scripts have already changed the document; running again, they would do so twice.
  const policy = inert.createElement('meta');
  policy.setAttribute('http-equiv', 'Content-Security-Policy');
  policy.setAttribute('content', "script-src 'none'");
  head.prepend(charset, policy);
  const doctype = document.doctype ? `${new XMLSerializer().serializeToString(document.doctype)}\n` : '';
  return `${doctype}<!-- saved from ${location.href.replaceAll('--', '%2D%2D')} -->\n${root.outerHTML}\n`;
}
