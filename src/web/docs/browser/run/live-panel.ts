/** Runs the panel of the home page: requests a screenshot or PDF of a URL from this server and shows it. */
import { base } from '../shell/page-context.ts';
import { currentToken, saveToken } from './token.ts';

/** For each output kind, the route and its other request options. */
const requests = {
  png: { path: '/screenshot', type: 'image/png', says: '1280 × 800 PNG', viewport: { width: 1280, height: 800 } },
  phone: {
    path: '/screenshot',
    type: 'image/png',
    says: '390 × 844 PNG',
    viewport: { width: 390, height: 844, isMobile: true, hasTouch: true },
  },
  pdf: { path: '/pdf', type: 'application/pdf', says: 'PDF', viewport: undefined },
} as const;
type PanelKind = keyof typeof requests;

let running: AbortController | undefined;
/** Blob URL of the current image, revoked when it is replaced. */
let shown = '';

/** Sends the request; another call cancels one that is still running. */
export async function capture(form: HTMLFormElement): Promise<void> {
  const output = form.querySelector<HTMLElement>('[data-panel-picture]');
  const status = form.querySelector<HTMLElement>('[data-panel-said]');
  if (output === null || status === null) return;
  const { kind, url } = requestOf(form);
  running?.abort();
  const controller = new AbortController();
  running = controller;
  const { path, type, says, viewport } = requests[kind];
  const began = performance.now();
  output.classList.add('running');
  status.textContent = 'Working…';
  try {
    const token = currentToken();
    const response = await fetch(base + path, {
      method: 'POST',
      signal: controller.signal,
      headers: { 'Content-Type': 'application/json', ...(token === '' ? {} : { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ url, ...(viewport === undefined ? {} : { viewport }) }),
    });
    const bytes = await response.arrayBuffer();
    status.textContent = `${response.status} · ${Math.round(performance.now() - began)} ms`;
    if (response.ok) {
      status.textContent += ` · ${says} · ${Math.max(1, Math.round(bytes.byteLength / 1_000))} kB`;
      show(output, kind, new Blob([bytes], { type }));
    } else if (response.status === 401) askForToken(output, form);
    else showMessage(output, new TextDecoder().decode(bytes).slice(0, 400));
  } catch (error) {
    if (controller.signal.aborted) return;
    status.textContent = 'No response';
    showMessage(output, `This server is not responding: ${error instanceof Error ? error.message : String(error)}.`);
  } finally {
    if (running === controller) output.classList.remove('running');
  }
}

function requestOf(form: HTMLFormElement): { kind: PanelKind; url: string } {
  const data = new FormData(form);
  const requestedKind = String(data.get('kind'));
  const kind = requestedKind === 'phone' || requestedKind === 'pdf' ? requestedKind : 'png';
  const address = String(data.get('address')).trim();
  return { kind, url: /^[a-z]+:/i.test(address) ? address : `https://${address}` };
}

function show(output: HTMLElement, kind: PanelKind, blob: Blob): void {
  if (shown !== '') URL.revokeObjectURL(shown);
  shown = URL.createObjectURL(blob);
  if (kind === 'pdf') {
    const frame = document.createElement('iframe');
    frame.title = 'The PDF';
    frame.src = shown;
    output.replaceChildren(frame);
    return;
  }
  const image = document.createElement('img');
  image.alt = 'Screenshot of the page';
  image.className = kind === 'phone' ? 'whole' : '';
  image.src = shown;
  output.replaceChildren(image);
}

/** Shows a message in place of the image. */
function showMessage(output: HTMLElement, text: string): HTMLElement {
  const box = document.createElement('div');
  box.className = 'panel-answer';
  const line = document.createElement('p');
  line.textContent = text;
  box.append(line);
  output.replaceChildren(box);
  return box;
}

/** Asks for the token in the panel, saves it, and sends the request again. */
function askForToken(output: HTMLElement, form: HTMLFormElement): void {
  const box = showMessage(output, 'This server requires a token. It is stored only in this browser.');
  const label = document.createElement('label');
  label.className = 'hidden';
  label.htmlFor = 'panel-token';
  label.textContent = 'API token';
  const input = document.createElement('input');
  input.id = 'panel-token';
  input.type = 'password';
  input.autocomplete = 'off';
  input.placeholder = 'API token';
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Save and capture';
  const retry = () => {
    if (input.value === '') return input.focus();
    saveToken(input.value);
    void capture(form);
  };
  button.addEventListener('click', retry);
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    retry();
  });
  box.append(label, input, button);
  input.focus();
}
