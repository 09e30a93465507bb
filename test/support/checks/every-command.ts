// Fills the parameters of every command of the protocol with another client's ids.
import { type Described, methodNames, parametersOf, types } from './protocol-descriptions.ts';

/** What an attacker has learned about another client's browser. */
export interface ForeignIds {
  targetId: string;
  sessionId: string;
  contextId: string;
  windowId: number;
  /** Id of a running download. */
  guid: string;
  origin: string;
}

/** Maximum depth to which nested types are filled. */
const deepest = 4;

/** Every command, with parameters that name the other client wherever possible. */
export function everyCommand(foreign: ForeignIds): { method: string; params: Record<string, unknown> }[] {
  const byName: Readonly<Record<string, unknown>> = {
    targetId: foreign.targetId,
    openerId: foreign.targetId,
    frameId: foreign.targetId,
    sessionId: foreign.sessionId,
    browserContextId: foreign.contextId,
    contextId: foreign.contextId,
    windowId: foreign.windowId,
    guid: foreign.guid,
    origin: foreign.origin,
    storageKey: `${foreign.origin}/`,
    securityOrigin: foreign.origin,
    url: `${foreign.origin}/small`,
  };
  const byType: Readonly<Record<string, unknown>> = {
    'Target.TargetID': foreign.targetId,
    'Target.SessionID': foreign.sessionId,
    'Browser.BrowserContextID': foreign.contextId,
    'Browser.WindowID': foreign.windowId,
    'Page.FrameId': foreign.targetId,
    'IO.StreamHandle': '1',
  };
  const plain: Readonly<Record<string, unknown>> = {
    string: 'x',
    integer: 1,
    number: 1,
    boolean: true,
    any: 'x',
  };
  const valueOf = (described: Described, depth: number): unknown => {
    const { name, ref, type, values, members, item } = described;
    if (ref !== undefined && ref in byType) return byType[ref];
    if (ref === undefined && type !== 'array' && type !== 'boolean' && name in byName) return byName[name];
    if (ref !== undefined) {
      const known = types.get(ref);
      return known ? valueOf({ ...known, name }, depth + 1) : 'x';
    }
    if (values?.[0] !== undefined) return values[0];
    if (type === 'array') return item && depth < deepest ? [valueOf(item, depth + 1)] : [];
    if (type === 'object') return depth < deepest ? objectOf(members, depth + 1) : {};
    return plain[type ?? 'any'];
  };
  const objectOf = (members: readonly Described[], depth: number): Record<string, unknown> =>
    Object.fromEntries(members.map((member) => [member.name, valueOf(member, depth)]));
  return [...methodNames].map((method) => ({ method, params: objectOf(parametersOf.get(method) ?? [], 0) }));
}
