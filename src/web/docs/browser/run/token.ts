/** Fills the reader's token and origin into samples. The token is sent only to this server, by Run and `/config`. */
import { all, origin, socketOrigin } from '../shell/page-context.ts';
import { keys, recall, remember } from '../shell/store.ts';
import { formOf, isQuote, quoteToken } from '../../samples/quote.ts';
import { sampleToken } from '../../site/site.ts';

const messageMs = 1_500;

/** Returns the token that the reader entered; empty when there is none. */
export const currentToken = (): string => recall(keys.token);

/** True when this server requires a token. */
export const needsToken = (): boolean => document.documentElement.hasAttribute('data-needs-token');

/** Event that notifies parts of the page that depend on the token when a different token is saved. */
export const tokenEvent = 'docs-token';

/** Fills the samples of the page, or of a part that was added later. */
export function substitute(within: ParentNode = document): void {
  const token = currentToken();
  for (const element of all('[data-sub]', within)) {
    const { sub = '', quote } = element.dataset;
    if (sub === 'origin') element.textContent = origin;
    else if (sub === 'socket') element.textContent = socketOrigin;
    else if (sub === 'token') {
      element.textContent = token === '' ? sampleToken : isQuote(quote) ? quoteToken(token, quote) : token;
      element.classList.toggle('unset', token === '');
    }
  }
}

/** Shows the credential in the samples, in the form that the token needs; hides it if no token is needed. */
function showCredential(): void {
  const root = document.documentElement;
  const token = currentToken();
  if (token !== '') root.dataset['credential'] = formOf(token);
  else if (needsToken()) root.dataset['credential'] = 'header';
  else delete root.dataset['credential'];
}

export function startToken(): void {
  for (const form of all<HTMLFormElement>('[data-token-box]')) startBox(form);
  for (const key of all('[data-token-key]')) startKey(key);
  for (const link of all('[data-link="sign-up"][href$="#docs-token"]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      focusTokenBox();
    });
  }
  showKey();
  addEventListener('storage', ({ key }) => {
    if (key === keys.token) refill();
  });
  showCredential();
  substitute();
}

/** Focuses the token box; if the navbar has no space for it, opens it with its key button first. */
export function focusTokenBox(): void {
  const visible = () => all<HTMLInputElement>('[data-token-box] input').find((input) => input.checkVisibility());
  if (visible() === undefined) document.querySelector<HTMLElement>('[data-token-key] > button')?.click();
  visible()?.focus();
}

/** Opens the token box with its key button, and closes it when the reader clicks elsewhere. */
function startKey(key: HTMLElement): void {
  const button = key.querySelector('button');
  if (button === null) return;
  const set = (open: boolean) => {
    key.classList.toggle('open', open);
    button.setAttribute('aria-expanded', String(open));
    if (open) key.querySelector('input')?.focus();
  };
  button.addEventListener('click', () => set(!key.classList.contains('open')));
  key.addEventListener('keydown', ({ key: pressed }) => {
    if (pressed !== 'Escape' || !key.classList.contains('open')) return;
    set(false);
    button.focus();
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (!(target instanceof Node && key.contains(target))) set(false);
  });
}

function showKey(): void {
  const saved = currentToken() !== '';
  for (const button of all('[data-token-key] > button')) {
    button.classList.toggle('saved', saved);
    button.setAttribute('aria-label', saved ? 'API token: saved' : 'API token: none');
  }
}

function refill(): void {
  for (const input of all<HTMLInputElement>('[data-token-box] input')) input.value = currentToken();
  showKey();
  showCredential();
  substitute();
  dispatchEvent(new Event(tokenEvent));
}

/** Saves the token for every page; an empty one removes it. */
export function saveToken(token: string): void {
  remember(keys.token, token);
  refill();
}

function startBox(form: HTMLFormElement): void {
  const input = form.querySelector('input');
  const message = form.querySelector('output');
  const reveal = form.querySelector<HTMLButtonElement>('[data-reveal]');
  if (input === null || message === null) return;
  input.value = currentToken();
  let timer: ReturnType<typeof setTimeout> | undefined;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    saveToken(input.value);
    message.textContent = input.value === '' ? 'API token removed' : 'API token saved successfully!';
    clearTimeout(timer);
    timer = setTimeout(() => (message.textContent = ''), messageMs);
  });
  reveal?.addEventListener('click', () => {
    const shown = input.type === 'text';
    input.type = shown ? 'password' : 'text';
    reveal.setAttribute('aria-pressed', String(!shown));
    reveal.setAttribute('aria-label', shown ? 'Show the token' : 'Hide the token');
  });
}
