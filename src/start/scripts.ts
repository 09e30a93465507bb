/** Runs the scripts that the service starts in separate processes, by the name that `runScript` passes. */
import type { ScriptName } from '../base/program/script.ts';

const scripts: Readonly<Record<ScriptName, () => Promise<unknown>>> = {
  audit: async () => (await import('../browser/page/audit/audit-child.ts')).runAudit(),
  'compile-ad-lists': async () => (await import('../browser/page/ads/compile.ts')).compileLists(),
  playwright: async () => (await import('../sessions/playwright/host-child.ts')).runPlaywright(),
};

const isName = (name: string): name is ScriptName => Object.hasOwn(scripts, name);

/** Runs the named script in this process; the script reads its arguments from the command line. */
export async function startScript(name: string): Promise<void> {
  if (!isName(name)) throw new Error(`unknown script "${name}"; use one of ${Object.keys(scripts).join(', ')}`);
  await scripts[name]();
}
