/**
 * Puts captcha tokens where pages expect them: into fields and callbacks. Runs in the page's own world, because the
 * callbacks belong to it.
 */
import { enclosingFields, hostOf } from './marks.ts';

/** Puts a token into the fields of a widget. Runs in the page's own world: scripts of the page may watch the fields. */
export function fillToken(frame: Element, name: string, token: string): boolean {
  const fields = enclosingFields(frame, name);
  for (const field of fields) field.value = token;
  return fields.length > 0;
}

/**
 * Puts a token into the field of a widget without a frame, and calls the callback that its element names. Runs in the
 * page's own world.
 */
export function deliverByName(selector: string, name: string, token: string): boolean {
  const element = document.querySelector(selector);
  if (!element) return false;
  const put = fillToken(element, name, token);
  return callNamedCallback(element, token) || put;
}

/**
 * Calls the page's callback of a widget with the token: the callback in the options with this site key. Searches
 * everything reachable from `start`: objects and closures of the vendor's script. Runs in the page's own world.
 * @returns whether there was a callback
 */
export function callCallback(start: unknown, key: string, token: string): boolean {
  const seen = new Set<unknown>();
  let level: unknown[] = [start];
  // A level contains everything that the previous level references; the limits prevent walking all of a large page.
  for (let depth = 0; depth < 8 && seen.size < 20_000; depth++) {
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null || seen.has(value) || value === globalThis) continue;
      if ('nodeType' in value || 'window' in value) continue;
      seen.add(value);
      const callback = callbackOf(value, key);
      if (callback) {
        callback(token);
        return true;
      }
      next.push(...membersOf(value));
    }
    level = next;
  }
  return false;
}

/** The callback in the options of a widget; undefined when these are not the options of this key. */
export function callbackOf(options: object, key: string): ((token: string) => unknown) | undefined {
  const [sitekey, callback]: unknown[] = ['sitekey', 'callback'].map((name) => Reflect.get(options, name));
  if (sitekey !== key) return undefined;
  const named: unknown = typeof callback === 'string' ? Reflect.get(globalThis, callback) : callback;
  // The page's own function, which accepts the token.
  return typeof named === 'function' ? (named as (token: string) => unknown) : undefined;
}

/** Calls the callback that reCAPTCHA's script has registered for a site key. Runs in the page's own world. */
export function callRegisteredCallback(_frame: Element, key: string, token: string): boolean {
  return callCallback(Reflect.get(globalThis, '___grecaptcha_cfg'), key, token);
}

/** The vendor's function that pages call to render widgets; null when there is none. */
export function renderFunction(_frame: Element, api: string): unknown {
  const vendor: unknown = Reflect.get(globalThis, api);
  return typeof vendor === 'object' && vendor !== null ? Reflect.get(vendor, 'render') : null;
}

/** The values that an object references: its data properties, and the items of maps and sets. */
export function membersOf(value: object): unknown[] {
  if (value instanceof Map || value instanceof Set) return [...value.values()];
  return Object.values(Object.getOwnPropertyDescriptors(value)).map((property): unknown => property.value);
}

/** Calls the callback that an attribute around the widget names. Runs in the page's own world. */
export function callNamedCallback(frame: Element, token: string): boolean {
  let element: Element | null = frame;
  while (element && !element.hasAttribute('data-callback')) {
    element = element.parentElement ?? hostOf(element.getRootNode());
  }
  const callback: unknown = Reflect.get(globalThis, element?.getAttribute('data-callback') ?? '');
  if (typeof callback !== 'function') return false;
  callback(token);
  return true;
}
