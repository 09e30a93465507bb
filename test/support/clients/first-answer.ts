// Follows the README's first steps on a bare system: clones the project, runs `npm start`, which installs, builds and
// serves, and takes a screenshot of an https page as PNG.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { BareRoot } from '../bare-root.ts';
import { send } from './http.ts';
import { isColor, readPng } from '../checks/media.ts';
import { colors } from '../site/pages.ts';
import { startSite } from '../site/site.ts';
import { until } from '../until.ts';

const project = join(import.meta.dirname, '..', '..', '..');
const startLimitMs = 600_000;

/** Clones the project's last commit into the home directory of the bare system. */
export function cloneProject(root: BareRoot): void {
  const clone = spawnSync('git', ['clone', '--quiet', `file://${project}`, join(root.path, 'root/browserd')]);
  if (clone.status !== 0) throw new Error(`git clone: ${clone.stderr.toString()}`);
}

/**
 * Runs `npm start` as the README says, on a port that the system chooses, and takes a screenshot of an https page.
 * @returns a summary of what happened
 * @throws when a step fails, with all output
 */
export async function firstAnswer(root: BareRoot): Promise<string> {
  const asked = performance.now();
  const seconds = () => `${((performance.now() - asked) / 1_000).toFixed(0)} s`;
  const server = root.start('cd browserd && npm start', { PORT: '0' });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const site = await startSite();
  try {
    const listening = () => {
      if (server.exitCode !== null) throw new Error(`npm start exited with code ${server.exitCode}`);
      return /"event":"listening".*?"port":(\d+)/.exec(output)?.[1];
    };
    const port = await until('npm start to listen', listening, startLimitMs);
    const listens = seconds();
    const url = `${site.secureUrl}/tall`;
    const reply = await send(`http://127.0.0.1:${port}/screenshot?launch={"acceptInsecureCerts":true}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    });
    if (reply.status !== 200) throw new Error(`/screenshot of ${url}: ${reply.status} ${reply.text}`);
    const { width, height, at } = readPng(reply.bytes);
    if (!isColor(at(400, 100), colors.red)) throw new Error(`the PNG does not show the page: ${at(400, 100).join()}`);
    return `npm start listens after ${listens}; PNG of an https page, ${width} × ${height}, after ${seconds()}`;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${output}`, { cause: error });
  } finally {
    server.kill('SIGKILL');
    await Promise.all([ended, site.close()]);
  }
}
