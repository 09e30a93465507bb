/** The version of the service, from package.json. */
import manifest from '../package.json' with { type: 'json' };

export const serviceVersion: string = manifest.version;
