/**
 * Entry point: prepares the process, then loads the server. Only this file is compiled anew at each start; the rest
 * comes from the runtime's compile cache.
 */
import { keepCompiledCode } from './runtime/machine.ts';
import { leaveProcessOne } from './runtime/init.ts';
import { enlargeThreadPool } from './runtime/thread-pool.ts';

const isProcessOne = leaveProcessOne();
enlargeThreadPool();
keepCompiledCode();
// A static import would load before the lines above run.
const { main } = await import('./start.ts');
await main({ isProcessOne });
