// Rolling restarts of three servers behind NGINX and HAProxy, with at least 500 requests each, for independent servers
// and for a cluster: npm run rolling
import { proxyPrograms } from '../../support/proxy-server.ts';
import { rollingCluster, rollingRestart } from '../../support/rolling-restart.ts';

const calls = 500;
const files = {
  nginx: ['nginx-several.conf', 'nginx-cluster.conf'],
  haproxy: ['haproxy-several.cfg', 'haproxy-cluster.cfg'],
} as const;

for (const name of ['nginx', 'haproxy'] as const) {
  const [several, cluster] = files[name];
  for (const [file, roll] of [
    [several, rollingRestart],
    [cluster, rollingCluster],
  ] as const) {
    const result = await roll(name, file, calls);
    console.log(
      `${proxyPrograms[name]} ${file}: ${result.failures.length} failed of ${result.calls}, ${result.restarts} restarts`,
    );
    if (result.failures.length > 0) throw new Error(result.failures.join('\n'));
  }
}
