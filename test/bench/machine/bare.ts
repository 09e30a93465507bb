// Follows the README on a bare system: in a fresh Debian root with git, curl, certificates and Node 20, clones the
// project, runs `npm start`, takes a screenshot of an https page and runs `npm test`; then does the same with Debian's
// Chromium but without Xvfb. Prints the results. Needs root, debootstrap and the network.
// node test/bench/machine/bare.ts [--short] [--chromium]: without `npm test`; with Chromium only.
import { parseArgs } from 'node:util';
import { type BareRoot, makeBareRoot, whyNoRoot } from '../../support/bare-root.ts';
import { cloneProject, firstAnswer } from '../../support/clients/first-answer.ts';

const { values: options } = parseArgs({
  options: { short: { type: 'boolean', default: false }, chromium: { type: 'boolean', default: false } },
});

const began = performance.now();
const say = (text: string) => console.log(`${((performance.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${text}`);

/** Runs `npm test` and prints its last line and the skipped tests. @throws Error with the output when a test failed */
async function allTests(root: BareRoot, what: string): Promise<void> {
  const child = root.start('cd browserd && npm test');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once('close', resolve);
  const code = await promise;
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  for (const line of output.match(/^ *SKIP .*$/gm) ?? []) console.log(`         ${line.trim()}`);
  if (code !== 0 || !/^\d+ passed, 0 failed/.test(last)) throw new Error(`npm test, ${what}: ${last}\n${output}`);
  say(`${what}: npm test: ${last}`);
}

async function main(): Promise<void> {
  const problem = whyNoRoot();
  if (problem !== undefined) throw new Error(`Cannot create a bare root here: ${problem}`);
  using root = makeBareRoot();
  say('a bare Debian with git, curl, certificates, Node 20');
  cloneProject(root);
  if (!options.chromium) await bothCommands(root, 'bare');
  if (options.short && !options.chromium) return;
  root.run('apt-get install -y --no-install-recommends chromium', { DEBIAN_FRONTEND: 'noninteractive' });
  await bothCommands(root, 'with Chromium, without Xvfb');
}

async function bothCommands(root: BareRoot, what: string): Promise<void> {
  say(`${what}: ${await firstAnswer(root)}`);
  if (!options.short) await allTests(root, what);
}

await main();
