/** Encodes and decodes IndexedDB values that JSON cannot represent, in the format of Playwright's `storageState`. */

/**
 * Encodes an IndexedDB value as Playwright does.
 * @param levels how deep objects and lists may be nested
 * @throws Error for deeper nesting, and for values that the format does not support, such as a Blob
 */
export function encodeStored(value: unknown, seen: Map<object, number>, levels: number): unknown {
  if (value === undefined) return { v: 'undefined' };
  if (value === null) return { v: 'null' };
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return { bi: String(value) };
  if (typeof value === 'number') {
    if (Object.is(value, -0)) return { v: '-0' };
    return Number.isFinite(value) ? value : { v: String(value) };
  }
  if (typeof value !== 'object') throw new Error('unknown kind');
  const known = seen.get(value);
  if (known !== undefined) return { ref: known };
  if (value instanceof Date) return { d: value.toJSON() };
  if (value instanceof RegExp) return { r: { p: value.source, f: value.flags } };
  if (value instanceof Error) return { e: { n: value.name, m: value.message, s: value.stack ?? '' } };
  if (value instanceof ArrayBuffer) return { ab: { b: bytesToText(new Uint8Array(value)) } };
  const kind = ArrayBuffer.isView(value) ? kindOfArray(Object.prototype.toString.call(value).slice(8, -1)) : undefined;
  if (ArrayBuffer.isView(value) && kind !== undefined) {
    return { ta: { b: bytesToText(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)), k: kind } };
  }
  if (levels <= 0) throw new Error('too deep');
  const id = seen.size + 1;
  seen.set(value, id);
  if (Array.isArray(value))
    return { a: Array.from(value, (item: unknown) => encodeStored(item, seen, levels - 1)), id };
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error('unknown kind');
  return { o: Object.entries(value).map(([k, v]) => ({ k, v: encodeStored(v, seen, levels - 1) })), id };
}

interface Encoded {
  v?: string;
  bi?: string;
  d?: string;
  r?: { p: string; f: string };
  e?: { n: string; m: string };
  ab?: { b: string };
  ta?: { b: string; k: string };
  a?: unknown[];
  o?: { k: string; v: unknown }[];
  id?: number;
  ref?: number;
}

/** Reverses `encodeStored`. @throws Error for anything else */
export function decodeStored(encoded: unknown, seen: Map<unknown, object>): unknown {
  if (typeof encoded !== 'object' || encoded === null) return encoded;
  // Each property is assumed to have its type; otherwise the entry cannot be read and is left out.
  const { v, bi, d, r, e, ab, ta, a, o, id, ref } = encoded as Encoded;
  if (typeof v === 'string') {
    const special: [string, unknown][] = [
      ['undefined', undefined],
      ['null', null],
      ['NaN', Number.NaN],
      ['Infinity', Number.POSITIVE_INFINITY],
      ['-Infinity', Number.NEGATIVE_INFINITY],
      ['-0', -0],
    ];
    return special.find(([name]) => name === v)?.[1];
  }
  if (typeof bi === 'string') return BigInt(bi);
  if (typeof d === 'string') return new Date(d);
  if (r !== undefined) {
    return new RegExp(r.p, r.f);
  }
  if (e !== undefined) {
    return Object.assign(new Error(e.m), { name: e.n });
  }
  if (ab !== undefined) return textToBytes(ab.b).buffer;
  if (ta !== undefined) {
    return arrayOfKind(ta.k, textToBytes(ta.b).buffer);
  }
  if (ref !== undefined) return seen.get(ref);
  if (Array.isArray(a)) {
    const list: unknown[] = [];
    seen.set(id, list);
    for (const item of a) list.push(decodeStored(item, seen));
    return list;
  }
  if (!Array.isArray(o)) throw new Error('unknown kind');
  const object = {};
  seen.set(id, object);
  for (const { k, v: member } of o) {
    // An assignment to `__proto__` would not create a property.
    const written = { value: decodeStored(member, seen), enumerable: true, writable: true, configurable: true };
    Object.defineProperty(object, k, written);
  }
  return object;
}

/**
 * Whether JSON represents a value exactly, with each object at most once: IndexedDB also stores objects that contain
 * themselves, or one object in several places.
 * @param seen the objects visited so far
 */
export function isJsonValue(value: unknown, seen: Set<unknown>, levels: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || seen.has(value) || levels <= 0) return false;
  seen.add(value);
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return false;
  // `Array.from` turns holes of a list into undefined.
  const members: unknown[] = Array.isArray(value) ? Array.from(value as unknown[]) : Object.values(value);
  return members.every((member) => isJsonValue(member, seen, levels - 1));
}

/** The typed array names and Playwright's short names for them. */
export function arrayKinds(): [string, string][] {
  return [
    ['Int8Array', 'i8'],
    ['Uint8Array', 'ui8'],
    ['Uint8ClampedArray', 'ui8c'],
    ['Int16Array', 'i16'],
    ['Uint16Array', 'ui16'],
    ['Int32Array', 'i32'],
    ['Uint32Array', 'ui32'],
    ['Float32Array', 'f32'],
    ['Float64Array', 'f64'],
    ['BigInt64Array', 'bi64'],
    ['BigUint64Array', 'bui64'],
  ];
}

export function kindOfArray(name: string): string | undefined {
  return arrayKinds().find(([own]) => own === name)?.[1];
}

export function arrayOfKind(kind: string, buffer: ArrayBuffer): unknown {
  const name = arrayKinds().find(([, short]) => short === kind)?.[0];
  if (name === undefined) throw new Error('unknown kind');
  // The constructor of a typed array, by its name in the list above.
  const constructor = (globalThis as unknown as Record<string, new (from: ArrayBuffer) => unknown>)[name];
  if (!constructor) throw new Error('unknown kind');
  return new constructor(buffer);
}

export function bytesToText(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

export function textToBytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
