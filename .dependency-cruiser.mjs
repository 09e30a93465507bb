// The import law of src/. A layer imports only the layers below it. Inside a layer, `src/<layer>/.imports.mjs` has a row
// for each folder, from the ground up: the folders of the layer that it may import, and the packages (`node` stands for
// the built-in modules). `below` limits what it may import of lower layers; without it all of them are open.
// A folder imports only folders above its row, so there are no circles. `npm run check` names the line that an import
// breaks.
import { readFileSync } from 'node:fs';

/** The layers from the top down, each with what it is for. `build` runs before the server and is imported by nothing. */
export const layers = {
  start: 'start and stop, configuration check, health',
  api: 'every route and socket, BrowserQL',
  web: 'documentation, live view, player, dashboard',
  control: 'tokens and plans, slots and queue, cluster',
  sessions: 'sessions, CDP and Playwright clients, live views, recordings, profiles',
  browser: 'Chromium processes and pools, CDP, page networking, page driver',
  base: 'runtime, settings, schemas, errors, telemetry',
  build: 'bundles of the server, the binary, the pages and the documentation',
};
const ladder = Object.keys(layers).filter((layer) => layer !== 'build');

const words = (text = '') => text.split(' ').filter(Boolean);

/** The rows of one layer, each with the line of its file on which it stands. */
async function rowsOf(layer) {
  const url = new URL(`src/${layer}/.imports.mjs`, import.meta.url);
  const lines = readFileSync(url, 'utf8').split('\n');
  const { default: table } = await import(url);
  return Object.entries(table).map(([folder, { holds, imports, packages, below }]) => ({
    layer,
    folder,
    holds,
    imports: words(imports),
    packages: words(packages),
    below: below === undefined ? undefined : words(below),
    line: lines.findIndex((line) => line.replace(/^ {2}'?/, '').startsWith(folder) && /^ {2}\S/.test(line)) + 1,
  }));
}

/** Every folder with files, in all layers. */
export const rows = (await Promise.all(Object.keys(layers).map(rowsOf))).flat();

const escaped = (path) => path.replaceAll('.', '\\.');

/** The files directly in a folder, or the one file. @param path below `src/` */
const filesOf = (path) =>
  /\.(ts|js)$/.test(path) ? `^src/${escaped(path)}$` : `^src/${path}/[^/]+\\.(tsx?|js|css|json|graphql)$`;

const pathOf = (layer, folder) => (folder === '.' ? layer : `${layer}/${folder}`);

const ofPackage = (name) =>
  name === 'package.json' ? '^package\\.json$' : `(^|node_modules/)(@types/)?${escaped(name)}(/|$)`;

const outsideOf = (layer) => [`^src/${layer}/`, '^(?!src/)'];

const ladderRule = (layer, index) => ({
  name: `.dependency-cruiser.mjs: ${layer}`,
  comment: `src/${layer}/ imports ${ladder.slice(index + 1).join(', ') || 'no other layer'}`,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: { pathNot: [...outsideOf(layer), ...ladder.slice(index + 1).map((below) => `^src/${below}/`)] },
});

/** Imports within the layer, of packages, and of lower layers where the row limits them. */
function folderRule({ layer, folder, imports, packages, below, line }) {
  const path = pathOf(layer, folder);
  const known = rows.filter((row) => row.layer === layer).map((row) => row.folder);
  const later = imports.find((name) => known.indexOf(name) >= known.indexOf(folder) || !known.includes(name));
  if (later !== undefined) throw new Error(`src/${layer}/.imports.mjs:${line}: ${folder} stands above ${later}`);
  const lower = below === undefined ? [`^src/(?!${layer}/)`] : below.map(filesOf);
  return {
    name: `src/${layer}/.imports.mjs:${line} ${folder}`,
    comment: `${path} imports ${[...imports, ...packages, ...(below ?? ['lower layers'])].join(', ') || 'nothing'}`,
    severity: 'error',
    from: { path: filesOf(path) },
    to: {
      pathNot: [
        filesOf(path),
        ...lower,
        ...imports.map((name) => filesOf(pathOf(layer, name))),
        ...packages.filter((name) => name !== 'node').map(ofPackage),
      ],
      ...(packages.includes('node') ? { dependencyTypesNot: ['core'] } : {}),
    },
  };
}

export default {
  forbidden: [
    ...ladder.map(ladderRule),
    ...rows.map(folderRule),
    {
      name: '.dependency-cruiser.mjs: main',
      comment: 'src/main.ts imports start and base',
      severity: 'error',
      from: { path: '^src/main\\.ts$' },
      to: { pathNot: ['^src/(start|base)/'] },
    },
    {
      name: '.dependency-cruiser.mjs: no row',
      comment: 'every file of src/ belongs to a row of src/<layer>/.imports.mjs',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/main\\.ts$', ...rows.map((row) => filesOf(pathOf(row.layer, row.folder)))],
      },
      to: {},
    },
    { name: '.dependency-cruiser.mjs: circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: '.dependency-cruiser.mjs: build',
      comment: 'nothing that runs in the server imports the builds',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/build/'] },
      to: { path: '^src/build/' },
    },
    {
      name: '.dependency-cruiser.mjs: tests',
      comment: 'sources do not import tests',
      severity: 'error',
      from: { path: '^(src/|build\\.ts$)' },
      to: { path: '^test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
