/** The media types under which the result of code may be answered: those of files that servers and browsers know. */
import { supportedMimeTypes } from 'file-type';
import { mimes } from 'hono/utils/mime';

/** In lower case, without parameters; types below `text/` and those of XML, which are text, need no entry. */
export const knownTypes: readonly string[] = [
  ...new Set([...Object.values(mimes), ...supportedMimeTypes].map((type) => type.toLowerCase().replace(/;.*/, ''))),
];
