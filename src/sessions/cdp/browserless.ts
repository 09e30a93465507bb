/**
 * Defines the commands and events that CDP clients find beside Chromium's. A command that fails puts an `error` text in
 * its result instead of a protocol error (compatibility.mdx#browserless-commands).
 */
import * as v from 'valibot';
import { featureOfCommand } from '../../base/account/requested-features.ts';
import { ServiceError } from '../../base/errors.ts';
import type { SavedProfile } from '../profiles/storage/profile-keeper.ts';
import { fromBase64 } from '../../base/runtime/bytes.ts';
import { describeIssues } from '../../base/schema/describe.ts';
import { command, type Command, type CommandContext, milliseconds } from './command.ts';
import { liveCommands } from './live-commands.ts';
import { recordingCommands } from './recording-commands.ts';

/** How long a browser is kept when the command does not say, in milliseconds. */
const defaultKeepMs = 300_000;

/** How long a captcha may take to appear: when the command does not say, and at most; in milliseconds. */
const usualAppearMs = 10_000;
const longestAppearMs = 600_000;

const profileName = v.optional(
  v.pipe(
    v.string('must be text'),
    v.description('Name of the profile. Default: that with which the browser began, or which POST /profile was given.'),
  ),
);

export const browserlessCommands = {
  'Browserless.reconnect': command({
    summary: 'Keeps the browser after its clients have left and tells the address at which they can come back.',
    params: v.strictObject({
      timeout: v.optional(milliseconds),
      auth: v.optional(v.pipe(v.string('must be text'), v.minLength(1, 'must not be empty'))),
    }),
    run({ session, socketUrl, maxReconnectMs }, { timeout = defaultKeepMs, auth }) {
      if (session.life.ending) return { error: 'The session is ending.', browserWSEndpoint: null };
      session.keepFor({ timeoutMs: maxReconnectMs > 0 ? Math.min(timeout, maxReconnectMs) : timeout, auth });
      return { error: null, browserWSEndpoint: `${socketUrl}/reconnect/${session.facts.id}` };
    },
    failed: (error) => ({ error, browserWSEndpoint: null }),
  }),
  'Browserless.pageId': command({
    summary: 'The id of the page, with which /devtools/page/<id> attaches to it.',
    params: v.strictObject({}),
    async run({ targetId }) {
      const pageId = await targetId();
      return pageId === undefined ? { error: 'There is no page.', pageId: null } : { error: null, pageId };
    },
    failed: (error) => ({ error, pageId: null }),
  }),
  'Browserless.uploadFile': command({
    summary: 'Puts a file into the session, for file inputs: its name alone is then its path.',
    params: v.strictObject({
      name: v.string('must be text'),
      data: v.string('must be base64 text'),
    }),
    async run({ session }, { name, data }) {
      let bytes: Uint8Array;
      try {
        bytes = fromBase64(data);
      } catch {
        return notPut('Browserless.uploadFile: "data" must be base64 text');
      }
      try {
        const { file } = await session.files.put(name, [bytes], bytes.length);
        return { error: null, name, path: file.path, size: file.size };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return notPut(error.message);
      }
    },
    failed: (error) => notPut(error),
  }),
  'Browserless.solveCaptcha': command({
    summary:
      'Waits for a captcha on the page and solves it; ok says whether the script may go on, also when there was none.',
    params: v.strictObject({
      appearTimeout: v.optional(
        v.pipe(milliseconds, v.maxValue(longestAppearMs, `must be at most ${longestAppearMs}`)),
      ),
    }),
    async run({ solveCaptcha }, { appearTimeout = usualAppearMs }) {
      const { type, attempted, solved, error } = await solveCaptcha(appearTimeout);
      const captchaFound = type !== undefined;
      const message = captchaFound
        ? `The captcha (${type}) is ${solved ? 'solved' : 'not solved'}.`
        : `No captcha appeared within ${appearTimeout} ms.`;
      return { ok: !captchaFound || solved, captchaFound, message, solveAttempted: attempted, solved, error };
    },
    failed: (error) => ({
      ok: false,
      captchaFound: false,
      message: error,
      solveAttempted: false,
      solved: false,
      error,
    }),
  }),
  'Browserless.setDownloadEnabled': command({
    summary: 'Lets the pages of the browser download into the session, or forbids it.',
    params: v.strictObject({ enabled: v.boolean('must be true or false') }),
    async run({ session }, { enabled }) {
      await session.setDownloads(enabled);
      return { error: null, enabled };
    },
    failed: (error) => ({ error, enabled: null }),
  }),
  'Browserless.saveProfile': command({
    summary:
      'Saves the cookies of the browser, and localStorage and IndexedDB of the sites that its pages show, as a new stored profile.',
    params: v.strictObject({ name: profileName }),
    run: ({ saveProfile }, { name: given }) => told(saveProfile(given)),
    failed: (error) => notSaved(error),
  }),
  'Browserless.refreshProfile': command({
    summary:
      'Saves them in place of what a stored profile has; sites that no page shows keep what the profile has of them.',
    params: v.strictObject({ name: profileName }),
    run: ({ refreshProfile }, { name: given }) => told(refreshProfile(given)),
    failed: (error) => notSaved(error),
  }),
  ...liveCommands,
  ...recordingCommands,
} as const;

async function told(saving: Promise<SavedProfile>): Promise<object> {
  try {
    const { entry, ...leftOut } = await saving;
    const { id, name: saved, cookieCount, originCount } = entry;
    return { ok: true, error: null, profileId: id, name: saved, cookieCount, originCount, ...leftOut };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return notSaved(error.message);
  }
}

const notSaved = (error: string) => ({ ok: false, error, profileId: null, name: null });

const notPut = (error: string) => ({ error, name: null, path: null, size: null });

/** Events that clients get without asking. */
export const browserlessEvents = {
  'Browserless.heartbeat': { summary: 'Sent every PING_INTERVAL_MS while the connection lives.' },
  'Browserless.captchaFound': {
    summary:
      'Sent when a page shows the frame of a widget (status found), and when an attempt to solve a captcha begins (status solving), with its type.',
  },
  'Browserless.captchaAutoSolved': {
    summary:
      'Sent with solveCaptchas=true after each captcha that the server solved by itself, or could not: autoSolved, token, found, solved, time in milliseconds, and error.',
  },
  'Browserless.fileDownloaded': {
    summary:
      'Sent when a download of the session is complete: its name, size in bytes, path on the server, and url, with which GET answers the file.',
  },
  'Browserless.liveComplete': {
    summary:
      'Sent once when a live view ends: its liveURLId; the reason: done or failed (the person pressed Done, or I can’t), closed, timeout or page-closed; and the note of a person who could not do it.',
  },
  'Browserless.stealthNotice': {
    summary:
      'Sent on a connection to a stealth browser when Runtime is first enabled, which pages are kept from seeing: lost names what clients miss for it. Sent again with a reason when a session falls open, and pages can see it from then on.',
  },
} as const;

/** Runs a command of the table; undefined for an unknown name. */
export async function runCommand(
  method: string,
  params: unknown,
  context: CommandContext,
): Promise<object | undefined> {
  const table: Readonly<Record<string, Command>> = browserlessCommands;
  const entry = Object.hasOwn(table, method) ? table[method] : undefined;
  if (!entry) return undefined;
  const feature = featureOfCommand(method);
  if (feature && !context.plan.has(feature)) return entry.failed(context.plan.missing(feature));
  const checked = v.safeParse(entry.params, params ?? {});
  if (!checked.success) {
    return entry.failed(
      `${method}: ${describeIssues(entry.params, checked.issues)
        .told.map((issue) => issue.message)
        .join('; ')}`,
    );
  }
  return entry.run(context, checked.output);
}
