import { type Amounts, AXES, type Budget, budget, checkSlice, isAmount } from '../../core/budget.js';
import { contentId } from '../../core/codec.js';
import { ConfigError, FlyballError } from '../../core/errors.js';
import { endedSignal, type OtherRun, type RunRef, type StartRunOptions } from '../../core/other-runs.js';
import type { Outcome } from '../../core/outcome.js';
import type { Seams } from '../../core/seams.js';
import { chargeAtEnd, chargeAtStart } from '../../core/started-runs.js';
import type { EffectClass } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import { isUnder } from '../loaded-entry.js';
import type { Scope } from '../open-effects.js';
import type { Looked, Reaching } from '../reach.js';
import { isOfStorage } from '../stopped-here.js';
import { step } from './step.js';
import { wait } from './wait.js';

const DEFAULT_SHARE = 0.1;

/** Guards of a scope do not see what a run does that is started there: to them it may do anything. */
const BEYOND_GUARDS = { class: 'irreversible' } as unknown as EffectClass<never>;

/** Other runs, made of steps and waits: nothing about them is new to a replay. */
interface Place {
  readonly attempt: Attempt;
  readonly scope: Scope;
  readonly seams: Seams;
}

/** Starts a run. Undone by cancelling it: so it is called off with the branch, child or run that started it. */
export function startOther(
  { attempt, scope, seams }: Place,
  agent: string,
  input: unknown,
  { slice = {} }: StartRunOptions,
): Promise<RunRef> {
  if (typeof agent !== 'string' || agent === '')
    throw new ConfigError('run.start takes the name of an agent that the runtime knows.');
  checkSlice(slice);
  if ('of' in slice || 'shared' in slice)
    throw new ConfigError(
      'A started run gets a fixed part of the budget: pass amounts or `share`, not `of` or `shared`.',
    );
  const amounts = partOf(scope, slice);
  const { others } = attempt.host;
  const refOf = (key: string): RunRef => ({
    run: `run_${contentId(key)
      .replace(/[^\w-]/g, '')
      .slice(0, 20)}`,
    agent,
  });
  return step<unknown, RunRef>(attempt, scope, {
    name: `start:${agent}`,
    input: { agent, input },
    want: amounts,
    seams,
    effect: async (_given, { key }) => {
      const ref = refOf(key);
      refuseTooDeep(scope);
      const budget = budgetOf(scope, amounts, slice);
      await stored(attempt, others.start(reaching(attempt), { id: ref.run, agent, input, budget, key }));
      return ref;
    },
    toldOfRun: ({ run }, reserved) => chargeAtStart(run, scope.ledger.path, reserved),
    judgedAs: BEYOND_GUARDS,
    effectClass: {
      class: 'idempotent',
      compensate: (_given, ref, { key }) =>
        stored(attempt, others.cancel(reaching(attempt), (ref ?? refOf(key)).run, key)),
    },
  });
}

/** Sends a signal to another run. Heard once, however often it is sent. */
export async function sendTo(
  { attempt, scope, seams }: Place,
  ref: RunRef,
  name: string,
  payload: unknown,
): Promise<void> {
  const by = reaching(attempt);
  await step(attempt, scope, {
    name: `send:${name}`,
    input: { run: ref.run, payload: payload ?? null },
    seams,
    effect: async (given, { key }) => {
      await stored(attempt, attempt.host.others.send(by, given.run, { name, payload: given.payload, id: key }));
      return null;
    },
    effectClass: 'idempotent',
  });
}

export function lookAt({ attempt, scope }: Place, ref: RunRef): Promise<OtherRun> {
  const by = reaching(attempt);
  return step<{ readonly run: string }, Looked, OtherRun>(attempt, scope, {
    name: `look:${ref.run}`,
    input: { run: ref.run },
    effect: ({ run }) => stored(attempt, attempt.host.others.look(by, run, attempt.delivery.endedRuns.has(run))),
    keep: ({ found }) => found,
    toldOfRun: ({ found: { outcome }, askers }) => {
      const known = attempt.journal.state.started(ref.run);
      // a budget further down keeps no books for the one that started it: a finished child is not run again on replay
      if (known === undefined || outcome === undefined || !isUnder(known.at, scope.ledger.path)) return { askers };
      return { askers, ...chargeAtEnd(ref.run, known, outcome) };
    },
    effectClass: 'pure',
  });
}

export async function cancelOther({ attempt, scope, seams }: Place, ref: RunRef): Promise<void> {
  const by = reaching(attempt);
  await step(attempt, scope, {
    name: 'cancel-run',
    input: { run: ref.run },
    seams,
    effect: async ({ run }, { key }) => {
      await stored(attempt, attempt.host.others.cancel(by, run, key));
      return null;
    },
    effectClass: 'idempotent',
  });
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 1_440 * MINUTE;

/**
 * Waits for the end of another run and holds no process meanwhile. It is told of the end; should that be lost with a
 * process, it looks by itself, ever more rarely. Only whoever started it is told: a fork of that run begins to look sooner.
 */
export async function join<O>(place: Place, ref: RunRef): Promise<Outcome<O>> {
  const { attempt, scope } = place;
  const firstMs = attempt.lineage.fork === undefined ? MINUTE : SECOND;
  for (let looks = 0; ; looks++) {
    const { outcome } = await lookAt(place, ref);
    if (outcome !== undefined) return outcome as Outcome<O>;
    const timeoutMs = wasBegunBefore(place) ? 0 : Math.min(DAY, firstMs * 2 ** looks);
    await wait(attempt, scope, { name: endedSignal(ref.run), timeoutMs }, () => {
      attempt.delivery.endedRuns.add(ref.run);
    });
  }
}

/** The wait that comes next is one in which a fork was made. The end was told to its parent, so the fork looks at once. */
function wasBegunBefore({ attempt: { recorded }, scope }: Place): boolean {
  const id = `${scope.path}#${scope.effects}`;
  return !recorded.ends.has(id) && recorded.starts.get(id)?.at(-1)?.inherited !== undefined;
}

/** A storage that fails says nothing about the other run: this one stops here, and does it again where it is taken up. */
async function stored<T>({ life }: Attempt, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isOfStorage(error)) life.fail(error);
    throw error;
  }
}

function reaching({ runId, claim, recorded, journal }: Attempt): Reaching {
  const { askers, rejections } = journal.state.state();
  return {
    runId,
    tenant: claim.record.tenant,
    subject: recorded.before.subject,
    starter: { askers: [...new Set([...askers, claim.record.subject])], rejections },
  };
}

/** A run is as far away as a child: one that starts itself again and again comes to an end. */
function refuseTooDeep({ ledger }: Scope): void {
  const { depth } = ledger.effectiveLimits();
  if (ledger.depth >= depth)
    throw new FlyballError(
      'DENIED',
      `The budget allows a depth of ${depth}, and a run started here would be deeper. Give the run a larger depth.`,
    );
}

/** On every axis that adds up: what the slice says, or a share of what is left here. Time is not divided. */
function partOf({ ledger }: Scope, slice: NonNullable<StartRunOptions['slice']>): Partial<Amounts> {
  const share = slice.share ?? DEFAULT_SHARE;
  const parts = AXES.filter((axis) => axis !== 'wallMs').map((axis) => {
    const left = ledger.shownRemaining(axis) * share;
    return [axis, slice[axis] ?? (axis === 'costUsd' ? left : Math.floor(left))] as const;
  });
  return Object.fromEntries(parts.filter(([, amount]) => isAmount(amount)));
}

function budgetOf({ ledger }: Scope, amounts: Partial<Amounts>, slice: NonNullable<StartRunOptions['slice']>): Budget {
  const limits = ledger.effectiveLimits();
  const least = (axis: 'deadline' | 'wallMs' | 'depth' | 'width' | 'noProgress', limit = limits[axis]): number =>
    Math.min(slice[axis] ?? Number.POSITIVE_INFINITY, limit ?? Number.POSITIVE_INFINITY);
  const deadline = least('deadline');
  return budget({
    ...amounts,
    wallMs: least('wallMs'),
    depth: least('depth', limits.depth - ledger.depth - 1), // a run is as far away as a child
    width: least('width'),
    noProgress: least('noProgress'),
    ...(Number.isFinite(deadline) ? { deadline } : {}),
  });
}
