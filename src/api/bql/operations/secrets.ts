/** Implements loadSecret: fills a stored secret into a field without revealing it. */
import { fillSecret, fieldWithFocus, secretProblem } from '../../../browser/injected/vault/fill-secret.ts';
import { callOn, evaluateHandle, type Handle, releaseHandles } from '../../../browser/page/act/elements.ts';
import { toExpression } from '../../../browser/page/page-function.ts';
import { mainFrame } from '../../../browser/page/frames.ts';
import { findElement } from '../find/find-elements.ts';
import { quoted } from '../find/selector.ts';
import { type Maybe, operation, type StepCall } from '../run/operation.ts';
import { StepError } from '../run/step-error.ts';

interface SecretArgs {
  ref: string;
  selector?: Maybe<string>;
  timeout?: Maybe<number>;
}

type Outcome = { ok: true; error: null; message: null } | { ok: false; error: string; message: string };

/** Time between two searches for the field, in milliseconds. */
const pollIntervalMs = 50;

const failed = (error: string, message: string): Outcome => ({ ok: false, error, message });

export const loadSecret = operation<SecretArgs>({
  acts: true,
  // A field that does not appear in time is reported in the result.
  ownTimeout: true,
  async run(call) {
    const { args, session } = call;
    const { environment } = session;
    const { exposure } = environment;
    if (exposure.refusal !== undefined) return failed('TargetNotFillable', exposure.refusal);
    const ownProxy = exposure.ownProxy || session.marks.ownProxy;
    if (ownProxy && exposure.insecure) {
      return failed(
        'TargetNotFillable',
        'Your proxy could read the secret because this browser accepts unverified certificates. Remove acceptInsecureCerts or the proxy.',
      );
    }
    if (session.marks.traces.exposed) {
      return failed(
        'TargetNotFillable',
        'An earlier document or browser let a proxy impersonate sites or let pages read each other, and code may still be listening. Load secrets in a separate browser and session.',
      );
    }
    if (session.marks.traces.ranScripts) {
      return failed(
        'TargetNotFillable',
        'Code from a document has run in this browser and may still be listening. Load secrets before evaluate, addScriptTag, content and JavaScript selectors, in a separate browser.',
      );
    }
    let secret;
    try {
      secret = await environment.secret(args.ref);
    } catch (error) {
      return failed('VaultUnreachable', error instanceof Error ? error.message : 'The secrets could not be read.');
    }
    if (!secret) {
      return failed(
        'CredentialNotResolved',
        `There is no secret ${quoted(args.ref)}. Store it with PUT /secret/<name>; GET /secrets lists the secrets of your token.`,
      );
    }
    const element = await targetOf(call);
    if ('error' in element) return element;
    const safe = secret.origins.filter((origin) => origin.startsWith('https:'));
    const origins = ownProxy ? safe : [...secret.origins];
    try {
      const problem = await callOn(call.page, element, secretProblem, [...secret.origins]);
      if (problem) return toFailure(problem);
      const unsafe = ownProxy && (await callOn(call.page, element, secretProblem, origins));
      if (unsafe) {
        return failed(
          'TargetNotFillable',
          'Your proxy could read the secret because the page is not encrypted. Use https or remove the proxy.',
        );
      }
      const tooLate = await environment.hide?.();
      if (tooLate !== undefined) return failed('TargetNotFillable', tooLate);
      // Mark the secret before it is filled in: the browser's reply may be lost.
      session.marks.secrets.add(secret.value);
      session.marks.plainSecrets ||= safe.length < secret.origins.length;
      const late = await callOn(call.page, element, fillSecret, secret.value, origins);
      return late ? toFailure(late) : { ok: true, error: null, message: null };
    } finally {
      releaseHandles([element.frame]);
    }
  },
});

async function targetOf(call: StepCall<SecretArgs>): Promise<Handle | Extract<Outcome, { ok: false }>> {
  const { args, page, session, step } = call;
  if (typeof args.selector !== 'string') {
    const focused = await evaluateHandle(page, mainFrame(page), toExpression(fieldWithFocus, []));
    return focused ?? { ok: false, error: 'NoFocusedElement', message: 'No element has focus. Specify a "selector".' };
  }
  const limitMs = args.timeout ?? session.stepLimitMs;
  for (;;) {
    try {
      return await findElement(step, args.selector, { wait: false });
    } catch (error) {
      if (!(error instanceof StepError) || error.code !== 'SELECTOR_NOT_FOUND') throw error;
      if (limitMs > 0 && step.time >= limitMs) return { ok: false, error: 'SelectorNotFound', message: error.message };
    }
    await step.pause(pollIntervalMs);
  }
}

function toFailure({ problem, told: what }: { problem: 'origin' | 'kind'; told: string }): Outcome {
  if (problem === 'kind') return failed('TargetNotFillable', `The element (${what}) does not accept text.`);
  return failed(
    'DomainNotAllowed',
    `The secret cannot be filled into pages on ${what}, which is not one of its origins.`,
  );
}
