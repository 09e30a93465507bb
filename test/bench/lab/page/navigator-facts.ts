// Reads the values of `navigator`. Runs in pages, frames and all kinds of workers.
import type { Brand, NavigatorFacts } from './report.ts';

/** User-Agent Client Hints; TypeScript's DOM types do not include them. */
interface UserAgentData {
  brands: Brand[];
  getHighEntropyValues(names: string[]): Promise<{
    architecture: string;
    bitness: string;
    platform: string;
    fullVersionList: Brand[];
  }>;
}

function webglName(): string {
  const canvas = typeof document === 'undefined' ? new OffscreenCanvas(8, 8) : document.createElement('canvas');
  const gl = canvas.getContext('webgl') as WebGLRenderingContext | null;
  if (gl === null) return 'none';
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const vendor = gl.getParameter(info ? info.UNMASKED_VENDOR_WEBGL : gl.VENDOR);
  const renderer = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  return `${vendor} | ${renderer}`;
}

/** Reads the facts that must be the same in each context. */
export async function navigatorFacts(): Promise<NavigatorFacts> {
  // Workers have no `window.navigator`, and TypeScript's type for it lacks client hints.
  const own = globalThis.navigator as Navigator & { userAgentData?: UserAgentData };
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
  const hints = await own.userAgentData?.getHighEntropyValues([
    'architecture',
    'bitness',
    'platform',
    'fullVersionList',
  ]);
  return {
    userAgent: own.userAgent,
    appVersion: own.appVersion,
    platform: own.platform,
    language: own.language,
    languages: [...own.languages],
    hardwareConcurrency: own.hardwareConcurrency,
    webdriver: String(own.webdriver),
    timeZone,
    locale,
    brands: own.userAgentData?.brands.map(({ brand, version }) => ({ brand, version })) ?? [],
    fullVersions: hints?.fullVersionList ?? [],
    architecture: hints?.architecture ?? '',
    bitness: hints?.bitness ?? '',
    uaPlatform: hints?.platform ?? '',
    webgl: webglName(),
  };
}
