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
  return new RunInScope(attempt, scope, around);
}

/**
 * Every pattern, branch and named scope has a run of its own, so one is a small object: its members make their function
 * when they are read. That way a member also works when code takes it off the run (`const { ask } = run`).
 */
class RunInScope implements Run {
  private readonly attempt: Attempt;
  private readonly own: Scope;
  private readonly around: Around;
  private view: BudgetView | undefined;

  constructor(attempt: Attempt, own: Scope, around: Around) {
    this.attempt = attempt;
    this.own = own;
    this.around = around;
  }

  get id(): Run['id'] {
    return this.attempt.delivery.shownId;
  }
  get path(): string {
    return this.own.path;
  }
  get subject(): string {
    return this.attempt.recorded.before.subject;
  }
  get tenant(): string {
    return this.attempt.claim.record.tenant;
  }
  get signal(): AbortSignal {
    return this.own.signal;
  }
  get budget(): BudgetView {
    this.view ??= budgetView(this.attempt, this.own);
    return this.view;
  }

  get ask(): Run['ask'] {
    return (session, input) =>
      handled(() => askModel(this.attempt, this.own, { session, input, framings: this.around.framings }));
  }
  get call(): Run['call'] {
    return (tool, args) =>
      handled(() => {
        const { seams } = this.around;
        return 'delegates' in tool || 'transfers' in tool
          ? callTool(this.attempt, this.own, { tool, args, seams, runFor: this.runFor })
          : call(this.attempt, this.own, tool, { args, seams });
      });
  }
  get step(): Run['step'] {
    return (name, input, effect, effectClass) =>
      handled(() => step(this.attempt, this.own, { name, input, effect, effectClass, seams: this.around.seams }));
  }
  get spawn(): Run['spawn'] {
    return (agent, input, slice) =>
      handled(() => spawn(this.attempt, this.own, { agent, input, slice, runFor: this.runFor }));
  }

  get start(): Run['start'] {
    return (agent, input, options = {}) => handled(() => startOther(this.place, agent, input, options));
  }
  get send(): Run['send'] {
    return (ref, name, payload) => handled(() => sendTo(this.place, ref, name, payload));
  }
  get join(): Run['join'] {
    return (ref) => handled(() => join(this.place, ref));
  }
  get look(): Run['look'] {
    return (ref) => handled(() => lookAt(this.place, ref));
  }
  get cancel(): Run['cancel'] {
    return (ref) => handled(() => cancelOther(this.place, ref));
  }

  get board(): Run['board'] {
    return (name, schema) => boardOf(this.attempt, this.own, name, schema);
  }
  get scope(): Run['scope'] {
    return (name) => this.runFor(namedScope(this.attempt, this.own, name));
  }
  get enter(): Run['enter'] {
    return (mark, body) => handled(() => enter(this.attempt, this.own, { mark, body, runFor: this.runFor }));
  }
  get guarded(): Run['guarded'] {
    return (more) => this.inside({ ...this.around, seams: joinSeams(this.around.seams, more) });
  }
  get dressed(): Run['dressed'] {
    return (framing) => {
      checkFraming(framing);
      return this.inside({ ...this.around, framings: [...this.around.framings, framing] });
    };
  }
  get framed(): Run['framed'] {
    return (session) => framed(this.around.framings, session);
  }

  get all(): Run['all'] {
    return (branches, width) =>
      handled(() => allBranches(this.attempt, this.own, { branches, width, runFor: this.runFor }));
  }
  get first(): Run['first'] {
    return (branches) => handled(() => firstBranch(this.attempt, this.own, { branches, runFor: this.runFor }));
  }
  get each(): Run['each'] {
    return (branches, { width, slice }) =>
      eachBranch(this.attempt, this.own, { branches, width, run: this.branchRun(slice) });
  }
  get some(): Run['some'] {
    return (branches, { need, width, deadline, slice }) =>
      handled(() =>
        someBranches(this.attempt, this.own, { branches, need, width, deadline, run: this.branchRun(slice) }),
      );
  }
  get within(): Run['within'] {
    return (slice, body) => handled(() => withinSlice(this.attempt, this.own, { slice, body, runFor: this.runFor }));
  }

  get wait(): Run['wait'] {
    return (signal) => handled(() => wait(this.attempt, this.own, signal, (heard) => heard.value));
  }
  get hear(): Run['hear'] {
    return (signal) => handled(() => wait(this.attempt, this.own, signal, (heard) => heard));
  }
  get sleep(): Run['sleep'] {
    return (ms) => handled(() => sleep(this.attempt, this.own, ms));
  }

  get calls(): Run['calls'] {
    return () => this.attempt.delivery.calls.under(this.own.ledger, this.own.path);
  }
  get models(): Run['models'] {
    return () => this.attempt.delivery.calls.modelsUnder(this.own.ledger, this.own.path);
  }
  get instructions(): Run['instructions'] {
    return () => [...this.attempt.delivery.instructions];
  }
  get now(): Run['now'] {
    return () => this.attempt.delivery.time.now;
  }
  get best(): Run['best'] {
    return (value) => {
      assertOutsideEffects(this.attempt);
      tellBest(this.attempt, this.own, value);
    };
  }
  get random(): Run['random'] {
    return () => {
      assertOutsideEffects(this.attempt);
      return randomAt(`${this.attempt.lineage.seed}${this.own.path}~${this.own.randoms++}`);
    };
  }
  get note(): Run['note'] {
    return (event) => {
      assertOutsideEffects(this.attempt);
      this.attempt.journal.tellings.note(this.own.path, event);
    };
  }
  get changed(): Run['changed'] {
    return (id) => {
      assertOutsideEffects(this.attempt);
      return this.attempt.delivery.changed(this.own.path, id);
    };
  }
  get pin(): Run['pin'] {
    return (name, value) => {
      assertOutsideEffects(this.attempt);
      return this.attempt.journal.pin(`${this.own.path} ${name}`, roundTrip(value)) as typeof value;
    };
  }
  get continueWith(): Run['continueWith'] {
    return (state) => continueWith(this.attempt, this.own, state);
  }

  /** What `console.log(run)` prints: not the process behind it. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Run { id: '${this.id}', path: '${this.path}' }`;
  }

  private get runFor(): (other: Scope) => Run {
    return (other) => new RunInScope(this.attempt, other, this.around);
  }
  /** For what is done to other runs. */
  private get place(): Parameters<typeof lookAt>[0] {
    return { attempt: this.attempt, scope: this.own, seams: this.around.seams };
  }
  private inside(around: Around): Run {
    return new RunInScope(this.attempt, this.own, around);
  }
  private branchRun(slice: BudgetSlice | undefined) {
    const { attempt, runFor } = this;
    return <T>(branch: Scope, body: (run: Run) => Promise<T>): Promise<T> =>
      slice === undefined ? body(runFor(branch)) : withinSlice(attempt, branch, { slice, body, runFor });
  }
}

function namedScope(attempt: Attempt, scope: Scope, name: string): Scope {
  assertOutsideEffects(attempt);
  if (!isScopeName(name))
    throw new ConfigError(
      `A scope name can contain letters, digits, "_", "-" and ".", and must not end in a dot and a number: got "${name}".`,
    );
  return attempt.effects.scope(`${scope.path}/${name}`, scope);
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
      const want: { [counted in typeof axis]?: number } = {};
      want[axis] = amount;
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
      'continueWith is not possible while effects or branches are open. Await or cancel them first.',
    );
  }
  attempt.life.continueWith(roundTrip(state));
  throw new FlyballError(
    'CONTINUE_REFUSED',
    'The run continues in a new generation; this is how the old one ends, and must not be caught.',
  );
}
