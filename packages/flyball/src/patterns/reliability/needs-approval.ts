import { useFrom } from '../../core/about.js';
import { type ApprovalRules, checkedRules } from '../../core/approval.js';
import { ConfigError } from '../../core/errors.js';
import type { ToolSeams } from '../../core/seams.js';
import type { Tool } from '../../core/tool.js';
import { type Described, described } from '../../core/use.js';
import { checkGiven } from '../../kit/options.js';
import { judgingCalls } from '../../tools/governance/judged-call.js';

/** What `needsApproval` holds back. */
export interface NeedsApprovalParts<A> {
  readonly tool: Tool<A>;
  /** Which calls of it. All of them where it is absent. One that throws counts as true. */
  readonly when?: (args: A) => boolean;
  /** Who has to agree. Added to the rules of the tool, never instead of them. */
  readonly rules?: Partial<Omit<ApprovalRules, 'timeoutMs'>>;
}

/** Options of `needsApproval`. */
export interface NeedsApprovalOptions {
  /** Silence is a no: after this time the call is refused. */
  readonly timeoutMs: number;
}

/**
 * Waits for a person before this call.
 *
 * Model calls: none. The run is suspended, without a process, until somebody approves, rejects with a reason, changes the
 * arguments or escalates. Changed arguments are judged again. It only adds approvals: a call that the tool, its effect class
 * or another guard wants approved still is, whatever `when` says. Not for actions that can be undone and are watched: use
 * `supervised` for those.
 *
 * @pattern V1
 * @example
 * ```ts
 * const careful = needsApproval({ tool: refund, when: ({ cents }) => cents > 5_000 }, { timeoutMs: 2 * DAY });
 * const agent: Agent<string, Answer> = (run, input) => clerk(run.guarded(careful), input);
 * ```
 */
export function needsApproval<A>(
  { tool, when, rules = {} }: NeedsApprovalParts<A>,
  { timeoutMs }: NeedsApprovalOptions,
): Described<ToolSeams> {
  checkGiven('needsApproval (V1)', { tool });
  if (!(Number.isFinite(timeoutMs) && timeoutMs > 0))
    throw new ConfigError(`needsApproval (V1) needs timeoutMs to be more than 0: got ${timeoutMs}.`);
  const complete = { ...rules, timeoutMs };
  checkedRules(complete);
  const { name } = tool;
  const why = when === undefined ? `Every call of ${name} needs approval.` : `This call of ${name} needs approval.`;
  const guard = judgingCalls(async (call, ctx) => {
    if (call.tool.name !== name || !isMeant(when, call.args as A)) return { asked: [] };
    ctx.decide({ guard: 'needsApproval', verdict: 'asked', why });
    return { asked: [why], rules: complete };
  });
  const use = useFrom({
    id: 'V1',
    name: 'needsApproval',
    params: { tool: name, timeoutMs, ...(when === undefined ? { calls: 'all' } : { calls: 'some' }) },
    parts: {},
    calls: 0,
    provides: ['V10', 'V14'],
  });
  return described({ 'tool.pre': [guard] }, use);
}

/** Who cannot tell whether a call is harmless has it approved. */
function isMeant<A>(when: NeedsApprovalParts<A>['when'], args: A): boolean {
  try {
    return when?.(args) ?? true;
  } catch {
    return true;
  }
}
