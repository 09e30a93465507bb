// Reads the settings of the language model that answers questions about the documentation.

export interface Model {
  /** Base URL, such as `https://api.example.com/v1`, or the full URL of the endpoint. */
  url: string;
  name: string;
  key: string | undefined;
}

interface AskSettings {
  DOCS_ASK_URL: string | undefined;
  DOCS_ASK_MODEL: string | undefined;
  DOCS_ASK_KEY: string | undefined;
}

/** Returns the configured model; undefined when the settings do not specify one. */
export function modelOf({
  DOCS_ASK_URL: url,
  DOCS_ASK_MODEL: name,
  DOCS_ASK_KEY: key,
}: AskSettings): Model | undefined {
  return url === undefined || name === undefined ? undefined : { url, name, key };
}
