import { type BudgetSlice, type BudgetView, isAmount } from '../core/budget.js';
import { roundTrip } from '../core/codec.js';
import { ConfigError, FlyballError } from '../core/errors.js';
import { checkFraming, type Framing, framed } from '../core/framing.js';
import { joinSeams } from '../core/join-seams.js';
import { isScopeName } from '../core/mark.js';
import type { Run } from '../core/run.js';
import type { Seams } from '../core/seams.js';
import type { Attempt } from './attempt.js';
import { askModel } from './effects/ask-model.js';
import { all as allBranches, first as firstBranch } from './effects/branches.js';
import { call } from './effects/call.js';
import { callTool } from './effects/call-tool.js';
import { each as eachBranch, some as someBranches } from './effects/each.js';
import { assertOutsideEffects } from './effects/effect.js';
import { enter, tellBest } from './effects/enter.js';
import { cancelOther, join, lookAt, sendTo, startOther } from './effects/other-runs.js';
import { boardOf } from './effects/post.js';
import { spawn } from './effects/spawn.js';
import { step } from './effects/step.js';
import { sleep, wait } from './effects/wait.js';
import { within as withinSlice } from './effects/within.js';
import type { Scope } from './open-effects.js';
import { randomAt } from './random-at.js';

/** What a run passes on to everything that is made through it: guards around calls, framings of sessions. */
export interface Around {
  readonly seams: Seams;
  /** Outermost first. */
  readonly framings: readonly Framing[];
}

/** The run as its code sees it, from one scope. */
export function makeRun(
  attempt: Attempt,
  scope: Scope,
  around: Around = { seams: attempt.host.seams, framings: [] },
): Run {
  const { seams, framings } = around;
  const runFor = (other: Scope): Run => makeRun(attempt, other, around);
  const others = toOtherRuns({ attempt, scope, seams });
  const { all, each, some, within, first } = branching(attempt, scope, runFor);
  const { best, random, note, changed, pin } = atOnce(attempt, scope);
  let budget: BudgetView | undefined;
  // every member by its name: one object made of spread ones takes ten times as long, and each pattern has one
  return {
    get id() {
      return attempt.delivery.shownId;
    },
    path: scope.path,
    subject: attempt.recorded.before.subject,
    tenant: attempt.claim.record.tenant,
    get signal() {
      return scope.signal;
    },
    get budget() {
      budget ??= budgetView(attempt, scope);
      return budget;
    },
    ask: (session, input) => handled(() => askModel(attempt, scope, { session, input, framings })),
    call: (tool, args) =>
      handled(() =>
        'delegates' in tool || 'transfers' in tool
          ? callTool(attempt, scope, { tool, args, seams, runFor })
          : call(attempt, scope, tool, { args, seams }),
      ),
    guarded: (more) => makeRun(attempt, scope, { ...around, seams: joinSeams(seams, more) }),
    dressed: (framing) => {
      checkFraming(framing);
      return makeRun(attempt, scope, { ...around, framings: [...framings, framing] });
    },
    framed: (session) => framed(framings, session),
    step: (name, input, effect, effectClass) =>
      handled(() => step(attempt, scope, { name, input, effect, effectClass, seams })),
    spawn: (agent, input, slice) => handled(() => spawn(attempt, scope, { agent, input, slice, runFor })),
    start: others.start,
    send: others.send,
    join: others.join,
    look: others.look,
    cancel: others.cancel,
    board: (name, schema) => boardOf(attempt, scope, name, schema),
    scope: (name) => runFor(namedScope(attempt, scope, name)),
    enter: (mark, body) => handled(() => enter(attempt, scope, { mark, body, runFor })),
    all,
    each,
    some,
    within,
    first,
    calls: () => attempt.delivery.calls.under(scope.ledger, scope.path),
    models: () => attempt.delivery.calls.modelsUnder(scope.ledger, scope.path),
    instructions: () => [...attempt.delivery.instructions],
    wait: (signal) => handled(() => wait(attempt, scope, signal, (heard) => heard.value)),
    hear: (signal) => handled(() => wait(attempt, scope, signal, (heard) => heard)),
    sleep: (ms) => handled(() => sleep(attempt, scope, ms)),
    now: () => attempt.delivery.time.now,
    best,
    random,
    note,
    changed,
    pin,
    continueWith: (state) => continueWith(attempt, scope, state),
  };
}

function namedScope(attempt: Attempt, scope: Scope, name: string): Scope {
  assertOutsideEffects(attempt);
  if (!isScopeName(name))
    throw new ConfigError(
      `A scope name can contain letters, digits, "_", "-" and ".", and must not end in a dot and a number: got "${name}".`,
    );
  return attempt.effects.scope(`${scope.path}/${name}`, scope);
}

/** What is no effect: it is told, or answered, within the turn. */
function atOnce(attempt: Attempt, scope: Scope): Pick<Run, 'best' | 'random' | 'note' | 'changed' | 'pin'> {
  return {
    best: (value) => {
      assertOutsideEffects(attempt);
      tellBest(attempt, scope, value);
    },
    random: () => {
      assertOutsideEffects(attempt);
      return randomAt(`${attempt.lineage.seed}${scope.path}~${scope.randoms++}`);
    },
    note: (event) => {
      assertOutsideEffects(attempt);
      attempt.journal.tellings.note(scope.path, event);
    },
    changed: (id) => {
      assertOutsideEffects(attempt);
      return attempt.delivery.changed(id);
    },
    pin: (name, value) => {
      assertOutsideEffects(attempt);
      return attempt.journal.pin(`${scope.path} ${name}`, roundTrip(value)) as typeof value;
    },
  };
}

/** What runs code in scopes of its own. */
function branching(
  attempt: Attempt,
  scope: Scope,
  runFor: (other: Scope) => Run,
): Pick<Run, 'all' | 'each' | 'some' | 'first' | 'within'> {
  const branchRun =
    (slice: BudgetSlice | undefined) =>
    <T>(branch: Scope, body: (run: Run) => Promise<T>): Promise<T> =>
      slice === undefined ? body(runFor(branch)) : withinSlice(attempt, branch, { slice, body, runFor });
  return {
    all: (branches, width) => handled(() => allBranches(attempt, scope, { branches, width, runFor })),
    each: (branches, { width, slice }) => eachBranch(attempt, scope, { branches, width, run: branchRun(slice) }),
    some: (branches, { need, width, deadline, slice }) =>
      handled(() => someBranches(attempt, scope, { branches, need, width, deadline, run: branchRun(slice) })),
    within: (slice, body) => handled(() => withinSlice(attempt, scope, { slice, body, runFor })),
    first: (branches) => handled(() => firstBranch(attempt, scope, { branches, runFor })),
  };
}

/** What a run can do to other runs. */
function toOtherRuns(place: Parameters<typeof lookAt>[0]): Pick<Run, 'start' | 'send' | 'join' | 'look' | 'cancel'> {
  return {
    start: (agent, input, options = {}) => handled(() => startOther(place, agent, input, options)),
    send: (ref, name, payload) => handled(() => sendTo(place, ref, name, payload)),
    join: (ref) => handled(() => join(place, ref)),
    look: (ref) => handled(() => lookAt(place, ref)),
    cancel: (ref) => handled(() => cancelOther(place, ref)),
  };
}

/**
 * An effect that the code does not await at the moment may be rejected by a bound or a cancellation. That rejection is
 * in the journal; as an unhandled one it would take the process down, and every other run in it.
 */
function handled<T>(effect: () => Promise<T>): Promise<T> {
  const promise = started(effect);
  promise.catch(() => undefined);
  return promise;
}

/** Bad arguments are a rejection like any other failure, not an exception of the call. */
function started<T>(effect: () => Promise<T>): Promise<T> {
  try {
    return effect();
  } catch (error) {
    return Promise.reject(error);
  }
}

function budgetView(attempt: Attempt, scope: Scope): BudgetView {
  const { ledger } = scope;
  return {
    get limits() {
      return ledger.effectiveLimits();
    },
    spent: () => ledger.shownSpent(),
    before: () => ledger.spentBefore(),
    remaining: (axis) => ledger.shownRemaining(axis),
    take: (axis, amount = 1) => {
      assertOutsideEffects(attempt);
      if (!isAmount(amount)) throw new ConfigError(`take needs a finite number of at least 0, got ${String(amount)}.`);
      const closed = scope.closedReason();
      if (closed !== undefined) throw closed;
      const want = { [axis]: amount };
      const refusal = attempt.books.eras.decide(attempt.delivery.isLive, () => ledger.reserve(want));
      if (refusal !== undefined) throw attempt.books.bounds.tripAtOnce(refusal);
      ledger.settle(want, want);
      attempt.books.warn(ledger);
    },
  };
}

function continueWith(attempt: Attempt, scope: Scope, state: unknown): never {
  const closed = scope.closedReason();
  if (closed !== undefined) throw closed;
  if (scope.ledger !== attempt.effects.root.ledger)
    throw new FlyballError('CONTINUE_REFUSED', 'Only the run itself can continue in a new generation, not a child.');
  // what was cut off with its branch is nobody's any more; what it may have done is seen to its end before the run goes on
  if (attempt.effects.open.areAwaited() || attempt.effects.root.hasOpenBranches()) {
    throw new FlyballError(
      'CONTINUE_REFUSED',
      'continueWith needs a quiet run: await or cancel the open effects and branches first.',
    );
  }
  attempt.life.continueWith(roundTrip(state));
  throw new FlyballError(
    'CONTINUE_REFUSED',
    'The run continues in a new generation; this is how the old one ends, and must not be caught.',
  );
}
