/** What the service runs in processes of their own, by the names that `runScript` starts them by. */
import type { ScriptName } from '../base/program/script.ts';

const scripts: Readonly<Record<ScriptName, () => Promise<unknown>>> = {
  audit: async () => (await import('../browser/page/audit/audit-child.ts')).runAudit(),
  'compile-ad-lists': async () => (await import('../browser/page/ads/compile.ts')).compileLists(),
  playwright: async () => (await import('../sessions/playwright/host-child.ts')).runPlaywright(),
};

const isName = (name: string): name is ScriptName => Object.hasOwn(scripts, name);

/** Runs the script of this name in this process; it reads its arguments from the command line. */
export async function startScript(name: string): Promise<void> {
  if (!isName(name)) throw new Error(`no script is named "${name}": ${Object.keys(scripts).join(', ')}`);
  await scripts[name]();
}
