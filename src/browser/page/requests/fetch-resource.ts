/** Fetches a URL through the browser's network stack (Network.loadNetworkResource), with its proxy and cookies. */
import { ServiceError } from '../../../base/errors.ts';
import { redact } from '../../../base/telemetry/log.ts';
import type { Page } from '../page.ts';
import { closeStream, readChunk } from '../stream.ts';

/** Limit on a script's length in characters, above any script that a person writes. */
const maxCharacters = 16 * 2 ** 20;

/** Fetches the text at a URL; the page's CSP does not apply. @throws ServiceError `navigation-failed`, `bad-request` */
export async function loadResource(page: Page, url: string): Promise<string> {
  const { resource } = await page.send('Network.loadNetworkResource', {
    frameId: page.mainFrameId,
    url,
    options: { disableCache: false, includeCredentials: true },
  });
  const { success, httpStatusCode = 200, netErrorName = 'unknown error', stream } = resource;
  const where = redact(url).slice(0, 200);
  if (!success || stream === undefined) {
    const reason = httpStatusCode >= 400 ? `it responded with ${httpStatusCode}` : netErrorName;
    throw new ServiceError('navigation-failed', `Could not load ${where}: ${reason}.`);
  }
  try {
    return await readAll(page, stream, where);
  } finally {
    closeStream(page, stream);
  }
}

async function readAll(page: Page, handle: string, where: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { bytes, eof } = await readChunk(page, handle);
    text += decoder.decode(bytes, { stream: true });
    if (eof) return text;
    if (text.length > maxCharacters) {
      throw new ServiceError(
        'bad-request',
        `${where} is larger than ${maxCharacters / 2 ** 20} MB, the limit for a script.`,
      );
    }
  }
}
