/** Reads the settings of the language model that answers questions about the documentation. */
import type { Config } from '../../../base/config/config.ts';

export interface Model {
  /** Base URL, such as `https://api.example.com/v1`, or the full URL of the endpoint. */
  url: string;
  name: string;
  key: string | undefined;
}

/** Returns the configured model; undefined when the settings do not specify one. */
export function modelOf({ DOCS_ASK_URL: url, DOCS_ASK_MODEL: name, DOCS_ASK_KEY: key }: Config): Model | undefined {
  return url === undefined || name === undefined ? undefined : { url, name, key };
}
