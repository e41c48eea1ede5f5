import { type Plan, planOf } from './plan.js';
import { describePlan } from './report.js';
import { shrink } from './shrink.js';
import { type Played, simulate } from './simulation.js';

/** Where lines go: what was asked for, and what is only told while it takes its time. */
export interface Printer {
  readonly print: (line: string) => void;
  readonly tell: (line: string) => void;
}

/** Somebody who is told where the play is. */
interface Watched {
  readonly began: (seed: number) => void;
  /** Answers false where it has taken too long. */
  readonly onMoment: () => boolean;
}

const NOBODY: Watched = { began: () => undefined, onMoment: () => true };

/** Plays one seed and prints what happened, or the smallest plan that breaks the same rule. Answers the exit code. */
export async function playOne(
  seed: number,
  isShrunk: boolean,
  { print, tell }: Printer,
  { began, onMoment }: Watched = NOBODY,
): Promise<0 | 1> {
  const given = planOf(seed);
  const play = (one: Plan): Promise<Played> => {
    began(seed);
    return simulate(one, { isTraced: true, onMoment });
  };
  const plan = isShrunk ? await shrink(given, tell, play) : given;
  const { violations, trace, moments, lives, ms, stops } = await play(plan);
  if (isShrunk && violations.length === 0) return 0; // it was told that there is nothing to shrink
  for (const line of describePlan(plan)) print(line);
  for (const line of trace) print(line);
  print(`seed ${seed}: ${moments} moments, ${lives} lives, ${ms} ms, ended as ${stops.join(', ')}`);
  for (const { rule, detail } of violations) print(`BROKEN ${rule}: ${detail.slice(0, 2_000)}`);
  const [broken] = violations;
  if (broken !== undefined && isShrunk) print(`${JSON.stringify({ rule: broken.rule, plan })}`);
  return violations.length === 0 ? 0 : 1;
}
