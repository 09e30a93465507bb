/** Serializes a copy of the current document inside the page, with its URLs rewritten to local files. */
import { rewriteCss } from './css-links.ts';
import { isTag } from './dom.ts';
import { changedText, importedBy, rulesOf } from './style-rules.ts';

/** What the archive contains; paths in it are relative to the folder of its resources. */
export interface ArchiveFiles {
  /** Paths of the loaded resources, by absolute URL without a fragment. */
  files: Record<string, string>;
  /** Path from the document to the folder. */
  folder: string;
  /** URLs of the frames' files in the order of `framesOf`; an empty string for one that could not be read. */
  frames: readonly string[];
  /** Sources of style sheets, by the URLs that `sheetUrls` returns. */
  sources: Record<string, string>;
  /** Beginning of the paths of additional style sheets. */
  sheetPath: string;
}

export interface SavedDocument {
  html: string;
  /** Linked style sheets that scripts have changed, by path. */
  sheets: Record<string, string>;
}

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

/** Returns the document as markup. */
export function snapshot({ files, folder, frames, sources, sheetPath }: ArchiveFiles): SavedDocument {
  const base = document.baseURI;
  // The path of an absolute URL in the folder, or the URL itself when there is no file.
  const toFile = (url: string, from = ''): string => {
    const [plain = url] = url.split('#', 1);
    const file = files[plain];
    return file === undefined ? url : from + file + url.slice(plain.length);
  };
  const toLocal = (url: string): string => toFile(url, folder);
  const absolute = (text: string): string | undefined => {
    const trimmed = text.trim();
    const stays = trimmed === '' || trimmed.startsWith('#') || /^(data|javascript|mailto|tel|about):/i.test(trimmed);
    return stays || !URL.canParse(trimmed, base) ? undefined : new URL(trimmed, base).href;
  };
  const local = (text: string): string | undefined => {
    const url = absolute(text);
    return url === undefined ? undefined : toLocal(url);
  };
  const sheets: Record<string, string> = {};
  // The text of a style sheet if scripts have changed its rules or a style sheet that it imports.
  const changedCss = (sheet: CSSStyleSheet, source: string, from: string): string | undefined => {
    const rules = rulesOf(sheet);
    if (!rules) return undefined;
    const imports = new Map<string | null, string>();
    for (const imported of importedBy(rules)) {
      const path = changedFile(imported);
      if (path !== undefined) imports.set(imported.href, from + path);
    }
    const text = changedText(rules, source);
    if (text === undefined && imports.size === 0) return undefined;
    return rewriteCss(text ?? source, sheet.href ?? base, (url) => imports.get(url) ?? toFile(url, from));
  };
  // The path of a new file for a style sheet with a URL that scripts have changed.
  const changedFile = (sheet: CSSStyleSheet): string | undefined => {
    const source = sheet.href === null ? undefined : sources[sheet.href];
    if (source === undefined) return undefined;
    const css = sheet.disabled && sheet.ownerRule ? '' : changedCss(sheet, source, '');
    if (css === undefined) return undefined;
    const path = `${sheetPath}${Object.keys(sheets).length + 1}.css`;
    sheets[path] = css;
    return path;
  };
  // Scripts also decide whether a style sheet applies; so do the titles of all style sheets together.
  const keepState = (sheet: CSSStyleSheet, copy: Element): void => {
    const media = sheet.disabled ? 'not all' : sheet.media.mediaText;
    if (media !== (copy.getAttribute('media') ?? '')) copy.setAttribute('media', media);
    copy.removeAttribute('title');
    const relation = copy.getAttribute('rel');
    if (relation !== null) copy.setAttribute('rel', relation.replace(/\balternate\b\s*/i, ''));
  };
  // Fills a style element; a string in a rule may contain the end tag.
  const fill = (copy: Element, sheet: CSSStyleSheet | null, source: string): void => {
    const css = (sheet && changedCss(sheet, source, folder)) ?? rewriteCss(source, base, toLocal);
    copy.textContent = css.replace(/<\/(?=style)/gi, '<\\/');
    if (sheet) keepState(sheet, copy);
    // The Content-Security-Policy of the page forbade it; the copy has another policy.
    else copy.setAttribute('media', 'not all');
  };
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
      fill(copy, original.sheet, original.textContent);
    }
    if (isTag(original, 'link') && original.sheet) {
      const path = changedFile(original.sheet);
      if (path !== undefined) copy.setAttribute('href', folder + path);
      keepState(original.sheet, copy);
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
      fill(style, sheet, '');
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
  // Adopted style sheets come after all others, some of which may be in the body.
  const last = document.styleSheets[document.styleSheets.length - 1]?.ownerNode;
  addSheets(document, (last && document.querySelector('body')?.contains(last) && root.querySelector('body')) || head);
  const charset = inert.createElement('meta');
  charset.setAttribute('charset', 'utf-8');
  // The scripts have already changed the document; running again, they would do so twice.
  const policy = inert.createElement('meta');
  policy.setAttribute('http-equiv', 'Content-Security-Policy');
  policy.setAttribute('content', "script-src 'none'");
  head.prepend(charset, policy);
  const doctype = document.doctype ? `${new XMLSerializer().serializeToString(document.doctype)}\n` : '';
  const html = `${doctype}<!-- saved from ${location.href.replaceAll('--', '%2D%2D')} -->\n${root.outerHTML}\n`;
  return { html, sheets };
}
