import { type Agent, type EffectClass, type Sandbox, type Session, type ToolRef, withoutValue } from 'flyball';
import type { Rubric } from 'flyball/checks';
import {
  checked,
  commandTest,
  directCall,
  planAndSolve,
  reAct,
  reflexion,
  rubricJudge,
  shaped,
  type Test,
  untilApproved,
  withBudget,
} from 'flyball/patterns';
import type { Plan } from 'flyball/plans';
import { z } from 'zod';

/**
 * A coding agent of eight patterns: it plans, tries each step until the tests pass, has the whole judged, and applies it in
 * one call. What it will use once it is there: several samples of which the best is taken (Y7), for which `untilApproved`
 * stands in, a last turn when the money is spent (Y4), and `sequence` (O2), for which the function `engineer` stands in.
 */

export const Patch = z.strictObject({ file: z.string(), text: z.string() });
export type Patch = z.infer<typeof Patch>;
export interface Applied {
  readonly file: string;
  readonly bytes: number;
}

/** The models, tools and commands it works with. */
export interface CodingParts {
  readonly strong: Session;
  readonly planner: Session;
  readonly critic: Session;
  readonly otherModel: Session;
  readonly rubric: Rubric;
  readonly readOnlyFiles: readonly ToolRef[];
  readonly sandbox: Sandbox;
  readonly cwd: string;
  readonly command: readonly string[];
  readonly applyPatch: (patch: Patch) => Promise<Applied>;
  readonly effect: EffectClass<Patch, Applied>;
}

/** Sends plans back that name a file outside a folder. */
const touchesOnly =
  (folder: string): Test<string, Plan> =>
  (_run, { steps }) => {
    const other = steps
      .flatMap(({ description }) => description.match(/[\w./-]+\.ts\b/g) ?? [])
      .find((file) => !file.startsWith(folder));
    return other === undefined ? { ok: true } : { ok: false, because: `${other} is outside ${folder}` };
  };

// #region engineer
export function codingAgent({ strong, planner, critic, otherModel, rubric, ...given }: CodingParts) {
  const { readOnlyFiles, sandbox, cwd, command, applyPatch, effect } = given;
  const green: Test<unknown, Patch> = commandTest({ sandbox, command, cwd });
  const coder = reAct({ worker: shaped(strong, Patch), tools: readOnlyFiles }, { maxIterations: 30 });
  const persistent = reflexion(coder, { test: green, critic }, { maxAttempts: 3 }); // Agent<Input, Patch>
  const planned = planAndSolve(
    { planner, worker: persistent, answerer: shaped(strong, Patch), test: touchesOnly('src/') },
    { maxReplans: 2 },
  ); // Agent<string, Patch>
  const readable = rubricJudge({ judge: otherModel, rubric });
  const best = untilApproved(planned, { test: readable }, { maxRounds: 2 });
  const inTime = withBudget(best, { costUsd: 8 });
  const tested = checked(inTime, { test: green }); // Agent<string, Patch>
  const apply = directCall({ name: 'apply_patch', input: Patch, send: applyPatch, effect }); // Agent<Patch, Applied>
  const engineer: Agent<string, Applied> = async (run, task) => {
    const patch = await tested(run, task);
    return patch.stop === 'done' ? apply(run, patch.value) : withoutValue(patch);
  }; // every attempt makes a value, one step at the end changes the world
  return { coder, persistent, planned, tested, apply, engineer };
}
// #endregion
