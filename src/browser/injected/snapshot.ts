/** Serializes a copy of the current document inside the page, with its URLs rewritten to local files. */
import { canvasesOf, drawingOf } from './canvas.ts';
import { needsCors, rewriteCss } from './css-links.ts';
import { isTag } from './dom.ts';
import { animatedProperties, stateOf } from './page-state.ts';
import { hasPending, rulesText, withComputed } from './pending-css.ts';
import { keepLineBreak, wrapMisplaced } from './reparse.ts';
import { areRulesOf, changeableSheets, importedBy, rootsOf, rulesOf } from './style-rules.ts';
import { copyPart, decodeId, parseSvg, partsHolder, usedFiles, usedUrl } from './svg-parts.ts';

/** What the archive contains; paths in it are relative to the folder of its resources. */
export interface ArchiveFiles {
  /** Paths of the loaded resources, by absolute URL without a fragment. */
  files: Record<string, string>;
  /** Path from the document to the folder. */
  folder: string;
  /** URLs of the frames' files in the order of `framesOf`; an empty string for one that could not be read. */
  frames: readonly string[];
  /** Texts of files, by the URLs that `sourceUrls` returns. */
  sources: Record<string, string>;
  /** Beginning of the text for the `data:` URL of a file: its path and a semicolon follow. */
  inlineMark: string;
  /** Beginning of the paths of additional style sheets. */
  sheetPath: string;
  /** A script that sets the states of elements, and its hash as a source of a Content-Security-Policy. */
  restore: { script: string; source: string };
}

export interface SavedDocument {
  url: string;
  markup: string;
  extension: 'html' | 'svg';
  /** The canvases (indices in `canvasesOf`) without a drawing, for which there is a mark `canvas-<index>`. */
  unread: number[];
  /** Linked style sheets that scripts have changed, by path. */
  sheets: Record<string, string>;
}

/** Whether the element may show another document. */
export function isFrame({ localName }: Element): boolean {
  return /^(?:i?frame|object|embed)$/.test(localName);
}

/** Returns the frame elements of this document in order, including those in open shadow trees. */
export function framesOf(): Element[] {
  const found: Element[] = [];
  const search = (root: ParentNode) => {
    for (const element of root.querySelectorAll('*')) {
      if (isFrame(element)) found.push(element);
      if (element.shadowRoot) search(element.shadowRoot);
    }
  };
  search(document);
  return found;
}

/** URLs of the files whose text `snapshot` needs. */
export function sourceUrls(): string[] {
  return rootsOf().flatMap((root) => [...changeableSheets(root), ...usedFiles(root)]);
}

/** Starts images and frames with `loading=lazy`, then waits for fonts; scrolling loads the other lazy content. */
export async function loadLazy(): Promise<void> {
  for (const root of rootsOf()) {
    const lazy = root.querySelectorAll<HTMLImageElement | HTMLIFrameElement>('[loading=lazy]');
    for (const element of lazy) element.loading = 'eager';
  }
  await document.fonts.ready;
}

/** Returns the document as markup. */
export function snapshot(archive: ArchiveFiles): SavedDocument {
  const { files, folder, frames, sources, sheetPath } = archive;
  const base = document.baseURI;
  const [own = ''] = document.URL.split('#', 1);
  // The path of an absolute URL, or the URL itself when there is no file; the fragment alone for this document.
  const toFile = (url: string, from: string, isInline: boolean): string => {
    const [plain = url] = url.split('#', 1);
    const fragment = url.slice(plain.length);
    if (plain === own && fragment !== '') return fragment;
    const file = files[plain];
    if (file === undefined) return url;
    return (isInline ? `${archive.inlineMark}${file};` : from + file) + fragment;
  };
  const toLocal = (url: string): string => toFile(url, folder, false);
  const cssLocal = (url: string, property: string): string => toFile(url, folder, needsCors(property));
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
  // The tree that is being written.
  let scope: Document | ShadowRoot = document;
  // The text of a style sheet if scripts have changed its rules or a style sheet that it imports.
  const changedCss = (sheet: CSSStyleSheet, source: string, from: string): string | undefined => {
    const rules = rulesOf(sheet);
    if (!rules) return undefined;
    const imports = new Map<string | null, string>();
    for (const imported of importedBy(rules)) {
      const path = changedFile(imported);
      if (path !== undefined) imports.set(imported.href, from + path);
    }
    const isChanged = !areRulesOf(source, rules);
    if (!isChanged && imports.size === 0) return undefined;
    return rewriteCss(
      isChanged ? rulesText(rules, source, scope) : source,
      sheet.href ?? base,
      (url, property) => imports.get(url) ?? toFile(url, from, needsCors(property)),
    );
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
  // Whether one with a title applies depends on the titles of the others and on scripts, and no property says it.
  const applies = (sheet: CSSStyleSheet): boolean => {
    if (sheet.disabled || !sheet.title || !matchMedia(sheet.media.mediaText).matches || !rulesOf(sheet))
      return !sheet.disabled;
    const last = sheet.insertRule(':root, :host { --applies: 1 }', sheet.cssRules.length);
    const element = scope instanceof ShadowRoot ? scope.host : document.documentElement;
    const found = getComputedStyle(element).getPropertyValue('--applies');
    sheet.deleteRule(last);
    return found !== '';
  };
  // Scripts also decide whether a style sheet applies; so do the titles of all style sheets together.
  const keepState = (sheet: CSSStyleSheet, copy: Element): void => {
    const media = applies(sheet) ? sheet.media.mediaText : 'not all';
    if (media !== (copy.getAttribute('media') ?? '')) copy.setAttribute('media', media);
    copy.removeAttribute('title');
    const relation = copy.getAttribute('rel');
    if (relation !== null) copy.setAttribute('rel', relation.replace(/\balternate\b\s*/i, ''));
  };
  // Fills a style element; a string in a rule may contain the end tag.
  const fill = (copy: Element, sheet: CSSStyleSheet | null, source: string): void => {
    const css = (sheet && changedCss(sheet, source, folder)) ?? rewriteCss(source, base, cssLocal);
    copy.textContent = css.replace(/<\/(?=style)/gi, '<\\/');
    if (sheet) keepState(sheet, copy);
    // The Content-Security-Policy of the page forbade it; the copy has another policy.
    else copy.setAttribute('media', 'not all');
  };
  const leading = (text: string): string | undefined => {
    const url = absolute(text);
    return url?.startsWith(`${own}#`) ? url.slice(own.length) : url;
  };
  const inert = document.implementation.createHTMLDocument('');
  const canvases = canvasesOf();
  const unread: number[] = [];
  let frame = 0;
  // Parsed files, and in each tree the copies from them.
  const svgFiles = new Map<string, Document | undefined>();
  let holders = new Map<string, Element>();
  let held = 0;
  const partOf = (url: string): string | undefined => {
    const [plain = url, id = ''] = url.split('#');
    const source = sources[plain];
    if (source === undefined) return undefined;
    if (!svgFiles.has(plain)) svgFiles.set(plain, parseSvg(source));
    const file = svgFiles.get(plain);
    const holder = holders.get(plain) ?? partsHolder(`saved-svg-${++held}`);
    holders.set(plain, holder);
    return file && copyPart(file, decodeId(id), holder);
  };

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

  const changeSvg = (original: SVGElement, copy: Element): void => {
    const used = usedUrl(original);
    const part = used === undefined ? undefined : partOf(used);
    if (part !== undefined) {
      copy.removeAttribute('xlink:href');
      copy.setAttribute('href', `#${part}`);
    }
    for (const { name, value } of copy.attributes) {
      const property = original.getAttribute('attributeName') ?? name;
      if (name !== 'style' && /url\(/i.test(value))
        copy.setAttribute(
          name,
          rewriteCss(value, base, (url) => toFile(url, folder, needsCors(property))),
        );
      const url = name === 'xlink:href' ? leading(value) : undefined;
      if (url?.startsWith('#')) copy.setAttribute(name, url);
    }
  };

  let hasStates = false;
  const animated = animatedProperties();
  // Names for the slots to which scripts have assigned elements: only scripts can do that without names.
  const slots = new Map<HTMLSlotElement, string>();
  const slotName = (slot: HTMLSlotElement): string | undefined => {
    const tree = slot.getRootNode();
    if (!(tree instanceof ShadowRoot) || tree.slotAssignment !== 'manual') return undefined;
    const name = slots.get(slot) ?? `assigned-${slots.size + 1}`;
    slots.set(slot, name);
    return name;
  };
  const defined = new Set<string>();
  const keepElementState = (original: Element, copy: Element): void => {
    const state = stateOf(original, defined);
    // The page may itself be an archive.
    copy.removeAttribute('data-archive-state');
    if (state) {
      copy.setAttribute('data-archive-state', JSON.stringify(state));
      hasStates = true;
    }
    const slot = original.assignedSlot && slotName(original.assignedSlot);
    if (slot) copy.setAttribute('slot', slot);
    const assignedName = isTag(original, 'slot') ? slotName(original) : undefined;
    if (assignedName !== undefined) copy.setAttribute('name', assignedName);
    const names = animated.get(original);
    if (!names || !('style' in copy)) return;
    const { style } = copy as HTMLElement; // Elements that are displayed have one.
    const computed = getComputedStyle(original);
    for (const each of names) style.setProperty(each, computed.getPropertyValue(each), 'important');
  };

  const change = (original: Element, copy: Element): void => {
    const name = original.localName;
    keepElementState(original, copy);
    const rewrite = (attribute: string, to: (text: string) => string | undefined) => {
      const text = copy.getAttribute(attribute);
      const changed = text === null ? undefined : to(text);
      if (changed !== undefined) copy.setAttribute(attribute, changed);
    };
    // These attributes apply only to network requests of the original, and to its encoding.
    for (const attribute of ['integrity', 'crossorigin', 'nonce', 'ping']) copy.removeAttribute(attribute);
    if (name === 'link' || name === 'script') copy.removeAttribute('charset');
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
    for (const attribute of leadingTo) if (!loads.includes(attribute)) rewrite(attribute, leading);
    rewrite('style', (text) => {
      const { cssText = '' } = original instanceof HTMLElement || original instanceof SVGElement ? original.style : {};
      const isPending = hasPending(text) && hasPending(cssText);
      return rewriteCss(isPending ? withComputed(cssText, original) : text, base, cssLocal);
    });
    if (original instanceof SVGElement) changeSvg(original, copy);
    if (name === 'track') {
      rewrite('src', (text) => {
        const url = absolute(text);
        return url === undefined ? undefined : toFile(url, folder, true);
      });
    }
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
      const isShown = () => copy.getAttribute('src')?.split('#', 1)[0] === shown.split('#', 1)[0];
      if (shown !== '' && shown !== original.currentSrc && !copy.hasAttribute('srcset') && !isShown())
        copy.setAttribute('src', shown);
    }
    if (isFrame(original)) {
      const file = frames[frame++] ?? '';
      const source = name === 'object' ? 'data' : 'src';
      copy.removeAttribute('srcdoc');
      copy.removeAttribute('loading');
      const url = absolute(original.getAttribute(source) ?? '');
      // The image in an object is a file; an SVG document, whose resources are other files, is a frame.
      const isFile = loads.length > 0 && url !== undefined && toLocal(url) !== url && !file.endsWith('.svg');
      if (file !== '' && !isFile) {
        copy.setAttribute(source, file);
        // Only a frame of the same origin loads files from the disk; the policy of its copy keeps its scripts from running.
        rewrite('sandbox', (text) => `${text} allow-same-origin allow-scripts`.trim());
      } else if (!isFile) rewrite(source, absolute);
    }
    if (isTag(original, 'style') || original instanceof SVGStyleElement) {
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
    keepLineBreak(copy);
    if (isTag(original, 'option')) {
      if (original.selected) copy.setAttribute('selected', '');
      else copy.removeAttribute('selected');
    }
    if (isTag(original, 'canvas') && isTag(copy, 'canvas')) {
      const drawing = drawingOf(original);
      const at = canvases.indexOf(original);
      if (drawing === undefined) unread.push(at);
      const picture = drawing ?? `${archive.inlineMark}canvas-${at};`;
      copy.style.setProperty('background', `url("${picture}") content-box 0 0 / 100% 100% no-repeat`, 'important');
    }
  };

  const addSheets = (root: Document | ShadowRoot, place: ParentNode) => {
    const outer = scope;
    scope = root;
    for (const sheet of root.adoptedStyleSheets) {
      const style = inert.createElement('style');
      fill(style, sheet, '');
      place.append(style);
    }
    scope = outer;
  };

  const walk = (original: ParentNode, copy: ParentNode, place: () => ParentNode): void => {
    const outer = { holders, scope };
    holders = new Map();
    scope = original instanceof ShadowRoot ? original : document;
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
      walk(shadow, template.content, () => template.content);
      addSheets(shadow, template.content);
      twin.prepend(template);
    });
    if (holders.size > 0) place().append(...holders.values());
    ({ holders, scope } = outer);
  };

  // Scripts may have removed the root element.
  const original = document.querySelector(':root') ?? document.createElement('html');
  const root = inert.importNode(original, true);
  // `walk` handles descendants only; the root element has attributes too.
  change(original, root);
  walk(original, root, () => root.querySelector('body') ?? root);
  const saved = { url: own, sheets, unread };
  if (root instanceof SVGSVGElement) {
    for (const script of root.querySelectorAll('script')) script.remove();
    addSheets(document, root);
    return { ...saved, markup: new XMLSerializer().serializeToString(root), extension: 'svg' };
  }
  // A parser puts what precedes the head into another one before it, where scripts would run without the policy.
  const page = isTag(root, 'html') ? root : inert.createElement('html');
  if (page !== root) page.append(root);
  let head = page.firstElementChild;
  if (!isTag(head, 'head')) {
    head = inert.createElement('head');
    page.prepend(head);
  }
  if (wrapMisplaced(page)) hasStates = true;
  // Adopted style sheets come after all others, some of which may be in the body.
  const last = document.styleSheets[document.styleSheets.length - 1]?.ownerNode;
  addSheets(document, (last && document.querySelector('body')?.contains(last) && root.querySelector('body')) || head);
  const charset = inert.createElement('meta');
  charset.setAttribute('charset', 'utf-8');
  // The scripts have already changed the document; running again, they would do so twice.
  const policy = inert.createElement('meta');
  policy.setAttribute('http-equiv', 'Content-Security-Policy');
  policy.setAttribute('content', `script-src ${hasStates ? archive.restore.source : "'none'"}`);
  const links = [...document.styleSheets].flatMap((sheet) => {
    if (sheet.ownerNode?.nodeType !== Node.PROCESSING_INSTRUCTION_NODE || sheet.href === null) return [];
    const link = inert.createElement('link');
    link.setAttribute('rel', 'stylesheet');
    const path = changedFile(sheet);
    link.setAttribute('href', path === undefined ? toLocal(sheet.href) : folder + path);
    keepState(sheet, link);
    return link;
  });
  head.prepend(charset, policy, ...links);
  if (hasStates) {
    const script = inert.createElement('script');
    script.textContent = archive.restore.script;
    head.append(script);
  }
  // XML, and the document of `srcdoc`, have the standards mode without a doctype.
  const byMode = document.compatMode === 'BackCompat' ? '' : '<!doctype html>\n';
  const doctype =
    document.doctype && document.contentType === 'text/html'
      ? `${new XMLSerializer().serializeToString(document.doctype)}\n`
      : byMode;
  const markup = `${doctype}<!-- saved from ${location.href.replaceAll('--', '%2D%2D')} -->\n${page.outerHTML}\n`;
  return { ...saved, markup, extension: 'html' };
}
