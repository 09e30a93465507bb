/** Generates an example for each operation: the smallest document that the schema allows, on a suitable page. */
import {
  getNamedType,
  type GraphQLArgument,
  type GraphQLField,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { SampleCount } from '../../web/docs/site/model.ts';
import type { SchemaContent } from '../../web/docs/site/reference.ts';

const target = 'https://example.com/';

/** Values for arguments by name; other arguments have a value that depends on their type. */
const values: Readonly<Record<string, string>> = {
  url: `"${target}"`,
  selector: '"h1"',
  html: '"<h1>Hello</h1>"',
  text: '"hello"',
  time: '500',
  width: '1280',
  height: '800',
  userAgent: '"Mozilla/5.0 (compatible; example)"',
  content: '"document.title"',
  checked: 'true',
  ref: '"shop-password"',
};

/** Arguments that the schema marks as optional, although the operation needs one of several. */
const needed: Readonly<Record<string, string>> = {
  evaluate: 'content: "document.title"',
  hover: 'selector: "h1"',
  scroll: 'selector: "h1"',
  addScriptTag: 'content: "document.title = \'Hello\'"',
  addStyleTag: 'content: "body { color: green }"',
  reject: 'type: [image]',
  request: 'type: [document]',
  response: 'type: [document]',
  if: 'selector: "h1"',
  ifnot: 'selector: "h1"',
  proxy: 'server: "http://user:password@proxy.example.com:8080"',
};

/** Operations that may start a document; the others follow an operation that opens a page. */
const first = new Set([
  'goto',
  'content',
  'reject',
  'proxy',
  'preferences',
  'userAgent',
  'viewport',
  'setExtraHTTPHeaders',
]);
const level = 2;

/** Operations whose example needs a page other than example.com. */
const scenes: Readonly<Record<string, { markup: string; call?: string; before?: string }>> = {
  checkbox: { markup: '<input type=checkbox id=terms>', call: 'checked: true, selector: "#terms"' },
  liveURL: {
    markup: '<label>Code <input></label>',
    call: 'timeout: 30000, instructions: "Type the code from your phone."',
  },
  select: { markup: '<select id=size><option>S<option>M</select>', call: 'selector: "#size", value: "M"' },
  solveImageCaptcha: {
    markup: '<img id=picture src=letters.png><input id=letters>',
    call: 'captchaSelector: "#picture", inputSelector: "#letters"',
  },
  type: { markup: '<input id=name>', call: 'selector: "#name", text: "hello"' },
  waitForNavigation: { markup: `<a href=${target}>on</a>`, before: 'click(selector: "a") {\n  time\n}' },
};

/** Operations with examples that need more than the server itself: a proxy or a solver. */
const untested = new Set(['proxy', 'solveImageCaptcha']);

/** Counts the example as executed or checked: an example that is not executed is still checked against the schema. */
export const samplesOf = ({ example, tested }: Pick<SchemaContent, 'example' | 'tested'>): SampleCount => ({
  executed: tested ? 1 : 0,
  checked: example === undefined || tested ? 0 : 1,
  never: 0,
});

export const isTested = (name: string): boolean => !untested.has(name);

export function exampleOf(field: GraphQLField<unknown, unknown>, operation: 'mutation' | 'query'): string {
  const own = callOf(field);
  if (operation === 'query') return `query {\n  ${own}\n}`;
  const scene = scenes[field.name];
  const opened =
    scene === undefined ? [open] : [setting(scene.markup), ...(scene.before === undefined ? [] : [scene.before])];
  const steps = field.name === 'goto' ? [own] : first.has(field.name) ? [own, open] : [...opened, own];
  return `mutation {\n${steps.map((step) => indent(step)).join('\n')}\n}`;
}

const open = `goto(url: "${target}") {\n  status\n}`;

const setting = (markup: string) => `content(html: "${markup}") {\n  status\n}`;

const indent = (text: string): string => text.replace(/^/gm, '  ');

function callOf(field: GraphQLField<unknown, unknown>): string {
  const args = field.args.filter(
    (each) => isNonNullType(each.type) && each.defaultValue === undefined && !hasDefault(each),
  );
  const list =
    scenes[field.name]?.call ?? needed[field.name] ?? args.map((each) => `${each.name}: ${valueOf(each)}`).join(', ');
  return `${field.name}${list === '' ? '' : `(${list})`}${selectionOf(field, level)}`;
}

const hasDefault = (argument: GraphQLArgument): boolean => argument.astNode?.defaultValue !== undefined;

function valueOf(argument: GraphQLArgument): string {
  const known = values[argument.name];
  const inner = isNonNullType(argument.type) ? argument.type.ofType : argument.type;
  const type = getNamedType(argument.type);
  let value = known ?? '1';
  if (known === undefined && isEnumType(type)) value = type.getValues()[0]?.name ?? 'null';
  else if (known === undefined && isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    value = `{ ${fields.map((field) => `${field.name}: ${values[field.name] ?? `"${field.name}"`}`).join(', ')} }`;
  } else if (known === undefined && type.name === 'String') value = `"${argument.name}"`;
  else if (known === undefined && type.name === 'StringOrArray') value = '"one"';
  else if (known === undefined && type.name === 'Boolean') value = 'true';
  return isListType(inner) ? `[${value}]` : value;
}

/** Selects the fields without arguments: scalars, and the scalars of nested objects. */
function selectionOf(field: GraphQLField<unknown, unknown>, depth: number): string {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) return '';
  // `if` and `ifnot` return Mutation: their selection contains further operations.
  if (type.name === 'Mutation') return ` {\n${indent('title {\n  title\n}')}\n}`;
  const fields = Object.values(type.getFields()).filter(({ args }) => args.length === 0);
  const lines = fields.flatMap((each) => {
    if (isLeafType(getNamedType(each.type))) return [each.name];
    return depth > 1 ? [`${each.name}${selectionOf(each, depth - 1)}`] : [];
  });
  return lines.length === 0 ? '' : ` {\n${indent(lines.join('\n'))}\n}`;
}
