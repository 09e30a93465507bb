/**
 * The version of the service, from package.json. The bundle contains only the fields that are read here
 * (src/build/server.ts).
 */
import manifest from '../../package.json' with { type: 'json' };

export const serviceVersion: string = manifest.version;

/** The version of puppeteer-core that this service is made for. */
export const puppeteerVersion: string = manifest.dependencies['puppeteer-core'];
