// `browserd --health` quickly reports whether the server with the same configuration is alive, by its exit code and in
// one line.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import * as assert from 'uvu/assert';
import { processSuite } from '../support/fixture.ts';
import { runMain, startProcess } from '../support/service.ts';
import { figure } from '../support/suite.ts';
import { until } from '../support/until.ts';

const { test, service, site } = processSuite('--health', {
  env: { SPARES: '0', HOST: '0.0.0.0', TOKEN: 'secret-token' },
});

async function asks(env: Record<string, string>, args: string[] = []) {
  const { code, output } = await runMain({ env, args: ['--health', ...args] });
  assert.is(output.trim().split('\n').length, 1, `one line: ${output}`);
  assert.not.match(output, 'secret');
  return { code, output };
}

const lives = { code: 0, output: 'The server is alive.\n' };
const portOf = (of: { port: number }) => String(of.port);

test('reports a live server at every form of its address, with and without its token', async () => {
  const PORT = portOf(service);
  for (const HOST of ['0.0.0.0', '127.0.0.1', 'localhost']) assert.equal(await asks({ PORT, HOST }), lives, HOST);
  assert.equal(await asks({ PORT, TOKEN: 'secret-other', TOKEN_FILE: '/no/such/file' }), lives);
  assert.equal(await asks({ PORT: '1' }, [`--port=${PORT}`]), lives);
});

test('a draining server is alive', async () => {
  const draining = await startProcess({ env: { SPARES: '0' } });
  try {
    const running = draining.post('/content', { url: `${site.url}/slow?ms=3000` });
    await site.waitForRequest('/slow');
    process.kill(draining.pid, 'SIGTERM');
    await until('the drain to start', async () => (await draining.get('/active')).status === 503);
    assert.equal(await asks({ PORT: portOf(draining), HOST: '127.0.0.1' }), lives);
    assert.is((await running).status, 200);
  } finally {
    await draining.stop().catch((error: unknown) => {
      // It has already exited, as the test expects; anything else is an error.
      if (!/had ended before with exit code 0(?!.*left)/.test(String(error))) throw error;
    });
  }
});

/** Runs with a different program listening on a port. */
async function withOther(server: Server, use: (port: string) => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A listening TCP server's address is never text or null.
  try {
    await use(String(port));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('exits with 1 and the reason for a missing server, another program or an invalid configuration', async () => {
  const HOST = '127.0.0.1';
  let nobody = '';
  await withOther(
    createServer((_, response) => response.writeHead(404).end()),
    async (PORT) => {
      nobody = PORT;
      const { code, output } = await asks({ PORT, HOST });
      assert.is(code, 1);
      assert.match(output, /responded with 404: another program/);
    },
  );
  const refused = await asks({ PORT: nobody, HOST });
  assert.is(refused.code, 1);
  assert.match(refused.output, `http://127.0.0.1:${nobody}/healthz did not respond (ECONNREFUSED)`);
  for (const [env, says] of [
    [{ PORT: '0' }, 'PORT=0'],
    [{ PORT: 'abc' }, 'PORT must be'],
    [{ HOST: 'no-such-host.invalid' }, 'did not respond'],
  ] as const) {
    const { code, output } = await asks({ ...env });
    assert.is(code, 1);
    assert.match(output, says);
  }
});

test('exits with 1 after two seconds for a hanging server', () =>
  withOther(
    createServer(() => {}),
    async (PORT) => {
      const began = performance.now();
      const { code, output } = await asks({ PORT, HOST: '127.0.0.1' });
      const took = performance.now() - began;
      assert.is(code, 1);
      assert.match(output, /no response within 2\d\d\d ms/);
      assert.ok(took > 2_000 && took < 4_500, `${took} ms`);
    },
  ));

test('takes a fraction of the time that a server needs to start', async () => {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    await asks({ PORT: portOf(service), HOST: '127.0.0.1' });
    times.push(performance.now() - began);
  }
  figure(`--health takes ${Math.min(...times).toFixed(0)} ms (best of ${times.length})`);
});
