/** Declares what the gate reads of events of the domain Target. */

export type TargetEvent =
  | {
      method: 'Target.attachedToTarget';
      params: {
        sessionId: string;
        waitingForDebugger: boolean;
        targetInfo: { targetId: string; type: string; url: string };
      };
    }
  | { method: 'Target.targetCreated' | 'Target.targetInfoChanged'; params: { targetInfo: { url: string } } }
  | { method: 'Target.detachedFromTarget'; params: { sessionId: string } };
