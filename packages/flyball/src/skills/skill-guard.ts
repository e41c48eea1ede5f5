import { type ApprovalRules, stricter } from '../core/approval.js';
import { failureOf } from '../core/errors.js';
import type { GuardContext, SeamMiddleware, SeamStep, ToolSeams } from '../core/seams.js';
import { AUTONOMY_LEVELS, type AutonomyLevel } from '../tools/governance/autonomy-level.js';
import { autonomySeams } from '../tools/governance/governance.js';
import { type CallVerdict, type JudgedCall, judgingCalls } from '../tools/governance/judged-call.js';
import { type ProposedCall, proposedCall } from '../tools/governance/proposed-call.js';
import type { ActiveSkill } from './active-skills.js';
import { callAllowed, type NarrowOptions, patternMatches } from './narrow-tools.js';

const GUARD = 'skill';

/**
 * Holds every call to the skills that are active when it is made: to the tools that they leave, to the strictest of
 * their autonomy levels and to all of their approvals. It comes on top of what holds anyway, so it only ever forbids
 * or asks more; `run.guarded(skillSeams(…))` puts it around everything that is called through a run.
 */
export function skillSeams(active: () => readonly ActiveSkill[], options: NarrowOptions = {}): ToolSeams {
  const judged = judgingCalls((call, ctx) => judge(active(), call, ctx, options));
  const atLevel: SeamMiddleware<'tool.pre'> = (next) => (value, ctx) => {
    const level = strictestLevel(active());
    return level === undefined ? next(value, ctx) : held(level, next)(value, ctx);
  };
  return { 'tool.pre': [judged, atLevel] };
}

/** The level that allows least; undefined where no skill names one. */
export function strictestLevel(active: readonly ActiveSkill[]): AutonomyLevel | undefined {
  return AUTONOMY_LEVELS.find((level) => active.some(({ autonomy }) => autonomy === level)); // strictest first
}

function held(level: AutonomyLevel, next: SeamStep<'tool.pre'>): SeamStep<'tool.pre'> {
  return (autonomySeams(level)['tool.pre'] ?? []).reduceRight((step, middleware) => middleware(step), next);
}

async function judge(
  active: readonly ActiveSkill[],
  { tool, args }: JudgedCall,
  ctx: GuardContext,
  options: NarrowOptions,
): Promise<CallVerdict> {
  if (active.length === 0) return { asked: [] };
  const call = examined(tool, args);
  if (typeof call === 'string') {
    ctx.decide({ guard: GUARD, verdict: 'denied', why: call });
    return { refused: `Nothing was called: ${tool.name} cannot tell what it would touch.` };
  }
  const narrowed = callAllowed(active, call, options);
  if (!narrowed.ok) {
    const why = `${tool.name} is not allowed now. ${narrowed.why}`;
    ctx.decide({ guard: GUARD, verdict: 'denied', why, rule: narrowed.skill });
    return { refused: why };
  }
  return approvalsFor(active, call, ctx, options);
}

function approvalsFor(
  active: readonly ActiveSkill[],
  { tool, args }: ProposedCall,
  ctx: GuardContext,
  options: NarrowOptions,
): CallVerdict {
  const asked: string[] = [];
  let rules: Partial<ApprovalRules> = {};
  for (const { name, approval } of active) {
    if (approval?.tools.some((text) => patternMatches(text, tool, args, options)) !== true) continue;
    const why = `The skill ${name} lets ${tool.name} be called only with approval.`;
    ctx.decide({ guard: GUARD, verdict: 'escalated', why, rule: name });
    asked.push(why);
    rules = stricter(rules, approval.rules);
  }
  return { asked, rules };
}

function examined(tool: JudgedCall['tool'], args: unknown): ProposedCall | string {
  try {
    return proposedCall(tool, args);
  } catch (error) {
    return `${tool.name} cannot tell what it would touch: ${failureOf(error).message}`;
  }
}
