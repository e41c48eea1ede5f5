import { hasToolCalls } from '../../core/model.js';
import type { Run } from '../../core/run.js';
import type { Reply, Session } from '../../core/session.js';
import type { MoveNote } from './conversation-policy.js';
import type { ResponseType } from './machine.js';
import type { MoveCost, Transcript } from './transcript.js';

/** Re-prompts of one turn at most: then the last reply is taken as it is. */
export const MAX_REPROMPTS = 2;

const CORRECTIONS = {
  tool_call: 'Your last reply called a tool. In this phase you answer the customer in words: call nothing now.',
  nothing: 'Your last reply was empty. In this phase you answer the customer in words.',
} as const;

export interface Enforced {
  readonly reply: Reply<string>;
  readonly violations: readonly MoveNote[];
}

/**
 * Asks until the reply is of the expected type, with at most two re-prompts. A call is forced by the tool choice; words
 * are asked for by a correction at the end of the system prompt. (The paper's listing puts the correction in place of the
 * system prompt, which takes the policy away from the model that is being corrected.)
 */
export async function askExpecting(
  run: Run,
  parts: {
    readonly transcript: Transcript;
    readonly session: Session;
    readonly phase: string;
    readonly expect: ResponseType;
    readonly cost: MoveCost;
  },
): Promise<Enforced> {
  const { transcript, phase, expect, cost } = parts;
  const violations: MoveNote[] = [];
  let { session } = parts;
  for (let attempt = 0; ; attempt++) {
    const reply = await transcript.ask(run, session);
    cost.add(reply);
    const got = typeOf(reply);
    if (expect === 'either' || got === expect) return { reply, violations };
    violations.push({ kind: 'response-type', phase, expected: expect, got });
    if (attempt === MAX_REPROMPTS) return { reply, violations };
    session = corrected(parts.session, expect, got);
  }
}

type ReplyType = 'text' | 'tool_call' | 'nothing';

function typeOf(reply: Reply<string>): ReplyType {
  if (hasToolCalls(reply)) return 'tool_call';
  return reply.text.trim() === '' ? 'nothing' : 'text';
}

function corrected(session: Session, expect: ResponseType, got: ReplyType): Session {
  if (expect === 'tool_call' || got === 'text') return { ...session, toolChoice: 'required' };
  return { ...session, setup: `${session.setup}\n<correction>\n${CORRECTIONS[got]}\n</correction>` };
}
