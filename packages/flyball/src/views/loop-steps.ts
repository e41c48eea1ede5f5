import type { ErrorCode } from '../core/errors.js';
import type { EffectId } from '../core/events.js';
import type { Effect } from './effects.js';
import { argumentsOf, matchProposals, type ShownArguments, shownProposal } from './proposals.js';

/** An iteration in a loop trace. */
export interface LoopStep {
  readonly id: string;
  readonly iteration: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly session?: string;
  readonly model?: string;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly actions: readonly LoopAction[];
}

/** A tool call in a loop trace. */
export interface LoopAction {
  /** The effect; for a proposed call that was never made, the model call and the id that the model gave it. */
  readonly id: EffectId;
  readonly tool: string;
  /** The id under which the model proposed it. */
  readonly callId?: string;
  readonly arguments?: ShownArguments;
  /** Absent while it is under way. */
  readonly ok?: boolean;
  readonly code?: ErrorCode;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** False for a call that was proposed and answered without being made. */
  readonly made: boolean;
}

/** A step while its iteration goes on. */
export interface GrowingStep {
  readonly iteration: number;
  readonly startedAt: number;
  endedAt?: number;
  readonly effects: Effect[];
}

export function stepOf(trace: string, { iteration, startedAt, endedAt, effects }: GrowingStep): LoopStep {
  const asks = effects.filter(({ verb }) => verb === 'ask');
  const start = asks.map((ask) => ask.start).find((event) => event?.type === 'ask-start');
  const spent = asks.map(({ end }) => (end?.type === 'ask-end' ? end.spent : {}));
  return {
    id: `${trace}/${iteration}`,
    iteration,
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(start === undefined ? {} : { session: start.session, model: start.model }),
    tokens: {
      input: spent.reduce((sum, { tokensIn = 0 }) => sum + tokensIn, 0),
      output: spent.reduce((sum, { tokensOut = 0 }) => sum + tokensOut, 0),
    },
    actions: actionsOf(
      asks,
      effects.filter(({ verb }) => verb === 'call'),
      endedAt,
    ),
  };
}

/** One for each call that was made, then those that were only proposed, once it is clear that they will not be made. */
function actionsOf(
  asks: readonly Effect[],
  calls: readonly Effect[],
  endedAt: number | undefined,
): readonly LoopAction[] {
  const proposed = asks.flatMap(({ end }) => (end?.type === 'ask-end' ? (end.reply?.toolCalls ?? []) : []));
  const { byEffect, left } = matchProposals(proposed, calls);
  const made = calls.map((effect): LoopAction => {
    const proposal = byEffect.get(effect);
    const shown = argumentsOf(effect, proposal);
    const code = failureCodeOf(effect);
    return {
      id: effect.id,
      tool: effect.name,
      ...(proposal === undefined ? {} : { callId: proposal.id }),
      ...(shown === undefined ? {} : { arguments: shown }),
      ...(effect.status === 'open' ? {} : { ok: code === undefined }),
      ...(code === undefined ? {} : { code }),
      startedAt: effect.startedAt,
      ...(effect.endedAt === undefined ? {} : { endedAt: effect.endedAt }),
      made: true,
    };
  });
  const ask = asks.at(-1);
  if (endedAt === undefined || ask === undefined) return made;
  const at = ask.endedAt ?? ask.startedAt;
  const unmade = left.map((call): LoopAction => {
    const base = { id: `${ask.id}~${call.id}`, tool: call.name, callId: call.id, arguments: shownProposal(call) };
    return { ...base, ok: false, startedAt: at, endedAt: at, made: false };
  });
  return [...made, ...unmade];
}

function failureCodeOf({ end, dropped }: Effect): ErrorCode | undefined {
  if (dropped === true) return 'CANCELLED';
  return end?.type === 'complete' || end?.type === 'abort' ? end.failure?.code : undefined;
}
