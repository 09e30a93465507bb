// Declares the responses of /session-files (compatibility.mdx#session-files).

import * as v from 'valibot';
import { listOf, member, timestamp, named } from './members.ts';

export const sessionFile = named(
  'SessionFile',
  v.object({
    name: v.string(),
    size: member(v.number(), 'In bytes.'),
    modifiedOn: timestamp('When the file last changed'),
    path: member(v.string(), 'Absolute path on the server.'),
    url: member(v.string(), 'URL of the file on this server.'),
  }),
);

export const sessionFiles = named(
  'SessionFiles',
  v.object({
    directory: member(v.string(), 'Directory of the files on the server.'),
    files: listOf(sessionFile),
  }),
);
