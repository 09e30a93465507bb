// Signs in to the dashboard and listens to its events, as its page does.
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { DashboardMessage, DashboardState } from '../../../src/control/dashboard/protocol/state.ts';
import type { Service } from '../service.ts';
import { until } from '../until.ts';
import { type Reply, send } from './http.ts';

/** Sends a POST as one of the server's pages does. @param cookie cookie from a sign-in */
export function postAsPage(
  service: Service,
  path: string,
  { cookie, body, ...headers }: Record<string, string> = {},
): Promise<Reply> {
  return send(`${service.url}${path}`, {
    method: 'POST',
    headers: { origin: service.url, ...(cookie === undefined ? {} : { cookie }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

/** Signs in with a token. @returns the cookie for later requests */
export async function signIn(service: Service, token = service.env['TOKEN'] ?? ''): Promise<string> {
  const reply = await postAsPage(service, '/dashboard/sign-in', {
    'content-type': 'application/json',
    body: JSON.stringify({ token }),
  });
  const [cookie = ''] = (reply.headers['set-cookie'] ?? '').split(';');
  if (reply.status !== 204 || cookie === '') throw new Error(`sign-in failed: ${reply.status} ${reply.text}`);
  return cookie;
}

export interface Listener {
  /** The state received so far; newer values replace older ones. */
  state: Partial<DashboardState>;
  messages: DashboardMessage[];
  /** Resolves when the server has ended the event stream. */
  ended: Promise<void>;
  /** Waits until the function returns something truthy for the state. */
  sees<T>(
    what: string,
    look: (state: Partial<DashboardState>) => T,
  ): Promise<Exclude<T, false | undefined | null | 0 | ''>>;
  leave(): void;
}

export async function listenTo(service: Service, cookie = ''): Promise<Listener> {
  // Not with `fetch`: Deno's does not always close the connection when it is aborted.
  const asked = get(`${service.url}/dashboard/events`, { headers: { cookie }, agent: false });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve).on('error', reject);
  });
  if (answer.statusCode !== 200) throw new Error(`no event stream: ${answer.statusCode} ${await text(answer)}`);
  const listener: Listener = {
    state: {},
    messages: [],
    ended: read(answer, (message) => {
      listener.messages.push(message);
      Object.assign(listener.state, message);
    }),
    sees: (what, look) => until(`the dashboard to show ${what}`, () => look(listener.state)),
    leave: () => asked.destroy(),
  };
  return listener;
}

async function read(answer: IncomingMessage, take: (message: DashboardMessage) => void): Promise<void> {
  let rest = '';
  answer.setEncoding('utf8');
  try {
    for await (const chunk of answer) {
      const events = (rest + String(chunk)).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) if (event.startsWith('data: ')) take(JSON.parse(event.slice('data: '.length)));
    }
  } catch {
    // The test disconnected, or the server cut the connection.
  }
}
