/** Derives file names from URLs and headers: as their site wrote them, or safe on every operating system. */

const maxCharacters = 80;

/** File extension by MIME type, for URLs without one. */
const endings: Record<string, string> = {
  'text/html': 'html',
  'text/css': 'css',
  'text/javascript': 'js',
  'application/javascript': 'js',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/manifest+json': 'webmanifest',
  'font/woff2': 'woff2',
  'font/woff': 'woff',
  'font/ttf': 'ttf',
  'font/otf': 'otf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/svg+xml': 'svg',
  'image/x-icon': 'ico',
  'image/vnd.microsoft.icon': 'ico',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'audio/mpeg': 'mp3',
};

/**
 * Turns the last segment of a URL or path into a file name: letters and digits of every script, `.`, `-` and `_`; no
 * folder, no leading dot, at most 80 characters. Adds the extension of the content type when the segment has none.
 */
export function safeName(source: string, contentType: string): string {
  const path = URL.canParse(source) ? new URL(source).pathname : source;
  const last = decoded(path.split(/[/\\]/).findLast((part) => part !== '') ?? '');
  const clean = last
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, '');
  const [, stem = clean, ending = ''] = /^(.*?)(\.[a-zA-Z0-9]{1,11})?$/.exec(clean) ?? [];
  const given = ending.toLowerCase();
  const byType = extensionOf(contentType);
  const characters = [...(stem === '' ? 'file' : stem)].slice(0, maxCharacters - 12);
  return `${characters.join('')}${given !== '' ? given : byType === undefined ? '' : `.${byType}`}`;
}

/** Longest name of a file in characters: file systems allow 255 bytes. */
const maxNameCharacters = 255;

/** A name that is not a path: without separators, control characters and leading dots. */
export function plainName(name: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- removes control characters
  return name.replace(/[\0-\x1f\x7f/\\]/g, '_').replace(/^\.+/, '_') || 'download';
}

/**
 * The name of a downloaded file, as its site wrote it.
 * @param named the name in Content-Disposition, decoded
 */
export function nameOfFile(named: string | undefined, url: string, contentType: string): string {
  const inUrl = () => decoded(new URL(url).pathname.split('/').findLast((part) => part !== '') ?? '');
  const name = plainName((named ?? inUrl()).trim());
  const [, stem = name, ending = ''] = /^(.+?)(\.[a-zA-Z0-9]{1,11})?$/s.exec(name) ?? [];
  const byType = extensionOf(contentType);
  const extension = ending !== '' || byType === undefined ? ending : `.${byType}`;
  return [...stem].slice(0, maxNameCharacters - extension.length).join('') + extension;
}

/** The extension of files of this type. */
export function extensionOf(contentType: string): string | undefined {
  return endings[contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''];
}

/** Percent-decodes the text; returns it unchanged if it is malformed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
