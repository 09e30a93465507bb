/**
 * Asks a language model that the operator has named, over the protocol of chat completions that OpenAI has made and
 * others speak too, and reads its answer as it comes. Redirects are not followed: the key goes to this address only.
 */
import { readWithin } from '../../../base/runtime/bytes.ts';
import type { Model } from './settings.ts';

export interface Message {
  role: 'system' | 'user';
  content: string;
}

/** Why there is no answer, in a sentence for the reader. It never holds what the model's server has sent. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
}

/** Bytes of an answer that comes in one piece, and of one event of a stream. */
const maxPieceBytes = 1_048_576;

const addressOf = ({ url }: Model): string => {
  const base = new URL(url);
  const path = base.pathname.replace(/(?<!\/)\/+$/, '');
  base.pathname = path.endsWith('/chat/completions') ? path : `${path}/chat/completions`;
  return base.href;
};

/**
 * The answer, piece by piece.
 * @throws ModelFailure; the signal's reason as soon as it aborts
 */
export async function* answerOf(
  model: Model,
  messages: readonly Message[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  const response = await send(model, messages, signal);
  const type = response.headers.get('content-type') ?? '';
  if (response.body !== null && type.startsWith('text/event-stream')) yield* streamed(response.body, signal);
  else {
    const text = await readWithin(response.body, maxPieceBytes, () => new ModelFailure('The model answered too much.'));
    yield contentOf(text, 'message');
  }
}

async function send(model: Model, messages: readonly Message[], signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(addressOf(model), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'text/event-stream',
        ...(model.key === undefined ? {} : { Authorization: `Bearer ${model.key}` }),
      },
      body: JSON.stringify({ model: model.name, messages, stream: true }),
      redirect: 'error',
      signal,
    });
  } catch {
    signal.throwIfAborted();
    throw new ModelFailure(
      'The model cannot be reached. The operator of this server finds its address in DOCS_ASK_URL.',
    );
  }
  if (response.ok) return response;
  await response.body?.cancel().catch(() => {});
  throw new ModelFailure(`The model's server answered ${response.status}${reasons[response.status] ?? ''}.`);
}

const reasons: Readonly<Record<number, string>> = {
  401: ': it does not accept the key in DOCS_ASK_KEY',
  403: ': the key in DOCS_ASK_KEY may not use this model',
  404: ': it does not know the path of DOCS_ASK_URL, or the model of DOCS_ASK_MODEL',
  429: ': it has too much to do, or the quota is used up. Ask again later',
};

async function* streamed(body: ReadableStream<Uint8Array<ArrayBuffer>>, signal: AbortSignal): AsyncGenerator<string> {
  const { EventSourceParserStream } = await import('eventsource-parser/stream');
  const events = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: maxPieceBytes }));
  try {
    for await (const { data } of events) {
      if (data === '[DONE]') return;
      const piece = contentOf(data, 'delta');
      if (piece !== '') yield piece;
    }
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ModelFailure) throw cause;
    throw new ModelFailure('The connection to the model ended in the middle of the answer.', { cause });
  }
}

/** The text in a completion or a piece of one; empty when the piece has none. @throws ModelFailure */
function contentOf(json: string, member: 'message' | 'delta'): string {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch (cause) {
    throw new ModelFailure("The model's server does not answer in the form of chat completions.", { cause });
  }
  if (has(read, 'error')) throw new ModelFailure("The model's server reported an error in the middle of the answer.");
  if (!has(read, 'choices') || !Array.isArray(read.choices))
    throw new ModelFailure("The model's server does not answer in the form of chat completions.");
  const [choice]: unknown[] = read.choices;
  const content = has(choice, member) && has(choice[member], 'content') ? choice[member].content : '';
  return typeof content === 'string' ? content : '';
}

function has<Name extends string>(value: unknown, name: Name): value is Record<Name, unknown> {
  return typeof value === 'object' && value !== null && name in value;
}
