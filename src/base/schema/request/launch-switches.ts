// Defines what happens to each Chromium switch that a client sends: passed on, accepted but decided by the server (and
// listed in the response), or refused with an alternative. A switch without a row is refused too. Checks, errors and
// the documentation are derived from this table. The file is long because it is one table.

type SwitchTreatment = 'passed' | 'server' | 'refused';

export interface SwitchRow {
  readonly treatment: SwitchTreatment;
  /**
   * The purpose of the switch (passed), what applies instead (server), or why it is refused and what to use (refused).
   */
  readonly reason: string;
  /** Allowed values; any value when omitted. */
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
const namesOfExtensions = 'comma-separated names of extensions in EXTENSIONS_DIR, without a path';
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
    'The full browser without a window, same as `headless: "new"`',
    /^(new|old|shell|true|chrome|)$/,
    'new',
  ),
  ...passed('Language', 'lang accept-lang'),
  ...passed(
    'Fonts and colors',
    'font-render-hinting disable-font-subpixel-positioning disable-lcd-text disable-remote-fonts force-color-profile force-raster-color-profile',
  ),
  ...passed(
    'Graphics',
    'disable-gpu disable-webgl disable-webgl2 disable-3d-apis use-gl use-angle use-vulkan enable-unsafe-swiftshader enable-unsafe-webgpu ignore-gpu-blocklist enable-gpu-rasterization disable-gpu-rasterization disable-gpu-compositing disable-gpu-vsync disable-frame-rate-limit disable-accelerated-2d-canvas disable-accelerated-video-decode disable-accelerated-video-encode disable-accelerated-mjpeg-decode disable-software-rasterizer enable-zero-copy disable-gpu-driver-bug-workarounds disable-gpu-memory-buffer-video-frames disable-gpu-early-init disable-partial-raster disable-skia-runtime-opts disable-canvas-aa disable-2d-canvas-clip-aa disable-composited-antialiasing',
  ),
  ...passed(
    'Rendering and animation',
    'run-all-compositor-stages-before-draw disable-threaded-animation disable-threaded-compositing disable-checker-imaging disable-image-animation-resync disable-new-content-rendering-timeout disable-smooth-scrolling allow-pre-commit-input disable-best-effort-tasks',
  ),
  ...passed(
    'Cross-origin rules',
    'disable-web-security disable-site-isolation-trials site-per-process isolate-origins allow-running-insecure-content unsafely-treat-insecure-origin-as-secure',
  ),
  ...passed(
    'Certificates that cannot be verified, same as `acceptInsecureCerts`',
    'ignore-certificate-errors ignore-certificate-errors-spki-list allow-insecure-localhost',
  ),
  limited('enable-features', "Features, merged with the server's", features, 'names separated by commas'),
  limited('disable-features', "Features, merged with the server's", features, 'names separated by commas'),
  ...passed(
    'Web platform features',
    'disable-blink-features enable-blink-features enable-experimental-web-platform-features blink-settings enable-precise-memory-info touch-events disable-reading-from-canvas disable-shared-workers disable-back-forward-cache enable-javascript-harmony disable-file-system disable-speech-api disable-speech-synthesis-api disable-presentation-api disable-notifications',
  ),
  ...passed('Pop-ups and form resubmission', 'disable-popup-blocking disable-prompt-on-repost'),
  ...passed(
    'Audio, video, camera and microphone',
    'mute-audio autoplay-policy use-fake-device-for-media-stream use-fake-ui-for-media-stream disable-audio-output disable-audio-input disable-rtc-smoothness-algorithm auto-accept-camera-and-microphone-capture deny-permission-prompts auto-select-desktop-capture-source auto-select-tab-capture-source-by-title enable-usermedia-screen-capturing allow-http-screen-capture',
  ),
  ...passed('User agent, same as `userAgent`', 'user-agent'),
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
    'No background work or traffic by the browser itself',
    'disable-background-networking disable-background-timer-throttling disable-backgrounding-occluded-windows disable-renderer-backgrounding disable-component-update disable-sync disable-default-apps disable-domain-reliability disable-field-trial-config disable-stack-profiler disable-updater-scheduler disable-breakpad disable-crash-reporter metrics-recording-only no-experiments simulate-outdated-no-au disable-ipc-flooding-protection disable-hang-monitor',
  ),
  ...passed(
    'No dialogs or infobars, which nobody would answer',
    'no-first-run no-default-browser-check disable-infobars enable-automation test-type hide-crash-restore-bubble disable-search-engine-choice-screen noerrdialogs propagate-iph-for-testing unsafely-disable-devtools-self-xss-warnings',
  ),
  ...passed('No system keyring', 'password-store'),
  ...passed(
    'No extensions',
    'disable-extensions disable-component-extensions-with-background-pages disable-extensions-http-throttling disable-extensions-file-access-check',
  ),
  limited('load-extension', 'Extensions of EXTENSIONS_DIR', extensionNames, namesOfExtensions),
  limited(
    'disable-extensions-except',
    'Extensions in EXTENSIONS_DIR, which it also loads',
    extensionNames,
    namesOfExtensions,
  ),
  ...passed('Incognito window', 'incognito'),
  ...passed('Developer tools in every tab', 'auto-open-devtools-for-tabs'),
  limited('profile-directory', 'Profile inside the profile directory', /^[\w -]{1,40}$/, 'a name such as Default'),
  ...passed('Persistent profile, same as `userDataDir`', 'user-data-dir'),
  ...passed('Output to the server log', 'log-level disable-logging v vmodule'),
  limited('enable-logging', 'Output to the server log', /^(stderr)?$/, 'stderr'),

  ...server(
    'The sandbox is on wherever it works on this server.',
    'no-sandbox disable-setuid-sandbox disable-gpu-sandbox disable-namespace-sandbox disable-seccomp-filter-sandbox no-zygote-sandbox',
  ),
  ...server('The server decides which processes a browser has.', 'single-process no-zygote in-process-gpu'),
  ...server(
    'UDP would bypass the network filter of the server, so it stays off.',
    'force-webrtc-ip-handling-policy webrtc-ip-handling-policy enforce-webrtc-ip-permission-check enable-quic',
  ),
  ...server('In Firefox, it changes only the first window, which no client sees.', 'width height devtools safe-mode'),
  ...server('A browser starts with the pages that its clients create.', 'no-startup-window restore-last-session'),
  ...server('Temporary files are in a session directory.', 'disk-cache-dir media-cache-dir'),
  ...server('The server does not load extensions from a path.', 'enable-unsafe-extension-debugging'),
  ...server(
    "This server's Chromium does not support this switch, or no longer does; it has no effect.",
    'aggressive-cache-discard disable-background-mode disable-bundled-ppapi-flash disable-client-side-phishing-detection disable-cloud-import disable-component-cloud-policy disable-databases disable-desktop-notifications disable-device-discovery-notifications disable-edgeupdater disable-flash-3d disable-flash-stage3d disable-http-cache disable-low-res-tiling disable-machine-id disable-offer-store-unmasked-wallet-cards disable-offer-upload-credit-cards disable-permissions-api disable-plugins disable-plugins-discovery disable-save-password-bubble disable-session-crashed-bubble disable-signin-promo disable-site-isolation-for-policy disable-tab-for-desktop-share disable-threaded-scrolling disable-touch-drag-drop disable-translate disable-wake-on-wifi disable-win32k-lockdown dns-prefetch-disable do-not-de-elevate edge-skip-compat-layer-relaunch enable-begin-frame-scheduling enable-font-antialiasing enable-surface-synchronization enable-webgl export-tagged-pdf ignore-gpu-blacklist ignore-ssl-errors ignore-urlfetcher-cert-requests media-cache-size memory-pressure-off metrics-reporting-disabled no-crash-upload no-network-profile-warning no-referrers no-service-autorun process-per-tab reduce-security-for-testing safebrowsing-disable-auto-update suppress-message-center-popups use-mock-keychain wm-window-animations-disabled',
  ),

  ...refused(
    'it starts a program on the server',
    'renderer-cmd-prefix utility-cmd-prefix gpu-launcher zygote-cmd-prefix browser-subprocess-path renderer-startup-dialog gpu-startup-dialog utility-startup-dialog',
  ),
  ...refused(
    "it loads code from the server's disk",
    'load-and-launch-app pack-extension custom-devtools-frontend register-pepper-plugins',
  ),
  ...refused(
    'it reads a file on the server',
    'use-file-for-fake-audio-capture use-file-for-fake-video-capture allow-file-access-from-files',
  ),
  ...refused(
    'it writes a file on the server',
    'log-file crash-dumps-dir log-net-log ssl-key-log-file trace-startup trace-startup-file enable-tracing enable-tracing-output profiling-file webrtc-event-logging dump-browser-histograms',
  ),
  ...refused('it writes a file on the server; use the route of that name', 'print-to-pdf screenshot dump-dom'),
  ...refused(
    'traffic must pass through the network filter of the server; set a proxy with --proxy-server',
    'no-proxy-server proxy-auto-detect proxy-pac-url host-rules host-resolver-rules',
  ),
  ...refused('it opens a page that bypasses the checks of the server; open it with a client', 'app app-id'),
  ...refused('it turns the process into something other than a browser', 'type'),
  ...refused(
    'the server itself controls the browser this way; connect to the server instead',
    'remote-debugging-port remote-debugging-pipe remote-debugging-address remote-allow-origins',
  ),
]);
