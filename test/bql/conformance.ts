// Prints which test exercises which mutation, argument, field, enum value and directive of the BrowserQL schema. It
// parses the documents in the tests; a test that builds a document from parts lists its entries in a `covers:` comment.
// An entry without a test is an error.
import {
  buildSchema,
  isEnumType,
  isInputObjectType,
  isObjectType,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';

const root = join(import.meta.dirname, '..', '..');
const schema = buildSchema(readFileSync(join(root, 'src/api/bql/language/schema.graphql'), 'utf8'));
/** Parts of the public language that are not implemented yet. */
const later = ['loadSecret'];

const covered = new Map<string, Set<string>>();
const cover = (entry: string, where: string) => covered.set(entry, (covered.get(entry) ?? new Set()).add(where));

function read(text: string, where: string): void {
  let document;
  try {
    document = parse(text);
  } catch {
    return;
  }
  const info = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(info, {
      Field(node) {
        const parent = info.getParentType();
        if (parent) cover(`${parent.name}.${node.name.value}`, where);
      },
      Argument(node) {
        const parent = info.getParentType();
        const field = info.getFieldDef();
        if (parent && field && !info.getDirective()) cover(`${parent.name}.${field.name}(${node.name.value})`, where);
      },
      ObjectField(node) {
        const parent = info.getParentInputType();
        if (parent && 'name' in parent) cover(`${parent.name}.${node.name.value}`, where);
      },
      EnumValue(node) {
        const type = info.getInputType();
        for (let named: unknown = type; named !== undefined;) {
          if (isEnumType(named)) cover(`${named.name}.${node.value}`, where);
          named = typeof named === 'object' && named !== null && 'ofType' in named ? named.ofType : undefined;
        }
      },
      Directive: (node) => cover(`@${node.name.value}`, where),
    }),
  );
}

for (const path of globSync('test/bql/*.test.ts', { cwd: root })) {
  const text = readFileSync(join(root, path), 'utf8');
  const tests = text.split(/^test\(/m).slice(1);
  for (const body of tests) {
    const title = /^\s*['"`](.*?)['"`],/s.exec(body)?.[1] ?? '';
    const where = `${basename(path, '.test.ts')}: ${title}`;
    for (const [, list = ''] of body.matchAll(/\/\/ covers: (.+)/g))
      for (const entry of list.split(' ')) cover(entry, where);
    // Documents are quoted strings; each value that a test inserts is replaced by a name.
    for (const [, quote = '', inner = ''] of body.matchAll(/(['`])((?:\\[^]|(?!\1)[^\\])*)\1/g)) {
      const plain = inner.replaceAll(/\\([^])/g, quote === '`' ? '$1' : '$1');
      const document = plain.replaceAll(/\$\{[^}]*\}/g, 'x');
      if (/\b(mutation|query|subscription)\b|^\s*\{/.test(document)) read(document, where);
    }
  }
}

const entries: string[] = [];
for (const type of Object.values(schema.getTypeMap())) {
  if (type.name.startsWith('__')) continue;
  if (isObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      entries.push(`${type.name}.${field.name}`, ...field.args.map((arg) => `${type.name}.${field.name}(${arg.name})`));
    }
  } else if (isInputObjectType(type))
    entries.push(...Object.keys(type.getFields()).map((name) => `${type.name}.${name}`));
  else if (isEnumType(type)) entries.push(...type.getValues().map(({ name }) => `${type.name}.${name}`));
}
entries.push('@export', '@include', '@skip');

const empty = entries.filter((entry) => !covered.has(entry) && !covered.has(`${entry.split('.')[0]}.*`));
for (const entry of entries) {
  const tests = [...(covered.get(entry) ?? covered.get(`${entry.split('.')[0]}.*`) ?? [])];
  console.log(
    `${entry.padEnd(50)} ${tests.length === 0 ? '—' : `${tests[0]}${tests.length > 1 ? ` (+${tests.length - 1})` : ''}`}`,
  );
}
for (const name of later) console.log(`${`Mutation.${name}`.padEnd(50)} later`);
console.log(`\n${entries.length} entries, ${empty.length} without a test, ${later.length} later`);
if (empty.length > 0) {
  console.log(empty.join('\n'));
  process.exitCode = 1;
}
