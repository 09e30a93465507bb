// Defines what happens with each Chromium switch that a caller sends: passed on, accepted but decided by the server
// (and named in the response), or refused with what to use instead. A switch without a row is refused too. Checks,
// errors and the documentation are derived from it; it is long because it is one table.

type SwitchTreatment = 'passed' | 'server' | 'refused';

export interface SwitchRow {
  readonly treatment: SwitchTreatment;
  /** What the switch is for (passed), who decides instead (server), or why not and what to use (refused). */
  readonly reason: string;
  /** Values that are passed on; any when left out. */
  readonly value?: RegExp;
  /** Those values in words. */
  readonly expected?: string;
}

function rows(treatment: SwitchTreatment, reason: string, names: string): [name: string, row: SwitchRow][] {
  return names.split(/\s+/).map((name) => [name, { treatment, reason }]);
}

const passed = (reason: string, names: string) => rows('passed', reason, names);
const server = (reason: string, names: string) => rows('server', reason, names);
const refused = (reason: string, names: string) => rows('refused', reason, names);
const limited = (name: string, reason: string, value: RegExp, expected: string): [string, SwitchRow] => [
  name,
  { treatment: 'passed', reason, value, expected },
];

const number = /^\d+(\.\d+)?$/;
const extensionNames = /^[A-Za-z0-9][\w.-]*(,[A-Za-z0-9][\w.-]*)*$/;
const namesOfExtensions = 'names of extensions below EXTENSIONS_DIR, separated by commas and without a path';
const features = /^[\w-]*(,[\w-]+)*,?$/;

/** By name, without dashes. */
export const launchSwitches: Readonly<Record<string, SwitchRow>> = Object.fromEntries<SwitchRow>([
  ...passed(
    'Window and screen',
    'window-size window-position start-maximized start-fullscreen kiosk screen-info hide-scrollbars force-dark-mode force-prefers-reduced-motion force-high-contrast',
  ),
  limited('force-device-scale-factor', 'Window and screen', number, 'a number'),
  limited(
    'headless',
    'The full browser without a window, as the option `headless: "new"`',
    /^(new|old|shell|true|chrome|)$/,
    'new',
  ),
  ...passed('Language', 'lang accept-lang'),
  ...passed(
    'Fonts and colours',
    'font-render-hinting disable-font-subpixel-positioning disable-lcd-text disable-remote-fonts force-color-profile force-raster-color-profile',
  ),
  ...passed(
    'Graphics',
    'disable-gpu disable-webgl disable-webgl2 disable-3d-apis use-gl use-angle use-vulkan enable-unsafe-swiftshader enable-unsafe-webgpu ignore-gpu-blocklist enable-gpu-rasterization disable-gpu-rasterization disable-gpu-compositing disable-gpu-vsync disable-frame-rate-limit disable-accelerated-2d-canvas disable-accelerated-video-decode disable-accelerated-video-encode disable-accelerated-mjpeg-decode disable-software-rasterizer enable-zero-copy disable-gpu-driver-bug-workarounds disable-gpu-memory-buffer-video-frames disable-gpu-early-init disable-partial-raster disable-skia-runtime-opts disable-canvas-aa disable-2d-canvas-clip-aa disable-composited-antialiasing',
  ),
  ...passed(
    'Drawing and animation',
    'run-all-compositor-stages-before-draw disable-threaded-animation disable-threaded-compositing disable-checker-imaging disable-image-animation-resync disable-new-content-rendering-timeout disable-smooth-scrolling allow-pre-commit-input disable-best-effort-tasks',
  ),
  ...passed(
    'Rules between origins',
    'disable-web-security disable-site-isolation-trials site-per-process isolate-origins allow-running-insecure-content unsafely-treat-insecure-origin-as-secure',
  ),
  ...passed(
    'Certificates that cannot be verified, as the option `acceptInsecureCerts`',
    'ignore-certificate-errors ignore-certificate-errors-spki-list allow-insecure-localhost',
  ),
  limited('enable-features', "Features, joined with the server's", features, 'names separated by commas'),
  limited('disable-features', "Features, joined with the server's", features, 'names separated by commas'),
  ...passed(
    'Features of the web platform',
    'disable-blink-features enable-blink-features enable-experimental-web-platform-features blink-settings enable-precise-memory-info touch-events disable-reading-from-canvas disable-shared-workers disable-back-forward-cache enable-javascript-harmony disable-file-system disable-speech-api disable-speech-synthesis-api disable-presentation-api disable-notifications',
  ),
  ...passed('Windows that pages open, forms that are sent again', 'disable-popup-blocking disable-prompt-on-repost'),
  ...passed(
    'Sound, video, camera and microphone',
    'mute-audio autoplay-policy use-fake-device-for-media-stream use-fake-ui-for-media-stream disable-audio-output disable-audio-input disable-rtc-smoothness-algorithm auto-accept-camera-and-microphone-capture deny-permission-prompts auto-select-desktop-capture-source auto-select-tab-capture-source-by-title enable-usermedia-screen-capturing allow-http-screen-capture',
  ),
  ...passed('User agent, as the option `userAgent`', 'user-agent'),
  ...passed('Accessibility', 'force-renderer-accessibility disable-renderer-accessibility enable-caret-browsing'),
  ...passed('PDF and printing', 'generate-pdf-document-outline disable-print-preview kiosk-printing'),
  ...passed('A proxy, reached through the network filter of the server', 'proxy-server proxy-bypass-list'),
  ...passed('Protocols', 'disable-http2 disable-quic no-pings'),
  limited('disk-cache-size', 'Size of the cache in bytes', number, 'a number'),
  ...passed(
    'Processes and memory of pages',
    'process-per-site disable-low-end-device-mode enable-low-end-device-mode disable-dev-shm-usage',
  ),
  limited('renderer-process-limit', 'Processes and memory of pages', number, 'a number'),
  limited(
    'js-flags',
    'Memory of scripts, and gc()',
    /^(["']?)(\s*--?(max[-_](old|semi|new)[-_]space[-_]size|stack[-_]size)=\d{3,6}|\s*--?expose[-_]gc)+\1$/,
    '--max-old-space-size=<MB>, --max-semi-space-size=<MB>, --stack-size=<kB> or --expose-gc',
  ),
  ...passed(
    'No work and no traffic of the browser itself',
    'disable-background-networking disable-background-timer-throttling disable-backgrounding-occluded-windows disable-renderer-backgrounding disable-component-update disable-sync disable-default-apps disable-domain-reliability disable-field-trial-config disable-stack-profiler disable-updater-scheduler disable-breakpad disable-crash-reporter metrics-recording-only no-experiments simulate-outdated-no-au disable-ipc-flooding-protection disable-hang-monitor',
  ),
  ...passed(
    'No dialogs and bars that nobody answers',
    'no-first-run no-default-browser-check disable-infobars enable-automation test-type hide-crash-restore-bubble disable-search-engine-choice-screen noerrdialogs propagate-iph-for-testing unsafely-disable-devtools-self-xss-warnings',
  ),
  ...passed('No key ring of the system', 'password-store'),
  ...passed(
    'No extensions',
    'disable-extensions disable-component-extensions-with-background-pages disable-extensions-http-throttling disable-extensions-file-access-check',
  ),
  limited('load-extension', 'Extensions of EXTENSIONS_DIR', extensionNames, namesOfExtensions),
  limited(
    'disable-extensions-except',
    'Extensions of EXTENSIONS_DIR, which it loads too',
    extensionNames,
    namesOfExtensions,
  ),
  ...passed('A window without history', 'incognito'),
  ...passed('Developer tools in every tab', 'auto-open-devtools-for-tabs'),
  limited('profile-directory', 'Profile inside of the profile directory', /^[\w -]{1,40}$/, 'a name such as Default'),
  ...passed('Profile that is kept, as the option `userDataDir`', 'user-data-dir'),
  ...passed('Output, which goes to the log of the server', 'log-level disable-logging v vmodule'),
  limited('enable-logging', 'Output, which goes to the log of the server', /^(stderr)?$/, 'stderr'),

  ...server(
    'The sandbox is on wherever it works on this server.',
    'no-sandbox disable-setuid-sandbox disable-gpu-sandbox disable-namespace-sandbox disable-seccomp-filter-sandbox no-zygote-sandbox',
  ),
  ...server('The server decides which processes a browser has.', 'single-process no-zygote in-process-gpu'),
  ...server(
    'UDP would pass the network filter of the server: it stays off.',
    'force-webrtc-ip-handling-policy webrtc-ip-handling-policy enforce-webrtc-ip-permission-check enable-quic',
  ),
  ...server(
    'Firefox knows it, but there it changes only the first window, which no client sees.',
    'width height devtools safe-mode',
  ),
  ...server('A browser begins with the pages that its clients make.', 'no-startup-window restore-last-session'),
  ...server('Temporary files are in a directory of the session.', 'disk-cache-dir media-cache-dir'),
  ...server('The server loads no extensions from a path.', 'enable-unsafe-extension-debugging'),
  ...server(
    'The Chromium of this server has no such switch (any more): it changes nothing.',
    'aggressive-cache-discard disable-background-mode disable-bundled-ppapi-flash disable-client-side-phishing-detection disable-cloud-import disable-component-cloud-policy disable-databases disable-desktop-notifications disable-device-discovery-notifications disable-edgeupdater disable-flash-3d disable-flash-stage3d disable-http-cache disable-low-res-tiling disable-machine-id disable-offer-store-unmasked-wallet-cards disable-offer-upload-credit-cards disable-permissions-api disable-plugins disable-plugins-discovery disable-save-password-bubble disable-session-crashed-bubble disable-signin-promo disable-site-isolation-for-policy disable-tab-for-desktop-share disable-threaded-scrolling disable-touch-drag-drop disable-translate disable-wake-on-wifi disable-win32k-lockdown dns-prefetch-disable do-not-de-elevate edge-skip-compat-layer-relaunch enable-begin-frame-scheduling enable-font-antialiasing enable-surface-synchronization enable-webgl export-tagged-pdf ignore-gpu-blacklist ignore-ssl-errors ignore-urlfetcher-cert-requests media-cache-size memory-pressure-off metrics-reporting-disabled no-crash-upload no-network-profile-warning no-referrers no-service-autorun process-per-tab reduce-security-for-testing safebrowsing-disable-auto-update suppress-message-center-popups use-mock-keychain wm-window-animations-disabled',
  ),

  ...refused(
    'it starts a program on the server',
    'renderer-cmd-prefix utility-cmd-prefix gpu-launcher zygote-cmd-prefix browser-subprocess-path renderer-startup-dialog gpu-startup-dialog utility-startup-dialog',
  ),
  ...refused(
    'it loads code from the disk of the server',
    'load-and-launch-app pack-extension custom-devtools-frontend register-pepper-plugins',
  ),
  ...refused(
    'it reads a file of the server',
    'use-file-for-fake-audio-capture use-file-for-fake-video-capture allow-file-access-from-files',
  ),
  ...refused(
    'it writes a file on the server',
    'log-file crash-dumps-dir log-net-log ssl-key-log-file trace-startup trace-startup-file enable-tracing enable-tracing-output profiling-file webrtc-event-logging dump-browser-histograms',
  ),
  ...refused('it writes a file on the server; use the route of that name', 'print-to-pdf screenshot dump-dom'),
  ...refused(
    'traffic must pass the network filter of the server; name a proxy with --proxy-server',
    'no-proxy-server proxy-auto-detect proxy-pac-url host-rules host-resolver-rules',
  ),
  ...refused('it opens a page past the checks of the server; open it with a client', 'app app-id'),
  ...refused('it makes the process something else than a browser', 'type'),
  ...refused(
    'the server itself controls the browser through it; connect to the server instead',
    'remote-debugging-port remote-debugging-pipe remote-debugging-address remote-allow-origins',
  ),
]);
