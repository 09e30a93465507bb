// A cluster behind real NGINX and HAProxy with the files of public/deploy: a request with an id goes straight to the
// server whose NODE_NAME is in the id, through no other server. The long form: node test/bench/machine/rolling-restart.ts
// @tier ci
import * as assert from 'uvu/assert';
import { refused, succeeded } from '../support/checks/expect.ts';
import { type Reply, send } from '../support/clients/http.ts';
import { nodeNames, startListed } from '../support/cluster.ts';
import { missing } from '../support/programs.ts';
import { type RunningProxy, startProxy } from '../support/proxy-server.ts';
import { rollingCluster } from '../support/rolling-restart.ts';
import { type Service, stopAll } from '../support/service.ts';
import { figure, suite } from '../support/suite.ts';
import { until } from '../support/until.ts';

const test = suite('a cluster behind a balancer', { timeoutMs: 120_000 });
const files = { nginx: 'nginx-cluster.conf', haproxy: 'haproxy-cluster.cfg' } as const;
/** Number of requests; each starts a browser. */
const count = 6;
/** Nothing listens here: these servers cannot forward anything, so any session that is found was found by the balancer. */
const nobody = 'http://127.0.0.1:1';
let servers: Service[];

test.before(async () => {
  const env = { CLUSTER_NODES: nobody, LOG_LEVEL: 'debug' };
  servers = await startListed(3, env, (index) => ({ NODE_NAME: nodeNames[index] ?? '' }));
});
test.after(() => stopAll(...servers));

function ask({ url }: RunningProxy, method: string, path: string, body?: unknown): Promise<Reply> {
  const headers = { authorization: 'Bearer token-of-all', 'content-type': 'application/json' };
  return send(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

async function begin(proxy: RunningProxy): Promise<string> {
  const made = succeeded(await ask(proxy, 'POST', '/session', { ttl: 60_000, stealth: true }));
  return made.json<{ id: string }>().id;
}

/** How many requests to a route a server has handled. */
const answered = ({ logs }: Service, route: string) =>
  logs().filter((line) => line.event === 'request' && line['route'] === route).length;

for (const name of ['nginx', 'haproxy'] as const) {
  test.proves('NODE_NAME');
  test.needs(name);
  test(`${name}: a request with an id goes straight to its server`, async () => {
    await using proxy = await startProxy(name, files[name], servers);
    const before = servers.map((each) => answered(each, '/session-files/:id'));
    const ids: string[] = [];
    for (let turn = 0; turn < count; turn++) {
      const id = await begin(proxy);
      ids.push(id);
      succeeded(await ask(proxy, 'GET', `/session-files/${id}`));
      assert.is((await ask(proxy, 'DELETE', `/session/${id}`)).status, 204);
    }
    const made = nodeNames.map((node) => ids.filter((id) => id.startsWith(node)).length);
    assert.ok(Math.min(...made) > 0, `${made}`);
    await until('the server logs', () => {
      const now = servers.map((each, index) => answered(each, '/session-files/:id') - (before[index] ?? 0));
      return now.join() === made.join();
    });
    figure(`${name}: ${ids.length} of ${count} found, on servers with ${made.join(', ')} sessions`);
  });
}

const why = missing('nginx', 'haproxy');
const down = 'if a server is down, the others return 410 for its ids';
const rolling = 'a rolling restart behind haproxy fails no new request, and sessions on other servers are found';
if (why !== undefined) for (const title of [down, rolling]) test.skip(title, why);
else {
  test(down, async () => {
    await using nginx = await startProxy('nginx', files.nginx, servers);
    await using haproxy = await startProxy('haproxy', files.haproxy, servers);
    const ids: string[] = [];
    for (const _ of nodeNames) ids.push(await begin(nginx));
    const of = (node: string) => ids.find((id) => id.startsWith(node)) ?? `no session of ${node}`;
    const [old] = servers.splice(1, 1);
    await old?.stop();
    for (const proxy of [nginx, haproxy]) {
      refused(await ask(proxy, 'GET', `/session-files/${of('bb')}`), 410, 'has left the cluster');
      for (const node of ['aa', 'cc']) succeeded(await ask(proxy, 'GET', `/session-files/${of(node)}`));
    }
    for (const node of ['aa', 'cc']) assert.is((await ask(haproxy, 'DELETE', `/session/${of(node)}`)).status, 204);
  });

  test(rolling, async () => {
    const { calls, failures, restarts } = await rollingCluster('haproxy', files.haproxy, 40);
    figure(`${failures.length} of ${calls} requests failed, ${restarts} restarts`);
    assert.equal(failures, []);
    assert.ok(calls >= 40 && restarts >= 3, `${calls} requests, ${restarts} restarts`);
  });
}
