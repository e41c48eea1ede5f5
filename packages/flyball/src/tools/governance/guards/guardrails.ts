import { useFrom } from '../../../core/about.js';
import { FlyballError, failureOf } from '../../../core/errors.js';
import type { GuardDecision } from '../../../core/events.js';
import type { Outcome } from '../../../core/outcome.js';
import type { GuardContext, SeamMiddleware, Seams } from '../../../core/seams.js';
import type { ToolRef } from '../../../core/tool.js';
import { described } from '../../../core/use.js';
import { type CallVerdict, type JudgedCall, judgingCalls } from '../judged-call.js';
import { effectKind } from '../proposed-call.js';
import { type Asking, askGuard, decisionOf, type Judged, reasonOf } from './ask-guard.js';
import { blockedOutcome } from './blocked-outcome.js';
import { checkSlots, hasGuards } from './check-slots.js';
import type { GuardedCall, GuardedResponse, GuardSlots, ResponseGuard } from './guard-points.js';
import { InputNotes } from './input-notes.js';
import { reworded } from './reworded.js';
import { mapOutcome, mapStrings } from './strings-in.js';

/** Options of `guardrails`. */
export interface GuardrailsOptions {
  /** Name and version of these guards, such as the file they are in: `house-guards@7`. Every decision carries it. */
  readonly policy?: string;
  /** `all` puts what passed into the journal too, an entry for each guard and crossing. `refusals` where it is absent. */
  readonly record?: 'refusals' | 'all';
}

/**
 * Checks what comes in and goes out at all four crossings: inputs, calls, results and outputs, in the given order.
 *
 * Model calls: none. Each guard sees the text as redacted by the one before. A guard that throws blocks, unless it is an
 * input guard with `passOwner`. Guards at the output alone are refused. Not for one agent: these are seams of the host, so
 * no agent can go around them.
 *
 * @pattern V5
 */
export function guardrails(slots: GuardSlots, { policy, record = 'refusals' }: GuardrailsOptions = {}): Seams {
  checkSlots(slots);
  const told: Told = (judged, verdict) => {
    if (verdict === 'allowed' && record !== 'all') return undefined;
    return { ...decisionOf(judged, verdict), ...(policy === undefined ? {} : { policy }) };
  };
  const notes = new InputNotes();
  const has = hasGuards(slots);
  const seams: Seams = {
    ...(has('input') ? { input: [inputGuards(slots, notes, told)] } : {}),
    ...(has('preCall') ? { 'tool.pre': [preCallGuards(slots, told)] } : {}),
    ...(has('response')
      ? { 'tool.exec': [failureGuards(slots, told)], 'tool.post': [responseGuards(slots, told)] }
      : {}),
    ...(has('input') || has('output') ? { output: [outputGuards(slots, notes, told)] } : {}),
  };
  const names = Object.fromEntries(
    (['input', 'preCall', 'response', 'output'] as const).map((at) => [at, (slots[at] ?? []).map(({ name }) => name)]),
  );
  const params = { ...names, record, ...(policy === undefined ? {} : { policy }) };
  return described(seams, useFrom({ id: 'V5', name: 'guardrails', params, parts: {}, calls: 0, provides: ['V14'] }));
}

/** What the journal is told of a verdict; undefined where it is told nothing. */
type Told = (judged: Judged<string, unknown>, verdict: GuardDecision['verdict']) => GuardDecision | undefined;

function tell(ctx: GuardContext, decision: GuardDecision | undefined): void {
  if (decision !== undefined) ctx.decide(decision);
}

const INPUT: Asking<'pass' | 'redact' | 'block', unknown> = {
  verdicts: ['pass', 'redact', 'block'],
  redact: mapStrings,
};

function inputGuards({ input = [] }: GuardSlots, notes: InputNotes, told: Told): SeamMiddleware<'input'> {
  return (next) => async (given, ctx) => {
    let value = given;
    for (const guard of input) {
      const judged = await askGuard(guard, INPUT, value, ctx);
      value = judged.value;
      const note = told(judged, judged.verdict === 'pass' ? 'allowed' : 'warned');
      if (judged.verdict === 'pass') {
        if (note !== undefined) notes.keep(ctx.runId, note);
        continue;
      }
      const owner = typeof guard.whenBroken === 'object' ? guard.whenBroken.passOwner : undefined;
      const isLetPass = judged.verdict === 'broken' && owner !== undefined;
      if (judged.verdict !== 'redact' && !isLetPass)
        throw new FlyballError('DENIED', `The input was refused. ${reasonOf(judged)}`, {
          detail: { rule: judged.ruleId },
        });
      if (note === undefined) continue;
      notes.keep(ctx.runId, isLetPass ? { ...note, why: `${note.why} ${owner} answers for letting it pass.` } : note);
    }
    return next(value, ctx);
  };
}

const PRE_CALL: Asking<'allow' | 'deny' | 'ask', GuardedCall> = { verdicts: ['allow', 'deny', 'ask'] };

function preCallGuards({ preCall = [] }: GuardSlots, told: Told): SeamMiddleware<'tool.pre'> {
  return judgingCalls(async ({ tool, args }: JudgedCall, ctx): Promise<CallVerdict> => {
    const asked: string[] = [];
    for (const guard of preCall) {
      const judged = await askGuard(guard, PRE_CALL, guardedCall(tool, args), ctx);
      const verdict = judged.verdict === 'allow' ? 'allowed' : judged.verdict === 'ask' ? 'asked' : 'denied';
      tell(ctx, told(judged, verdict));
      if (judged.verdict === 'allow') continue;
      if (judged.verdict !== 'ask') return { refused: `${tool.name} was refused. ${reasonOf(judged)}` };
      asked.push(reasonOf(judged));
    }
    return { asked };
  });
}

const RESPONSE: Asking<'pass' | 'redact' | 'block', GuardedResponse> = {
  verdicts: ['pass', 'redact', 'block'],
  redact: (given, change) => ({ ...given, value: mapStrings(given.value, change), text: change(given.text) }),
};

/** On the way out: what middleware inside makes of a result is judged too. */
function responseGuards({ response = [] }: GuardSlots, told: Told): SeamMiddleware<'tool.post'> {
  return (next) => async (value, ctx) => {
    const given = { ...guardedCall(value.tool, value.args), ...(await next(value, ctx)) };
    const { seen, withheld } = await judgeResponse(response, given, { ctx, told });
    if (withheld !== undefined)
      throw new FlyballError('DENIED', `The result of ${seen.tool} was withheld. ${withheld}`);
    return { value: seen.value, text: seen.text };
  };
}

/** A failure is kept and read like a result. It stays the failure that it is, in words that may be read. */
function failureGuards({ response = [] }: GuardSlots, told: Told): SeamMiddleware<'tool.exec'> {
  return (next) => async (value, ctx) => {
    try {
      return await next(value, ctx);
    } catch (error) {
      const { message, detail, originalCode } = failureOf(error);
      const about = {
        ...(detail === undefined ? {} : { detail }),
        ...(originalCode === undefined ? {} : { originalCode }),
      };
      const given = { ...guardedCall(value.tool, value.args), value: about, text: message, failed: true } as const;
      const { seen, withheld } = await judgeResponse(response, given, { ctx, told });
      if (withheld !== undefined) throw reworded(error, `The failure of ${seen.tool} was withheld. ${withheld}`);
      throw seen === given ? error : reworded(error, seen.text, seen.value as typeof about);
    }
  };
}

/** What is left after all guards, or why nothing may be. */
async function judgeResponse(
  guards: readonly ResponseGuard[],
  given: GuardedResponse,
  { ctx, told }: { readonly ctx: GuardContext; readonly told: Told },
): Promise<{ readonly seen: GuardedResponse; readonly withheld?: string }> {
  let seen = given;
  for (const guard of guards) {
    const judged = await askGuard(guard, RESPONSE, seen, ctx);
    seen = judged.value;
    const verdict = judged.verdict === 'pass' ? 'allowed' : judged.verdict === 'redact' ? 'warned' : 'blocked';
    tell(ctx, told(judged, verdict));
    if (verdict === 'blocked') return { seen, withheld: reasonOf(judged) };
  }
  return { seen };
}

const OUTPUT: Asking<'release' | 'redact' | 'block', Outcome<unknown>> = {
  verdicts: ['release', 'redact', 'block'],
  redact: mapOutcome,
};

function outputGuards({ output = [] }: GuardSlots, notes: InputNotes, told: Told): SeamMiddleware<'output'> {
  return (next) => async (value, ctx) => {
    for (const note of notes.take(ctx.runId)) ctx.decide(note);
    let outcome = await next(value, ctx);
    for (const guard of output) {
      const judged = await askGuard(guard, OUTPUT, outcome, ctx);
      outcome = judged.value;
      const verdict = judged.verdict === 'release' ? 'allowed' : judged.verdict === 'redact' ? 'warned' : 'blocked';
      tell(ctx, told(judged, verdict));
      if (verdict === 'blocked') return blockedOutcome(outcome, reasonOf(judged));
    }
    return outcome;
  };
}

function guardedCall(tool: ToolRef, args: unknown): GuardedCall {
  return { tool: tool.name, class: effectKind(tool), legs: tool.legs ?? [], args };
}
