import { ConfigError } from '../core/errors.js';
import type { ToolCall } from '../core/model.js';
import { specOf } from '../core/request.js';
import type { Run } from '../core/run.js';
import type { Checked } from '../core/schema.js';
import type { Session } from '../core/session.js';
import type { ToolRef } from '../core/tool.js';
import type { ObservationCapture } from '../memory/capture.js';
import { type AutonomyBudget, autonomyBudget } from '../tools/autonomy/autonomy-budget.js';
import { resolveCall } from '../tools/resolve-call.js';
import { type Toolset, toolset } from '../tools/toolset.js';
import { completeConfig, DEFAULT_CONFIG, type ToolLoopConfig, type ToolLoopSettings } from './config.js';
import type { Resolved } from './execute-calls.js';
import { RECALL_RESULT } from './recall-result.js';
import { compactorFor } from './summary.js';
import { type TextForm, textCallInstructions } from './text-calls.js';

export interface ToolLoopOptions<O = string> {
  /** Who works: model, role and setup. Its tools come from `tools`. */
  readonly session: Omit<Session, 'tools' | 'output' | 'outputJsonSchema' | 'maxReasks'>;
  readonly tools?: Toolset | readonly ToolRef[];
  readonly config?: ToolLoopSettings;
  /** Decides over the counters of the run's budget before every iteration, and when to stop after it. */
  readonly autonomy?: AutonomyBudget;
  /** Makes the output of an answer, or says what is wrong with it. */
  readonly read?: (run: Run, text: string) => Promise<Checked<O>>;
  /** How often an answer that does not fit is asked for again. */
  readonly maxRepairs?: number;
  /** Carries what happens into memory: one step an iteration. */
  readonly capture?: ObservationCapture;
  /** Who summarises old turns; the same model in a role of its own where it is absent. */
  readonly compactor?: Session;
}

/** Options with every choice made and checked. */
export interface LoopParts<O> {
  readonly session: Session;
  readonly toolset: Toolset;
  /** Tools that were given to a model that cannot call any. */
  readonly withheld: readonly string[];
  readonly config: ToolLoopConfig;
  /** How calls are written when the model has none of its own. */
  readonly textForm: TextForm | undefined;
  /** An answer is asked to be checked before it is accepted: only where there were tools to work with. */
  readonly confirms: boolean;
  /** Tokens that fit into a prompt: the window less what the answer may take. */
  readonly room: number;
  /** Longest result that goes into the prompt whole. */
  readonly resultChars: number;
  /** The most characters that the tools can take in a request. */
  readonly toolChars: number;
  readonly autonomy: AutonomyBudget;
  readonly maxRepairs: number;
  readonly capture: ObservationCapture | undefined;
  readonly compactor: Session;
  resolve(call: ToolCall, extra: readonly ToolRef[]): Resolved;
  read(run: Run, text: string): Promise<Checked<O>>;
}

export const DEFAULT_REPAIRS = 2;

/** Applies where no profile is given. It keeps no counters, so all loops share it. */
const DEFAULT_AUTONOMY_BUDGET = autonomyBudget();

/** Bad settings fail here, before a token is spent. */
export function partsOf<O = string>(options: ToolLoopOptions<O>): LoopParts<O> {
  const config = completeConfig(options.config);
  const { maxRepairs = DEFAULT_REPAIRS } = options;
  if (!(Number.isInteger(maxRepairs) && maxRepairs >= 0))
    throw new ConfigError(`maxRepairs of a tool loop must be a whole number of at least 0, got ${maxRepairs}.`);
  const given = givenTools(options.tools);
  const usable = usableTools(given, options.session, config);
  const textForm = usable.tools.length > 0 && config.textCalls !== 'off' ? config.textCalls : undefined;
  const room = roomIn(options.session);
  return {
    session: sessionFor(options.session, usable, textForm),
    toolset: usable,
    withheld: given.names.filter((name) => !usable.has(name)),
    config,
    textForm,
    confirms: config.doubleConfirmation && usable.tools.length > 0,
    room,
    // several results of half the room in characters still fit where a token is a few characters long
    resultChars: Math.min(config.maxResultChars, Math.max(LEAST_RESULT, Math.floor(room / 2))),
    toolChars: usable.tools.reduce((sum, tool) => sum + JSON.stringify(specOf(tool)).length, RECALL_CHARS),
    autonomy: options.autonomy ?? DEFAULT_AUTONOMY_BUDGET,
    maxRepairs,
    capture: options.capture,
    compactor: options.compactor ?? compactorFor(options.session),
    resolve: (call, extra) => resolvedIn(extra.length === 0 ? usable : toolset([...usable.tools, ...extra]), call),
    read: options.read ?? (async (_run, text) => ({ ok: true, value: text as O })),
  };
}

const LEAST_RESULT = 200;
/** More than the description of the tool that is added once something was cleared. */
const RECALL_CHARS = 500;

function roomIn({ model, sampling }: Pick<Session, 'model' | 'sampling'>): number {
  const { window, maxOutputTokens } = model.capabilities;
  return Math.max(1, window - Math.min(sampling?.maxOutputTokens ?? maxOutputTokens, window / 2));
}

function givenTools(tools: ToolLoopOptions['tools'] = []): Toolset {
  const given = 'narrow' in tools ? tools : toolset(tools);
  if (given.has(RECALL_RESULT))
    throw new ConfigError(`A tool loop has a tool of its own called "${RECALL_RESULT}": rename yours.`);
  return given;
}

/** None where the model cannot call them: then the loop is a single shot. */
function usableTools(given: Toolset, { model }: ToolLoopOptions['session'], config: ToolLoopConfig): Toolset {
  const canCall = model.capabilities.tools || config.textCalls !== 'off';
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
  if (resolved.ok) return resolved;
  const { observation, miss } = resolved;
  return { ok: false, failure: observation.failure, ...(miss === undefined ? {} : { miss }) };
}
