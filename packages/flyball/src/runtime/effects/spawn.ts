import { functionOf } from '../../core/agent-function.js';
import { boundReached, type Refusal } from '../../core/budget.js';
import { type ChildParts, type ChildSlice, childParts } from '../../core/child-slice.js';
import { fingerprint, roundTrip } from '../../core/codec.js';
import { HANDOFF } from '../../core/delegates.js';
import { BoundReachedError, CancelledError, failureOf } from '../../core/errors.js';
import type { EventOf } from '../../core/events.js';
import { through } from '../../core/join-seams.js';
import type { Ledger } from '../../core/ledger.js';
import { failed, type Outcome } from '../../core/outcome.js';
import type { AgentLike, Run } from '../../core/run.js';
import type { Attempt } from '../attempt.js';
import type { Pending, Scope } from '../open-effects.js';
import { isOutcome, notAnOutcome } from '../outcome-check.js';
import { ask } from './effect.js';
import { step } from './step.js';

/** A child agent: its own scope, a budget carved from its parent's, and nothing of its parent but the input. */
export async function spawn<I, O>(
  attempt: Attempt,
  scope: Scope,
  given: {
    readonly agent: AgentLike<I, O>;
    readonly input: I;
    readonly slice: ChildSlice;
    /** The tool that has it work. */
    readonly tool?: string;
    readonly runFor: (child: Scope) => Run;
  },
): Promise<Outcome<O>> {
  const agent = functionOf(given.agent);
  const parts = childParts(given.slice);
  const name = nameOf(given.agent);
  const input =
    attempt.host.seams['handoff'] !== undefined ? await handOff(attempt, scope, name, given.input) : given.input;
  const id = `${scope.path}#${scope.effects}`;
  const closed = scope.closedReason();
  if (closed !== undefined) throw closed;
  if (isTooDeep(attempt, scope, id)) return refused(attempt, scope, name, input);
  const path = `${scope.path}/${name}.${scope.groups++}`;
  const { ledger, slice } = attempt.books.eras.open(id, path, scope.ledger, parts.slice);
  const child = attempt.effects.scope(path, scope, { ledger, kind: 'child' });
  const { boards, world } = givenTo(attempt, id, parts);
  child.lent = new Set(boards);
  if (world === 'simulated') child.world = path;
  const isLate = !attempt.delivery.isLive;
  return ask<Outcome<O>>(attempt, scope, {
    kind: 'spawn',
    name,
    fp: fingerprint('spawn', name, input),
    want: {},
    drive: async (pending) => {
      const lent = { ...(boards.length > 0 && { boards }), ...(given.tool !== undefined && { tool: given.tool }) };
      const about = { name, path, input, slice, isLate, ...lent, ...(world === undefined ? {} : { world }) };
      begin(attempt, pending, ledger, about);
      attempt.recorded.acts.openChild(path); // a fork that inherited the start has not seen it
      await runChild(attempt, pending, child, () => agent(given.runFor(child), roundTrip(input)));
    },
    // nobody waits for its outcome any more: its part goes back at once
    onClosed: () => settleChild(attempt, id, ledger, outcomeIn(attempt, id)),
    learn: (end) => settleChild(attempt, id, ledger, (end as EventOf<'spawn-end'>).outcome),
    answer: (end) => {
      const { models = [] } = end as EventOf<'spawn-end'>;
      for (const model of models) attempt.delivery.calls.answeredBy(scope.ledger, scope.path, model);
      attempt.effects.forget(child);
      return (end as EventOf<'spawn-end'>).outcome as Outcome<O>;
    },
  });
}

/** As the journal says, where it says: a child keeps what it was given. */
function givenTo(attempt: Attempt, id: string, asked: ChildParts): Pick<ChildParts, 'boards' | 'world'> {
  const start = attempt.recorded.starts.get(id)?.at(-1)?.event;
  return start?.type === 'spawn-start' ? { boards: start.boards ?? [], world: start.world } : asked;
}

/** A part of the budget begins to be used: its start is in the journal once. */
export function begin(
  attempt: Attempt,
  pending: Pending,
  ledger: Ledger,
  given: Pick<EventOf<'spawn-start'>, 'name' | 'path' | 'input' | 'slice' | 'within' | 'boards' | 'world' | 'tool'> & {
    readonly isLate: boolean;
  },
): void {
  const { isLate, ...about } = given;
  const { id, fp } = pending;
  const started = attempt.recorded.starts.get(id)?.at(-1);
  const limits = ledger.effectiveLimits();
  const late = isLate ? { late: true as const } : {};
  if (started === undefined)
    attempt.journal.push({ type: 'spawn-start', id, fp, ...about, limits, carved: ledger.carvedAxes(), ...late });
  // the turn that asked for it may be long over: its own first turn is one of the process that came to it
  const lifeAt =
    started === undefined && isLate ? attempt.delivery.time.lifeBegan : attempt.recorded.late.get(id)?.lifeAt;
  if (lifeAt !== undefined) attempt.delivery.time.notBefore(lifeAt);
  // a fork counts its own time from nothing: what its parent measured is on another scale
  const activeFrom = started?.inherited ? 0 : started?.activeMs;
  attempt.life.time.watch(ledger, activeFrom ?? attempt.life.time.total());
}

/** Decided once: a refusal is in the journal as an end without a start, whatever the limit is later. */
function isTooDeep(attempt: Attempt, scope: Scope, id: string): boolean {
  if (attempt.recorded.starts.has(id)) return false;
  return (
    attempt.recorded.ends.has(id) ||
    attempt.books.eras.decide(attempt.delivery.isLive, () => depthRefusal(scope)) !== undefined
  );
}

function depthRefusal({ ledger }: Scope): Refusal | undefined {
  const { depth } = ledger.effectiveLimits();
  if (ledger.depth + 1 <= depth) return undefined;
  return { node: '', bound: 'depth', limit: depth, spent: ledger.depth, wanted: 1, left: 0 };
}

/** A child too deep is an outcome, not the end of its parent. */
function refused<O>(attempt: Attempt, scope: Scope, name: string, input: unknown): Promise<Outcome<O>> {
  return ask<Outcome<O>>(attempt, scope, {
    kind: 'spawn',
    name,
    fp: fingerprint('spawn', name, input),
    want: {},
    drive: async ({ id }) => {
      const outcome: Outcome<unknown> = {
        stop: 'bounded',
        bound: 'depth',
        limit: scope.ledger.effectiveLimits().depth,
      };
      attempt.delivery.record({ type: 'spawn-end', id, outcome });
    },
    answer: (end) => (end as EventOf<'spawn-end'>).outcome as Outcome<O>,
  });
}

/** A child that finished in an earlier life did not spend again: its total is taken from its outcome. */
function settleChild(attempt: Attempt, id: string, ledger: Ledger, outcome: Outcome<unknown> | undefined): void {
  if (ledger.isUnspent() && outcome?.usage !== undefined) {
    ledger.debit({ ...outcome.usage, wallMs: 0 });
    ledger.mayHaveCost(outcome.usage.possibly ?? {}, { shown: true });
  }
  ledger.close();
  attempt.books.eras.close(id);
}

function outcomeIn(attempt: Attempt, id: string): Outcome<unknown> | undefined {
  const end = attempt.recorded.ends.get(id)?.event;
  return end?.type === 'spawn-end' ? end.outcome : undefined;
}

async function runChild<O>(
  attempt: Attempt,
  pending: Pending,
  child: Scope,
  run: () => Promise<Outcome<O>>,
): Promise<void> {
  const outcome = await outcomeOfChild(attempt, child, run);
  // what the child left in flight is seen to its end first: a finished child is never run again
  attempt.effects.close(child.path, new CancelledError('the child has ended'), { spareIntents: true });
  await attempt.effects.open.intentsEnded(child.path);
  attempt.life.time.unwatch(child.ledger);
  if (pending.closedBy !== undefined) return attempt.effects.drop(pending);
  // a bound of an ancestor is about to end this child's parent too: it is no outcome of the child's own
  if (outcome === undefined || attempt.books.bounds.holdsAbove(child)) return;
  const usage = attempt.books.usageOf(child.ledger);
  const answered = attempt.delivery.calls.modelsUnder(child.ledger, child.path);
  const models = answered.length === 0 ? {} : { models: answered };
  const { acts: _acts, actsLeftOut: _leftOut, ...said } = outcome;
  const facts = { ...attempt.recorded.acts.closeChild(child.path), usage };
  const end = (of: Outcome<unknown>) =>
    ({ type: 'spawn-end', id: pending.id, outcome: { ...of, ...facts }, ...models }) as const;
  try {
    attempt.delivery.record(end(child.best.into(said as Outcome<unknown>)));
  } catch (error) {
    attempt.delivery.record(end(failed(failureOf(error))));
  }
}

async function outcomeOfChild<O>(
  attempt: Attempt,
  child: Scope,
  run: () => Promise<Outcome<O>>,
): Promise<Outcome<unknown> | undefined> {
  try {
    const outcome = await run();
    if (!isOutcome(outcome)) return failed(notAnOutcome());
    const own = child.closedBy;
    if (own instanceof BoundReachedError && (outcome.stop === 'done' || outcome.stop === 'failed')) {
      return bounded(own, 'value' in outcome ? outcome.value : undefined);
    }
    if (outcome.stop !== 'done') return outcome;
    const over = attempt.books.eras.decide(attempt.delivery.isLive, () => overspentItself(child));
    return over === undefined ? outcome : bounded(boundReached(over), outcome.value);
  } catch (error) {
    if (error instanceof BoundReachedError)
      return error.node === child.ledger.path ? bounded(error, undefined) : undefined;
    if (error instanceof CancelledError) return { stop: 'cancelled', because: error.why };
    return failed(failureOf(error));
  }
}

function overspentItself({ ledger }: Scope): Refusal | undefined {
  const over = ledger.overspent();
  return over?.node === ledger.path ? over : undefined;
}

export function bounded(error: BoundReachedError, partial: unknown): Outcome<unknown> {
  const base = { stop: 'bounded', bound: error.bound, limit: error.limit, ...error.refused } as const;
  return partial === undefined ? base : { ...base, partial };
}

function handOff<I>(attempt: Attempt, scope: Scope, agent: string, input: I): Promise<I> {
  return step(attempt, scope, {
    name: HANDOFF,
    input: { agent, input },
    effect: async (value) =>
      (await through(
        attempt.host.seams,
        'handoff',
        async (last) => last.input,
      )(value, attempt.guards.context(scope.path))) as I,
    effectClass: 'pure',
  });
}

function nameOf(agent: { readonly name: string }): string {
  return agent.name.replace(/[^\w-]/g, '') || 'agent';
}
