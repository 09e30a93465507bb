// The folders of src/sessions/, from the ground up. See .dependency-cruiser.mjs.
export default {
  profiles: { holds: 'encrypted store of profiles and secrets' },
  lifecycle: { holds: 'sessions: registry, clock, clients, files, end', imports: 'profiles' },
  'recording/recorder': {
    holds: 'the script that records a page',
    packages: '@rrweb/record',
    below: 'browser/injected',
  },
  'recording/events': { holds: 'events of recorded pages', imports: 'recording/recorder' },
  recording: {
    holds: 'videos and replays, where they are stored, links to share them',
    imports: 'lifecycle recording/recorder recording/events',
    packages: 'mediabunny valibot',
  },
  'profiles/storage': {
    holds: 'cookies and storage of pages: captured into profiles, restored from them',
    imports: 'profiles',
  },
  'live/protocol': { holds: 'messages between server and live view', packages: 'node valibot' },
  'live/page': {
    holds: 'the page that is shown: frames, input, clipboard, files',
    imports: 'lifecycle live/protocol',
    packages: 'node',
  },
  live: {
    holds: 'live views: viewers, tabs, permissions, end',
    imports: 'lifecycle live/protocol live/page',
    packages: 'valibot',
  },
  'cdp/rules': { holds: 'which CDP commands clients may send, with which parameters' },
  'cdp/shield': { holds: 'JavaScript contexts of the server, hidden from clients' },
  cdp: {
    holds: 'CDP clients: their commands, the `Browserless` domain, message gate',
    imports: 'lifecycle live cdp/rules cdp/shield profiles profiles/storage',
    packages: 'node valibot',
  },
  functions: {
    holds: 'pages that run the code of `/function` and `/download`',
    imports: 'cdp cdp/rules',
    packages: 'file-type hono valibot',
  },
  playwright: {
    holds: 'Playwright servers of many versions, Firefox and WebKit, message guard',
    imports: 'lifecycle cdp/rules',
    packages: 'playwright-core',
  },
  'services.ts': {
    holds: 'builds the services of this layer',
    imports: 'cdp/rules functions lifecycle live playwright profiles recording',
  },
};
