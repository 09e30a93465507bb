// Prepares `npm start` and `npm test`: installs the locked packages unless they are up to date, checks that the pinned
// Node runs on this machine, and builds whatever is missing. Plain JavaScript for any Node from 20 on, because it runs
// before the pinned Node is installed. package.json starts it with npm's own Node (`npm_node_execpath`): `node` would
// be the pinned one, which cannot report that it does not run here, and which `npm ci` deletes while it is running. All
// npm output is shown; a failure ends with a message that says what to do. With --no-build, the caller builds: `npm test`
// needs no build for a single file.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

// Node before 20.11 has no import.meta.dirname.
const root = fileURLToPath(new URL('../..', import.meta.url));
const pinnedNode = join(root, 'node_modules', '.bin', 'node');

/** Modification time of a file, in milliseconds; -1 when it does not exist. */
function changedAt(name) {
  return statSync(join(root, name), { throwIfNoEntry: false })?.mtimeMs ?? -1;
}

function fail(sentence) {
  console.error(`\nbrowserd: ${sentence}`);
  process.exit(1);
}

/** Runs a command in the project directory and shows its output. @returns why it failed, or undefined */
function run(program, args) {
  const { status, signal, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  return error?.message ?? (status === 0 ? undefined : `exit code ${status ?? signal}`);
}

function install() {
  if (changedAt('node_modules/.package-lock.json') >= changedAt('package-lock.json')) return;
  console.log('browserd: installing the locked packages (npm ci); later starts skip this');
  if (Number(process.versions.node.split('.')[0]) < 24) {
    console.log(
      `You can ignore npm's warnings about Node ${process.versions.node}: the packages run on the pinned Node, which is installed with them.`,
    );
  }
  // `npm start --silent` must not hide why npm ci fails. npm_execpath is the path of npm's own script.
  const args = ['ci', '--loglevel=warn'];
  const npm = process.env['npm_execpath'];
  const problem = npm === undefined ? run('npm', args) : run(process.execPath, [npm, ...args]);
  if (problem === undefined) return;
  fail(
    `the packages could not be installed (npm ci: ${problem}); see npm's output above. ` +
      'Check that the npm registry is reachable and that the disk has 1.5 GB free, then run the same command again.',
  );
}

function checkNode() {
  const { status, error, stderr } = spawnSync(pinnedNode, ['-e', '0'], { encoding: 'utf8' });
  if (status === 0) return;
  const reason = (stderr || error?.message || `exit code ${status}`).trim().split('\n')[0];
  const library = /(lib[\w+-]+)\.so\.(\d+)/.exec(reason);
  fail(
    `the Node version pinned in package.json does not run here: ${reason}. ` +
      (library === null
        ? 'It needs Linux with glibc 2.28 or newer, macOS, or Windows; on other systems use the Docker image.'
        : `Install that library (on Debian and Ubuntu: apt-get install ${library[1]}${library[2]}), then run the same command again.`),
  );
}

function build() {
  const problem = run(pinnedNode, ['build.ts']);
  if (problem !== undefined) fail(`the server and its pages could not be built (${problem}); see the output above.`);
}

install();
checkNode();
if (!process.argv.includes('--no-build')) build();
