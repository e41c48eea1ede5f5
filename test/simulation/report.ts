import type { Program } from '../crash/program.js';
import type { Plan } from './plan.js';

/** A plan in lines that a person can read. */
export function describePlan(plan: Plan): readonly string[] {
  const { cases, skews, hosts, faults, next, isPoisoned, turns, latencyMs } = plan;
  return [
    `${skews.length} machines (clocks off by ${skews.join(', ')} ms; hosts ${hosts.join(', ')}), ${turns}, answers within ${latencyMs} ms, next version is ${next}${isPoisoned ? ', run-0 kills its process' : ''}`,
    ...cases.map((given, n) => {
      const { profile, generations, rounds, budgets, enlarges, people, failsAtEnd } = given;
      const more = JSON.stringify({ rounds, budgets, enlarges, people, failsAtEnd, undoMs: given.undoMs });
      return `run-${n} (${profile}): ${generations.map(inWords).join(' | ')} ${more}`;
    }),
    ...faults.map((fault) => `fault ${JSON.stringify(fault)}`),
  ];
}

function inWords(program: Program): string {
  if ('parts' in program) return `${program.kind}(${program.parts.map(inWords).join(', ')})`;
  if (program.kind === 'step') return `${program.effect}${program.fails ? '!' : ''}${program.ms > 0 ? program.ms : ''}`;
  if (program.kind === 'call') return program.tool;
  return program.kind;
}
