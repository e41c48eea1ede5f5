import { type Amounts, sum } from '../../core/budget.js';
import type { GuardContext, SeamMiddleware, Seams } from '../../core/seams.js';
import { type CallVerdict, judgingCalls } from '../governance/judged-call.js';
import { type ProposedCall, proposedCall } from '../governance/proposed-call.js';
import { type EnforcementResult, enforce, type Facts, gravest } from './enforcement.js';
import { type AutonomyProfile, type AutonomySettings, autonomyProfile, ENFORCEMENT_POINTS } from './profile.js';
import { evaluateStopConditions, type StopReason, type StopState } from './stop-conditions.js';

/** Decides over the counters of a run's budget and keeps none of its own, so a resumed run is judged like any other. */
export interface AutonomyBudget {
  readonly profile: AutonomyProfile;
  enforce(facts: Facts, spent: Amounts): EnforcementResult;
  /** EF-05 and EF-06, asked before an iteration begins, over what was spent before it. */
  onIteration(spent: Amounts): EnforcementResult;
  shouldStop(state: StopState): StopReason | undefined;
  /** EF-01 to EF-04, EF-07, EF-08 and the number of calls, asked before every tool call. */
  seam(): Seams;
}

/** Limits what a run may do in total, as a seam and for loops. */
export function autonomyBudget(settings?: AutonomySettings): AutonomyBudget {
  const profile = autonomyProfile(settings);
  return {
    profile,
    enforce: (facts, spent) => enforce(profile, facts, spent),
    onIteration: (spent) =>
      gravest([enforce(profile, { point: 'EF-05' }, spent), enforce(profile, { point: 'EF-06' }, spent)]),
    shouldStop: (state) => evaluateStopConditions(profile.stopWhen, state),
    seam: () => ({ 'tool.pre': [beforeCall(profile)] }),
  };
}

function beforeCall(profile: AutonomyProfile): SeamMiddleware<'tool.pre'> {
  return judgingCalls(async ({ tool, args, isChanged }, ctx): Promise<CallVerdict> => {
    const spent = sum(ctx.budget.spent, ctx.budget.before); // a fork goes on with the leash of its parent
    const asked: string[] = [];
    const told = new Set<string>(); // EF-07 and EF-08 are asked for each file and for their sum
    for (const facts of factsOf(proposedCall(tool, args))) {
      if (isChanged && facts.point === 'tool-calls') continue; // it is still the same call
      const answer = enforce(profile, facts, spent);
      const key = `${answer.point} ${answer.result}`;
      if (answer.result === 'allowed' || answer.known === true || told.has(key)) continue;
      told.add(key);
      tell(answer, ctx);
      if (answer.result === 'blocked') return { refused: sentence(answer) };
      if (answer.result === 'escalated') asked.push(sentence(answer));
    }
    return { asked };
  });
}

function tell({ result, point, why }: EnforcementResult, ctx: GuardContext): void {
  if (result !== 'allowed') ctx.decide({ guard: 'autonomy-budget', verdict: result, rule: point, why });
}

function sentence({ result, point, why }: EnforcementResult): string {
  const place = `${point}, ${ENFORCEMENT_POINTS[point]}`;
  return result === 'blocked'
    ? `Refused by the autonomy budget (${place}). ${why}`
    : `Autonomy budget (${place}): ${why}`;
}

/** The points that concern this call, and no others. */
function factsOf(call: ProposedCall): readonly Facts[] {
  const { reads, writes, commands, urls } = call.touch;
  const { files, lines } = changesOf(call);
  return [
    { point: 'tool-calls' },
    ...reads.map((path): Facts => ({ point: 'EF-01', path })),
    ...writes.map(({ path, lines: written = 0 }): Facts => ({ point: 'EF-02', path, lines: written })),
    ...commands.map((command): Facts => ({ point: 'EF-03', command })),
    ...urls.map((url): Facts => ({ point: 'EF-04', url })),
    ...(files > 0 ? [{ point: 'EF-07', files } as const] : []),
    ...(lines > 0 ? [{ point: 'EF-08', lines } as const] : []),
  ];
}

/** The larger of what the call names and what it reserves. */
function changesOf({ tool, args, touch }: ProposedCall): { readonly files: number; readonly lines: number } {
  const reserved = tool.reserve?.(args as never) ?? {};
  const written = touch.writes.reduce((sum, { lines = 0 }) => sum + lines, 0);
  const files = new Set(touch.writes.map(({ path }) => path)).size;
  return { files: Math.max(files, reserved.filesChanged ?? 0), lines: Math.max(written, reserved.linesChanged ?? 0) };
}
