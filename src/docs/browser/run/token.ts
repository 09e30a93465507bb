/** Puts the reader's token and origin into every sample. The token goes to this server only: with Run and `/config`. */
import { all, origin, socketOrigin } from '../shell/page-context.ts';
import { keys, recall, remember } from '../shell/store.ts';
import { sampleToken } from '../../site/site.ts';

const messageMs = 1_500;

/** The token that the reader entered; empty when there is none. */
export const currentToken = (): string => recall(keys.token);

/** Fills the samples of the page, or of a part that was added later. */
export function substitute(within: ParentNode = document): void {
  const values: Readonly<Record<string, string>> = {
    origin,
    socket: socketOrigin,
    token: currentToken() || sampleToken,
  };
  for (const element of all('[data-sub]', within)) {
    const value = values[element.dataset['sub'] ?? ''];
    if (value !== undefined) element.textContent = value;
    element.classList.toggle('unset', value === sampleToken);
  }
}

export function startToken(): void {
  for (const form of all<HTMLFormElement>('[data-token-box]')) startBox(form);
  addEventListener('storage', ({ key }) => {
    if (key === keys.token) refill();
  });
  substitute();
}

/** Moves the focus to the box of the token; where the window is narrow, it is in the main menu of the drawer. */
export function focusTokenBox(): void {
  const visible = () => all<HTMLInputElement>('[data-token-box] input').find((input) => input.checkVisibility());
  if (visible() === undefined)
    for (const step of ['[data-drawer-open]', '[data-main-menu]']) document.querySelector<HTMLElement>(step)?.click();
  visible()?.focus();
}

function refill(): void {
  for (const input of all<HTMLInputElement>('[data-token-box] input')) input.value = currentToken();
  substitute();
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
    remember(keys.token, input.value);
    refill();
    message.textContent = input.value === '' ? 'API token Removed' : 'API token saved successfully!';
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
