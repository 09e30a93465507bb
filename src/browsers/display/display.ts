/**
 * Provides the display for browsers with a window: the machine's own, or one virtual display (Xvfb) for all of them.
 * Xvfb starts with the first browser that asks for a window and ends with the server.
 */
import { orAborted, startDeadline } from '../../runtime/deadline.ts';
import { isExecutable } from '../../runtime/files.ts';
import { childEnvironment, environment, platform, temporaryDirectory } from '../../runtime/machine.ts';
import { type ChildProcess, startProcess } from '../../runtime/process.ts';
import { connectToPath } from '../../runtime/tcp.ts';
import { screen } from '../../stealth/profile.ts';

const xvfbPlaces = ['/usr/bin/Xvfb', '/usr/local/bin/Xvfb', '/usr/X11R6/bin/Xvfb'];
const startLimitMs = 15_000;

/** True when a browser can open a window here. */
export async function displayAvailable(): Promise<boolean> {
  return hasOwnDisplay() || (await findXvfb()) !== undefined;
}

function hasOwnDisplay(): boolean {
  return platform !== 'linux' || Boolean(environment['DISPLAY'] || environment['WAYLAND_DISPLAY']);
}

async function findXvfb(): Promise<string | undefined> {
  for (const path of xvfbPlaces) if (await isExecutable(path)) return path;
  return undefined;
}

interface RunningDisplay {
  child: ChildProcess;
  number: string;
  /** The server's own connection: without it the display would end between two browsers, under the second one. */
  hold: Disposable;
}

export class VirtualDisplay implements AsyncDisposable {
  #running: Promise<RunningDisplay> | undefined;

  /**
   * Environment variables that point a browser to the display.
   * @throws when Xvfb does not start; the next call tries again
   */
  async environment(): Promise<Record<string, string>> {
    if (hasOwnDisplay()) return {};
    this.#running ??= startXvfb();
    try {
      const { child, number } = await this.#running;
      void child.exited.then(() => (this.#running = undefined));
      return { DISPLAY: `:${number}` };
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = await this.#running?.catch(() => undefined);
    // SIGTERM lets Xvfb remove its lock file and socket.
    running?.child.signalGroup('SIGTERM');
    running?.hold[Symbol.dispose]();
    await running?.child.exited;
  }
}

async function startXvfb(): Promise<RunningDisplay> {
  const path = await findXvfb();
  if (path === undefined) throw new Error('there is no display and no Xvfb');
  const child = await startProcess({
    path,
    // -displayfd: Xvfb chooses a free display number and prints it, here to its standard error. -terminate: Xvfb ends
    // with its last client, so that it does not outlive a server that was killed; the server itself is one.
    args: ['-displayfd', '2', '-screen', '0', `${screen.width}x${screen.height}x24`, '-nolisten', 'tcp', '-terminate'],
    env: { ...childEnvironment(), TMPDIR: temporaryDirectory },
  });
  using deadline = startDeadline(startLimitMs, () => new Error('Xvfb did not start'), []);
  try {
    const [, number = ''] = await child.waitForErrorOutput(/^(\d+)\n/m, deadline.signal);
    return { child, number, hold: await orAborted(holdDisplay(number), deadline.signal) };
  } catch (error) {
    child.signalGroup('SIGKILL');
    await child.exited;
    throw error;
  }
}

/**
 * Connects to a display of this machine, such as `99`, until the disposal, and gives its lowest rows to a panel, as a
 * desktop does, so that windows and pages count them out (Extended Window Manager Hints, _NET_WORKAREA). A server that is
 * killed disconnects too. The connection does not keep the process alive.
 * @throws the system's error, or an Error when the display refuses the client
 */
export async function holdDisplay(number: string): Promise<Disposable> {
  const { layOut } = await import('./work-area.ts');
  const path = `/tmp/.X11-unix/X${number}`;
  // First the abstract socket of Linux, as other clients do: displays that start at the same time take the file from
  // each other while they look for a free number.
  const socket = await connectToPath(`\0${path}`).catch(() => connectToPath(path));
  socket.unref();
  try {
    await layOut(socket, number);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return { [Symbol.dispose]: () => socket.destroy() };
}
