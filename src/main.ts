/** The entry. Only this file is compiled anew at each start: the rest comes from the runtime's cache of compiled code. */
import { keepCompiledCode } from './runtime/machine.ts';
import { leaveProcessOne } from './runtime/init.ts';
import { enlargeThreadPool } from './runtime/thread-pool.ts';

const isProcessOne = leaveProcessOne();
enlargeThreadPool();
keepCompiledCode();
// Not a static import: those are all loaded before the first line runs.
const { main } = await import('./start.ts');
await main({ isProcessOne });
