/** Sends a question to the server, which asks the operator's language model, and streams the answer. */
import type { AskLine } from '../../site/ask.ts';
import { isJson, parseJson } from '../../site/json.ts';
import { currentToken } from '../run/token.ts';
import { base } from '../shell/page-context.ts';

/** @throws Error with a message for the reader when the server refuses the question or cannot be reached */
export async function* askModel(question: string, signal: AbortSignal): AsyncGenerator<AskLine> {
  const token = currentToken();
  const response = await fetch(`${base}/docs-ask`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ question }),
    signal,
  }).catch((cause: unknown) => {
    throw new Error('The server cannot be reached.', { cause });
  });
  if (!response.ok || response.body === null) throw new Error(await reasonOf(response));
  let rest = '';
  for await (const piece of piecesOf(response.body.pipeThrough(new TextDecoderStream()))) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
}

/** Not every browser can loop over a stream yet. */
async function* piecesOf(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  const answer = parseJson(text);
  if (isJson(answer) && typeof answer['error'] === 'string') return answer['error'];
  return text === '' ? `The server returned ${response.status}.` : text;
}
