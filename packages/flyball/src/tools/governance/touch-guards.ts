import { type CommandRules, judgeCommand } from '../rules/commands.js';
import { checkUrl, type DomainRules } from '../rules/domains.js';
import { checkPath, type PathRules } from '../rules/paths.js';
import type { RuleVerdict } from '../rules/rule-verdict.js';
import { escalate, type GuardAnswer, PASS, refuse, type ToolGuard } from './guard-answer.js';

/** Rules about what a call touches hold for every tool that declares it, whoever wrote the tool. */

/** Rules may also want a person for a command that they allow. */
export function commandGuard(rules: CommandRules): ToolGuard {
  return {
    name: 'commands',
    check({ touch }) {
      const verdicts = touch.commands.map((command) => judgeCommand(rules, command));
      for (const verdict of verdicts) if (!verdict.ok) return refuse('commands', verdict.why);
      const reasons = verdicts.flatMap((verdict) =>
        verdict.ok && verdict.approval !== undefined ? [verdict.approval] : [],
      );
      return reasons.length === 0 ? PASS : escalate('commands', reasons.join(' '));
    },
  };
}

export function pathGuard(rules: PathRules): ToolGuard {
  return {
    name: 'paths',
    check({ touch }) {
      const reads = firstRefusal('paths', touch.reads, (path) => checkPath(rules, path, 'read'));
      if (reads.verdict !== 'pass') return reads;
      return firstRefusal('paths', touch.writes, ({ path }) => checkPath(rules, path, 'write'));
    },
  };
}

export function domainGuard(rules: DomainRules): ToolGuard {
  return {
    name: 'domains',
    check: ({ touch }) => firstRefusal('domains', touch.urls, (url) => checkUrl(rules, url)),
  };
}

function firstRefusal<T>(guard: string, touched: readonly T[], judge: (each: T) => RuleVerdict): GuardAnswer {
  for (const each of touched) {
    const verdict = judge(each);
    if (!verdict.ok) return refuse(guard, verdict.why);
  }
  return PASS;
}
