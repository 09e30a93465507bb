// Creates a shield between a scripted browser and a client, and records everything that both receive.
import { prefixOf, type RawMessage, textOf } from '../../src/browser/cdp/raw-message.ts';
import { type ShieldLimits, shieldLimits } from '../../src/sessions/cdp/shield/limits.ts';
import { firstOwnId } from '../../src/sessions/cdp/shield/own-commands.ts';
import { Shield } from '../../src/sessions/cdp/shield/shield.ts';

interface Sent {
  id: number;
  method: string;
  params: object;
  sessionId: string;
}

/** Results of the shield's commands by method; an error fails the command, undefined leaves it unanswered. */
export type Script = Record<string, (params: Record<string, unknown>) => object | Error | undefined>;

/** Context 1 of the main frame `MAIN`, context 2 of its child `CHILD`, isolated worlds from 11 on. */
export function onePage(): Script {
  let world = 10;
  return {
    'Page.getFrameTree': () => ({ frameTree: { frame: { id: 'MAIN', securityOrigin: 'http://site' } } }),
    'Runtime.evaluate': () => ({ result: { objectId: '1.1.1' } }),
    'DOM.getFrameOwner': () => ({ backendNodeId: 5 }),
    'DOM.describeNode': () => ({ node: { contentDocument: { backendNodeId: 6 } } }),
    'DOM.resolveNode': () => ({ object: { objectId: '1.2.1' } }),
    'Page.createIsolatedWorld': () => ({ executionContextId: ++world }),
    'Page.addScriptToEvaluateOnNewDocument': () => ({ identifier: '1' }),
  };
}

/** @param script responds to the shield's own commands a moment later, in order */
export function scriptedShield(script: Script = onePage(), limits: Partial<ShieldLimits> = {}) {
  /** What the client received, in short: `answer 7`, `Page.frameNavigated`, `context 1`. */
  const seen: string[] = [];
  const events: { method: string; params: Record<string, unknown> }[] = [];
  /** Commands of the client that the browser received. */
  const passed: Sent[] = [];
  /** Commands of the shield that the browser received. */
  const own: Sent[] = [];
  const notices: object[] = [];
  const opened: string[] = [];
  const raw = (message: object): RawMessage => {
    const bytes = Buffer.from(JSON.stringify(message));
    return { parts: [bytes], bytes: bytes.length };
  };
  const hear = (message: object) => {
    const bytes = raw(message);
    const beginning = prefixOf(bytes);
    if (!shield.takeResponse(bytes, beginning)) shield.receive(bytes, beginning, 'S');
  };
  const answer = ({ id, method, params }: Sent) => {
    const result = script[method]?.({ ...params });
    if (result === undefined && method in script) return;
    hear(result instanceof Error ? { id, error: { code: -1, message: result.message } } : { id, result: result ?? {} });
  };
  const note = (method: string, params: Record<string, unknown>) => {
    events.push({ method, params });
    const { id, name } = Object(params['context']);
    if (method === 'Runtime.executionContextCreated') seen.push(`context ${id}${name === '' ? '' : ` ${name}`}`);
    else seen.push(method);
  };
  const shield: Shield = new Shield({
    page: undefined,
    forward(command) {
      if (command.id < firstOwnId) return void passed.push(command);
      own.push(command);
      queueMicrotask(() => answer(command));
    },
    deliver(message) {
      const { id, method, params } = JSON.parse(textOf(message));
      if (id === undefined) note(method, params);
      else seen.push(`answer ${id}`);
    },
    reply: ({ id }, outcome) => seen.push('result' in outcome ? `answer ${id}` : `error ${id}`),
    emit: (_session, method, params) => note(method, { ...params }),
    notice: (notice) => notices.push(notice),
    opened: (reason) => opened.push(reason),
    limits: { ...shieldLimits, ...limits },
  });
  shield.attached({ sessionId: 'S', type: 'page', waiting: false }, 'ROOT');
  let lastId = 0;
  return {
    shield,
    seen,
    events,
    passed,
    own,
    notices,
    opened,
    /** Sends an event or a response from the browser. */
    hear,
    /** Sends a command from the client. */
    send: (method: string, params: Record<string, unknown> = {}) =>
      shield.forward({ id: ++lastId, method, params, sessionId: 'S' }),
    /** Resolves once the shield has nothing left to do except wait. */
    settled: () => new Promise((resolve) => setImmediate(resolve)),
    /** Reports a new document in a frame. */
    navigate: (id = 'MAIN', parentId?: string) =>
      hear({ method: 'Page.frameNavigated', params: { frame: { id, parentId, securityOrigin: 'http://site' } } }),
  };
}
