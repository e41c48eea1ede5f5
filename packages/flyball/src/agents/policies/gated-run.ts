import { derivedRun } from '../../core/derived-run.js';
import type { Run } from '../../core/run.js';
import type { ToolSeams } from '../../core/seams.js';
import type { ToolRef } from '../../core/tool.js';
import { judgeCall } from './gate.js';
import { type Arguments, readCall } from './gate-call.js';
import { checkedRules, type GateRules } from './gate-rules.js';
import type { Evidence, Witness } from './witness.js';

/** Which call of the domain a tool of the run stands for; itself where absent. */
export type CallOf = (tool: ToolRef, args: unknown) => { readonly tool: string; readonly args: unknown };

/** The gate as a guard of the runtime: it refuses whoever proposes the call, a speaker of ours or any other code. */
export function gateSeams(rules: GateRules, evidence: Evidence, callOf: CallOf = itself): ToolSeams {
  const checked = checkedRules(rules);
  return {
    'tool.pre': [
      (next) => async (value, ctx) => {
        const why = objection(checked, callOf(value.tool, value.args), evidence);
        if (why === undefined) return next(value, ctx);
        ctx.decide({ guard: 'conversation-gate', verdict: 'denied', why });
        return { allow: false, why };
      },
    ],
  };
}

function objection(rules: GateRules, { tool, args }: ReturnType<CallOf>, evidence: Evidence): string | undefined {
  const read = isPlain(args)
    ? readCall(rules, tool, args)
    : ({ ok: false, because: 'its arguments are not a plain object' } as const);
  if (!read.ok) return `${tool} was not called: ${read.because}.`;
  return judgeCall(rules, read.call, evidence)?.because;
}

/** Names that begin with `$` spell out what JSON cannot hold: behind them an argument could pass unseen. */
function isPlain(args: unknown): args is Arguments {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return false;
  return !Object.keys(args).some((name) => name.startsWith('$'));
}

const itself: CallOf = (tool, args) => ({ tool: tool.name, args });

/**
 * A run behind the gate, which keeps its own evidence: every answer that `call` delivers is put before the witness. On
 * replay the journal delivers the same answers in the same order, so after a crash the gate knows what it knew, although
 * guards are not asked again for calls that have ended. Calls of children are guarded and not witnessed: a child that has
 * ended is not run again, and what only one life knew must not decide.
 */
export function gatedRun(run: Run, rules: GateRules, witness: Witness, callOf: CallOf = itself): Run {
  return witnessed(run.guarded(gateSeams(rules, witness, callOf)), witness, callOf);
}

function witnessed(run: Run, witness: Witness, callOf: CallOf): Run {
  return derivedRun(run, (inner) => ({
    call: async (tool, args) => {
      const result = await inner.call(tool, args);
      const of = callOf(tool as ToolRef, args);
      witness.saw(of.tool, of.args, { content: result.content, failed: !result.ok });
      return result;
    },
  }));
}
