// Human-like input on a page that crashes, is closed or does not respond: it stops with the page, and commands do
// not pile up.
import * as assert from 'uvu/assert';
import { ServiceError } from '../../src/base/errors.ts';
import { moveLikeHuman } from '../../src/browser/page/act/human.ts';
import { typeLikeHuman } from '../../src/browser/page/act/human-keys.ts';
import { wheelToward } from '../../src/browser/page/act/human-wheel.ts';
import { clickMouse } from '../../src/browser/page/act/input.ts';
import { navigate } from '../../src/browser/page/load/navigate.ts';
import type { Page } from '../../src/browser/page/page.ts';
import { gotoDefaults, pageSuite } from '../support/pages.ts';
import { problemOf } from '../support/refusals.ts';

const { test, fixture } = pageSuite('page: input of a person');

const far = { x: 700, y: 500 };
const start = { x: 1, y: 1 };
const slow = { least: 50, most: 200 };

/** Inputs that outlast the pages below, each with its `check`. */
const inputs: Record<string, (page: Page, check: () => void) => Promise<unknown>> = {
  'mouse moves': (page, check) => moveLikeHuman(page, start, far, check),
  'key presses': (page, check) => typeLikeHuman(page, 'Long text '.repeat(50), slow, check),
  'wheel notches': (page, check) => wheelToward(page, far, { x: undefined, y: 3_900 }, check),
  'a click': (page, check) => {
    check();
    check();
    check();
    return clickMouse(page, start, 20_000);
  },
};

function on<T>(work: (page: Page) => Promise<T>, signal?: AbortSignal): Promise<T> {
  return fixture.browser.withPage(async (page) => {
    await navigate(page, `${fixture.site.url}/bql/hand`, gotoDefaults);
    return work(page);
  }, signal);
}

/** Runs `act` at the third check of an input. */
function third(act: () => void): () => void {
  let checks = 0;
  return () => {
    if (++checks === 3) act();
  };
}

for (const [name, input] of Object.entries(inputs)) {
  test(`stops immediately when the page crashes or closes: ${name}`, async () => {
    for (const command of ['Page.crash', 'Page.close'] as const) {
      await on(async (page) => {
        const ended = input(
          page,
          third(() => page.session.send(command).catch(() => {})),
        );
        assert.is((await problemOf(ended)).code, 'page-crashed');
      });
    }
  });

  test(`stops immediately at the deadline: ${name}`, async () => {
    const controller = new AbortController();
    const reason = new ServiceError('timeout', 'Request has timed out');
    const act = (page: Page) =>
      input(
        page,
        third(() => controller.abort(reason)),
      );
    assert.is(await problemOf(on(act, controller.signal)), reason);
  });
}

test('a page that does not respond gets a bounded number of moves', async () => {
  await on(async (page) => {
    const sent: string[] = [];
    const send = page.session.send.bind(page.session);
    page.session.send = (method, params) => {
      sent.push(method);
      return method === 'Input.dispatchMouseEvent' ? new Promise(() => {}) : send(method, params);
    };
    const failure = new ServiceError('timeout', 'over');
    const moving = problemOf(moveLikeHuman(page, start, far, () => {}));
    const moves = () => sent.filter((method) => method === 'Input.dispatchMouseEvent').length;
    // A path takes about 60 moves in this time, at most 11 ms each.
    await page.sleep(500);
    page.end(failure);
    assert.is(await moving, failure);
    assert.is(moves(), 16);
  });
});
