import type { Amounts } from '../../core/budget.js';
import { type CommandRules, judgeCommand } from '../rules/commands.js';
import { checkUrl } from '../rules/domains.js';
import { checkPath } from '../rules/paths.js';
import type { RuleVerdict } from '../rules/rule-verdict.js';
import { type AutonomyLimits, type AutonomyProfile, ENFORCEMENT_POINTS, type EnforcementPoint } from './profile.js';

/** What a point is asked about. Points that only look at what is spent need nothing more. */
export type Facts =
  | { readonly point: 'EF-01'; readonly path: string }
  | { readonly point: 'EF-02'; readonly path: string; readonly lines?: number }
  | { readonly point: 'EF-03'; readonly command: string | readonly string[] }
  | { readonly point: 'EF-04'; readonly url: string }
  | { readonly point: 'EF-05' | 'EF-06' | 'tool-calls' }
  | { readonly point: 'EF-07'; readonly files: number }
  | { readonly point: 'EF-08'; readonly lines: number };

/** What an autonomy budget decided at a point. */
export interface EnforcementResult {
  readonly result: 'allowed' | 'blocked' | 'warned' | 'escalated';
  readonly point: EnforcementPoint;
  /** Empty when allowed. */
  readonly why: string;
  /** A warning that the step before deserved as well: whoever tells warnings has told it. */
  readonly known?: true;
}

/** Pure: the same facts over the same counters get the same answer. `spent` is the run's own ledger. */
export function enforce(profile: AutonomyProfile, facts: Facts, spent: Amounts): EnforcementResult {
  const { paths, commands, domains } = profile;
  switch (facts.point) {
    case 'EF-01':
      return byRule(profile, facts.point, paths && checkPath(paths, facts.path, 'read'));
    case 'EF-02': {
      const rule = byRule(profile, facts.point, paths && checkPath(paths, facts.path, 'write'));
      if (rule.result === 'blocked' || rule.result === 'escalated') return rule;
      // one file at a time: a call that writes several is asked about their sum as well
      const counted = [
        enforce(profile, { point: 'EF-07', files: 1 }, spent),
        enforce(profile, { point: 'EF-08', lines: facts.lines ?? 0 }, spent),
      ];
      return gravest([rule, ...counted]);
    }
    case 'EF-03':
      return byCommand(profile, commands, facts.command);
    case 'EF-04':
      return byRule(profile, facts.point, domains && checkUrl(domains, facts.url));
    case 'EF-05':
      return byLimit(profile, facts.point, { limit: 'iterations', before: spent.iterations, step: 1 });
    case 'EF-06':
      return byTime(profile, spent.wallMs);
    case 'EF-07':
      return byLimit(profile, facts.point, { limit: 'filesChanged', before: spent.filesChanged, step: facts.files });
    case 'EF-08':
      return byLimit(profile, facts.point, { limit: 'linesChanged', before: spent.linesChanged, step: facts.lines });
    case 'tool-calls':
      return byLimit(profile, facts.point, { limit: 'toolCalls', before: spent.toolCalls, step: 1 });
  }
}

const GRAVITY = ['allowed', 'warned', 'escalated', 'blocked'] as const;

/** The answer that allows least; of equals the first. */
export function gravest(results: readonly [EnforcementResult, ...EnforcementResult[]]): EnforcementResult {
  const [first, ...others] = results;
  return others.reduce((a, b) => (GRAVITY.indexOf(b.result) > GRAVITY.indexOf(a.result) ? b : a), first);
}

function allowed(point: EnforcementPoint): EnforcementResult {
  return { result: 'allowed', point, why: '' };
}

function byRule(
  profile: AutonomyProfile,
  point: EnforcementPoint,
  verdict: RuleVerdict | undefined,
): EnforcementResult {
  return verdict === undefined || verdict.ok ? allowed(point) : beyond(profile, point, verdict.why);
}

/** What a rule wants a person for is asked about, whatever the mode of the point: the rule is more particular. */
function byCommand(
  profile: AutonomyProfile,
  rules: CommandRules | undefined,
  command: string | readonly string[],
): EnforcementResult {
  if (rules === undefined) return allowed('EF-03');
  const verdict = judgeCommand(rules, command);
  if (!verdict.ok) return beyond(profile, 'EF-03', verdict.why);
  return verdict.approval === undefined
    ? allowed('EF-03')
    : { result: 'escalated', point: 'EF-03', why: verdict.approval };
}

/** Judges the state after the step: a step to the limit is allowed, one past it is not. */
function byLimit(
  profile: AutonomyProfile,
  point: EnforcementPoint,
  at: { readonly limit: keyof AutonomyLimits; readonly before: number; readonly step: number },
): EnforcementResult {
  const most = profile.limits[at.limit];
  const after = at.before + at.step;
  const stands = `${after} of ${most} ${ENFORCEMENT_POINTS[point]}`;
  if (after > most) {
    const answer = beyond(profile, point, `This would be ${stands}.`);
    return answer.result === 'warned' && at.before > most ? { ...answer, known: true } : answer;
  }
  const threshold = most * profile.warnAt;
  if (after < threshold) return allowed(point);
  return { result: 'warned', point, why: `This is ${stands}.`, ...(at.before >= threshold ? { known: true } : {}) };
}

/** Time has no step: it is over when the limit is reached, and a resumed run may wake up past it. */
function byTime(profile: AutonomyProfile, wallMs: number): EnforcementResult {
  const most = profile.limits.minutes * 60_000;
  const why = `The run has worked for ${Math.floor(wallMs / 60_000)} of ${profile.limits.minutes} minutes.`;
  if (wallMs >= most) return beyond(profile, 'EF-06', why);
  return wallMs >= most * profile.warnAt ? { result: 'warned', point: 'EF-06', why } : allowed('EF-06');
}

function beyond({ modes }: AutonomyProfile, point: EnforcementPoint, why: string): EnforcementResult {
  const result = { block: 'blocked', warn: 'warned', escalate: 'escalated' } as const;
  return { result: result[modes[point]], point, why };
}
