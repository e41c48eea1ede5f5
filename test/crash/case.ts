import fc from 'fast-check';
import { AROUND, EVEN, type Flavor, NONE, type Program, treesOf } from './program.js';

/** What happens to a run from outside, at a write of one of its lives. */
export interface Meddling {
  readonly life: number;
  readonly at: number;
  readonly what: 'cancel' | 'pause' | 'redirect' | 'forward' | 'back' | 'early' | 'stray';
}

export interface Crash {
  readonly at: number;
  readonly when: 'before' | 'after';
  /** What happens before anybody takes the run over. */
  readonly then: 'nothing' | 'cancel' | 'redirect' | 'week' | 'deploy';
}

export interface Limits {
  readonly toolCalls: number;
  readonly modelCalls: number;
  readonly iterations: number;
  /** So that replies side by side have to wait for room. */
  readonly tokensOut?: number;
}

export interface People {
  readonly verdict: 'approve' | 'reject';
  /** Plain signals go by the name of the wait or by its token. */
  readonly by: 'name' | 'token';
  /** Two people answer at the same time, one with yes and one with no. */
  readonly isRaced: boolean;
  /** Waits that are open no more are answered too. */
  readonly isLate: boolean;
  /** So many questions are left alone while time can pass without an answer. */
  readonly ignores: number;
}

export interface ForkPlan {
  /** Which generation and which of its points, as a fraction of how many there are. */
  readonly generation: number;
  readonly at: number;
  readonly live: boolean;
  readonly by: boolean;
  readonly limits: Limits | undefined;
  /** The fork is of the fork before. */
  readonly isOfFork: boolean;
}

export interface Case {
  readonly profile: string;
  /** One program for each generation; the first is gone through `rounds` times. */
  readonly generations: readonly Program[];
  readonly rounds: number;
  readonly failsAtEnd: boolean;
  /** It ends with whatever its program did last, and not with an effect of its own. */
  readonly isBrief?: boolean;
  /** What mended code does in addition, which only forks run. */
  readonly more: Program | undefined;
  /** The budgets of the run, one after the other: the next holds after a bound or a pause. */
  readonly budgets: readonly Limits[];
  /** A run that is past its last budget is resumed with more than it can use; otherwise it ends there. */
  readonly enlarges: boolean;
  /** How long it rests at a bound, at a pause, and before it is forked. */
  readonly restMs: number;
  readonly deadlineMs: number | undefined;
  /** The model reports this many times what it may use at most. */
  readonly overshoot: number;
  /** How long it takes to undo something. */
  readonly undoMs: number;
  readonly seed: number;
  readonly crashes: readonly Crash[];
  readonly meddling: readonly Meddling[];
  readonly people: People;
  readonly forks: readonly ForkPlan[];
  readonly isPrivate: boolean;
  /** The first process allows less than later ones. */
  readonly isSupervised: boolean;
  /** Guards deny the third leg of the trifecta. */
  readonly isGuarded: boolean;
}

export const HOUR_MS = 3_600_000;
export const WEEK_MS = 7 * 86_400_000;
/** More of any axis than a generated program can use. */
export const ENOUGH: Limits = { toolCalls: 1000, modelCalls: 1000, iterations: 1_000_000 };

const AMPLE: fc.Arbitrary<readonly Limits[]> = fc.constant([ENOUGH]);
const limits: fc.Arbitrary<Limits> = fc.record({
  toolCalls: fc.integer({ min: 1, max: 6 }),
  modelCalls: fc.integer({ min: 1, max: 4 }),
  iterations: fc.integer({ min: 1, max: 6 }),
  tokensOut: fc.constantFrom(120, 250, 100_000),
});
const tight = fc.array(limits, { minLength: 1, maxLength: 2 });

const crashOf = (then: fc.Arbitrary<Crash['then']>): fc.Arbitrary<Crash> =>
  fc.record({ at: fc.integer({ min: 1, max: 14 }), when: fc.constantFrom('before', 'after'), then });
const crashes = fc.array(crashOf(fc.constant('nothing')), { maxLength: 3 });
const meddlingOf = (...what: Meddling['what'][]): fc.Arbitrary<Meddling> =>
  fc.record({
    life: fc.integer({ min: 0, max: 2 }),
    at: fc.integer({ min: 2, max: 14 }),
    what: fc.constantFrom(...what),
  });
const sometimes = <T>(arbitrary: fc.Arbitrary<T>, not: T): fc.Arbitrary<T> => fc.oneof(fc.constant(not), arbitrary);
const fraction = fc.noBias(fc.integer({ min: 0, max: 999 })).map((n) => n / 1000);
const forkPlan: fc.Arbitrary<ForkPlan> = fc.record({
  generation: fraction,
  at: fraction,
  live: fc.boolean(),
  by: fc.boolean(),
  limits: sometimes<Limits | undefined>(limits, undefined),
  isOfFork: fc.boolean(),
});

const QUIET: People = { verdict: 'approve', by: 'token', isRaced: false, isLate: false, ignores: 0 };

interface Profile {
  readonly flavor: Flavor;
  readonly generations: number;
  readonly parts: Partial<{ [K in keyof Case]: fc.Arbitrary<Case[K]> }>;
}

function casesOf(profile: string, { flavor, generations, parts }: Profile): fc.Arbitrary<Case> {
  const tree = treesOf(flavor);
  const body: fc.Arbitrary<Program> = fc.record({
    kind: fc.constant('seq' as const),
    parts: fc.array(tree, { minLength: 1, maxLength: 3 }),
  });
  return fc.record<Case>({
    profile: fc.constant(profile),
    generations: fc.array(body, { minLength: 1, maxLength: generations }),
    rounds: fc.constant(1),
    failsAtEnd: fc.boolean(),
    isBrief: fc.constant(false),
    more: fc.constant(undefined),
    budgets: AMPLE,
    enlarges: fc.constant(true),
    restMs: fc.constant(0),
    deadlineMs: fc.constant(undefined),
    overshoot: fc.constant(1),
    undoMs: fc.constant(0),
    seed: fc.integer({ min: 1, max: 2 ** 31 }),
    crashes,
    meddling: fc.constant([]),
    people: fc.constant(QUIET),
    forks: fc.constant([]),
    isPrivate: fc.constant(false),
    isSupervised: fc.constant(false),
    isGuarded: fc.constant(false),
    ...parts,
  });
}

const anyPeople: fc.Arbitrary<People> = fc.record({
  verdict: fc.constantFrom('approve', 'reject'),
  by: fc.constantFrom('name', 'token'),
  isRaced: fc.boolean(),
  isLate: fc.boolean(),
  ignores: fc.integer({ min: 0, max: 3 }),
});
const mended = fc.option(treesOf({ weights: { ...EVEN, wait: 0, hear: 0 }, around: ['seq'] }), { nil: undefined });

const PROFILES: Readonly<Record<string, Profile>> = {
  /** Everything a little, as real runs have it. */
  mixed: {
    flavor: { weights: EVEN },
    generations: 2,
    parts: {
      budgets: tight,
      enlarges: fc.boolean(),
      meddling: fc.array(meddlingOf('cancel', 'pause', 'redirect', 'stray'), { maxLength: 1 }),
    },
  },
  budget: {
    flavor: {
      weights: { ...EVEN, call: 6, ask: 4, take: 3 },
      slices: ['share', 'of', 'half', 'rest', 'clock'],
      around: [...AROUND, 'latch'],
    },
    generations: 2,
    parts: {
      budgets: tight,
      restMs: fc.constantFrom(0, WEEK_MS),
      overshoot: fc.constantFrom(1, 50),
      isBrief: fc.boolean(),
      meddling: fc.array(meddlingOf('pause'), { maxLength: 1 }),
    },
  },
  forks: {
    flavor: { weights: { ...EVEN, identity: 1, call: 4 } },
    generations: 2,
    parts: {
      crashes: fc.constant([]),
      budgets: sometimes<readonly Limits[]>(tight, [ENOUGH]),
      more: mended,
      restMs: fc.constantFrom(0, WEEK_MS),
      deadlineMs: fc.constantFrom(undefined, 3_600_000),
      forks: fc.array(forkPlan, { minLength: 1, maxLength: 3 }),
    },
  },
  generations: {
    flavor: { weights: { ...EVEN, identity: 1, told: 2, left: 2 }, around: ['seq', 'all', 'raw', 'first', 'spawn'] },
    generations: 3,
    parts: {
      rounds: fc.constantFrom(1, 1, 8),
      more: mended,
      meddling: fc.array(meddlingOf('redirect'), { maxLength: 1 }),
      forks: fc.array(forkPlan, { maxLength: 2 }),
      isPrivate: fc.boolean(),
      people: fc.constant(QUIET),
    },
  },
  cancel: {
    flavor: { weights: { ...EVEN, step: 12 }, isSlow: true },
    generations: 1,
    parts: {
      crashes: fc.array(crashOf(fc.constantFrom('nothing', 'cancel', 'week')), { maxLength: 2 }),
      meddling: fc.array(meddlingOf('cancel'), { maxLength: 1 }),
    },
  },
  people: {
    flavor: {
      weights: { ...EVEN, wait: 5, hear: 4, step: 4, sleep: 3 },
      around: ['seq', 'first', 'first', 'all', 'spawn'],
      effects: ['irreversible', 'irreversible', 'idempotent', 'undoable'],
    },
    generations: 2,
    parts: {
      people: anyPeople,
      isSupervised: fc.boolean(),
      meddling: fc.array(meddlingOf('early', 'stray', 'redirect'), { maxLength: 2 }),
    },
  },
  /** Children with shares, and forks under other budgets. */
  slices: {
    flavor: {
      weights: { ...EVEN, call: 20, ask: 4 },
      around: ['seq', 'spawn', 'spawn', 'within'],
      slices: ['share', 'of', 'half', 'rest'],
    },
    generations: 1,
    parts: {
      crashes: fc.constant([]),
      budgets: fc.constantFrom(
        [ENOUGH],
        [
          { ...ENOUGH, toolCalls: 8 },
          { ...ENOUGH, toolCalls: 4 },
        ],
      ),
      meddling: fc.array(meddlingOf('pause'), { maxLength: 1 }),
      forks: fc.array(forkPlan, { minLength: 1, maxLength: 2 }),
      failsAtEnd: fc.constant(false),
    },
  },
  /** What was undone in one generation, and is done again in a fork of the next. */
  undone: {
    flavor: { weights: { ...NONE, step: 4, call: 2, told: 1 }, around: ['seq'], effects: ['compensable', 'undoable'] },
    generations: 2,
    parts: {
      crashes: fc.constant([]),
      failsAtEnd: fc.constant(true),
      more: treesOf({ weights: { ...NONE, step: 1 }, around: ['seq'], effects: ['compensable'] }),
      forks: fc.array(
        forkPlan.map((plan) => ({ ...plan, generation: 0.99, at: 0.7 + plan.at * 0.3, live: true, limits: undefined })),
        { minLength: 1, maxLength: 2 },
      ),
    },
  },
  /** Firsts in one another that are decided while compensations are under way. */
  nested: {
    flavor: {
      weights: { ...NONE, step: 6, sleep: 1, call: 1 },
      isSlow: true,
      around: ['seq', 'first', 'first', 'spawn'],
      effects: ['pure', 'compensable', 'undoable'],
    },
    generations: 2,
    parts: {
      undoMs: fc.constantFrom(700, 2000),
      crashes: fc.array(crashOf(fc.constant('nothing')), { maxLength: 1 }),
      meddling: fc.array(meddlingOf('cancel'), { maxLength: 1 }),
    },
  },
  /** Bounds that are reached beside branches which win at once, right before a generation ends. */
  instants: {
    flavor: {
      weights: { ...NONE, call: 6, step: 1, take: 1, instant: 4 },
      around: ['seq', 'first', 'first', 'all'],
    },
    generations: 3,
    parts: { budgets: tight, enlarges: fc.boolean() },
  },
  deploys: {
    flavor: { weights: EVEN },
    generations: 1,
    parts: { crashes: fc.array(crashOf(fc.constantFrom('deploy', 'redirect')), { minLength: 1, maxLength: 2 }) },
  },
  clocks: {
    flavor: { weights: { ...EVEN, sleep: 4 }, isSlow: true, slices: ['share', 'rest', 'wall'] },
    generations: 1,
    parts: { meddling: fc.array(meddlingOf('forward', 'back'), { minLength: 1, maxLength: 1 }) },
  },
  guards: {
    flavor: { weights: { ...EVEN, call: 12, wait: 0 }, tools: 'legs', around: ['seq', 'spawn'], slices: ['rest'] },
    generations: 2,
    parts: { isGuarded: fc.constant(true), forks: fc.array(forkPlan, { minLength: 1, maxLength: 2 }) },
  },
};

export const profileNames: readonly string[] = Object.keys(PROFILES);

const made = new Map<string, fc.Arbitrary<Case>>();

export function profile(name: string): fc.Arbitrary<Case> {
  const known = made.get(name);
  if (known !== undefined) return known;
  const found = PROFILES[name];
  if (found === undefined) throw new Error(`There is no profile ${name}. There are ${profileNames.join(', ')}.`);
  const cases = casesOf(name, found);
  made.set(name, cases); // the simulator asks for one case at a time, and making a profile takes longer than a case
  return cases;
}

/** All profiles in equal parts. */
export const cases: fc.Arbitrary<Case> = fc.oneof(...profileNames.map(profile));
