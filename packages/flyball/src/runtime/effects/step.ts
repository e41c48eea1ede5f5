import type { Amounts } from '../../core/budget.js';
import { fingerprint, roundTrip } from '../../core/codec.js';
import { ConfigError } from '../../core/errors.js';
import type { EventOf } from '../../core/events.js';
import type { Seams } from '../../core/seams.js';
import type { ToldOfRun } from '../../core/started-runs.js';
import type { EffectClass, EffectContext } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import type { Scope } from '../open-effects.js';
import { type Act, effectError, failureIn, learnCompensation, rulesOf } from './act.js';
import { admitStep } from './admit-step.js';
import { driveAct } from './drive-act.js';
import { ask } from './effect.js';

const same = (value: unknown): unknown => value;

/** Any effect that is not a tool: its input is part of its identity, its result what the journal says. */
export function step<A, T, K = T>(
  attempt: Attempt,
  scope: Scope,
  given: {
    readonly name: string;
    readonly input: A;
    readonly effect: (input: A, how: EffectContext) => Promise<T> | T;
    readonly effectClass: EffectClass<A, T>;
    /** What guards take it for, where that is not what a crash makes of it. */
    readonly judgedAs?: EffectClass<never>;
    readonly seams?: Seams;
    /** What it takes of the budget at most. */
    readonly want?: Partial<Amounts>;
    readonly toldOfRun?: (result: T, reserved: Partial<Amounts>) => ToldOfRun | undefined;
    /** What of the result is kept and given to the code. Absent: all of it. */
    readonly keep?: (result: T) => K;
  },
): Promise<K> {
  if (typeof given.name !== 'string' || given.name === '') throw new ConfigError('A step needs a name.');
  if (given.effectClass === undefined) throw new ConfigError(`Step "${given.name}" must declare its effect class.`);
  const rules = rulesOf(given.effectClass);
  // what a person agrees to is what is done: the code may change its object while the question is open
  const input = rules.class === 'pure' ? given.input : roundTrip(given.input);
  const act: Act = {
    of: 'step',
    name: given.name,
    input,
    ...rules,
    body: (how) => given.effect(input, how),
    keep: (given.keep ?? same) as Act['keep'],
    restore: same,
    toldOfRun: given.toldOfRun as Act['toldOfRun'],
  };
  return ask<K>(attempt, scope, {
    kind: 'step',
    fp: fingerprint('step', given.name, given.input),
    name: given.name,
    want: given.want ?? {},
    drive: async (pending) => {
      const admitted = await admitStep(attempt, pending, act, given.judgedAs ?? given.effectClass, given.seams ?? {});
      if (admitted !== undefined) await driveAct(attempt, pending, admitted);
    },
    learn: (end) => learnCompensation(attempt, act, end),
    answer: (end) => {
      const failure = failureIn(end);
      return failure === undefined ? ((end as EventOf<'complete'>).result as K) : effectError(failure);
    },
  });
}
