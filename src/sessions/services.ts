/** Builds the services of the session layer: sessions and the data that they keep. */
import type { Config } from '../base/config/config.ts';
import { toServiceError } from '../base/errors.ts';
import { urlCharacters } from '../base/limits.ts';
import type { Ids } from '../base/runtime/ids.ts';
import type { Log } from '../base/telemetry/log.ts';
import { storageFailure } from '../browser/processes/storage.ts';
import { type BrowserServices, isolatesTenants, type NetworkServices } from '../browser/services.ts';
import { allowsAddress } from './cdp/rules/addresses.ts';
import { CodeHosts } from './functions/code-hosts.ts';
import { DownloadDirectories } from './functions/download-directories.ts';
import { SessionRegistry } from './lifecycle/registry.ts';
import { LiveViews } from './live/live-views.ts';
import type { PlaywrightLauncher } from './playwright/launcher.ts';
import { Profiles } from './profiles/profiles.ts';
import { Secrets } from './profiles/secrets.ts';
import { Vault } from './profiles/vault.ts';
import { DirectoryStore } from './recording/directory-store.ts';
import { Recordings } from './recording/recordings.ts';
import { ShareLinks } from './recording/share-links.ts';

export interface SessionServices {
  /** Running sessions. */
  registry: SessionRegistry;
  /** Cookies and storage kept for later browsers. */
  profiles: Profiles;
  /** Secrets that BrowserQL types with loadSecret. */
  secrets: Secrets;
  /** Videos and replays of sessions. */
  recordings: Recordings;
  recordingStore: DirectoryStore;
  /** Links to play recordings. */
  shares: ShareLinks;
  /** Links to live views, in which people watch and control pages. */
  live: LiveViews;
  /** Pages that run the code of requests. */
  codeHosts: CodeHosts;
  downloadDirectories: DownloadDirectories;
  playwright: PlaywrightServers;
}

interface PlaywrightServers {
  /** Loads the launcher on first use. */
  launcher(): Promise<PlaywrightLauncher>;
  /** Ends everything that the launcher started. */
  stop(): Promise<void>;
}

/** The parts of the rest of the server that sessions need. */
export interface SessionParts {
  network: NetworkServices;
  browsers: BrowserServices;
  ids: Ids;
  log: Log;
  /** Aborted once the server no longer accepts requests. */
  draining: AbortSignal;
  /** Aborted when running sessions must end. */
  stopping: AbortSignal;
}

export function buildSessions(config: Config, parts: SessionParts): SessionServices {
  const { network, browsers, ids, log, draining } = parts;
  const allowsUrl = (text: string) =>
    text.length <= urlCharacters && URL.canParse(text) && network.policy.allowsScheme(new URL(text));
  const vault = new Vault({
    directory: config.PROFILES_DIR,
    key: config.PROFILES_KEY,
    failed: (error) => storageFailure(error, 'PROFILES_DIR'),
  });
  const recordingStore = new DirectoryStore({
    directory: config.RECORDINGS_DIR,
    maxBytes: config.RECORDINGS_BYTES,
    days: config.RECORDINGS_DAYS,
    log,
  });
  return {
    registry: openRegistry(parts),
    profiles: new Profiles(vault),
    secrets: new Secrets(vault),
    recordings: new Recordings(recordingStore, config.REPLAY_MASK, log),
    recordingStore,
    shares: new ShareLinks(ids),
    live: new LiveViews({
      ids,
      maxViewers: config.LIVE_MAX_VIEWERS,
      maxUploadBytes: config.LIVE_UPLOAD_BYTES,
      mayOpen: (address) => allowsAddress(address, { allowsUrl }),
      log,
    }),
    codeHosts: new CodeHosts({ pool: browsers.pool, allowsUrl, spares: config.SPARES, log, draining }),
    downloadDirectories: new DownloadDirectories(config.DOWNLOAD_DIR),
    playwright: playwrightServers(config, parts),
  };
}

function openRegistry({ log, stopping }: SessionParts): SessionRegistry {
  const registry = new SessionRegistry();
  registry.subscribe(({ session, ...event }) => {
    log.debug(`session.${event.type}`, { session: session.facts.id, ...('page' in event ? { page: event.page } : {}) });
  });
  stopping.addEventListener('abort', () => registry.endAll(toServiceError(stopping.reason)));
  return registry;
}

function playwrightServers(config: Config, { browsers, ids, log }: SessionParts): PlaywrightServers {
  const options = { byTenant: isolatesTenants(config), memoryBytes: config.PAGE_MEMORY_MB * 2 ** 20, ids, log };
  const { catalog, host } = browsers;
  let launcher: Promise<PlaywrightLauncher> | undefined;
  const open = async () => {
    const [{ PlaywrightLauncher: Launcher }, { FirefoxAndWebKit }] = await Promise.all([
      import('./playwright/launcher.ts'),
      import('./playwright/firefox-webkit.ts'),
    ]);
    return new Launcher(catalog, new FirefoxAndWebKit(config), host, options);
  };
  return {
    launcher: () =>
      (launcher ??= open().catch((error: unknown) => {
        launcher = undefined;
        throw error;
      })),
    stop: async () => (await launcher)?.[Symbol.asyncDispose](),
  };
}
