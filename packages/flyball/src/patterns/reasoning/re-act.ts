import { ConfigError } from '../../core/errors.js';
import { degraded, done, type Outcome } from '../../core/outcome.js';
import { readJson } from '../../core/read-json.js';
import type { Agent, Run } from '../../core/run.js';
import type { Checked } from '../../core/schema.js';
import type { Input, Session } from '../../core/session.js';
import type { ToolRef } from '../../core/tool.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { pattern } from '../../kit/pattern.js';
import { partsOf, type ToolLoopOptions } from '../../loops/tool-loop/loop-parts.js';
import type { ToolLoopResult } from '../../loops/tool-loop/termination.js';
import { runToolLoop } from '../../loops/tool-loop/tool-loop.js';
import type { WindowPolicy } from '../../loops/tool-loop/window-policy.js';
import { loopCalls } from '../loop-calls.js';
import type { Described } from '../use.js';
import { COMPRESSED } from '../window.js';

/** Who takes part in `reAct`. */
export interface ReActParts<O> {
  /** Thinks, calls and answers. A reply without a call is the answer. */
  readonly worker: Session<O>;
  readonly tools: readonly ToolRef[];
  /** Keeps the conversation inside the window, such as `compression`; the worker's model summarizes where it is absent. */
  readonly window?: readonly WindowPolicy[];
}

/** Options of `reAct`. */
export interface ReActOptions {
  readonly maxIterations?: number;
  /** Calls that one reply may make. Further ones are answered as not executed. */
  readonly maxCalls?: number;
  /** Times that the same call may give the same result before it stops as stalled. */
  readonly repeatLimit?: number;
}

/** More tools than this cannot be told apart well enough to be offered at once. */
const MOST_TOOLS = 40;

/**
 * Calls tools, looks at what came back, decides again.
 *
 * Model calls: `turns`, at most `maxIterations` of them, those of the window policies where the window fills up, and those of
 * agents that work for its tools. Ends `bounded` when no answer came in time, with the last words of the model as its
 * partial value where it answers with text, and `blocked` with reason `transfer` and the package where a tool hands the
 * work over; the budget of the run bounds cost, tokens and tool calls besides. Every result a
 * model reads comes from the tool: what it makes up after a call is cut. Not where all calls are known beforehand.
 *
 * @pattern R4
 * @example
 * ```ts
 * const reader = reAct({ worker: analyst, tools: [listFiles, readFile] }, { maxIterations: 12 });
 * ```
 */
export function reAct<O = string>(
  { worker, tools, window }: ReActParts<O>,
  { maxIterations = 20, maxCalls = 1, repeatLimit = 3 }: ReActOptions = {},
): Described<Agent<Input, O>> {
  checkGiven('reAct (R4)', { worker, tools });
  checkCounts('reAct (R4)', { maxIterations, maxCalls });
  if (tools.length > MOST_TOOLS)
    throw new ConfigError(`reAct (R4) has ${tools.length} tools: more than ${MOST_TOOLS} cannot be told apart.`);
  const loop = partsOf<O>({
    ...sessionOf(worker),
    tools,
    config: {
      maxIterations,
      repeatLimit,
      maxToolCallsPerIteration: maxCalls,
      doubleConfirmation: false, // a second question is a call that the formula does not know
    },
    ...(window === undefined ? {} : { window }),
  });
  const { parts, calls } = loopCalls(tools, maxIterations * maxCalls);
  const about = {
    id: 'R4',
    name: 'reAct',
    params: { maxIterations, maxCalls, repeatLimit, tools: tools.map(({ name }) => name) },
    parts: {
      worker: { ...worker, tools, maxReasks: 0 },
      window: window ?? [COMPRESSED],
      ...parts,
    },
    provides: ['V9', 'V14', 'I2'],
    calls,
  } as const;
  return pattern(about, async (run, input: Input) => {
    let said: { readonly partial?: O } = {};
    const heard = (text: string) => {
      said = { partial: text as O };
      run.best(text);
    };
    // of a worker with a schema, words on the way are nothing that fits it
    const parts = worker.output === undefined ? { ...loop, heard } : loop;
    const { outcome, turns } = await runToolLoop(run, parts, input);
    run.learned({ turns, ...told(outcome) });
    return answerIn(outcome, maxIterations, said);
  });
}

/** The schema is shown, because a request with tools cannot hold the model to it; the answer is checked by it. */
function sessionOf<O>({
  tools: _own,
  output,
  outputJsonSchema,
  maxReasks,
  ...session
}: Session<O>): Pick<ToolLoopOptions<O>, 'session' | 'read' | 'maxReasks'> {
  if (output === undefined) return { session };
  const schema = outputJsonSchema === undefined ? '' : JSON.stringify(outputJsonSchema);
  const isTold = schema === '' || session.setup.includes(schema);
  const shape = `When you answer, reply with JSON only, of this schema:\n${schema}`;
  const read = (run: Run, text: string): Promise<Checked<O>> =>
    run.step('read-answer', text, async () => kept(await readJson(text, output)), 'pure');
  return {
    session: isTold ? session : { ...session, setup: session.setup === '' ? shape : `${session.setup}\n\n${shape}` },
    read,
    ...(maxReasks === undefined ? {} : { maxReasks }),
  };
}

const kept = <T>(read: Checked<T>): Checked<T> =>
  read.ok ? { ok: true, value: read.value } : { ok: false, problem: read.problem };

function told<O>(outcome: Outcome<ToolLoopResult<O>>): Readonly<Record<string, unknown>> {
  const result = 'value' in outcome ? outcome.value : 'partial' in outcome ? outcome.partial : undefined;
  return result === undefined ? {} : { toolCalls: result.toolCalls, termination: result.termination };
}

/** The answer alone: what the loop reports beside it is in the journal, and a report does not nest. */
function answerIn<O>(
  outcome: Outcome<ToolLoopResult<O>>,
  maxIterations: number,
  said: { readonly partial?: O },
): Outcome<O> {
  switch (outcome.stop) {
    case 'done':
      return done(outcome.value.output);
    case 'degraded':
      return degraded(outcome.value.output, outcome.because, outcome.reason);
    case 'suspended':
      return outcome;
    case 'bounded': {
      const { partial: report, ...end } = outcome;
      const stalled = report?.termination === 'loop_detected';
      return {
        ...end,
        ...said,
        ...(report?.termination === 'max_iterations' ? { bound: 'maxIterations', limit: maxIterations } : {}),
        ...(stalled ? { reason: { code: 'stalled', data: { rounds: report.iterations ?? 0 } } } : {}),
      };
    }
    default: {
      const { partial: _report, ...end } = outcome;
      return end;
    }
  }
}
