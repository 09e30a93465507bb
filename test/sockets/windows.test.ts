// Browsers with a window on the machine's display, which they share: only the operator may record it.
import * as assert from 'uvu/assert';
import { handshake } from '../support/clients/clients.ts';
import { tokenOf, tokensFile } from '../support/clients/tokens.ts';
import { startProcess } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('windows on one display', { timeoutMs: 120_000 });

test.shows('recorded-screen', 'REST', 'BrowserQL', 'CDP', 'Playwright', 'sessions');
test("tokens in the tokens file cannot record the machine's display, but the operator can", async () => {
  using file = tokensFile([{ name: 'bob', plan: 'enterprise' }]);
  await using own = await startProcess({
    env: { TOKENS_FILE: file.path, TOKEN: 'operator-token', SPARES: '0', DISPLAY: ':65000' },
  });
  const spellings = [
    '--auto-select-desktop-capture-source=Entire screen',
    '-auto-select-tab-capture-source-by-title=a',
    '--use-fake-ui-for-media-stream',
    '--enable-usermedia-screen-capturing',
    '--allow-http-screen-capture',
  ];
  const token = tokenOf('bob');
  for (const arg of spellings) {
    const launch = JSON.stringify({ headless: false, args: [arg] });
    const answers = await Promise.all([
      own.post('/content', { html: 'x' }, { token, query: { launch } }),
      own.post('/session', { headless: false, args: [arg] }, { token }),
      own.post('/chromium/bql', { query: '{ version }' }, { token, query: { launch } }),
      ...['/', '/chromium/playwright'].map((path) => handshake(own, path, { token, launch })),
    ]);
    for (const { status, text } of answers) {
      assert.is(status, 400, text);
      assert.match(text, 'share one display');
    }
  }
  const prefs = { firefoxUserPrefs: { 'media.navigator.permission.disabled': true } };
  const firefox = await handshake(own, '/firefox/playwright', { token, launch: JSON.stringify(prefs) });
  assert.is(firefox.status, 400, firefox.text);
  assert.match(firefox.text, 'share one display');
  const args = [spellings[0], '--auto-accept-camera-and-microphone-capture'];
  const asked = await own.post('/session', { args });
  assert.is(asked.status, 200, asked.text);
  const camera = await own.post('/session', { args: args.slice(1) }, { token });
  assert.is(camera.status, 200, camera.text);
});
