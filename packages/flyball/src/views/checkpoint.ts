import { useFrom } from '../core/about.js';
import { canonicalJson, sha256 } from '../core/canonical.js';
import type { EffectId, Entry, EventType, RunEvent } from '../core/events.js';
import type { Outcome } from '../core/outcome.js';
import { described } from '../core/use.js';
import { type Effect, EffectFold, type Verb } from './effects.js';
import { PhaseFold } from './phases.js';
import { UsageFold } from './usage.js';

/** An effect by id and name. */
export interface Action {
  readonly id: EffectId;
  readonly generation: number;
  readonly verb: Verb;
  readonly name: string;
}

/** An effect that has ended. */
export interface CompletedAction extends Action {
  readonly status: 'ok' | 'error';
}

/** The value of an effect. */
export interface Output {
  readonly id: EffectId;
  readonly generation: number;
  readonly value: unknown;
}

/** The state a crash at this point would resume from. Nothing of it is stored: the journal up to here is the checkpoint. */
export interface Checkpoint {
  readonly loopId: string;
  /** How many times the journal was made durable before something else could happen: grows with every checkpoint. */
  readonly iteration: number;
  readonly phase?: string;
  readonly planState?: unknown;
  readonly completedActions: readonly CompletedAction[];
  readonly pendingActions: readonly Action[];
  readonly outputsSoFar: readonly Output[];
  readonly outcome?: Outcome<unknown>;
  readonly tokenConsumption: { readonly input: number; readonly output: number };
  readonly timestamp: number;
  readonly position: { readonly generation: number; readonly seq: number };
  readonly key: string;
  /** Of the state as canonical JSON. */
  readonly sizeBytes: number;
}

const USE = useFrom({ id: 'V10', name: 'checkpointOf', parts: {}, calls: 0, provides: ['V12', 'V14'] });

/**
 * Every run can be resumed; this shows from where: what it has completed and what is open.
 *
 * Model calls: none. Not needed to resume: `runtime.resume` reads the journal itself.
 *
 * @pattern V10
 */
export function checkpointOf(runId: string, entries: readonly Entry[]): Checkpoint {
  const effects = new EffectFold();
  const phases = new PhaseFold();
  const usage = new UsageFold();
  let iteration = 0;
  let planState: unknown;
  let outcome: Outcome<unknown> | undefined;
  for (const entry of entries) {
    const { event } = entry;
    effects.apply(entry);
    phases.apply(entry);
    usage.apply(entry);
    if (isBarrier(event)) iteration++;
    if (event.type === 'note' && event.event.kind === 'plan') planState = event.event;
    if (event.type === 'attempt-start') outcome = undefined;
    if (event.type === 'run-end') outcome = event.outcome;
  }
  const all = effects.all();
  const last = entries.at(-1);
  const { tokensIn, tokensOut } = usage.spent;
  const state = {
    loopId: runId,
    iteration,
    ...(phases.last === undefined ? {} : { phase: phases.last }),
    ...(planState === undefined ? {} : { planState }),
    completedActions: all.flatMap((effect) =>
      effect.status === 'open' ? [] : [{ ...actionOf(effect), status: effect.status }],
    ),
    pendingActions: all.filter((effect) => effect.status === 'open').map(actionOf),
    outputsSoFar: all.flatMap(outputOf),
    ...(outcome === undefined ? {} : { outcome }),
    tokenConsumption: { input: tokensIn, output: tokensOut },
    timestamp: last?.at ?? 0,
    position: { generation: last?.generation ?? 0, seq: last?.seq ?? -1 },
  };
  const sizeBytes = Buffer.byteLength(canonicalJson(state));
  return described({ ...state, key: checkpointKey(runId, iteration), sizeBytes }, USE);
}

/** SHA256(loop_id || k). The bar keeps loop `a1` at 2 apart from loop `a` at 12. */
export function checkpointKey(loopId: string, iteration: number): string {
  return sha256(`${loopId}|${iteration}`);
}

const IS_BARRIER: Readonly<Record<EventType, boolean>> = {
  'run-start': true,
  'generation-start': true,
  'run-end': true,
  'ask-start': true,
  intent: true,
  'wait-start': true,
  'sleep-start': true,
  'generation-end': false,
  'attempt-start': false,
  'run-resume': false,
  'run-pause': false,
  'ask-end': false,
  'call-start': false,
  complete: false,
  abort: false,
  doubt: false,
  'spawn-start': false,
  'spawn-end': false,
  'wait-end': false,
  'wait-close': false,
  'sleep-end': false,
  post: false,
  trip: false,
  cancel: false,
  redirect: false,
  stuck: false,
  note: false,
  'scope-start': false,
  'scope-end': false,
  best: false,
  changed: false,
  pin: false,
  'budget-warning': false,
  'scope-overlap': false,
  'slice-change': false,
  'guard-refused': false,
  'guard-decision': false,
  retry: false,
  'signal-refused': false,
  'operator-alert': false,
  'rollback-start': false,
  'rollback-end': false,
};

/** Entries that are durable before anything after them happens; all others share the commit of the next one. */
export function isBarrier({ type }: RunEvent): boolean {
  return IS_BARRIER[type];
}

function actionOf({ id, generation, verb, name }: Effect): Action {
  return { id, generation, verb, name };
}

function outputOf({ id, generation, end }: Effect): readonly Output[] {
  switch (end?.type) {
    case 'ask-end':
      return end.reply === undefined ? [] : [{ id, generation, value: end.reply.text }];
    case 'complete':
      return end.result === undefined ? [] : [{ id, generation, value: end.result }];
    case 'spawn-end':
      return [{ id, generation, value: end.outcome }];
    case 'wait-end':
      return end.payload === undefined ? [] : [{ id, generation, value: end.payload }];
    case 'abort':
    case 'sleep-end':
    case 'post':
    case undefined:
      return [];
  }
}
