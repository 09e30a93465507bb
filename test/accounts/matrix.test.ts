// Tests every feature with every preset at every entry point: rejected with 401 `not-in-plan` if and only if the preset
// lacks it. The cells come from the tables of features and presets, so a new row is tested automatically.
import * as assert from 'uvu/assert';
import { type Feature, featureNames, features } from '../../src/base/account/features.ts';
import { presets } from '../../src/control/accounts/plans.ts';
import { entryPointNames, type PlanClient, requestsFor } from '../support/clients/feature-requests.ts';
import { type RawClient, rawClient, socketUrl } from '../support/clients/clients.ts';
import { tokenOf } from '../support/clients/tokens.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { until } from '../support/until.ts';

const presetNames = Object.keys(presets);
/** A plan that lacks only this feature, so that each row of the table is proven to reject. */
const withoutOnly = (feature: Feature) => `without-${feature}`;

const { test, service } = fixtureSuite('features by preset and door', {
  timeoutMs: 240_000,
  tokens: [...presetNames, ...featureNames.map(withoutOnly)].map((name) => ({ name, plan: name, concurrent: 50 })),
  plans: Object.fromEntries(featureNames.map((name) => [withoutOnly(name), { features: [`-${name}`] }])),
  // Requests must not have the operator's token.
  env: { TOKEN: '', CONCURRENT: '50', QUEUED: '100', PING_INTERVAL_MS: '200' },
});

const includes = (preset: string, feature: Feature) =>
  preset !== withoutOnly(feature) &&
  !(Object.entries(presets).find(([name]) => name === preset)?.[1].without ?? []).includes(feature);

for (const feature of featureNames) {
  test.shows('widened-plan', 'REST', 'function', 'BrowserQL', 'CDP', 'Playwright', 'sessions');
  test(`${feature}: every method at every endpoint`, async () => {
    for (const preset of [...presetNames, withoutOnly(feature)]) {
      const doors: PlanClient = { service, token: tokenOf(preset) };
      const isLaterPreset = includes(preset, feature) && preset !== presetNames.find((name) => includes(name, feature));
      // Run every method with the first preset that has the feature, and only the first method with the others.
      for (const { door, way, ask } of isLaterPreset ? requestsFor(feature).slice(0, 1) : requestsFor(feature)) {
        const cell = `${feature} × ${preset} × ${door} (${way})`;
        const refusal = await ask(doors);
        if (includes(preset, feature)) {
          assert.is(refusal, undefined, cell);
        } else {
          const sentence = `Your plan (${preset}) does not include ${features[feature].label}. Ask the operator to add "${feature}".`;
          assert.ok(refusal?.includes(sentence), `${cell}: ${refusal ?? 'the request succeeded'}`);
        }
      }
    }
  });
}

test('the table of methods lists exactly the methods in the table of features', () => {
  for (const feature of featureNames) {
    const {
      routes = [],
      parameters = [],
      sessionFields = [],
      launch = [],
      switches = [],
      commands = [],
      events = [],
      mutations = [],
    } = features[feature];
    const asked = requestsFor(feature).map(({ way }) => way);
    const declared = [routes, parameters, sessionFields, launch, switches, commands, mutations].flat();
    for (const way of declared) assert.ok(asked.includes(way), `${feature}: ${way} is not tested`);
    for (const way of asked) assert.ok(declared.includes(way), `${feature}: ${way} is not in the table of features`);
    assert.ok(asked.length + events.length > 0, `${feature} cannot be requested in any way`);
  }
  const doors = new Set(featureNames.flatMap((feature) => requestsFor(feature).map(({ door }) => door)));
  assert.equal([...doors].toSorted(), [...entryPointNames].toSorted());
});

test('events of a feature reach only clients whose plan includes it', async () => {
  const clients: (readonly [string, RawClient])[] = [];
  for (const preset of [...presetNames, withoutOnly('heartbeat')]) {
    clients.push([preset, await rawClient(socketUrl(service, '/', { token: tokenOf(preset) }))]);
  }
  const beats = ({ events }: RawClient) => events.filter(({ method }) => method === 'Browserless.heartbeat').length;
  try {
    const entitled = clients.filter(([preset]) => includes(preset, 'heartbeat'));
    await until('two heartbeats for each', () => entitled.every(([, client]) => beats(client) >= 2));
    for (const [preset, client] of clients) assert.is(beats(client) > 0, includes(preset, 'heartbeat'), preset);
  } finally {
    for (const [, { socket }] of clients) socket.close();
    await Promise.all(clients.map(([, { closed }]) => closed));
  }
});
