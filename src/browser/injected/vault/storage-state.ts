/**
 * Reads and writes the localStorage and IndexedDB data of the document's origin, in the format of Playwright's
 * `storageState`: values that JSON cannot represent are encoded as `keyEncoded` and `valueEncoded`.
 */
import { decodeStored, encodeStored, isJsonValue } from './encoded-values.ts';

/** Resolves with the result of an IndexedDB request. */
export function storedResult<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('failed')));
  });
}

/** Limits on what `readStorage` reads. */
interface ReadLimits {
  databases: number;
  entries: number;
  /** Maximum nesting depth of a value. */
  levels: number;
  /** Maximum length of the whole text. */
  characters: number;
}

/**
 * Reads localStorage and IndexedDB and returns them as JSON text: an object with localStorage, indexedDB, their origin,
 * and how much was left out.
 * @throws Error when the document has no storage, for example because it is sandboxed
 */
export async function readStorage(limits: ReadLimits): Promise<string> {
  const local: { name: string; value: string }[] = [];
  let characters = 0;
  let leftOut = 0;
  for (let at = 0; at < localStorage.length; at++) {
    const name = localStorage.key(at) ?? '';
    const value = localStorage.getItem(name) ?? '';
    characters += name.length + value.length;
    if (characters <= limits.characters) local.push({ name, value });
  }
  const infos = await indexedDB.databases();
  const databases: unknown[] = [];
  for (const { name, version } of infos.slice(0, limits.databases)) {
    if (name === undefined || version === undefined) continue;
    const read = await readDatabase(name, version, limits);
    leftOut += read.leftOut;
    databases.push(read.database);
  }
  const truncated = {
    truncatedIdbDatabases: Math.max(0, infos.length - limits.databases),
    truncatedIdbEntries: leftOut,
  };
  const text = JSON.stringify({
    origin: location.origin,
    localStorage: local,
    indexedDB: databases,
    tooLong: characters > limits.characters,
    ...truncated,
  });
  return text.length > limits.characters ? JSON.stringify({ origin: location.origin, tooLong: true }) : text;
}

export async function readDatabase(
  name: string,
  version: number,
  limits: ReadLimits,
): Promise<{ database: unknown; leftOut: number }> {
  const opening = indexedDB.open(name, version);
  const db = await storedResult(opening);
  let leftOut = 0;
  const stores: unknown[] = [];
  try {
    const names = [...db.objectStoreNames];
    const transaction = names.length > 0 ? db.transaction(names, 'readonly') : undefined;
    for (const storeName of transaction ? names : []) {
      const store = transaction?.objectStore(storeName);
      if (!store) continue;
      const [count, keys, values] = await Promise.all([
        storedResult(store.count()),
        storedResult(store.getAllKeys(null, limits.entries)),
        storedResult(store.getAll(null, limits.entries)),
      ]);
      leftOut += Math.max(0, count - limits.entries);
      const records: unknown[] = [];
      for (const [at, key] of keys.entries()) {
        try {
          records.push(recordOf(store.keyPath === null ? { key } : {}, values[at], limits.levels));
        } catch {
          leftOut++;
        }
      }
      const indexes = [...store.indexNames].map((indexName) => {
        const index = store.index(indexName);
        return { name: index.name, ...keyPathOf(index.keyPath), multiEntry: index.multiEntry, unique: index.unique };
      });
      stores.push({
        name: storeName,
        ...keyPathOf(store.keyPath),
        autoIncrement: store.autoIncrement,
        indexes,
        records,
      });
    }
  } finally {
    db.close();
  }
  return { database: { name, version, stores }, leftOut };
}

/** @throws Error for values that cannot be encoded */
export function recordOf({ key }: { key?: IDBValidKey }, value: unknown, levels: number): Record<string, unknown> {
  const isJson = (one: unknown) => isJsonValue(one, new Set(), levels);
  const encoded = (one: unknown) => encodeStored(one, new Map(), levels);
  const keyed = key === undefined ? {} : isJson(key) ? { key } : { keyEncoded: encoded(key) };
  return { ...keyed, ...(isJson(value) ? { value } : { valueEncoded: encoded(value) }) };
}

export function keyPathOf(path: string | string[] | null): { keyPath?: string; keyPathArray?: string[] } {
  if (path === null) return {};
  return typeof path === 'string' ? { keyPath: path } : { keyPathArray: [...path] };
}

/** The data that `writeStorage` writes. */
export interface StoredData {
  localStorage: { name: string; value: string }[];
  indexedDB: StoredDatabase[];
}

export interface StoredDatabase {
  name: string;
  version: number;
  stores: {
    name: string;
    keyPath?: string;
    keyPathArray?: string[];
    autoIncrement: boolean;
    indexes: { name: string; keyPath?: string; keyPathArray?: string[]; multiEntry: boolean; unique: boolean }[];
    records: { key?: unknown; keyEncoded?: unknown; value?: unknown; valueEncoded?: unknown }[];
  }[];
}

/**
 * Replaces the contents of localStorage and IndexedDB with those in the JSON text.
 * @param text JSON text; an object literal would not do, because `__proto__` would not become a property there
 * @returns the number of entries that could not be written
 */
export async function writeStorage(text: string): Promise<number> {
  const { localStorage: local, indexedDB: databases } = JSON.parse(text) as StoredData;
  let failed = 0;
  localStorage.clear();
  for (const { name, value } of local) {
    try {
      localStorage.setItem(name, value);
    } catch {
      failed++;
    }
  }
  for (const database of databases) failed += await writeDatabase(database).catch(() => 1);
  return failed;
}

export async function writeDatabase({ name, version, stores }: StoredDatabase): Promise<number> {
  await storedResult(indexedDB.deleteDatabase(name));
  const opening = indexedDB.open(name, version);
  opening.addEventListener('upgradeneeded', () => {
    for (const { name: storeName, keyPath, keyPathArray, autoIncrement, indexes } of stores) {
      const path = keyPathArray ?? keyPath;
      const made = opening.result.createObjectStore(storeName, {
        autoIncrement,
        ...(path === undefined ? {} : { keyPath: path }),
      });
      for (const index of indexes) {
        const { multiEntry, unique } = index;
        made.createIndex(index.name, index.keyPathArray ?? index.keyPath ?? '', { multiEntry, unique });
      }
    }
  });
  const db = await storedResult(opening);
  let failed = 0;
  try {
    for (const { name: storeName, records } of stores) {
      const store = db.transaction([storeName], 'readwrite').objectStore(storeName);
      for (const record of records) {
        try {
          const value = 'valueEncoded' in record ? decodeStored(record.valueEncoded, new Map()) : record.value;
          const key = 'keyEncoded' in record ? decodeStored(record.keyEncoded, new Map()) : record.key;
          // Call `put` without a key when the store finds the key in the value.
          await storedResult(store.put(value, key as IDBValidKey | undefined));
        } catch {
          failed++;
        }
      }
    }
  } finally {
    db.close();
  }
  return failed;
}
