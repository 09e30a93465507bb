/** Provides the documentation to the application; the code that serves it is loaded on the first request. */
import type { Config } from '../../../base/config/config.ts';
import type { ServerStatus } from '../site/model.ts';
import type { Docs } from './docs.ts';

/** @param readStatus reads the server status that `/status` shows */
export function docsOf(config: Config, readStatus: () => Promise<ServerStatus>): Docs {
  let loaded: Promise<Docs> | undefined;
  const docs = () => {
    loaded ??= import('./serve.ts').then(({ createDocs, docsOptionsOf }) =>
      createDocs(docsOptionsOf(config), readStatus),
    );
    return loaded;
  };
  return {
    answer: async (asked) => (await docs()).answer(asked),
    passages: async (...asked) => (await docs()).passages(...asked),
    missing: async (...asked) => (await docs()).missing(...asked),
  };
}
