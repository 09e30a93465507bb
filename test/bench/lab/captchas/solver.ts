// A captcha solver on loopback that implements the createTask/getTaskResult protocol and can misbehave.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the solver behaves: correctly, slowly, or with one of its errors. */
export type SolverMood = 'ready' | 'slow' | 'wrong-key' | 'no-balance' | 'unsolvable' | 'broken' | 'endless';

interface SolverCall {
  path: string;
  body: Record<string, unknown>;
}

export interface TestSolver {
  url: string;
  key: string;
  mood: SolverMood;
  calls: SolverCall[];
  /** Tasks created so far. */
  tasks(): Record<string, unknown>[];
  close(): Promise<void>;
}

const key = 'solver-key-canary';
const token = 'TOKEN.OF.THE.SOLVER';
/** The text in the site's captcha image. */
const letters = 'x7k2';

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}

export async function startSolver(): Promise<TestSolver> {
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const body = await bodyOf(request);
    solver.calls.push({ path, body });
    const send = (value: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const fail = (errorCode: string) =>
      send({ errorId: 1, errorCode, errorDescription: `clientKey ${body['clientKey']}` });
    if (solver.mood === 'broken') return response.writeHead(502).end('<h1>Bad gateway</h1>');
    if (solver.mood === 'endless') {
      const filler = 'x'.repeat(64 * 1024);
      const timer = setInterval(() => response.write(filler), 1);
      return response.on('close', () => clearInterval(timer));
    }
    if (solver.mood === 'wrong-key' || body['clientKey'] !== key) return fail('ERROR_KEY_DOES_NOT_EXIST');
    if (solver.mood === 'no-balance') return fail('ERROR_ZERO_BALANCE');
    if (path === '/createTask') return send({ errorId: 0, taskId: solver.tasks().length });
    if (solver.mood === 'unsolvable') return fail('ERROR_CAPTCHA_UNSOLVABLE');
    if (solver.mood === 'slow') return send({ errorId: 0, status: 'processing' });
    const task = solver.tasks()[Number(body['taskId']) - 1] ?? {};
    const solution = task['type'] === 'ImageToTextTask' ? { text: letters } : { token };
    return send({ errorId: 0, status: 'ready', solution });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A listening TCP server's address is never a string or null.
  const solver: TestSolver = {
    url: `http://127.0.0.1:${port}`,
    key,
    mood: 'ready',
    calls: [],
    tasks: () =>
      solver.calls.flatMap(({ path, body }) =>
        path === '/createTask' ? [body['task'] as Record<string, unknown>] : [],
      ),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return solver;
}
