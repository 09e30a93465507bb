/**
 * Defines the CDP commands and events that the server adds to Chromium's. A command that fails returns an `error` text
 * in its result instead of a protocol error (compatibility.mdx#browserless-commands).
 */
import * as v from 'valibot';
import { featureOfCommand } from '../../base/account/requested-features.ts';
import type { SavedProfile } from '../profiles/storage/profile-keeper.ts';
import { fromBase64 } from '../../base/runtime/bytes.ts';
import { describeIssues } from '../../base/schema/describe.ts';
import { command, type Command, type CommandContext, milliseconds, orFailed } from './command.ts';
import { liveCommands } from './live-commands.ts';
import { recordingCommands } from './recording-commands.ts';

/** Default time that a browser is kept, in milliseconds. */
const defaultKeepMs = 300_000;

/** Default and maximum time that a captcha may take to appear, in milliseconds. */
const defaultAppearMs = 10_000;
const maxAppearMs = 600_000;

const profileName = v.optional(
  v.pipe(
    v.string('must be text'),
    v.description(
      'Name of the profile. Default: the profile that the browser started with, or that POST /profile specified.',
    ),
  ),
);

export const browserlessCommands = {
  'Browserless.reconnect': command({
    summary: 'Keeps the browser running after its clients disconnect, and returns the URL at which they can reconnect.',
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
    summary: 'Returns the id of the page, for attaching to it at /devtools/page/<id>.',
    params: v.strictObject({}),
    async run({ targetId }) {
      const pageId = await targetId();
      return pageId === undefined ? { error: 'There is no page.', pageId: null } : { error: null, pageId };
    },
    failed: (error) => ({ error, pageId: null }),
  }),
  'Browserless.uploadFile': command({
    summary: 'Uploads a file to the session. File inputs then accept its name as the path.',
    params: v.strictObject({
      name: v.string('must be text'),
      data: v.string('must be base64 text'),
    }),
    async run({ session }, { name, data }) {
      let bytes: Uint8Array;
      try {
        bytes = fromBase64(data);
      } catch {
        return uploadFailed('Browserless.uploadFile: "data" must be base64 text');
      }
      return orFailed(async () => {
        const { file } = await session.files.put(name, [bytes], bytes.length);
        return { error: null, name, path: file.path, size: file.size };
      }, uploadFailed);
    },
    failed: (error) => uploadFailed(error),
  }),
  'Browserless.solveCaptcha': command({
    summary:
      'Waits for a captcha on the page and solves it. ok is true when the captcha was solved, and when none appeared.',
    params: v.strictObject({
      appearTimeout: v.optional(v.pipe(milliseconds, v.maxValue(maxAppearMs, `must be at most ${maxAppearMs}`))),
    }),
    async run({ solveCaptcha }, { appearTimeout = defaultAppearMs }) {
      const { type, attempted, solved, error } = await solveCaptcha(appearTimeout);
      const captchaFound = type !== undefined;
      const message = captchaFound
        ? `The captcha (${type}) was ${solved ? 'solved' : 'not solved'}.`
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
    summary: 'Allows or blocks downloads, which are saved to the session.',
    params: v.strictObject({ enabled: v.boolean('must be true or false') }),
    async run({ session }, { enabled }) {
      await session.setDownloads(enabled);
      return { error: null, enabled };
    },
    failed: (error) => ({ error, enabled: null }),
  }),
  'Browserless.saveProfile': command({
    summary:
      'Saves the cookies of the browser, and the localStorage and IndexedDB of the sites open in it, as a new profile.',
    params: v.strictObject({ name: profileName }),
    run: ({ keeper, page }, { name: given }) => resultOf(async () => keeper.save(await page(), given)),
    failed: (error) => saveFailed(error),
  }),
  'Browserless.refreshProfile': command({
    summary:
      'Replaces the contents of an existing profile with the same data. Sites that are not open keep their stored data.',
    params: v.strictObject({ name: profileName }),
    run: ({ keeper, page }, { name: given }) => resultOf(async () => keeper.refresh(await page(), given)),
    failed: (error) => saveFailed(error),
  }),
  ...liveCommands,
  ...recordingCommands,
} as const;

const resultOf = (save: () => Promise<SavedProfile>) =>
  orFailed(async () => {
    const { entry, ...leftOut } = await save();
    const { id, name: saved, cookieCount, originCount } = entry;
    return { ok: true, error: null, profileId: id, name: saved, cookieCount, originCount, ...leftOut };
  }, saveFailed);

const saveFailed = (error: string) => ({ ok: false, error, profileId: null, name: null });

const uploadFailed = (error: string) => ({ error, name: null, path: null, size: null });

/** Events that clients receive without subscribing. */
export const browserlessEvents = {
  'Browserless.heartbeat': { summary: 'Sent every PING_INTERVAL_MS while the connection is open.' },
  'Browserless.captchaFound': {
    summary:
      'Sent with the type of the captcha when the frame of a widget appears (status found), and when an attempt to solve a captcha starts (status solving).',
  },
  'Browserless.captchaAutoSolved': {
    summary:
      'Sent with solveCaptchas=true after each automatic attempt to solve a captcha, with autoSolved, token, found, solved, time in milliseconds, and error.',
  },
  'Browserless.fileDownloaded': {
    summary:
      'Sent when a download is complete, with its name, its size in bytes, its path on the server, and the url to fetch it from.',
  },
  'Browserless.liveComplete': {
    summary:
      'Sent once when a live view ends, with its liveURLId; the reason: done or failed (the person pressed Done or I can’t), closed, timeout or page-closed; and the note of a person who pressed I can’t.',
  },
  'Browserless.stealthNotice': {
    summary:
      'Sent on a connection to a stealth browser when Runtime is first enabled, which the server hides from pages: lost lists what clients miss because of that. Sent again with a reason when a session loses this protection; pages can detect it from then on.',
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
        .issues.map((issue) => issue.message)
        .join('; ')}`,
    );
  }
  return entry.run(context, checked.output);
}
