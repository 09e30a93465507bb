// Rolling restarts of three servers behind NGINX and HAProxy, with at least 500 calls each: npm run rolling
import { proxyPrograms } from '../support/proxy-server.ts';
import { rollingRestart } from '../support/rolling-restart.ts';

const calls = 500;
const files = { nginx: 'nginx-several.conf', haproxy: 'haproxy-several.cfg' } as const;

for (const name of ['nginx', 'haproxy'] as const) {
  const result = await rollingRestart(name, files[name], calls);
  console.log(
    `${proxyPrograms[name]}: ${result.failures.length} failed of ${result.calls}, ${result.restarts} restarts`,
  );
  if (result.failures.length > 0) throw new Error(result.failures.join('\n'));
}
