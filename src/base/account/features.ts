/**
 * Lists the features that plans include or lack, and how a request can ask for each. Refusals, the badges in the
 * documentation, the OpenAPI document and the tests of all entry points are derived from this table.
 */

/** How a feature can be requested. A feature without an entry for some entry point cannot be requested there. */
export interface FeatureRow {
  /** Name in messages: "Your plan does not include …". */
  readonly label: string;
  /** One sentence for the documentation. */
  readonly summary: string;
  /** Routes without the browser prefix, some with their method: `PUT /a/:id`. */
  readonly routes?: readonly string[];
  /** Query parameters, unless their value turns them off. */
  readonly parameters?: readonly string[];
  /** Fields of the `POST /session` body; `a.b` is a nested field. */
  readonly sessionFields?: readonly string[];
  /** Fields of `launch`. */
  readonly launch?: readonly string[];
  /** Switches in the `args` launch option. */
  readonly switches?: readonly string[];
  /** Commands of CDP clients. */
  readonly commands?: readonly string[];
  /** Events that CDP clients receive without subscribing; clients whose plan lacks the feature do not receive them. */
  readonly events?: readonly string[];
  /** BrowserQL mutations; `a.b` is mutation `a` with argument `b`, `a!b` is `a` without it. */
  readonly mutations?: readonly string[];
}

const table = {
  reconnect: {
    label: 'reconnecting',
    summary: 'Browsers that outlive their clients.',
    parameters: ['ttl'],
    sessionFields: ['processKeepAlive'],
    commands: ['Browserless.reconnect'],
    mutations: ['reconnect'],
  },
  liveURL: {
    label: 'live views',
    summary: 'Links that let people watch a page and interact with it.',
    routes: ['POST /browser/:id/live'],
    commands: ['Browserless.liveURL'],
    mutations: ['liveURL'],
  },
  captcha: {
    label: 'captcha solving',
    summary: 'Automatic solving of captchas.',
    parameters: ['solveCaptchas'],
    commands: ['Browserless.solveCaptcha'],
    mutations: ['solve', 'solveImageCaptcha', 'verify'],
  },
  heartbeat: {
    label: 'heartbeats',
    summary: 'Events that show a client that its connection is alive.',
    events: ['Browserless.heartbeat'],
  },
  pageId: {
    label: 'page ids',
    summary: 'Ids that let other clients attach to a page.',
    commands: ['Browserless.pageId'],
  },
  residential: {
    label: 'residential proxies',
    summary: 'Proxies of the provider that the operator has configured.',
    parameters: ['proxy'],
    sessionFields: ['proxy'],
    // Without its own proxy server, the document uses one from the provider.
    mutations: ['proxy!server'],
  },
  proxyCity: {
    label: 'choosing a proxy city or state',
    summary: 'City and state of a residential proxy.',
    parameters: ['proxyCity', 'proxyState'],
    sessionFields: ['proxy.city', 'proxy.state'],
    mutations: ['proxy.city', 'proxy.state'],
  },
  function: {
    label: 'running custom code',
    summary: 'Routes that run code from the request in a page.',
    routes: ['/function', '/function/:id', '/download'],
  },
  stealth: {
    label: 'stealth browsers',
    summary: 'Browsers that hide that they are automated.',
    routes: ['/stealth', '/stealth/bql', '/unblock'],
    sessionFields: ['stealth', 'browser=stealth'],
    launch: ['stealth'],
  },
  recording: {
    label: 'videos',
    summary: 'Video recordings of the pages of a session.',
    parameters: ['record'],
    commands: ['Browserless.startRecording'],
  },
  replay: {
    label: 'replays',
    summary: 'Replays of what happened in the pages of a session.',
    parameters: ['replay'],
    sessionFields: ['replay'],
  },
  sessions: {
    label: 'sessions that outlive their browsers',
    summary: 'The session API: data is kept between browsers.',
    routes: ['POST /session'],
  },
  files: {
    label: 'session files',
    summary: 'Files that clients upload to a session.',
    routes: ['PUT /session-files/:id/:name'],
    commands: ['Browserless.uploadFile', 'Browserless.setDownloadEnabled'],
  },
  profiles: {
    label: 'stored profiles',
    summary: 'Logins that are stored encrypted and loaded into new browsers.',
    routes: [
      'POST /profile',
      'POST /profile/upload',
      'POST /profile/refresh',
      'GET /profiles',
      'GET /profile/:name',
      'PUT /profile/:name',
      'DELETE /profile/:name',
    ],
    parameters: ['profile'],
    sessionFields: ['profile'],
    commands: ['Browserless.saveProfile', 'Browserless.refreshProfile'],
  },
  secrets: {
    label: 'stored secrets',
    summary: 'Secrets that documents can fill into pages but never read.',
    routes: ['GET /secrets', 'PUT /secret/:name', 'DELETE /secret/:name'],
    mutations: ['loadSecret'],
  },
  extensions: {
    label: 'browser extensions',
    summary: 'Browser extensions that the operator provides.',
    sessionFields: ['extensions'],
    switches: ['load-extension', 'disable-extensions-except'],
  },
} as const satisfies Readonly<Record<string, FeatureRow>>;

export type Feature = keyof typeof table;

/** Every feature by its name. */
export const features: Readonly<Record<Feature, FeatureRow>> = table;

export const featureNames = Object.keys(table).filter(isFeature);

/** True for the name of a feature. */
export function isFeature(name: string): name is Feature {
  return Object.hasOwn(table, name);
}
