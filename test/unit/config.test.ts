// The configuration (compatibility.mdx#settings): aliases, defaults, booleans, reporting all errors together, secrets.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { ConfigError, describeSettings, parseConfig, publicConfig } from '../../src/base/config/config.ts';
import { exposureWarnings } from '../../src/api/routes/http/caller/posture.ts';
import { helpText } from '../../src/base/config/help.ts';
import { ignoredNames } from '../../src/base/config/ignored.ts';
import { suite } from '../support/suite.ts';

const test = suite('config');

type Env = Record<string, string | undefined>;

const read = (env: Env = {}, args: string[] = [], files: Record<string, string> = {}) =>
  parseConfig({ env, args, readText: (path) => files[path], tmpdir: '/tmp', homedir: '/home/me' });

async function problemsOf(env: Env, args: string[] = [], files: Record<string, string> = {}): Promise<ConfigError> {
  try {
    await read(env, args, files);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('warns about a UNITS_FILE in a temporary directory if TOKENS_FILE is set', async () => {
  const warningsFor = async (env: Env) => exposureWarnings((await read(env)).config).join();
  const file = { TOKENS_FILE: '/etc/tokens.json' };
  assert.match(
    await warningsFor({ ...file, UNITS_FILE: join(tmpdir(), 'units.jsonl') }),
    'set UNITS_FILE to a persistent file',
  );
  assert.not.match(await warningsFor({ ...file, UNITS_FILE: '/var/lib/units.jsonl' }), 'UNITS_FILE');
  assert.not.match(await warningsFor({ TOKEN: 'x', UNITS_FILE: join(tmpdir(), 'units.jsonl') }), 'UNITS_FILE');
});

test('defaults', async () => {
  const { config, warnings, given } = await read();
  assert.is(config.PORT, 3000);
  assert.is(config.HOST, 'localhost');
  assert.equal(config.TOKEN, []);
  assert.is(config.CONCURRENT, 10);
  assert.is(config.TIMEOUT, 30_000);
  assert.is(config.BQL_TIMEOUT, 60_000);
  assert.is(config.MAX_TIMEOUT, 0);
  assert.is(config.DATA_DIR, '/tmp/browserless-data-dirs');
  assert.is(config.CACHE_DIR, '/home/me/.cache/browserd');
  assert.is(config.ISOLATION, 'context');
  assert.is(config.EXTERNAL, undefined);
  assert.is(config.CORS_ALLOW_CREDENTIALS, true);
  assert.equal(warnings, []);
  assert.is(given.size, 0);
  assert.ok(Object.isFrozen(config));
});

test.peer('management and settings', 'scratch directories: short names, even under a long path');
test('a SCRATCH_DIR too long for socket paths is rejected, or replaced if it is the default', async () => {
  const long = `/srv/${'x'.repeat(45)}`;
  const { message } = await problemsOf({ SCRATCH_DIR: long });
  assert.match(message, /SCRATCH_DIR must be at most 49 bytes long, got 50: .* Choose a directory with a shorter path/);
  assert.is((await read({ SCRATCH_DIR: long.slice(0, 49) })).config.SCRATCH_DIR, long.slice(0, 49));
  assert.match((await problemsOf({ SCRATCH_DIR: `/srv/${'é'.repeat(23)}` })).message, /got 51/);
  const source = { env: {}, args: [], readText: () => undefined, tmpdir: long, homedir: '/home/me' };
  const { config, warnings } = await parseConfig(source);
  assert.is(config.SCRATCH_DIR, '/tmp/browserless-scratch-dirs');
  assert.match(warnings.join(), /temporary directory \(TMPDIR\) is too long/);
});

test('TIMEOUT also applies to BrowserQL unless BQL_TIMEOUT is set', async () => {
  assert.is((await read({ TIMEOUT: '30000' })).config.BQL_TIMEOUT, 30_000);
  assert.is((await read({ CONNECTION_TIMEOUT: '-1' })).config.BQL_TIMEOUT, 0);
  assert.is((await read({ TIMEOUT: '30000', BQL_TIMEOUT: '50000' })).config.BQL_TIMEOUT, 50_000);
  assert.is((await read({ BQL_TIMEOUT: '50000' })).config.TIMEOUT, 30_000);
});

test.peer('management and settings');
test('aliases: the first name wins', async () => {
  assert.is((await read({ MAX_CONCURRENT_SESSIONS: '3' })).config.CONCURRENT, 3);
  assert.is((await read({ MAX_CONCURRENT_SESSIONS: '3', CONCURRENT: '4' })).config.CONCURRENT, 4);
  assert.is((await read({ QUEUED: '3', QUEUE_LENGTH: '4' })).config.QUEUED, 4);
  assert.is((await read({ EXTERNAL: 'http://a', PROXY_URL: 'http://b' })).config.EXTERNAL, 'http://b');
  assert.is((await read({ CONNECTION_TIMEOUT: '5' })).config.TIMEOUT, 5);
  assert.ok((await read({ ENABLE_API_GET: 'true', ENABLE_CORS: '1' })).config.ALLOW_GET);
});

test('zero is a value, and -1 means no limit', async () => {
  const { config } = await read({ CONCURRENT: '0', QUEUED: '0', TIMEOUT: '-1' });
  assert.is(config.CONCURRENT, 0);
  assert.is(config.QUEUED, 0);
  assert.is(config.TIMEOUT, 0);
});

test.peer('management and settings');
test('anything but false is true, even an empty string', async () => {
  for (const [text, expected] of [
    ['false', false],
    ['true', true],
    ['', true],
    ['0', true],
    ['no', true],
  ] as const) {
    assert.is((await read({ HEALTH: text })).config.HEALTH, expected, text);
  }
});

test('an empty string leaves settings of other types unset', async () => {
  const { config } = await read({ PORT: '', TOKEN: '', EXTERNAL: ' ' });
  assert.is(config.PORT, 3000);
  assert.equal(config.TOKEN, []);
  assert.is(config.EXTERNAL, undefined);
});

test('ALLOWED_CDP_METHODS requires methods with their domain', async () => {
  assert.equal((await read()).config.ALLOWED_CDP_METHODS, []);
  const { config } = await read({ ALLOWED_CDP_METHODS: 'SystemInfo.getInfo, DeviceAccess.*' });
  assert.equal(config.ALLOWED_CDP_METHODS, ['SystemInfo.getInfo', 'DeviceAccess.*']);
  for (const wrong of ['*', 'Page', 'Page.', 'Page.nav*', '*.navigate', 'Page.navigate;Tethering.bind', '.*']) {
    const { message } = await problemsOf({ ALLOWED_CDP_METHODS: wrong });
    assert.match(message, /ALLOWED_CDP_METHODS must be a comma-separated list of methods and domains/, wrong);
  }
});

test('the command line overrides the environment', async () => {
  const args = ['--port=4000', '--allow-get', '--max-concurrent-sessions', '7', '--log-level=DEBUG'];
  const { config, given } = await read({ PORT: '1', CONCURRENT: '2' }, args);
  assert.is(config.PORT, 4000);
  assert.is(config.ALLOW_GET, true);
  assert.is(config.CONCURRENT, 7);
  assert.is(config.LOG_LEVEL, 'debug');
  assert.ok(given.has('PORT'));
});

test('merges the tokens of the variable and the file', async () => {
  const { config } = await read({ TOKEN: 'a, b', TOKEN_FILE: '~/t' }, [], { '/home/me/t': 'b\nc\n' });
  assert.equal(config.TOKEN, ['a', 'b', 'c']);
});

test('a missing or empty token file does not leave the server open', async () => {
  assert.match((await problemsOf({ TOKEN_FILE: '/x' })).message, /TOKEN_FILE must name a readable file, got "\/x"/);
  assert.match((await problemsOf({ TOKEN_FILE: '/x' }, [], { '/x': '\n' })).message, /at least one token/);
  assert.match((await problemsOf({ TOKEN: ',' })).message, /TOKEN must be a comma-separated list\./);
});

test('reports all problems together, each with name, value and fix', async () => {
  const { problems } = await problemsOf(
    { PORT: '99999', CONNECTION_TIMEOUT: 'soon', ISOLATION: 'vm', EXTERNAL: 'example.com' },
    ['--quued=5', '--host'],
  );
  assert.is(problems.length, 6);
  const text = problems.join('\n');
  assert.match(
    text,
    'PORT must be a whole number from 0 to 65535, got "99999". Change it, or leave it out for the default 3000.',
  );
  assert.match(text, /CONNECTION_TIMEOUT \(TIMEOUT\) must be a whole number of milliseconds.*got "soon"/);
  assert.match(text, 'ISOLATION must be context or process, got "vm"');
  assert.match(text, /EXTERNAL.*must be an absolute http or https URL/);
  assert.match(text, '--quued is not a known option; did you mean --queued?');
  assert.match(text, '--host needs a value');
});

test('warns about names without effect and renamed settings', async () => {
  const { warnings, config } = await read({ PREBOOT_CHROME: 'true', PRE_REQUEST_HEALTH_CHECK: 'true' });
  assert.is(warnings.length, 2);
  assert.match(warnings.join('\n'), 'PREBOOT_CHROME has no effect here');
  assert.match(warnings.join('\n'), 'PRE_REQUEST_HEALTH_CHECK was renamed: set HEALTH');
  assert.ok(config.HEALTH);
});

test('captcha solver: URL and key require each other, and the old key name implies CapSolver', async () => {
  const [url, key] = ['http://10.0.0.7:8080', 'canary-key'];
  const both = (await read({ CAPTCHA_SOLVER_URL: url, CAPTCHA_SOLVER_KEY: key })).config;
  assert.equal([both.CAPTCHA_SOLVER_URL, both.CAPTCHA_SOLVER_KEY], [url, key]);
  const old = (await read({ CAPSOLVER_API_KEY: key })).config;
  assert.equal([old.CAPTCHA_SOLVER_URL, old.CAPTCHA_SOLVER_KEY], ['https://api.capsolver.com', key]);
  assert.is((await read({ CAPSOLVER_API_KEY: key, CAPTCHA_SOLVER_URL: url })).config.CAPTCHA_SOLVER_URL, url);
  const { message } = await problemsOf({ CAPTCHA_SOLVER_KEY: key });
  assert.match(message, /CAPTCHA_SOLVER_KEY needs CAPTCHA_SOLVER_URL/);
  assert.not.match(message, key);
  assert.match((await problemsOf({}, [`--captcha-solver-key=${key}`])).message, /needs CAPTCHA_SOLVER_URL/);
  assert.match((await problemsOf({ CAPTCHA_SOLVER_URL: url })).message, /CAPTCHA_SOLVER_URL needs CAPTCHA_SOLVER_KEY/);
});

const provider = 'http://me[-{country}][-{city}]:canary-password@h:1';

test('RESIDENTIAL_PROXY_CITIES: country and city pairs, separated by commas or newlines', async () => {
  const cities = async (text: string) =>
    (await read({ RESIDENTIAL_PROXY_URL: provider, RESIDENTIAL_PROXY_CITIES: text })).config.RESIDENTIAL_PROXY_CITIES;
  assert.equal(await cities(' de:Berlin,US: New York\nbr:São Paulo,us:Berlin,'), [
    'de:Berlin',
    'US: New York',
    'br:São Paulo',
    'us:Berlin',
  ]);
  assert.equal(await cities(''), []);
  assert.is((await cities(Array.from({ length: 10_000 }, (_, at) => `us:Town ${at}`).join())).length, 10_000);
});

const wrongCities: Record<string, string> = {
  'germany:Berlin': 'entry 2, "germany:Berlin", does not start with two letters and a colon',
  Berlin: 'entry 2, "Berlin", does not start with two letters and a colon',
  ':Berlin': 'entry 2, ":Berlin", does not start',
  'de:': 'the city of entry 2, "de:", must be a name',
  'de:a:b@evil.example': 'the city of entry 2, "de:a:b@evil.example", must be a name',
  [`de:${'x'.repeat(101)}`]: 'must be a name: at most 100 letters',
  'FR:paris': 'entry 2, "FR:paris", is the same city as "fr:Paris"',
  [Array.from({ length: 10_000 }, (_, at) => `us:Town ${at}`).join()]: 'it has 10001 entries',
  [`de:${'x'.repeat(100_000)}`]: 'entry 2, "de:xxx',
};
for (const [entry, says] of Object.entries(wrongCities)) {
  test(`RESIDENTIAL_PROXY_CITIES: reports the invalid entry ${entry.slice(0, 20)}`, async () => {
    const { problems } = await problemsOf({
      RESIDENTIAL_PROXY_URL: provider,
      RESIDENTIAL_PROXY_CITIES: `fr:Paris,${entry}`,
    });
    assert.is(problems.length, 1);
    const [problem = ''] = problems;
    assert.match(problem, 'RESIDENTIAL_PROXY_CITIES must be a comma-separated list of at most 10000 cities');
    assert.match(problem, says);
    assert.match(problem, 'Change it, or leave it out');
    assert.ok(problem.length < 700, `${problem.length} characters`);
  });
}

test('RESIDENTIAL_PROXY_CITIES: needs a provider URL with {city}', async () => {
  const RESIDENTIAL_PROXY_CITIES = 'de:Berlin';
  const without = await problemsOf({ RESIDENTIAL_PROXY_CITIES });
  assert.equal(without.problems.length, 1);
  assert.match(without.message, 'RESIDENTIAL_PROXY_CITIES needs RESIDENTIAL_PROXY_URL. Set the URL');
  const withoutCity = await problemsOf({
    RESIDENTIAL_PROXY_CITIES,
    RESIDENTIAL_PROXY_URL: provider.replace('[-{city}]', ''),
  });
  assert.match(withoutCity.message, 'RESIDENTIAL_PROXY_CITIES needs {city} in RESIDENTIAL_PROXY_URL');
  assert.not.match(withoutCity.message, 'canary-password');
  // Only the problem with the URL is reported.
  const broken = await problemsOf({ RESIDENTIAL_PROXY_CITIES, RESIDENTIAL_PROXY_URL: 'ftp://h' });
  assert.is(broken.problems.length, 1);
  assert.match(broken.message, 'RESIDENTIAL_PROXY_URL must be');
});

test('warns about each setting without effect, but not about an empty one', async () => {
  const env = {
    KEY: 'abc-secret',
    OTEL_BSP_MAX_QUEUE_SIZE: '1',
    OTEL_SERVICE_NAME: 'x',
    EXTENSIONS_DIR: '',
    DEBUG: '*',
  };
  const { warnings } = await read(env);
  assert.equal(warnings.map((line) => line.split(' ', 1)[0]).toSorted(), ['DEBUG', 'KEY', 'OTEL_BSP_MAX_QUEUE_SIZE']);
  assert.not.match(warnings.join('\n'), 'abc-secret');
});

test.differs('`PROXY_HOST`, `PROXY_PORT`, `PROXY_SSL`', 'Hooks, custom routes, the SDK (`ROUTES`, `STATIC`)');
test('warns once about each browserless setting without effect, and says what to do instead', async () => {
  const names = Object.keys(ignoredNames).map((name) => name.replace('*', 'ANY'));
  for (const name of ['ROUTES', 'STATIC', 'PROXY_HOST', 'KEEP_ALIVE']) assert.ok(names.includes(name), name);
  const { warnings } = await read(Object.fromEntries(names.map((name) => [name, 'true'])));
  assert.equal(warnings.map((warning) => warning.split(' ')[0]).toSorted(), names.toSorted());
  for (const warning of warnings) assert.match(warning, /^\w+ has no effect here.*: \S+ \S+/);
});

test('/config returns the documented names and no secrets', async () => {
  const { config } = await read({ TOKEN: 's3cret', ERROR_ALERT_URL: 'http://u:p4ss@h/?token=abc' });
  const shown = publicConfig(config);
  assert.equal(
    Object.keys(shown),
    'allowCORS allowFileProtocol allowGetCalls concurrent data debug errorAlertURL healthFailureURL host maxCPU maxMemory metricsJSONPath port queued queuedAlertURL rejectAlertURL retries timeout timeoutAlertURL token'.split(
      ' ',
    ),
  );
  assert.is(shown['token'], '***');
  assert.is(shown['rejectAlertURL'], null);
  assert.not(/s3cret|p4ss|abc/.test(JSON.stringify(shown)));
  assert.is(publicConfig((await read()).config)['token'], null);
});

test('the help text lists every setting', () => {
  const help = helpText();
  for (const { option, names, description } of describeSettings()) {
    assert.ok(help.includes(option) && names.every((name) => help.includes(name)), option);
    assert.match(description, /\.$/, option);
  }
});

test('OpenTelemetry is enabled by OTEL_ENABLED or by an endpoint, unless OTEL_ENABLED is false', async () => {
  const endpoint = 'http://collector:4318';
  const isOn = async (env: Env) => (await read(env)).config.OTEL_ENABLED;
  assert.is(await isOn({}), false);
  assert.is(await isOn({ OTEL_ENABLED: 'true' }), true);
  assert.is(await isOn({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }), true);
  assert.is(await isOn({ OTEL_ENABLED: 'false', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }), false);
  assert.is(await isOn({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }), false);
  const { config, warnings } = await read({ OTEL_ENABLED: 'true', OTEL_SERVICE_NAME: 'mine' });
  assert.equal(warnings, []);
  assert.is(config.OTEL_EXPORTER_OTLP_ENDPOINT, 'http://localhost:4318');
  assert.is(config.OTEL_METRIC_EXPORT_INTERVAL, 60_000);
  assert.equal(
    [config.OTEL_TRACES_ENABLED, config.OTEL_METRICS_ENABLED, config.OTEL_LOGS_ENABLED],
    [true, true, false],
  );
});

test('rejects invalid settings of OpenTelemetry with a message that never contains a key', async () => {
  assert.match(
    (await problemsOf({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).message,
    /OTEL_EXPORTER_OTLP_PROTOCOL must be http\/protobuf, got "grpc"/,
  );
  assert.match(
    (await problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' })).message,
    /must be an absolute http or https/,
  );
  for (const headers of [
    'canary-4711',
    'a b=canary-4711',
    'x=%zzcanary-4711',
    'x=canary-4711%0D%0Ay: z',
    ',',
    '=canary-4711',
  ]) {
    const message = (await problemsOf({ OTEL_EXPORTER_OTLP_HEADERS: headers })).message;
    assert.match(message, /OTEL_EXPORTER_OTLP_HEADERS must be comma-separated name=value/);
    assert.not.match(message, 'canary-4711');
  }
  assert.match(
    (await problemsOf({ OTEL_RESOURCE_ATTRIBUTES: 'team' })).message,
    /OTEL_RESOURCE_ATTRIBUTES must be .* got "team"/,
  );
  assert.match((await problemsOf({ OTEL_METRIC_EXPORT_INTERVAL: '5' })).message, /from 100 to 86400000/);
  const { config } = await read({
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc%2Cd, x-team = a=b ,empty=',
    OTEL_RESOURCE_ATTRIBUTES: 'team=a%20b,k8s.pod.name=browserd-0',
  });
  assert.equal(config.OTEL_EXPORTER_OTLP_HEADERS, { authorization: 'Bearer abc,d', 'x-team': 'a=b', empty: '' });
  assert.equal(config.OTEL_RESOURCE_ATTRIBUTES, { team: 'a b', 'k8s.pod.name': 'browserd-0' });
  assert.match(helpText(), '--otel-exporter-otlp-headers');
});

test('warns about SDK variables that are not settings', async () => {
  const { warnings } = await read({ OTEL_TRACES_SAMPLER: 'always_off', OTEL_SERVICE_NAME: 'x' });
  assert.is(warnings.length, 1);
  assert.match(warnings[0] ?? '', /^OTEL_TRACES_SAMPLER has no effect here/);
});
