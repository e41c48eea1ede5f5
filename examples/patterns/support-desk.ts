import type { Agent, Session, Tool, ToolRef } from 'flyball';
import {
  constraints,
  framed,
  guarded,
  guardrails,
  injectionShield,
  needsApproval,
  type PolicyGuardOptions,
  type Prohibition,
  policyGuard,
  reAct,
  shaped,
  zeroShot,
} from 'flyball/patterns';
import { cardNumbersGuard, joinSeams, type parsePolicy, secretsGuard } from 'flyball/tools';
import { z } from 'zod';

/**
 * A support desk of eight patterns: a clerk for each topic, under constraints, with approvals and a policy around refunds.
 * What it will use once it is there: a router (O3), for which the function `desk` stands in, memory of customers (K10) and
 * a fallback (V19).
 */

export const Answer = z.strictObject({ reply: z.string() });
export const Topic = z.strictObject({ label: z.enum(['billing', 'refunds', 'technical', 'other']) });
const DAY = 86_400_000;

/** The models, tools and rules it works with. */
export interface SupportParts {
  readonly mid: Session;
  readonly small: Session;
  readonly tools: { readonly findOrder: ToolRef; readonly findInvoice: ToolRef; readonly searchManual: ToolRef };
  readonly refund: Tool<{ readonly cents: number }> & ToolRef;
  readonly neverPromise: readonly Prohibition[];
  readonly policy: ReturnType<typeof parsePolicy>;
  readonly clock: PolicyGuardOptions['clock'];
  readonly secret: string;
}

// #region support
export function supportDesk({ mid, small, tools, refund, neverPromise, policy, clock, secret }: SupportParts) {
  const house = framed(mid, constraints({ items: neverPromise }, { version: '7' }));
  const clerk = (...own: readonly ToolRef[]) =>
    reAct({ worker: shaped(house, Answer), tools: own }, { maxIterations: 8 }); // Agent<Input, Answer>
  const refunds = guarded(
    clerk(tools.findOrder, refund),
    needsApproval({ tool: refund, when: ({ cents }) => cents > 5_000 }, { timeoutMs: 2 * DAY }),
    policyGuard(policy, { clock }),
  );
  const to = {
    billing: clerk(tools.findInvoice),
    refunds,
    technical: clerk(tools.searchManual),
    other: clerk(),
  } satisfies Record<z.infer<typeof Topic>['label'], unknown>; // a missing topic does not compile
  const sorter = zeroShot(shaped(small, Topic));
  const desk: Agent<string, z.infer<typeof Answer>> = async (run, question) => {
    const topic = await sorter(run, question);
    return to[topic.stop === 'done' ? topic.value.label : 'other'](run, question);
  };
  const seams = joinSeams(
    guardrails({ input: [cardNumbersGuard('input')], response: [secretsGuard('response')] }),
    injectionShield({ secret }),
  ); // for the host: no agent can go around it
  return { clerk, refunds, desk, seams };
}
// #endregion
