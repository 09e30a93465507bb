// Finds browser functions that a script replaced: by their source text, by a prototype that native functions do not
// have, and by how getters of `navigator` fail on a receiver of a different type.

const textOf = Function.prototype.toString;
const nativeText = /^function [^\n]*\{\s*\[native code\]\s*\}$/;
/** More findings than this are not worth reading. */
const maxFindings = 12;

/** Prototypes that scripts change to hide automation. */
const prototypes: Record<string, object> = {
  Navigator: Navigator.prototype,
  Screen: Screen.prototype,
  HTMLCanvasElement: HTMLCanvasElement.prototype,
  WebGLRenderingContext: WebGLRenderingContext.prototype,
  Element: Element.prototype,
  HTMLElement: HTMLElement.prototype,
  Document: Document.prototype,
  HTMLIFrameElement: HTMLIFrameElement.prototype,
  Permissions: Permissions.prototype,
  MediaDevices: MediaDevices.prototype,
  Notification: Notification.prototype,
  AudioBuffer: AudioBuffer.prototype,
  CanvasRenderingContext2D: CanvasRenderingContext2D.prototype,
  Date: Date.prototype,
  DateTimeFormat: Intl.DateTimeFormat.prototype,
  Function: Function.prototype,
  HTMLMediaElement: HTMLMediaElement.prototype,
  PluginArray: PluginArray.prototype,
  MimeTypeArray: MimeTypeArray.prototype,
  MouseEvent: MouseEvent.prototype,
  Error: Error.prototype,
  console,
};

/** How a getter behaves on a receiver of a different type: native getters throw a TypeError from their own frame. */
function receiverFault(getter: () => unknown): string | undefined {
  try {
    getter.call({});
    return 'accepts any object';
  } catch (error) {
    if (!(error instanceof TypeError)) return 'throws a different error';
    return /at (Object|Reflect)\.apply|Proxy/.test(error.stack ?? '') ? 'a proxy in its stack' : undefined;
  }
}

function faultOf(fn: (...args: never[]) => unknown): string | undefined {
  if (!nativeText.test(textOf.call(fn).replace(/\n\s*/g, ' '))) return 'non-native source text';
  return Object.hasOwn(fn, 'prototype') ? 'has a prototype' : undefined;
}

function faultsOf(owner: string, prototype: object): string[] {
  return Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, descriptor]) => {
    if (name === 'constructor') return [];
    const functions = [descriptor.get, descriptor.set, descriptor.value].filter((one) => typeof one === 'function');
    const faults = functions.map(faultOf);
    if (owner === 'Navigator' && descriptor.get !== undefined) faults.push(receiverFault(descriptor.get));
    return faults.flatMap((fault) => (fault === undefined ? [] : [`${owner}.${name}: ${fault}`]));
  });
}

/** Functions that are not the browser's own, each with the evidence; at most twelve. */
export function tamperedFunctions(): string[] {
  return Object.entries(prototypes)
    .flatMap(([owner, prototype]) => faultsOf(owner, prototype))
    .slice(0, maxFindings);
}
