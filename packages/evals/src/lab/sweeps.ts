import { measure } from './bench.js';
import { type Arm, CONDITION } from './claim.js';
import { judgingArm, judgingExpected } from './claims/approving.js';
import { planningArm, planningExpected } from './claims/planning.js';
import { refiningArm, refiningExpected, walkingArm, walkingExpected } from './claims/reasoning.js';
import { reflectingArm, reflectingExpected } from './claims/reflecting.js';
import { votingArm, votingExpected } from './claims/voting.js';
import type { Expectation } from './exactly.js';
import { meanOf } from './statistics.js';
import type { Plot } from './svg.js';

/** A parameter over its range, in the place of one that was chosen: nobody tunes it. */
export interface Sweep {
  readonly id: string;
  readonly title: string;
  readonly x: string;
  readonly from: number;
  readonly to: number;
  readonly lines: readonly {
    readonly name: string;
    readonly law: (x: number) => Expectation;
    /** Measured at five places, where there is something to run. */
    readonly arm?: (x: number) => Arm;
  }[];
}

const PLACES = 5;
const SMOOTH = 40;

/** Runs the places of a sweep, and draws its laws between them. */
export async function drawSweep(
  sweep: Sweep,
  { items, seed }: { readonly items: number; readonly seed: number },
): Promise<Plot> {
  const { title, x, from, to } = sweep;
  const at = (n: number, of: number): number => Number((from + ((to - from) * n) / of).toFixed(6));
  const lines: Plot['lines'][number][] = [];
  for (const { name, law, arm } of sweep.lines) {
    const points = Array.from({ length: SMOOTH + 1 }, (_none, n) => ({
      x: at(n, SMOOTH),
      y: law(at(n, SMOOTH)).value.mean,
    }));
    const measured: { x: number; y: number }[] = [];
    for (let n = 0; arm !== undefined && n < PLACES; n++) {
      const place = at(n, PLACES - 1);
      measured.push({ x: place, y: meanOf((await measure(arm(place), { seed, items })).scores) });
    }
    lines.push({ name, points, measured });
  }
  return { title, x, y: 'share right', condition: CONDITION, lines };
}

const single = (p: number): Expectation => ({
  value: { mean: p, variance: p * (1 - p) },
  calls: { mean: 1, variance: 0 },
});
const voting = (wrong: number) => (p: number) => ({ p, wrong, samples: 5 });
const reflecting = (useful: number) => ({ p: 0.5, helped: 0.8, useful, attempts: 3 });
const judging = (fpr: number) => ({ p: 0.5, tpr: 0.8, fpr, rounds: 3 });
const refining = (finds: number) => ({ p: 0.5, finds, alarms: 0.2, mends: 0.6, keeps: 0.9, rounds: 3 });
const planning = (error: number) => ({ steps: 4, error, replans: 3, malformed: 0 });
const walking = (hit: number) => ({ length: 4, hit, iterations: 10 });

export const SWEEPS: readonly Sweep[] = [
  {
    id: 'r17-accuracy',
    title: 'R17: five samples, by the accuracy of the model',
    x: 'accuracy p of one sample',
    from: 0,
    to: 1,
    lines: [
      { name: 'one call', law: single },
      { name: '1 wrong answer', law: (p) => votingExpected(voting(1)(p)), arm: (p) => votingArm(voting(1)(p)) },
      { name: '4 wrong answers', law: (p) => votingExpected(voting(4)(p)), arm: (p) => votingArm(voting(4)(p)) },
    ],
  },
  {
    id: 'r17-correlation',
    title: 'R17: five samples, by what samples have in common',
    x: 'share of items with a common error ρ (p 0.6)',
    from: 0,
    to: 1,
    lines: [
      { name: 'one call', law: () => single(0.6) },
      {
        name: 'five samples',
        law: (common) => votingExpected({ p: 0.6, wrong: 4, samples: 5, common }),
        arm: (common) => votingArm({ p: 0.6, wrong: 4, samples: 5, common }),
      },
    ],
  },
  {
    id: 'r7-useful',
    title: 'R7: three attempts, by the usefulness of critiques',
    x: 'share of critiques that help (0.5 to 0.8)',
    from: 0,
    to: 1,
    lines: [
      { name: 'one call', law: () => single(0.5) },
      {
        name: 'three attempts',
        law: (q) => reflectingExpected(reflecting(q)),
        arm: (q) => reflectingArm(reflecting(q)),
      },
    ],
  },
  {
    id: 'r8-critic',
    title: 'R8: three rounds, by what the critic finds',
    x: 'share of faults that the critic finds',
    from: 0,
    to: 1,
    lines: [
      { name: 'one call', law: () => single(0.5) },
      {
        name: 'self-refine',
        law: (finds) => refiningExpected(refining(finds)),
        arm: (finds) => refiningArm(refining(finds)),
      },
    ],
  },
  {
    id: 'o5-judge',
    title: 'O5: three rounds, by the false positives of the judge',
    x: 'share of wrong drafts that pass (right ones: 0.8)',
    from: 0,
    to: 1,
    lines: [
      { name: 'one call', law: () => single(0.5) },
      { name: 'three rounds', law: (fpr) => judgingExpected(judging(fpr)), arm: (fpr) => judgingArm(judging(fpr)) },
    ],
  },
  {
    id: 'r3-error',
    title: 'R3: four steps and three new plans, by the error of a step',
    x: 'probability that a step fails',
    from: 0,
    to: 0.8,
    lines: [
      { name: 'no new plan', law: (error) => single((1 - error) ** 4) },
      {
        name: 'three new plans',
        law: (error) => planningExpected(planning(error)),
        arm: (error) => planningArm(planning(error)),
      },
    ],
  },
  {
    id: 'r4-door',
    title: 'R4: four doors in ten turns, by the right choice of a door',
    x: 'probability of the right door',
    from: 0.3,
    to: 1,
    lines: [
      { name: 'all at once, gap 0.3', law: (hit) => single(hit ** 4 * 0.7) },
      { name: 'ten turns', law: (hit) => walkingExpected(walking(hit)), arm: (hit) => walkingArm(walking(hit)) },
    ],
  },
];
