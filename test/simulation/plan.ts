import fc from 'fast-check';
import { type SeededRandom, seededRandom } from 'flyball/testing';
import { type Case, profile } from '../crash/case.js';

export interface Damage {
  readonly kind: 'damage';
  readonly run: number;
  readonly nth: number;
  /** In an entry of its journal, or in its own row. */
  readonly where: 'entry' | 'record';
  /** A bit is flipped, or a byte becomes one that no text in UTF-8 has. */
  readonly how: 'bit' | 'byte';
  /** Whoever wrote is killed with it, so that the run is read again. */
  readonly kills: boolean;
}

/** What goes wrong, when, and to whom. Every one of them can be left out, so that a failing seed becomes smaller. */
export type Fault =
  /** The process is killed, and another one takes its place after a while. */
  | { readonly kind: 'crash'; readonly at: number; readonly machine: number; readonly backMs: number }
  /**
   * At a write to a run, before it is made or after, it is killed or stands still; somebody may cancel the run then. Or
   * right after an INTENT: then the act was announced, and not made.
   */
  | {
      readonly kind: 'strike';
      readonly run: number;
      readonly of: 'writes' | 'intents';
      readonly nth: number;
      readonly when: 'before' | 'after';
      readonly how: 'crash' | 'stop';
      readonly cancels: boolean;
    }
  /** After a write to a run, a byte of what the storage holds of it is not what was written any more. */
  | Damage
  /** It stands still and knows nothing of it, as under SIGSTOP. */
  | { readonly kind: 'stop'; readonly at: number; readonly machine: number; readonly ms: number }
  /** Nothing gets from it to the storage, or back. */
  | { readonly kind: 'cut'; readonly at: number; readonly machine: number; readonly ms: number }
  /** Somebody sets its clock. */
  | { readonly kind: 'jump'; readonly at: number; readonly machine: number; readonly ms: number }
  /** Somebody sets back the clocks of all machines, when this run has been unloaded until a time. */
  | { readonly kind: 'set-back'; readonly run: number; readonly ms: number }
  /** An operator has this run go on, once it is paused, and takes that back at once. */
  | { readonly kind: 'hesitate'; readonly run: number }
  /** The disk of the storage is full. */
  | { readonly kind: 'full'; readonly at: number; readonly ms: number }
  /** Requests and answers are late, get lost, or arrive twice. */
  | { readonly kind: 'storm'; readonly at: number; readonly ms: number; readonly loss: number }
  /** A process ends in peace and comes back with the next version of the code. */
  | { readonly kind: 'deploy'; readonly at: number; readonly machine: number; readonly drainMs: number }
  /** An operator says that a killed process is gone. */
  | { readonly kind: 'declare'; readonly at: number }
  | {
      readonly kind: 'cancel' | 'pause' | 'redirect' | 'stray' | 'early' | 'wake';
      readonly at: number;
      readonly run: number;
    };

export interface Plan {
  readonly seed: number;
  /** What each run does, from the generator of crash tests. */
  readonly cases: readonly Case[];
  /** How far off the clock of each machine is when it starts. */
  readonly skews: readonly number[];
  /** Machines on one host can prove each other gone; others know only leases. */
  readonly hosts: readonly number[];
  readonly faults: readonly Fault[];
  /** What the next version is: the same code with a change that it declares, or different code. */
  readonly next: 'changed' | 'different';
  /** One run kills every process that works on it. */
  readonly isPoisoned: boolean;
  /** Who says whose turn it is: workers that look around, or a dispatcher. */
  readonly turns: 'workers' | 'dispatcher';
  /** How long the storage takes to answer, at most; 0: at once. */
  readonly latencyMs: number;
}

const PROFILES = [
  'mixed',
  'mixed',
  'budget',
  'budget',
  'generations',
  'cancel',
  'people',
  'people',
  'nested',
  'instants',
  'clocks',
];

const HOUR_MS = 3_600_000;

/** One plan in so many has a disk that fails. */
const DISKS = 16;
/** One in so many has dates that are set back while a run sleeps. */
const SETTINGS = 16;
/** One in so many has an operator who steers one run: pauses it, hesitates, and redirects it. */
const STEERED = 16;

/** All choices of a simulation, from one number. */
export function planOf(seed: number): Plan {
  const plan = timelyPlan(seed);
  const random = seededRandom(`damage ${seed}`);
  if (random.int(DISKS) > 0 || plan.isPoisoned) return plan;
  // there is another run to go on beside it
  const { length } = plan.cases;
  const cases = length > 1 ? plan.cases : [...plan.cases, caseOf(random.pick(PROFILES), seed * 4 + length)];
  const damage: Damage = {
    kind: 'damage',
    run: random.int(cases.length),
    nth: 1 + random.int(5),
    where: random.pick(['entry', 'entry', 'entry', 'record']),
    how: random.pick(['bit', 'byte']),
    kills: random.int(2) === 0,
  };
  return { ...plan, cases, faults: [...plan.faults, damage] };
}

/** Where nothing is damaged. */
function timelyPlan(seed: number): Plan {
  const plan = steeredPlan(seed);
  const random = seededRandom(`dates ${seed}`);
  if (random.int(SETTINGS) > 0 || plan.isPoisoned || plan.turns === 'dispatcher') return plan;
  const setBack: Fault = { kind: 'set-back', run: random.int(plan.cases.length), ms: -HOUR_MS };
  return { ...plan, faults: [...plan.faults, setBack] };
}

/** Where everybody has the right date. */
function steeredPlan(seed: number): Plan {
  const plan = soundPlan(seed);
  const random = seededRandom(`operators ${seed}`);
  if (random.int(STEERED) > 0 || plan.isPoisoned) return plan;
  const run = random.int(plan.cases.length);
  const at = (): number => random.int(3_000);
  const redirects = Array.from({ length: 1 + random.int(2) }, (): Fault => ({ kind: 'redirect', at: at(), run }));
  return {
    ...plan,
    faults: [...plan.faults, { kind: 'pause', at: at(), run }, { kind: 'hesitate', run }, ...redirects],
  };
}

/** Without damage. What it draws decides every world that was ever played: draw nothing more from the same numbers. */
function soundPlan(seed: number): Plan {
  const random = seededRandom(`plan ${seed}`);
  const runs = random.pick([1, 1, 1, 2, 2, 3]);
  const machines = random.pick([1, 2, 2, 2, 3]);
  const isPoisoned = random.int(12) === 0;
  // whoever dispatches decides what runs beside what: nobody tries suspects alone then
  const turns = random.int(6) === 0 && !isPoisoned ? 'dispatcher' : 'workers';
  const cases = Array.from({ length: runs }, (_, n) => caseOf(random.pick(PROFILES), seed * 4 + n));
  const skew = (): number => random.pick([0, 0, 0, 0, random.int(4000) - 2000, random.pick([HOUR_MS, -HOUR_MS])]);
  return {
    seed,
    cases,
    skews: Array.from({ length: machines }, skew),
    hosts: Array.from({ length: machines }, () => random.int(2)),
    faults: isPoisoned ? [] : faultsOf(random, { machines, runs, cases }),
    next: random.pick(['changed', 'changed', 'different']),
    isPoisoned,
    turns,
    latencyMs: random.pick([0, 5, 40, 300]),
  };
}

function caseOf(name: string, seed: number): Case {
  const [given] = fc.sample(profile(name), { seed, numRuns: 1 }) as [Case];
  return { ...given, crashes: [], meddling: [], forks: [], restMs: 0 };
}

function faultsOf(
  random: SeededRandom,
  { machines, runs }: { readonly machines: number; readonly runs: number; readonly cases: readonly Case[] },
): readonly Fault[] {
  const at = (): number => Math.floor(30_000 * random() ** 3);
  const machine = (): number => random.int(machines);
  const run = (): number => random.int(runs);
  const one = (): Fault => {
    switch (random.int(17)) {
      case 0:
        return { kind: 'crash', at: at(), machine: machine(), backMs: random.pick([0, 1000, 20_000]) };
      case 1:
      case 2:
      case 3:
        return {
          kind: 'strike',
          run: run(),
          of: 'writes',
          nth: 1 + random.int(14),
          when: random.pick(['before', 'after']),
          how: random.pick(['crash', 'crash', 'stop']),
          cancels: random.int(4) === 0,
        };
      case 16:
        return {
          kind: 'strike',
          run: run(),
          of: 'intents',
          nth: 1 + random.int(4),
          when: 'after',
          how: 'crash',
          cancels: random.int(2) === 0,
        };
      case 4:
      case 5:
        return { kind: 'stop', at: at(), machine: machine(), ms: random.pick([500, 16_000, 20_000, 40_000]) };
      case 6:
        return { kind: 'cut', at: at(), machine: machine(), ms: random.pick([500, 8_000, 20_000, 40_000]) };
      case 7:
        return { kind: 'jump', at: at(), machine: machine(), ms: random.pick([-HOUR_MS, -2000, 2000, HOUR_MS]) };
      case 8:
        return { kind: 'full', at: at(), ms: random.pick([200, 3_000, 20_000]) };
      case 9:
      case 10:
        return { kind: 'storm', at: at(), ms: random.pick([1_000, 5_000, 20_000]), loss: random.pick([0.05, 0.2]) };
      case 11:
        return { kind: 'deploy', at: at(), machine: machine(), drainMs: random.pick([0, 1_000, 10_000]) };
      case 12:
        return { kind: 'declare', at: at() };
      default:
        return {
          kind: random.pick(['cancel', 'cancel', 'pause', 'redirect', 'stray', 'early', 'wake']),
          at: at(),
          run: run(),
        };
    }
  };
  return Array.from({ length: random.int(7) }, one);
}
