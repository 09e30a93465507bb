/**
 * The features that plans have or lack, each with the ways in which a call asks for it. What is refused, the badges of
 * the documentation, the OpenAPI document and the test of every door are derived from this table.
 */

/** The ways in which a feature is asked for. A feature without ways of a door cannot be asked for there. */
export interface FeatureRow {
  /** How messages name it: "Your plan does not include …". */
  readonly label: string;
  /** One sentence for the documentation. */
  readonly summary: string;
  /** Routes without the prefix of a browser, some with their method: `PUT /a/:id`. */
  readonly routes?: readonly string[];
  /** Query parameters, unless their value turns them off. */
  readonly parameters?: readonly string[];
  /** Members of the body of `POST /session`; `a.b` is a member of a member. */
  readonly sessionFields?: readonly string[];
  /** Members of `launch`. */
  readonly launch?: readonly string[];
  /** Switches in the launch option `args`. */
  readonly switches?: readonly string[];
  /** Commands of CDP clients. */
  readonly commands?: readonly string[];
  /** Events that CDP clients get without asking; they are not sent to those whose plan lacks the feature. */
  readonly events?: readonly string[];
  /** Mutations of BrowserQL; `a.b` is one with an argument, `a!b` one without it. */
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
    summary: 'Links with which people watch a page and act in it.',
    routes: ['POST /browser/:id/live'],
    commands: ['Browserless.liveURL'],
    mutations: ['liveURL'],
  },
  captcha: {
    label: 'captcha solving',
    summary: 'Captchas that the server solves.',
    parameters: ['solveCaptchas'],
    commands: ['Browserless.solveCaptcha'],
    mutations: ['solve', 'solveImageCaptcha', 'verify'],
  },
  heartbeat: {
    label: 'heartbeats',
    summary: 'The event that tells a client that its connection lives.',
    events: ['Browserless.heartbeat'],
  },
  pageId: {
    label: 'page ids',
    summary: 'The id with which other clients attach to a page.',
    commands: ['Browserless.pageId'],
  },
  residential: {
    label: 'residential proxies',
    summary: 'The proxy provider of the operator.',
    parameters: ['proxy'],
    sessionFields: ['proxy'],
    // Without a proxy of its own the document gets one of the provider.
    mutations: ['proxy!server'],
  },
  proxyCity: {
    label: 'the choice of a city or state',
    summary: 'The city and the state of a residential proxy.',
    parameters: ['proxyCity', 'proxyState'],
    sessionFields: ['proxy.city', 'proxy.state'],
    mutations: ['proxy.city', 'proxy.state'],
  },
  function: {
    label: 'code of requests',
    summary: 'Routes that run the code of a request in a page.',
    routes: ['/function', '/download'],
  },
  stealth: {
    label: 'stealth browsers',
    summary: 'Browsers that hide that a program drives them.',
    routes: ['/stealth', '/stealth/bql', '/unblock'],
    sessionFields: ['stealth', 'browser=stealth'],
    launch: ['stealth'],
  },
  recording: {
    label: 'videos',
    summary: 'Videos of the pages of a session.',
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
    summary: 'The session API, with data that stays between browsers.',
    routes: ['POST /session'],
  },
  files: {
    label: 'files of sessions',
    summary: 'Files that clients put into a session.',
    routes: ['PUT /session-files/:id/:name'],
    commands: ['Browserless.uploadFile', 'Browserless.setDownloadEnabled'],
  },
  profiles: {
    label: 'stored profiles',
    summary: 'Logins that are kept, encrypted, and start browsers.',
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
    summary: 'Texts that documents fill in and never see.',
    routes: ['GET /secrets', 'PUT /secret/:name', 'DELETE /secret/:name'],
    mutations: ['loadSecret'],
  },
  extensions: {
    label: 'browser extensions',
    summary: 'Extensions that the operator offers.',
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
