import { useFrom } from '../../core/about.js';
import { type ApprovalRules, stricter } from '../../core/approval.js';
import { failureOf } from '../../core/errors.js';
import { joinSeams } from '../../core/join-seams.js';
import type { GuardContext, Seams } from '../../core/seams.js';
import type { ToolRef } from '../../core/tool.js';
import { described } from '../../core/use.js';
import type { Clock } from '../../ports/clock.js';
import { type AutonomyBudget, autonomyBudget } from '../autonomy/autonomy-budget.js';
import type { CommandRules } from '../rules/commands.js';
import type { DomainRules } from '../rules/domains.js';
import type { PathRules } from '../rules/paths.js';
import { type AutonomyLevel, autonomyGuard, checkedLevel, type LevelOf } from './autonomy-level.js';
import { type GuardAnswer, type Objection, refuse, type ToolGuard } from './guard-answer.js';
import { type CallVerdict, type JudgedCall, judgingCalls } from './judged-call.js';
import type { Policy } from './policy/policy.js';
import { type PolicySource, policyCheck } from './policy/policy-check.js';
import { type ProposedCall, proposedCall } from './proposed-call.js';
import { DEFAULT_RATE_LIMIT, type RateLimit, rateLimitGuard } from './rate-limit.js';
import { type ScopesOf, scopesGuard } from './scopes.js';
import { commandGuard, domainGuard, pathGuard } from './touch-guards.js';
import { legsFrom, trifectaGuard } from './trifecta.js';

/** Options of `governance`. */
export interface GovernanceOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** All tools that runs may call, as a list or a view of a registry: the legs of earlier calls are looked up here. */
  readonly tools?: Iterable<ToolRef> | (() => Iterable<ToolRef>);
  /** 60 calls a minute and 10 a second per subject by default. */
  readonly rateLimit?: RateLimit | 'off';
  /** `supervised` where absent. */
  readonly autonomy?: LevelOf;
  /** What the policy's condition `autonomy` is about; `autonomy` where absent. For agents that hold their level themselves. */
  readonly policyAutonomy?: LevelOf;
  /** If absent, scopes are not checked. */
  readonly scopesOf?: ScopesOf;
  readonly commands?: CommandRules;
  readonly paths?: PathRules;
  readonly domains?: DomainRules;
  readonly policy?: Policy | PolicySource;
  /** Decides over what the run's budget counts. The default profile where absent. */
  readonly autonomyBudget?: AutonomyBudget | 'off';
  /** `escalate` where absent. */
  readonly trifecta?: 'escalate' | 'deny' | 'off';
}

/**
 * Guards for every tool call, in a fixed order. The first refusal ends the check. If a guard requires a person, the
 * person is asked after all other guards have agreed. A guard that throws refuses the call. If later middleware
 * changes the arguments, they are checked again.
 */
export function governance(options: GovernanceOptions): Seams {
  const { tools = [] } = options;
  const legsOf = legsFrom(typeof tools === 'function' ? tools : () => tools);
  const guards = guardsOf(options, legsOf);
  const middleware = judgingCalls((call, ctx) => {
    legsOf.learn(call.tool);
    return judgeCall(call.isChanged ? guards.filter(({ counts }) => counts !== true) : guards, call, ctx);
  });
  // steps are the agent's own code and nothing that a model proposed: how far the agent may go holds for them all the same
  const level = [autonomyGuard(options.autonomy ?? 'supervised')];
  const steps = judgingCalls((step, ctx) => judgeCall(level, step, ctx));
  const { autonomyBudget: counted = autonomyBudget() } = options;
  const own = { 'tool.pre': [middleware], 'step.pre': [steps] };
  return joinSeams(heldToPolicy(own, options), counted === 'off' ? {} : counted.seam());
}

/** With a policy these seams are what `policyGuard` is for one agent. */
function heldToPolicy(seams: Seams, { policy }: GovernanceOptions): Seams {
  if (policy === undefined) return seams;
  const params = { policy: 'label' in policy ? policy.label : 'from a source' };
  const about = { id: 'V7', name: 'governance', params, parts: {}, calls: 0, provides: ['V14'] } as const;
  return described(seams, useFrom(about));
}

/** Guards for an autonomy level alone, without the other rules of `governance`. */
export function autonomySeams(level: AutonomyLevel): Seams {
  const never = { now: () => 0, monotonic: () => 0 }; // no guard in it reads a clock
  return governance({ clock: never, autonomy: level, autonomyBudget: 'off', rateLimit: 'off', trifecta: 'off' });
}

function guardsOf(options: GovernanceOptions, legsOf: ReturnType<typeof legsFrom>): readonly ToolGuard[] {
  const { clock, rateLimit = DEFAULT_RATE_LIMIT, autonomy = 'supervised', trifecta = 'escalate' } = options;
  const levelOf = options.policyAutonomy ?? autonomy;
  if (typeof levelOf === 'string') checkedLevel(levelOf);
  const root = options.paths?.roots[0]?.path;
  return [
    ...(rateLimit === 'off' ? [] : [rateLimitGuard(rateLimit, clock)]),
    autonomyGuard(autonomy),
    ...(options.scopesOf === undefined ? [] : [scopesGuard(options.scopesOf)]),
    ...(options.commands === undefined ? [] : [commandGuard(options.commands)]),
    ...(options.paths === undefined ? [] : [pathGuard(options.paths)]),
    ...(options.domains === undefined ? [] : [domainGuard(options.domains)]),
    ...(options.policy === undefined
      ? []
      : [policyCheck({ policy: options.policy, clock, levelOf, ...(root === undefined ? {} : { root }) })]),
    ...(trifecta === 'off' ? [] : [trifectaGuard(trifecta, legsOf)]),
  ];
}

/** What all of them say about a call: the first refusal, or every reason to ask a person. */
export async function judgeCall(
  guards: readonly ToolGuard[],
  { tool, args }: JudgedCall,
  ctx: GuardContext,
): Promise<CallVerdict> {
  const asked: string[] = [];
  let rules: Partial<ApprovalRules> = {};
  const tell = (answer: GuardAnswer): void => {
    for (const decision of answer.told) ctx.decide(decision);
  };
  const call = examined(tool, args);
  if ('told' in call) {
    tell(call);
    return { refused: call.why };
  }
  for (const guard of guards) {
    const answer = await answerOf(guard, call, ctx);
    tell(answer);
    if (answer.verdict === 'refuse') return { refused: answer.why };
    if (answer.verdict !== 'ask') continue;
    asked.push(answer.why);
    rules = stricter(rules, answer.rules);
  }
  return { asked, rules };
}

function examined(tool: ToolRef, args: unknown): ProposedCall | Objection {
  try {
    return proposedCall(tool, args);
  } catch (error) {
    return broken('touches', `${tool.name} cannot tell what it would touch: ${failureOf(error).message}`);
  }
}

async function answerOf(guard: ToolGuard, call: ProposedCall, ctx: GuardContext): Promise<GuardAnswer> {
  try {
    return await guard.check(call, ctx);
  } catch (error) {
    return broken(guard.name, `The guard ${guard.name} failed: ${failureOf(error).message}`);
  }
}

/** The operator reads what broke; the model only that nothing was called. */
function broken(guard: string, why: string): Objection {
  const refused = `Nothing was called: the check "${guard}" could not be made. Somebody has to fix it first.`;
  return { ...refuse(guard, refused), told: [{ guard, verdict: 'denied', why }] };
}
