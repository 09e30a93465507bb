/**
 * Provides displays for browsers with a window. A client of an X display can read every window and every selection on
 * it, so each browser has its own virtual display (Xvfb), which requires a random cookie from its clients and exits
 * with the browser. If the machine has a display, all windows are on that one.
 */
import { ServiceError } from '../../../base/errors.ts';
import { orAborted, startDeadline } from '../../../base/runtime/deadline.ts';
import { isExecutable, joinPath, removeFile, writeBytes } from '../../../base/runtime/files.ts';
import { childEnvironment, environment, platform, readSystemFile } from '../../../base/runtime/machine.ts';
import { type ChildProcess, startProcess } from '../../../base/runtime/process.ts';
import { connectToPath } from '../../../base/runtime/tcp.ts';
import { screen } from '../stealth/profile.ts';
import { makeCookie, xauthority } from './cookie.ts';

const xvfbPaths = ['/usr/bin/Xvfb', '/usr/local/bin/Xvfb', '/usr/X11R6/bin/Xvfb'];
const startLimitMs = 15_000;
/** Time in milliseconds after SIGTERM at which an Xvfb process that is still running is killed. */
const endLimitMs = 1_000;
/** The numbers that displays get; the X protocol's TCP ports limit them to 59,535, and small ones belong to people. */
const numbers = { from: 1_000, count: 58_000 };

/** True when a browser can open a window here. */
export async function displayAvailable(): Promise<boolean> {
  return machineHasDisplay() || (await findXvfb()) !== undefined;
}

/** True when all windows are on the display of the machine, where every browser can see the others. */
export function machineHasDisplay(): boolean {
  return platform !== 'linux' || Boolean(environment['DISPLAY'] || environment['WAYLAND_DISPLAY']);
}

async function findXvfb(): Promise<string | undefined> {
  for (const path of xvfbPaths) if (await isExecutable(path)) return path;
  return undefined;
}

/** The display of one browser. Disposing it stops its Xvfb process. */
export interface BrowserDisplay extends AsyncDisposable {
  /** Environment variables that point a browser to it. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Aborted when the display has exited without being disposed. Browsers may then exit with code 0, as if this had been
   * requested.
   */
  readonly lost: AbortSignal;
}

/** Why a browser exited whose display was lost; for error messages. */
export const displayLost = 'its display (Xvfb) ended';

/** Resources that a display has acquired so far, so that startup that fails midway can release them. */
interface AcquiredResources extends AsyncDisposable {
  child?: ChildProcess;
  number?: string;
  hold?: Disposable;
}

/**
 * Starts a display for one browser; if the machine has a display, uses that one.
 * @param directory private to the browser: it contains the file with the cookie until the directory is removed
 * @throws ServiceError `launch-failed` when Xvfb does not start; the signal's abort reason
 */
export async function openDisplay(directory: string, signal?: AbortSignal): Promise<BrowserDisplay> {
  const lost = new AbortController();
  if (machineHasDisplay()) return { environment: {}, lost: lost.signal, [Symbol.asyncDispose]: async () => {} };
  let disposed = false;
  const taken: AcquiredResources = {
    async [Symbol.asyncDispose]() {
      disposed = true;
      await endXvfb(taken);
    },
  };
  try {
    const number = await startXvfb(taken, directory, signal);
    void taken.child?.exited.then(() => {
      if (!disposed) lost.abort(new Error(displayLost));
    });
    return {
      environment: { DISPLAY: `:${number}`, XAUTHORITY: cookieFile(directory) },
      lost: lost.signal,
      [Symbol.asyncDispose]: () => taken[Symbol.asyncDispose](),
    };
  } catch (error) {
    await taken[Symbol.asyncDispose]();
    if (signal?.aborted) throw signal.reason;
    const message =
      'The browser could not be started: its display (Xvfb) did not start. See the server log for details.';
    throw new ServiceError('launch-failed', message, { cause: error });
  }
}

const cookieFile = (directory: string) => joinPath(directory, 'xauthority');

/** Starts Xvfb and waits until it responds. @returns the number of the display */
async function startXvfb(
  taken: AcquiredResources,
  directory: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const path = await findXvfb();
  if (path === undefined) throw new Error('there is no display, and Xvfb is not installed');
  const number = freeNumber();
  const cookie = makeCookie();
  await writeBytes(cookieFile(directory), xauthority(cookie), 0o600);
  taken.child = await startProcess({
    path,
    // -displayfd: Xvfb prints its number when it is ready, here to its standard error. -terminate: Xvfb exits with its
    // last client, so that it does not outlive a server that was killed; the server itself is one of its clients.
    // Without GLX it starts in half the time with a quarter of the memory; browsers draw WebGL themselves either way.
    args: [
      `:${number}`,
      '-displayfd',
      '2',
      '-screen',
      '0',
      `${screen.width}x${screen.height}x24`,
      '-nolisten',
      'tcp',
      '-terminate',
      '-auth',
      cookieFile(directory),
      '-extension',
      'GLX',
    ],
    env: { ...childEnvironment(), TMPDIR: directory },
  });
  using deadline = startDeadline(startLimitMs, () => new Error('Xvfb did not start'), signal ? [signal] : []);
  await taken.child.waitForErrorOutput(/^\d+\n/m, deadline.signal);
  taken.number = number;
  taken.hold = await orAborted(holdDisplay(number, cookie), deadline.signal);
  return number;
}

async function endXvfb({ child, number, hold }: AcquiredResources): Promise<void> {
  if (child === undefined) return;
  // On SIGTERM, Xvfb removes its socket.
  child.signalGroup('SIGTERM');
  hold?.[Symbol.dispose]();
  using limit = startDeadline(endLimitMs, () => undefined, []);
  await orAborted(child.exited, limit.signal).catch(() => child.signalGroup('SIGKILL'));
  await child.exited;
  // A killed Xvfb left its socket file.
  if (number !== undefined && !inUse(number)) await removeFile(socketOf(number));
}

const socketOf = (number: string) => `/tmp/.X11-unix/X${number}`;

/**
 * A random display number that no display has. Xvfb releases its number before it removes its socket file: with
 * numbers that Xvfb chooses, the next one would take the number in between and lose its file.
 */
function freeNumber(): string {
  for (;;) {
    const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
    const number = String(numbers.from + (random % numbers.count));
    if (!inUse(number)) return number;
  }
}

/**
 * True when a display has the number. Testing this with a connection could stop that display, because Xvfb would
 * mistake the connection for its last client.
 */
function inUse(number: string): boolean {
  const path = socketOf(number);
  const sockets = readSystemFile('/proc/net/unix')?.split('\n') ?? [];
  // The abstract socket of the same name starts with @.
  return sockets.some((line) => line.endsWith(` ${path}`) || line.endsWith(`@${path}`));
}

/**
 * Connects to a display on this machine, such as `99`, until disposed, and reserves its lowest rows for a panel, as a
 * desktop does, so that windows and pages exclude them (Extended Window Manager Hints, _NET_WORKAREA). A server that is
 * killed disconnects too. The connection does not keep the process alive.
 * @param cookie the cookie that the display requires; empty for none
 * @throws the error of the failed connection, or an Error when the display refuses the client
 */
export async function holdDisplay(number: string, cookie: Uint8Array): Promise<Disposable> {
  const { layOut } = await import('./work-area.ts');
  const path = socketOf(number);
  // Try Linux's abstract socket first, as other clients do.
  const socket = await connectToPath(`\0${path}`).catch(() => connectToPath(path));
  socket.unref();
  try {
    await layOut(socket, number, cookie);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return { [Symbol.dispose]: () => socket.destroy() };
}
