/** Edits BrowserQL documents with completion and checks from this server's schema. Fetched on first use. */
import { graphql } from 'cm6-graphql';
import { buildSchema, type GraphQLSchema, parse, validate, visit } from 'graphql';
import { base } from '../shell/page-context.ts';
import { opener } from './editor.ts';

let schema: Promise<GraphQLSchema | undefined> | undefined;

/** Fetches this server's schema once, and again after a failure. Without a schema, the editor only highlights code. */
function loadSchema(): Promise<GraphQLSchema | undefined> {
  schema ??= (async () => {
    const response = await fetch(`${base}/bql/schema.graphql`);
    if (!response.ok) throw new Error(`The schema could not be loaded: ${response.status}`);
    return buildSchema(await response.text());
  })().catch(() => {
    schema = undefined;
    return undefined;
  });
  return schema;
}

/** Operations after which a browser shows something other than an empty page. */
const openers: readonly string[] = ['goto', 'content'];

/**
 * Returns whether a document opens a page in a browser. False for a document that does not match the schema, which the
 * server rejects without starting a browser, and when there is no schema.
 * @throws GraphQLError for a document with a syntax error
 */
export async function opensPage(text: string): Promise<boolean> {
  const language = await loadSchema();
  if (language === undefined) return false;
  const document = parse(text);
  if (validate(language, document).length > 0) return false;
  let opens = false;
  visit(document, {
    Field({ name }) {
      opens ||= openers.includes(name.value);
    },
  });
  return opens;
}

export const openEditor = opener(async () => graphql(await loadSchema()));
