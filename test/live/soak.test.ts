// A short soak run of live views (test/bench/live/soak.ts): one of each abrupt ending leaves no process, socket, slot
// or file behind.
import * as assert from 'uvu/assert';
import { soakViews } from '../bench/live/soak.ts';
import { startProcess, stopAll, type ServerProcess } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('soak of live views');
let service: ServerProcess;

test.before(async () => {
  service = await startProcess({ env: { SPARES: '0' } });
});
test.after(() => stopAll(service));

test('views that end abruptly leave nothing behind', async () => {
  const { problems } = await soakViews(service, 7, 2);
  assert.equal(problems, []);
});
