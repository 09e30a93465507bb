/**
 * Defines the kinds of cluster settings: the name of a server, and the URLs at which its servers reach each other
 * inside their network.
 */
import * as v from 'valibot';
import { isWebAddress, type SettingType, list, trimmed } from './setting-types.ts';

const isNodeAddress = (address: string) => {
  if (!isWebAddress(address)) return false;
  const { protocol, pathname, search, username } = new URL(address);
  return protocol === 'http:' && pathname === '/' && search === '' && username === '';
};
export const nodeUrl: SettingType<string> = {
  expected: 'an http URL without a path, such as http://10.0.3.7:3000',
  schema: v.pipe(trimmed, v.check(isNodeAddress)),
};
export const nodeUrls: SettingType<string[]> = {
  expected: 'a comma-separated list of http URLs without a path, such as http://10.0.3.7:3000',
  schema: v.pipe(
    list.schema,
    v.check((items) => items.every(isNodeAddress)),
  ),
};

/** The same letters as in the server names inside ids. */
export const nodeName: SettingType<string> = {
  expected: 'two characters, each a letter from a to z or a digit from 2 to 7, such as aa',
  schema: v.pipe(trimmed, v.regex(/^[a-z2-7]{2}$/)),
};

const isValkeyAddress = (address: string) =>
  URL.canParse(address) && /^(?:valkey|redis)s?:$/.test(new URL(address).protocol) && new URL(address).hostname !== '';
export const valkeyUrl: SettingType<string> = {
  expected: 'a URL such as valkey://10.0.3.2:6379 or rediss://user:password@host:6380/0',
  schema: v.pipe(trimmed, v.check(isValkeyAddress)),
};
