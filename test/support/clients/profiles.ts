// Describes a logged-in state as sites store it, and reads what a page sees of it.
import type { Page } from 'puppeteer-core';
import type { Service } from '../service.ts';
import type { Site } from '../site/site.ts';

export const profilesKey = 'a key that only tests have';

/** The logged-in state at a site: a cookie, localStorage and IndexedDB with a value that JSON cannot represent. */
export function loginAt({ url }: Pick<Site, 'url'>, word = 'welcome') {
  const { hostname } = new URL(url);
  return {
    cookies: [{ name: 'session', value: word, domain: hostname, path: '/' }],
    origins: [
      {
        origin: url,
        localStorage: [{ name: 'user', value: word }],
        indexedDB: [
          {
            name: 'app',
            version: 3,
            stores: [
              {
                name: 'tokens',
                autoIncrement: false,
                indexes: [{ name: 'byKind', keyPath: 'kind', multiEntry: false, unique: false }],
                records: [
                  {
                    key: 'refresh',
                    valueEncoded: {
                      o: [
                        { k: 'kind', v: word },
                        { k: 'at', v: { d: '2026-01-02T03:04:05.000Z' } },
                      ],
                      id: 1,
                    },
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  };
}

/** Expression that returns what a page sees of the login: cookie, localStorage, IndexedDB. */
export const seenLogin = `new Promise((resolve) => {
  const opening = indexedDB.open('app');
  opening.onsuccess = () => {
    const db = opening.result;
    const report = (value) => { db.close(); resolve([document.cookie, localStorage.getItem('user'), value].join(' | ')); };
    if (!db.objectStoreNames.contains('tokens')) return report('nothing');
    const request = db.transaction('tokens').objectStore('tokens').index('byKind').getAll();
    request.onsuccess = () => report(request.result.map(({ kind, at }) => kind + ' ' + at.toISOString()).join());
  };
  opening.onerror = () => resolve('no database');
})`;

/** What a page sees when its browser started with `loginAt`. */
export const welcome = (word = 'welcome') => `session=${word} | ${word} | ${word} 2026-01-02T03:04:05.000Z`;

/** Page code that logs in as `loginAt` describes. */
export const logIn = (word: string) => `new Promise((resolve) => {
  document.cookie = 'session=${word}; path=/';
  localStorage.setItem('user', '${word}');
  const opening = indexedDB.open('app', 3);
  opening.onupgradeneeded = () => opening.result.createObjectStore('tokens').createIndex('byKind', 'kind');
  opening.onsuccess = () => {
    const db = opening.result;
    const writing = db.transaction('tokens', 'readwrite');
    writing.objectStore('tokens').put({ kind: '${word}', at: new Date('2026-01-02T03:04:05.000Z') }, 'refresh');
    writing.oncomplete = () => { db.close(); resolve(true); };
  };
})`;

/** What the page of a Puppeteer client sees at a site. */
export async function seenBy(page: Page, { url }: Pick<Site, 'url'>): Promise<unknown> {
  await page.goto(`${url}/small`);
  return page.evaluate(seenLogin);
}

export function upload(service: Service, name: string, state: object, token?: string | null) {
  return service.post('/profile/upload', { name, state }, token === undefined ? {} : { token });
}
