import type { Case } from '../crash/case.js';
import type { Program } from '../crash/program.js';
import type { Plan } from './plan.js';
import { type Played, simulate } from './simulation.js';

/** Plays a plan once. */
type Play = (plan: Plan) => Promise<Pick<Played, 'violations'>>;

/** The smallest plan that breaks the same rule, as far as leaving out one thing after the other leads. */
export async function shrink(plan: Plan, tell: (line: string) => void, play: Play = simulate): Promise<Plan> {
  const ruleOf = async (one: Plan): Promise<string | undefined> => (await play(one)).violations[0]?.rule;
  const rule = await ruleOf(plan);
  if (rule === undefined) {
    tell(`Seed ${plan.seed} breaks no rule: there is nothing to shrink.`);
    return plan;
  }
  let best = plan;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smaller(best)) {
      if ((await ruleOf(candidate)) !== rule) continue;
      best = candidate;
      isSmaller = true;
      tell(`${rule} with ${best.faults.length} faults, ${sizeOf(best)} parts, ${best.skews.length} machines`);
      break;
    }
  }
  return best;
}

function sizeOf({ cases }: Plan): number {
  const size = (program: Program): number =>
    1 + ('parts' in program ? program.parts.reduce((sum, part) => sum + size(part), 0) : 0);
  return cases.reduce((sum, { generations }) => sum + generations.reduce((all, one) => all + size(one), 0), 0);
}

/** Everything that is one step smaller, the largest steps first. */
function* smaller(plan: Plan): Generator<Plan> {
  const { cases, faults, skews } = plan;
  const runFaults = (n: number) => faults.filter((fault) => !('run' in fault) || fault.run < n);
  if (cases.length > 1) yield { ...plan, cases: cases.slice(0, -1), faults: runFaults(cases.length - 1) };
  for (const n of faults.keys()) yield { ...plan, faults: faults.filter((_, other) => other !== n) };
  if (skews.length > 1) yield { ...plan, skews: skews.slice(0, -1) };
  if (skews.some((ms) => ms !== 0)) yield { ...plan, skews: skews.map(() => 0) };
  if (plan.latencyMs > 0) yield { ...plan, latencyMs: 0 };
  if (plan.turns === 'dispatcher') yield { ...plan, turns: 'workers' };
  for (const [n, given] of cases.entries())
    for (const one of smallerCases(given)) yield { ...plan, cases: cases.with(n, one) };
}

function* smallerCases(given: Case): Generator<Case> {
  const { generations } = given;
  if (given.rounds > 1) yield { ...given, rounds: 1 };
  if (generations.length > 1) yield { ...given, generations: generations.slice(0, -1) };
  if (generations.length > 1) yield { ...given, generations: generations.slice(1) };
  for (const [n, program] of generations.entries())
    for (const one of smallerPrograms(program))
      if (one.kind === 'seq') yield { ...given, generations: generations.with(n, one) };
}

function* smallerPrograms(program: Program): Generator<Program> {
  if (!('parts' in program)) return;
  const { parts } = program;
  if (parts.length > 1) for (const n of parts.keys()) yield { ...program, parts: parts.filter((_, at) => at !== n) };
  for (const [n, part] of parts.entries()) {
    if ('parts' in part) for (const inner of part.parts) yield { ...program, parts: parts.with(n, inner) };
    for (const one of smallerPrograms(part)) yield { ...program, parts: parts.with(n, one) };
  }
}
