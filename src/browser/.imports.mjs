// The folders of src/browser/, from the ground up. See .dependency-cruiser.mjs.
export default {
  network: { holds: 'page egress: SOCKS server, network policy, allowed domains, proxy choice' },
  'network/upstream': {
    holds: 'proxies of clients and of the provider, and the local proxy in front of them',
    imports: 'network',
    packages: 'proxy-chain socks',
  },
  cdp: {
    holds: 'the connection to Chromium: transport, sessions, types of the protocol',
    packages: 'node chrome-remote-interface devtools-protocol',
  },
  'processes/stealth': { holds: 'identities of stealth browsers', imports: 'cdp' },
  'web-bot-auth': {
    holds: 'signatures of requests to sites (Web Bot Auth)',
    imports: 'cdp',
    packages: 'http-message-sig',
  },
  'processes/extensions': { holds: 'browser extensions of the operator', imports: 'cdp' },
  'processes/display': {
    holds: 'virtual X displays, and the guard against screen capture',
    imports: 'processes/stealth',
    packages: 'x11',
  },
  processes: {
    holds: 'Chromium processes: catalog, command line, start, exit, directories',
    imports: 'network network/upstream cdp processes/stealth web-bot-auth processes/display processes/extensions',
    packages: 'nanotar',
  },
  'processes/virtual': {
    holds: 'virtual browsers: one browser context of a shared process that a client sees as a whole browser',
    imports: 'cdp processes',
  },
  'processes/pool': {
    holds: 'warm pages and browsers, and the guards that end a process that hangs or uses too much memory',
    imports: 'cdp processes/stealth processes processes/virtual',
  },
  injected: { holds: 'functions that run inside pages', packages: '@mozilla/readability turndown', below: '' },
  'injected/captcha': { holds: 'functions that find CAPTCHAs', imports: 'injected', below: '' },
  'injected/live': { holds: 'functions of live views', imports: 'injected', below: '' },
  'injected/vault': { holds: 'functions that fill in secrets and read storage', imports: 'injected', below: '' },
  page: {
    holds: 'the page driver: targets, frames, evaluation, streams',
    imports: 'cdp processes injected injected/captcha injected/live injected/vault',
  },
  'page/ads': { holds: 'ad blocking', imports: 'cdp injected page', packages: '@ghostery/adblocker' },
  'page/consent': { holds: 'cookie banners', imports: 'cdp injected page', packages: '@duckduckgo/autoconsent' },
  'page/requests': {
    holds: 'requests of pages: interception, rules, log',
    imports: 'cdp injected page',
    packages: 'content-disposition',
  },
  'page/load': {
    holds: 'preparation, navigation, waits',
    imports: 'cdp processes injected page page/requests',
    packages: 'node',
  },
  'page/act': { holds: 'mouse, keyboard and scrolling, humanlike or instant', imports: 'cdp injected page' },
  'page/captcha': { holds: 'detecting and solving CAPTCHAs', imports: 'cdp injected injected/captcha page page/act' },
  'page/unblock': { holds: 'detecting and passing bot walls', imports: 'page page/captcha' },
  'page/captcha/solver': { holds: "the operator's solving service, with limits per client", imports: 'page/captcha' },
  'page/capture': {
    holds: 'HTML, Markdown, PDF, images, scraped data',
    imports: 'cdp injected page page/load',
    packages: 'parse5',
  },
  'page/snapshot': { holds: 'offline archives of a page', imports: 'cdp injected page page/capture' },
  'page/audit': {
    holds: 'Lighthouse audits, in a child process',
    packages: 'lighthouse lighthouse-logger puppeteer-core',
  },
  'services.ts': {
    holds: 'builds the services of this layer',
    imports: 'network network/upstream page/ads page/captcha/solver processes processes/pool web-bot-auth',
  },
};
