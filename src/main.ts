/**
 * Entry point: prepares the process, then loads the server, the script that the server started this process to run, or
 * the command that an option selects instead of the server. Only this file is recompiled at each startup; everything
 * else comes from the runtime's compile cache.
 */
import { commandLine, keepCompiledCode, scriptName } from './base/runtime/machine.ts';
import { leaveProcessOne } from './base/program/init.ts';
import { enlargeThreadPool } from './base/runtime/thread-pool.ts';

async function run(): Promise<void> {
  // Static imports would load before the process is prepared.
  if (scriptName === undefined && commandLine.includes('--health')) {
    keepCompiledCode();
    const { health } = await import('./start/health.ts');
    await health();
  } else if (scriptName === undefined && commandLine.includes('--check')) {
    const { check } = await import('./start/check/check.ts');
    await check();
  } else if (scriptName === undefined) {
    const isProcessOne = leaveProcessOne();
    enlargeThreadPool();
    keepCompiledCode();
    const { main } = await import('./start/start.ts');
    await main({ isProcessOne });
  } else {
    keepCompiledCode();
    const { startScript } = await import('./start/scripts.ts');
    await startScript(scriptName);
  }
}

// Without await: the single binary is a CommonJS module.
void run();
