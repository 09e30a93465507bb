/** Loads the description of the Chrome DevTools Protocol that is part of chrome-remote-interface. */
import type CDP from 'chrome-remote-interface';

let descriptor: Promise<CDP.Protocol> | undefined;

/** `{version, domains}`; read once, on first use: it is over a megabyte. */
export function protocolDescriptor(): Promise<CDP.Protocol> {
  descriptor ??= import('chrome-remote-interface').then(({ default: library }) => library.Protocol({ local: true }));
  return descriptor;
}
