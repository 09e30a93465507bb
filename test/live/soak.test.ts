// A short soak run of live views (test/bench/live/soak.ts): one of each abrupt ending leaves no process, socket, slot
// or file behind.
import * as assert from 'uvu/assert';
import { soakViews } from '../bench/live/soak.ts';
import { processSuite } from '../support/fixture.ts';

const { test, service } = processSuite('soak of live views', { env: { SPARES: '0' } });

test('views that end abruptly leave nothing behind', async () => {
  const { problems } = await soakViews(service, 7, 2);
  assert.equal(problems, []);
});
