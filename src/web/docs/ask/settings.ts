// Reads which language model answers questions about the documentation.

export interface Model {
  /** Base address, such as `https://api.example.com/v1`, or the whole one. */
  url: string;
  name: string;
  key: string | undefined;
}

interface AskSettings {
  DOCS_ASK_URL: string | undefined;
  DOCS_ASK_MODEL: string | undefined;
  DOCS_ASK_KEY: string | undefined;
}

/** The model of these settings; undefined when they name none. */
export function modelOf({
  DOCS_ASK_URL: url,
  DOCS_ASK_MODEL: name,
  DOCS_ASK_KEY: key,
}: AskSettings): Model | undefined {
  return url === undefined || name === undefined ? undefined : { url, name, key };
}
