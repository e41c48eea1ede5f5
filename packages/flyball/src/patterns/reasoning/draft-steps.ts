import { askUntil, type Read } from '../../core/ask-until.js';
import type { Run } from '../../core/run.js';
import type { Reply, Session } from '../../core/session.js';
import { changed, checkedPlan, noteVersion, seriousIn } from '../../loops/plan/draft-plan.js';
import { plannerSession, planPrompt, replannerSession, replanPrompt } from '../../loops/plan/planner-prompts.js';
import type { Progress } from '../../loops/plan/progress.js';
import { parsePlan } from '../../plans/index.js';
import type { Plan, PlanRevision } from '../../plans/plan.js';
import { reviseProblem } from '../../plans/revise.js';

const MOST_REASKS = 2;
/** Replies that one plan may take. */
export const MOST_DRAFTS = 1 + MOST_REASKS;

/** A plan that can be carried out, or why there is none. */
export type Drafted = { readonly tries: number } & (
  | {
      readonly ok: true;
      readonly plan: Plan;
      readonly version: number;
      readonly revisions: readonly PlanRevision[];
    }
  | { readonly ok: false; readonly problem: string }
);

/** What the plan so far came to. */
export interface SoFar {
  readonly goal: string;
  readonly before: Progress | undefined;
  readonly trouble: string;
  readonly failedSteps: readonly string[];
}

/**
 * Asks for a plan until one passes its checks, at most twice again. The steps that are done stay word for word, and the one
 * that failed does not come back as it was. Every version and every change of one is noted.
 */
export async function draftedPlan(
  run: Run,
  { planner, maxSteps }: { readonly planner: Session; readonly maxSteps: number },
  soFar: SoFar,
): Promise<Drafted> {
  const { goal, before, trouble } = soFar;
  const parts = { session: planner, tools: [] };
  const session = before === undefined ? plannerSession(parts) : replannerSession(parts);
  const asking =
    before === undefined
      ? planPrompt({ goal })
      : replanPrompt({
          goal,
          plan: before.plan,
          records: [...before.records.values()],
          trouble,
          facts: [],
          instructions: run.instructions(),
        });
  const read = ({ text }: Reply<string>): Read<Plan> => planIn(run, text, maxSteps, soFar);
  const asked = await askUntil(run, session, asking, read, MOST_REASKS);
  const { tries } = asked;
  if (!asked.ok) return { ok: false, problem: asked.error.message, tries };
  const plan = asked.value;
  const version = (before?.version ?? 0) + 1;
  const revisions =
    before === undefined ? [] : [changed(run, { before: before.plan, plan, version, because: trouble })];
  noteVersion(run, { version, plan, validation: checkedPlan(run, parts, plan, { facts: [] }).validation });
  return { ok: true, plan, version, revisions, tries };
}

function planIn(run: Run, text: string, maxSteps: number, { before, failedSteps }: SoFar): Read<Plan> {
  const parsed = parsePlan(text);
  if (!parsed.ok) return parsed;
  const { plan } = parsed;
  if (plan.steps.length > maxSteps)
    return { ok: false, problem: `The plan has ${plan.steps.length} steps; write ${maxSteps} at most.` };
  if (plan.shape === 'conditional')
    return { ok: false, problem: 'Branches are not carried out here. Write the steps without them.' };
  const [issue] = seriousIn(checkedPlan(run, { tools: [] }, plan, { facts: [] }).validation);
  if (issue !== undefined) return { ok: false, problem: issue.message };
  const problem = before === undefined ? undefined : revisedProblem(before, plan, failedSteps);
  return problem === undefined ? { ok: true, value: plan } : { ok: false, problem };
}

function revisedProblem(before: Progress, plan: Plan, failed: readonly string[]): string | undefined {
  const last = failed.length === 0 ? [undefined] : failed;
  return last.map((id) => reviseProblem(before.plan, plan, before.done, id)).find((problem) => problem !== undefined);
}
