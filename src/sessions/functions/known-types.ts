/** Lists the media types that code may give its result: those of files that servers and browsers know. */
import { supportedMimeTypes } from 'file-type';
import { mimes } from 'hono/utils/mime';

/** In lowercase, without parameters. `text/*` and XML types do not need an entry, because they are text. */
export const knownTypes: readonly string[] = [
  ...new Set([...Object.values(mimes), ...supportedMimeTypes].map((type) => type.toLowerCase().replace(/;.*/, ''))),
];
