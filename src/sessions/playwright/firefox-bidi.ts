/**
 * Runs stock Firefox under Playwright: starts it through a small script and relays its BiDi connection on loopback.
 *
 *   Playwright ──BiDi──▶ relay ──BiDi──▶ Firefox
 *
 * The script writes its process id to a file before Playwright knows it, so that the server can abort startup. It also
 * replaces the URL that Firefox prints with the URL of the relay. The relay turns "unknown command" errors for
 * `emulation.*` into success: newer versions of Playwright send such commands for each context, and in a Firefox
 * version that lacks one of them no context could be created.
 */
import { joinPath, readTextIfThere, writeBytes, writeText } from '../../base/runtime/files.ts';
import { rewriteServerMessages } from '../../base/runtime/http/frame-rewriter.ts';
import { signalGroup } from '../../base/runtime/process.ts';
import { connectTo, listenOnLoopback, type Socket } from '../../base/runtime/tcp.ts';
import { tryParseJson } from '../../base/schema/json-text.ts';
import { isPlainObject } from '../../base/schema/record.ts';
import type { NetworkPolicy } from '../../browser/network/policy.ts';

export interface BidiRelay extends AsyncDisposable {
  /** `ws://127.0.0.1:<port>/<secret>`; the port of a Firefox process and `/session` follow. */
  readonly address: string;
}

const handshakeLimitMs = 10_000;
const maxHandshakeCharacters = 8_192;

/** Starts the relay; one relay serves any number of browsers. */
export async function startBidiRelay(policy: NetworkPolicy): Promise<BidiRelay> {
  const secret = crypto.randomUUID();
  const listener = await listenOnLoopback((socket) => {
    serve(socket, secret, policy).catch(() => socket.destroy());
    // The secret keeps others out.
  }, false);
  const release = policy.protectPort(listener.port);
  return {
    address: `ws://127.0.0.1:${listener.port}/${secret}`,
    [Symbol.asyncDispose]: async () => {
      release();
      await listener.close();
    },
  };
}

async function serve(client: Socket, secret: string, policy: NetworkPolicy): Promise<void> {
  client.setTimeout(handshakeLimitMs, () => client.destroy());
  const head = await readHead(client);
  const [, given, port = '', path = ''] = /^GET \/([^/ ]+)\/(\d+)(\/\S*) HTTP\/1\.1\r\n/.exec(head) ?? [];
  if (given !== secret) return void client.destroy();
  const firefox = await connectTo('127.0.0.1', Number(port), handshakeLimitMs);
  // Pages in other sessions must not reach the port either.
  const release = policy.protectPort(Number(port));
  firefox.once('close', release);
  client.setTimeout(0);
  // Firefox refuses a handshake whose Host header is not its own address.
  const [, ...headers] = head.split('\r\n');
  const kept = headers.filter((line) => !/^host:/i.test(line));
  firefox.write([`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...kept].join('\r\n'));
  client.pipe(firefox);
  rewriteServerMessages(firefox, client, withoutUnknownEmulation);
}

/**
 * Reads the head of a request up to its empty line. A WebSocket client does not send anything else before the response.
 */
function readHead(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const failed = () => reject(new Error('no handshake'));
    const read = (chunk: Uint8Array) => {
      text += new TextDecoder().decode(chunk);
      if (!text.endsWith('\r\n\r\n')) return text.length > maxHandshakeCharacters ? failed() : undefined;
      socket.off('data', read);
      socket.off('close', failed);
      socket.pause();
      resolve(text);
    };
    socket.on('data', read);
    socket.once('close', failed);
  });
}

/**
 * Returns an empty success in place of BiDi's error for a command of the emulation module that Firefox does not
 * support; undefined for all other messages.
 */
export function withoutUnknownEmulation(text: string): string | undefined {
  if (!text.includes('"unknown command"')) return undefined;
  // Text of a page may contain the same words.
  const message = tryParseJson(text);
  if (!isPlainObject(message)) return undefined;
  const { type, id, error, message: command } = message;
  if (type !== 'error' || error !== 'unknown command' || !String(command).startsWith('emulation.')) return undefined;
  return JSON.stringify({ type: 'success', id, result: {} });
}

/** Writes the script into the session's own directory. Returns its path. */
export async function writeFirefoxScript(firefox: string, directory: string, relay: BidiRelay): Promise<string> {
  const path = joinPath(directory, 'firefox');
  const pipe = quoted(joinPath(directory, 'output'));
  const listening = 'WebDriver BiDi listening on ';
  // In a separate file: every user on the machine can read the arguments of a process, and they would show the secret.
  const replacement = joinPath(directory, 'relay.sed');
  await writeText(replacement, `s#${listening}ws://[^:]*:\\([0-9]*\\)#${listening}${relay.address}/\\1#\n`);
  const script = [
    '#!/bin/sh',
    `echo $$ > ${quoted(pidFile(directory))}`,
    `mkfifo ${pipe}`,
    `sed -u -f ${quoted(replacement)} < ${pipe} >&2 &`,
    // `exec` replaces the script with the browser, which is then the process that Playwright knows.
    `exec ${quoted(firefox)} "$@" > ${pipe} 2>&1`,
    '',
  ].join('\n');
  await writeBytes(path, new TextEncoder().encode(script), 0o755);
  return path;
}

/** Ends a Firefox process that is still starting, by the process id in the directory of its script. */
export async function endStartingFirefox(directory: string): Promise<void> {
  const pid = Number(await readTextIfThere(pidFile(directory)));
  if (pid > 0) signalGroup(pid, 'SIGKILL');
}

function pidFile(directory: string): string {
  return joinPath(directory, 'pid');
}

/** Quotes text for the shell, so that no character in it is special. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
