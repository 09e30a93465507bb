// Does what the README says on a machine that has nothing: in a fresh Debian root with git, curl, certificates and a
// Node 20, the project is cloned, `npm start` answers with a PNG of an https page, `npm test` passes; then the same with
// Debian's Chromium but no Xvfb. Prints what it saw. Needs root, debootstrap and the network.
// node test/bare.ts [--short]: no `npm test`, and no second time.
import { parseArgs } from 'node:util';
import { type BareRoot, makeBareRoot, whyNoRoot } from './support/bare-root.ts';
import { cloneProject, firstAnswer } from './support/first-answer.ts';

const { values: options } = parseArgs({ options: { short: { type: 'boolean', default: false } } });

const began = performance.now();
const say = (text: string) => console.log(`${((performance.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${text}`);

/** `npm test`; its last line and what was skipped are said. @throws when a test failed, with the failures */
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
  if (problem !== undefined) throw new Error(`No bare root can be made here: ${problem}`);
  using root = makeBareRoot();
  say('a bare Debian with git, curl, certificates, Node 20');
  cloneProject(root);
  say(`bare: ${await firstAnswer(root)}`);
  if (options.short) return;
  await allTests(root, 'bare');
  root.run('apt-get install -y --no-install-recommends chromium', { DEBIAN_FRONTEND: 'noninteractive' });
  say('with Chromium, without Xvfb');
  say(`with Chromium: ${await firstAnswer(root)}`);
  await allTests(root, 'with Chromium');
}

await main();
