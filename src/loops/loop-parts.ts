import type { Amounts } from '../core/budget.js';
import { ConfigError } from '../core/errors.js';
import type { ToolCall } from '../core/model.js';
import { specOf } from '../core/request.js';
import type { Run } from '../core/run.js';
import type { Checked } from '../core/schema.js';
import type { Session } from '../core/session.js';
import type { ToolRef } from '../core/tool.js';
import { resolveCall } from '../tools/resolve-call.js';
import { type Toolset, toolset } from '../tools/toolset.js';
import { completeConfig, DEFAULT_CONFIG, type ToolLoopConfig, type ToolLoopSettings } from './config.js';
import type { Resolved } from './execute-calls.js';
import { compactorFor } from './summary.js';
import type { Termination } from './termination.js';
import { type TextForm, textCallInstructions } from './text-calls.js';

export interface ToolLoopOptions<O = string> {
  /** Who works: model, role and setup. Its tools come from `tools`. */
  readonly session: Omit<Session, 'tools' | 'output' | 'outputJsonSchema' | 'maxReasks'>;
  readonly tools?: Toolset | readonly ToolRef[];
  readonly config?: ToolLoopSettings;
  /** Asked before every iteration, over what the run's budget counted; a refusal ends the loop. */
  readonly mayIterate?: (spent: Amounts) => Termination | undefined;
  /** Asked after every iteration. */
  readonly stopWhen?: (facts: LoopFacts) => string | undefined;
  /** Makes the output of an answer, or says what is wrong with it. */
  readonly read?: (run: Run, text: string) => Promise<Checked<O>>;
  /** How often an answer that does not fit is asked for again. */
  readonly maxRepairs?: number;
  /** Gets what happened in an iteration, once an iteration. */
  readonly observe?: (run: Run, observations: readonly LoopObservation[]) => Promise<void>;
  /** Who summarises old turns; the same model in a role of its own where it is absent. */
  readonly compactor?: Session;
}

export interface LoopObservation {
  readonly type: 'llm_response' | 'tool_call' | 'error';
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface LoopFacts {
  readonly spent: Amounts;
  readonly toolsUsed: readonly string[];
  readonly reply: string;
  readonly errorCode: string | undefined;
}

/** Options with every choice made and checked. */
export interface LoopParts<O> {
  readonly session: Session;
  readonly toolset: Toolset;
  readonly config: ToolLoopConfig;
  /** How calls are written when the model has none of its own. */
  readonly textForm: TextForm | undefined;
  /** An answer is asked to be checked before it is accepted: only where there were tools to work with. */
  readonly confirms: boolean;
  /** The most tokens that the tools can take in a request. */
  readonly toolTokens: number;
  readonly maxRepairs: number;
  readonly compactor: Session;
  readonly observes: boolean;
  resolve(call: ToolCall, extra: readonly ToolRef[]): Resolved;
  mayIterate(spent: Amounts): Termination | undefined;
  stopCondition(facts: LoopFacts): { readonly termination: Termination } | undefined;
  read(run: Run, text: string): Promise<Checked<O>>;
  observe(run: Run, observations: readonly LoopObservation[]): Promise<void>;
}

const DEFAULT_REPAIRS = 2;

/** Bad settings fail here, before a token is spent. */
export function partsOf<O = string>(options: ToolLoopOptions<O>): LoopParts<O> {
  const config = completeConfig(options.config);
  const { maxRepairs = DEFAULT_REPAIRS } = options;
  if (!(Number.isInteger(maxRepairs) && maxRepairs >= 0))
    throw new ConfigError(`maxRepairs of a tool loop must be a whole number of at least 0, got ${maxRepairs}.`);
  const usable = usableTools(options, config);
  const textForm = usable.tools.length > 0 && config.textCalls !== 'off' ? config.textCalls : undefined;
  return {
    session: sessionFor(options.session, usable, textForm),
    toolset: usable,
    config,
    textForm,
    confirms: config.doubleConfirmation && usable.tools.length > 0,
    toolTokens: usable.tools.reduce((sum, tool) => sum + JSON.stringify(specOf(tool)).length, 0),
    maxRepairs,
    compactor: options.compactor ?? compactorFor(options.session),
    observes: options.observe !== undefined,
    resolve: (call, extra) => resolvedIn(extra.length === 0 ? usable : toolset([...usable.tools, ...extra]), call),
    mayIterate: (spent) => options.mayIterate?.(spent),
    stopCondition: (facts) => stopFor(options.stopWhen?.(facts)),
    read: options.read ?? (async (_run, text) => ({ ok: true, value: text as O })),
    observe: async (run, observations) => options.observe?.(run, observations),
  };
}

/** None where the model cannot call them: then the loop is a single shot. */
function usableTools<O>({ session, tools = [] }: ToolLoopOptions<O>, config: ToolLoopConfig): Toolset {
  const given = 'narrow' in tools ? tools : toolset(tools);
  const canCall = session.model.capabilities.tools || config.textCalls !== 'off';
  if (!canCall) return toolset([]);
  if (config.toolTimeoutMs === DEFAULT_CONFIG.toolTimeoutMs) return given;
  return toolset(given.tools.map((tool) => withTimeout(tool, config.toolTimeoutMs)));
}

function withTimeout(tool: ToolRef, timeoutMs: number): ToolRef {
  if (tool.timeoutMs !== undefined) return tool;
  // on the tool, not a copy of it: its methods may rest on fields of a class
  return Object.create(tool, { timeoutMs: { value: timeoutMs, enumerable: true } }) as ToolRef;
}

function sessionFor(given: ToolLoopOptions['session'], { tools }: Toolset, textForm: TextForm | undefined): Session {
  if (textForm === undefined) return { ...given, tools };
  return { ...given, setup: `${given.setup}\n\n${textCallInstructions(textForm, tools)}`, tools: [] };
}

function resolvedIn(view: Toolset, call: ToolCall): Resolved {
  const resolved = resolveCall(view, call);
  return resolved.ok ? resolved : { ok: false, failure: resolved.observation.failure };
}

function stopFor(why: string | undefined): { readonly termination: Termination } | undefined {
  return why === undefined ? undefined : { termination: { reason: 'stop_condition', why } };
}
