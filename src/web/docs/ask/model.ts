/**
 * Asks the operator's language model over the chat completions protocol, which OpenAI defined and others support too,
 * and streams its answer. Redirects are not followed, so that the key is sent only to the configured URL.
 */
import { readLimitedText } from '../../../base/runtime/bytes.ts';
import type { Model } from './settings.ts';

export interface Message {
  role: 'system' | 'user';
  content: string;
}

/** Explains to the reader why there is no answer. The message never contains text from the model's server. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
}

/** Size limit, in bytes, of an answer that is not streamed, and of one event of a stream. */
const maxPieceBytes = 1_048_576;

const endpointUrl = ({ url }: Model): string => {
  const base = new URL(url);
  const path = base.pathname.replace(/(?<!\/)\/+$/, '');
  base.pathname = path.endsWith('/chat/completions') ? path : `${path}/chat/completions`;
  return base.href;
};

/**
 * Yields the answer in chunks.
 * @throws ModelFailure; the abort reason of the signal as soon as it aborts
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
    const text = await readLimitedText(
      response.body,
      maxPieceBytes,
      () => new ModelFailure('The model returned too much data.'),
    );
    yield contentOf(text, 'message');
  }
}

async function send(model: Model, messages: readonly Message[], signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(endpointUrl(model), {
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
    throw new ModelFailure('The model cannot be reached. The operator of this server sets its URL with DOCS_ASK_URL.');
  }
  if (response.ok) return response;
  await response.body?.cancel().catch(() => {});
  throw new ModelFailure(`The model's server returned ${response.status}${reasons[response.status] ?? ''}.`);
}

const reasons: Readonly<Record<number, string>> = {
  401: ': it rejected the key in DOCS_ASK_KEY',
  403: ': the key in DOCS_ASK_KEY has no access to this model',
  404: ': the path in DOCS_ASK_URL or the model in DOCS_ASK_MODEL does not exist',
  429: ': it is overloaded, or the quota is used up. Try again later',
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
    throw new ModelFailure('The connection to the model closed in the middle of the answer.', { cause });
  }
}

/** Returns the text of a completion or of a chunk of one; empty when the chunk has none. @throws ModelFailure */
function contentOf(json: string, member: 'message' | 'delta'): string {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch (cause) {
    throw new ModelFailure("The model's server did not respond in the chat completions format.", { cause });
  }
  if (has(read, 'error')) throw new ModelFailure("The model's server reported an error in the middle of the answer.");
  if (!has(read, 'choices') || !Array.isArray(read.choices))
    throw new ModelFailure("The model's server did not respond in the chat completions format.");
  const [choice]: unknown[] = read.choices;
  const content = has(choice, member) && has(choice[member], 'content') ? choice[member].content : '';
  return typeof content === 'string' ? content : '';
}

function has<Name extends string>(value: unknown, name: Name): value is Record<Name, unknown> {
  return typeof value === 'object' && value !== null && name in value;
}
