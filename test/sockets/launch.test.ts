// Effects of launch options and profiles on the browser of a socket (compatibility.mdx#launch-options).
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { connect, endAll, noSessions, rawClient, sessionsOf, socketUrl } from '../support/clients/clients.ts';
import { missing } from '../support/programs.ts';
import { fixtureSuite } from '../support/fixture.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const { test, fixture } = fixtureSuite('launch options of sockets', {
  env: { TOKEN: 'secret-token', CONCURRENT: '5' },
});

test.after.each(() => endAll(fixture.service));

test.peer('sockets', 'CDP: ignoreDefaultArgs true');
test('launch options work in the query, in launch and in base64', async () => {
  const launch = JSON.stringify({ args: ['--lang=de-DE'] });
  const bare = JSON.stringify({ args: ['--lang=de-DE'], ignoreDefaultArgs: true });
  for (const query of [{ launch }, { launch: Buffer.from(bare).toString('base64') }, { '--lang': 'de-DE' }]) {
    const browser = await connect(fixture.service, '/', query);
    assert.match((await (await browser.pages())[0]?.evaluate('navigator.language')) as string, /^de/);
    await browser.close();
  }
});

/** The command line of a browser that is showing a page. */
async function commandLine(query: Record<string, string>): Promise<string> {
  const browser = await connect(fixture.service, '/', query);
  const [entry] = await sessionsOf(fixture.service);
  // The browser's helpers mention the directory too, and have lower ids if the system's process ids have wrapped
  // around.
  const ofSession = ({ command }: { command: string }) =>
    command.includes(`--user-data-dir=${entry?.userDataDir}`) && !command.includes('--type=');
  const command = fixture.service.tree().find(ofSession)?.command;
  const page = await browser.newPage();
  await page.goto(`${fixture.site.url}/`);
  assert.is(await page.title(), 'Test page');
  await browser.close();
  await noSessions(fixture.service);
  return command ?? '';
}

test('headless: "shell" starts the headless shell', async () => {
  // A virtual browser is a headless shell too, but its process does not belong to a session.
  const query = { launch: '{"headless":"shell"}', isolation: 'process' };
  assert.match(await commandLine(query), /headless-shell/);
});

test.peer('sockets');
test.needs('a full Chromium');
test('headless=true starts a full browser without a window', async () => {
  assert.match(await commandLine({ headless: 'true' }), /--headless=new/);
});

test.peer('sockets');
test.unless(missing('a full Chromium', 'a display'))(
  'headless=false opens a window on the virtual display',
  async () => {
    assert.not.match(await commandLine({ headless: 'false' }), /--headless/);
  },
);

test('self-signed certificates are rejected by default and accepted with acceptInsecureCerts', async () => {
  const strict = await connect(fixture.service);
  const page = await strict.newPage();
  await page.goto(`${fixture.site.secureUrl}/`).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /ERR_CERT/),
  );
  await strict.close();
  const lenient = await connect(fixture.service, '/', { acceptInsecureCerts: true });
  const other = await lenient.newPage();
  await other.goto(`${fixture.site.secureUrl}/`);
  assert.is(await other.title(), 'Test page');
  await lenient.close();
});

test.peer('sockets');
test('a file chooser accepts a file', async () => {
  const browser = await connect(fixture.service);
  const page = await browser.newPage();
  await page.setContent('<input type=file>');
  const [entry] = await sessionsOf(fixture.service);
  const put = await fixture.service.post(`/session-files/${entry?.id}/chosen.txt`, 'chosen', { method: 'PUT' });
  assert.is(put.status, 201);
  const [chooser] = await Promise.all([page.waitForFileChooser(), page.click('input')]);
  await chooser.accept([put.json<{ path: string }>().path]);
  assert.is(await page.$eval('input', (input: { files?: { name: string }[] }) => input.files?.[0]?.name), 'chosen.txt');
  await browser.close();
});

test.peer('sockets');
test.peer('sockets', '--user-data-dir among the switches: created and kept');
test('temporary profiles are removed with their session, named ones are kept', async () => {
  const before = readdirSync(fixture.service.dataDir).length;
  const browser = await connect(fixture.service, '/', { '--lang': 'fr' });
  const [entry] = await sessionsOf(fixture.service);
  assert.is(entry?.isTempDataDir, true);
  assert.ok(existsSync(entry?.userDataDir ?? ''));
  await browser.disconnect();
  await until('the profile to be gone', () => !existsSync(entry?.userDataDir ?? ''), 20_000);
  const directory = join(fixture.service.baseDir, 'profiles', 'kept');
  for (const query of [{ launch: JSON.stringify({ userDataDir: directory }) }, { '--user-data-dir': directory }]) {
    const named = await connect(fixture.service, '/', query);
    assert.is((await sessionsOf(fixture.service))[0]?.userDataDir, directory);
    assert.is((await sessionsOf(fixture.service))[0]?.isTempDataDir, false);
    await named.close();
    await noSessions(fixture.service);
    assert.ok(existsSync(directory));
  }
  await until('as many profiles as before', () => readdirSync(fixture.service.dataDir).length <= before + 4);
});

test.peer('network and switches');
test("clients' pages are subject to the network filter too", async () => {
  await using guarded = await startService({ env: { BLOCK_PRIVATE_NETWORK: 'true' } });
  const browser = await connect(guarded);
  const page = await browser.newPage();
  for (const url of ['http://169.254.169.254/', `${fixture.site.url}/`, `${guarded.url}/active`]) {
    await page.goto(url).then(
      () => assert.unreachable(`${url} was reached`),
      (error: Error) => assert.match(error.message, /net::ERR_/),
    );
  }
  await browser.close();
  // A context cannot bypass it either, however its proxy is spelled.
  const client = await rawClient(socketUrl(guarded, '/'));
  for (const name of ['proxyServer', 'proxy\\u0053erver']) {
    const answer = new Promise<string>((resolve) =>
      client.socket.on('message', (data) => /"id":77\b/.test(String(data)) && resolve(String(data))),
    );
    client.socket.send(`{"id":77,"method":"Target.createBrowserContext","params":{"${name}":"direct://"}}`);
    assert.match(await answer, /"error"/);
  }
  client.socket.close();
});
