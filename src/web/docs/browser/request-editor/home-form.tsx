/** Runs the panel of the home page: requests a screenshot or PDF of a URL from this server and shows it. */
import type { ReactNode } from 'react';
import { MediaView, typeOfBytes } from './media.tsx';
import { render } from './render.tsx';
import { type ApiResponse, failureOf, send } from './request.ts';
import { TokenForm } from './response.tsx';

interface Format {
  path: string;
  /** Describes the response. */
  says: string;
  viewport?: object;
}

const png: Format = { path: '/screenshot', says: '1280 × 800 PNG', viewport: { width: 1280, height: 800 } };
const phone = { width: 390, height: 844, isMobile: true, hasTouch: true };
const formats: Readonly<Record<string, Format>> = {
  phone: { path: '/screenshot', says: '390 × 844 PNG', viewport: phone },
  pdf: { path: '/pdf', says: 'PDF' },
};

let running: AbortController | undefined;

/** Sends the request of the form; another call cancels one that is still running. */
export async function capture(form: HTMLFormElement): Promise<void> {
  const output = form.parentElement?.querySelector<HTMLElement>('[data-panel-picture]');
  const status = form.parentElement?.querySelector('[data-panel-said]');
  if (!output || !status) return;
  const data = new FormData(form);
  const kind = String(data.get('kind'));
  const { path, says, viewport } = formats[kind] ?? png;
  const address = String(data.get('address')).trim();
  const url = /^[a-z]+:/i.test(address) ? address : `https://${address}`;
  running?.abort();
  const controller = new AbortController();
  running = controller;
  const show = (text: string, result: ReactNode) => {
    status.textContent = text;
    output.classList.remove('running');
    output.classList.toggle('whole', kind === 'phone');
    document.addEventListener('docs:leaving', render(output, result), { once: true });
  };
  output.classList.add('running');
  status.textContent = 'Working…';
  const headers = { 'Content-Type': 'application/json' };
  try {
    const call = { method: 'POST', path, headers, body: JSON.stringify({ url, viewport }) };
    const answer = await send(call, controller.signal);
    const kilobytes = Math.max(1, Math.round(answer.bytes.length / 1_000));
    const result = answer.status === 200 ? ` · ${says} · ${kilobytes} kB` : '';
    const text = `${answer.status} · ${Math.round(answer.milliseconds)} ms${result}`;
    show(text, <Captured answer={answer} onRun={() => void capture(form)} />);
  } catch (error) {
    if (!controller.signal.aborted) show('No response', <Message text={failureOf(error)} />);
  }
}

function Captured({ answer, onRun }: { answer: ApiResponse; onRun: () => void }): ReactNode {
  const { status, bytes, hadToken } = answer;
  if (status === 401) {
    return (
      <div className="panel-answer">
        <TokenForm refused={hadToken} onSaved={onRun} />
      </div>
    );
  }
  const type = status === 200 ? typeOfBytes(bytes) : undefined;
  if (type === undefined) return <Message text={new TextDecoder().decode(bytes).slice(0, 400)} />;
  return <MediaView media={{ type, bytes }} label="The page" />;
}

const Message = ({ text }: { text: string }): ReactNode => (
  <div className="panel-answer">
    <p>{text}</p>
  </div>
);
