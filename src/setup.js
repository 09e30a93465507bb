// What `npm start` and `npm test` do first: installs the locked packages when they are not installed, checks that the
// pinned Node runs here, builds what is not built. Plain JavaScript: it runs on any Node from 20 on, before the pinned
// one is there. package.json starts it with npm's own Node (`npm_node_execpath`): `node` would be the pinned one, which
// cannot tell that it does not run, and which npm ci removes while it runs. Nothing that npm says is hidden; a failure
// ends with a sentence that says what to do.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

// Node before 20.11 has no import.meta.dirname.
const root = fileURLToPath(new URL('..', import.meta.url));
const pinnedNode = join(root, 'node_modules', '.bin', 'node');

/** Time of the last change of a file, in milliseconds; -1 when it is not there. */
function changedAt(name) {
  return statSync(join(root, name), { throwIfNoEntry: false })?.mtimeMs ?? -1;
}

function fail(sentence) {
  console.error(`\nbrowserd: ${sentence}`);
  process.exit(1);
}

/** Runs a command where the project is; its output is what the user sees. */
function run(program, args) {
  const { status, signal, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  return error?.message ?? (status === 0 ? undefined : `exit code ${status ?? signal}`);
}

function install() {
  if (changedAt('node_modules/.package-lock.json') >= changedAt('package-lock.json')) return;
  console.log('browserd: installing the locked packages (npm ci); later starts skip this');
  if (Number(process.versions.node.split('.')[0]) < 24) {
    console.log(
      `What npm says of Node ${process.versions.node} is no problem: the packages run on the Node that comes along.`,
    );
  }
  // `npm start --silent` means our output, not the reasons of a failure. npm names its own script.
  const args = ['ci', '--loglevel=warn'];
  const npm = process.env['npm_execpath'];
  const problem = npm === undefined ? run('npm', args) : run(process.execPath, [npm, ...args]);
  if (problem === undefined) return;
  fail(
    `the packages could not be installed (npm ci: ${problem}); npm's reason stands above. ` +
      'Check that the npm registry is reached and that the disk has 1.5 GB free, then run the same command again.',
  );
}

function checkNode() {
  const { status, error, stderr } = spawnSync(pinnedNode, ['-e', '0'], { encoding: 'utf8' });
  if (status === 0) return;
  const reason = (stderr || error?.message || `exit code ${status}`).trim().split('\n')[0];
  const library = /(lib[\w+-]+)\.so\.(\d+)/.exec(reason);
  fail(
    `the Node that package.json pins does not run here: ${reason}. ` +
      (library === null
        ? 'It needs Linux with glibc 2.28 or newer, macOS or Windows; in another system use the Docker image.'
        : `Install that library (on Debian and Ubuntu: apt-get install ${library[1]}${library[2]}), then run the same command again.`),
  );
}

function build() {
  const problem = run(pinnedNode, ['build.ts']);
  if (problem !== undefined) fail(`the documentation could not be built (${problem}); the reason stands above.`);
}

install();
checkNode();
build();
