import { MOST_REASKS } from '../../core/ask-until.js';
import { ConfigError } from '../../core/errors.js';
import type { ToolCall } from '../../core/model.js';
import type { WhenUnproven } from '../../core/proofs.js';
import { specOf } from '../../core/request.js';
import type { Run } from '../../core/run.js';
import { checkSampling } from '../../core/sampling.js';
import type { Checked } from '../../core/schema.js';
import type { Session } from '../../core/session.js';
import type { ToolRef } from '../../core/tool.js';
import type { ObservationCapture } from '../../memory/capture.js';
import { type AutonomyBudget, autonomyBudget } from '../../tools/autonomy/autonomy-budget.js';
import { estimateTextTokens, measureTools } from '../../tools/measure-tools.js';
import { resolveCall } from '../../tools/resolve-call.js';
import { admitTools, type ToolBudget } from '../../tools/tool-budget.js';
import { type Toolset, toolset } from '../../tools/toolset.js';
import { compresses } from './compress.js';
import {
  completeConfig,
  DEFAULT_CONFIG,
  type ToolLoopConfig,
  type ToolLoopSettings,
  type WindowConfig,
} from './config.js';
import type { Resolved } from './execute-calls.js';
import { prunes } from './prune.js';
import { RECALL_RESULT } from './recall-result.js';
import { type TextForm, textCallInstructions } from './text-calls.js';
import { roomOf, type WindowPolicy } from './window-policy.js';

/** Options of `toolLoop`. */
export interface ToolLoopOptions<O = string> {
  /** Who works: model, role and setup. Its tools come from `tools`. */
  readonly session: Omit<Session, 'tools' | 'output' | 'outputJsonSchema' | 'maxReasks'>;
  readonly tools?: Toolset | readonly ToolRef[];
  readonly config?: ToolLoopSettings;
  /** Decides over the counters of the run's budget before every iteration, and when to stop after it. */
  readonly autonomy?: AutonomyBudget;
  /** Makes the output of an answer, or says what is wrong with it. */
  readonly read?: (run: Run, text: string) => Promise<Checked<O>>;
  /** What of an output the journal does not show; undefined where it is all proven. `text`: the answer it was read from. */
  readonly prove?: Prove;
  /** What becomes of an answer that is still not proven after the last re-ask: `fail` where it is absent. */
  readonly whenUnproven?: WhenUnproven;
  /** How often an answer that does not fit, or is not proven, is asked for again. */
  readonly maxReasks?: number;
  /** Carries what happens into memory: one step an iteration. */
  readonly capture?: ObservationCapture;
  /** Holds for `textCalls`, whose tools stand in the setup; the seam `toolBudgetSeam` holds it for all others. */
  readonly toolBudget?: ToolBudget;
  /** How the conversation is kept inside the window, in this order; as `config.window` says by default. */
  readonly window?: readonly WindowPolicy[];
}

export type Prove = (run: Run, output: unknown, text: string) => string | undefined;

/** What the model's window allows. A run keeps what it began with, whatever model a later process has. */
export interface Measures {
  /** Tokens that fit into a prompt: the window less what the answer may take. */
  readonly room: number;
  /** Longest result that goes into the prompt whole. */
  readonly resultChars: number;
}

/** Options with every choice made and checked. */
export interface LoopParts<O> extends Measures {
  readonly session: Session;
  readonly toolset: Toolset;
  /** What the tool budget says about tools in text form: no `tools.load` seam sees those. */
  readonly warnings: readonly string[];
  /** Tools that were given to a model that cannot call any. */
  readonly withheld: readonly string[];
  readonly config: ToolLoopConfig;
  /** How calls are written when the model has none of its own. */
  readonly textForm: TextForm | undefined;
  /** An answer is asked to be checked before it is accepted: only where there were tools to work with. */
  readonly confirms: boolean;
  /** The most characters that the tools can take in a request. */
  readonly toolChars: number;
  readonly autonomy: AutonomyBudget;
  readonly maxReasks: number;
  readonly capture: ObservationCapture | undefined;
  readonly window: readonly WindowPolicy[];
  /** `offered`: what the model was really shown, where that was less than all; the rest does not exist for it. */
  resolve(call: ToolCall, extra: readonly ToolRef[], offered?: readonly string[]): Resolved;
  read(run: Run, text: string): Promise<Checked<O>>;
  readonly prove: Prove | undefined;
  readonly whenUnproven: WhenUnproven;
  /** Told what the model says beside its calls: what there is, should no answer come. */
  readonly heard?: (text: string) => void;
}

/** Applies where no profile is given. It keeps no counters, so all loops share it. */
const DEFAULT_AUTONOMY_BUDGET = autonomyBudget();

/** Bad settings fail here, before a token is spent. */
export function partsOf<O = string>(options: ToolLoopOptions<O>): LoopParts<O> {
  const config = completeConfig(options.config);
  checkSampling(`the session "${options.session.name}"`, options.session.sampling);
  const { maxReasks = MOST_REASKS } = options;
  if (!(Number.isInteger(maxReasks) && maxReasks >= 0))
    throw new ConfigError(`maxReasks of a tool loop must be a whole number of at least 0, got ${maxReasks}.`);
  const given = givenTools(options.tools);
  const usable = usableTools(given, options.session, config);
  const measures = measuresOf(options.session, config);
  const textForm = usable.tools.length > 0 && config.textCalls !== 'off' ? config.textCalls : undefined;
  return {
    session: sessionFor(options.session, usable, textForm),
    toolset: usable,
    warnings: textForm === undefined ? [] : admitted(usable, options),
    withheld: given.names.filter((name) => !usable.has(name)),
    config,
    textForm,
    confirms: config.doubleConfirmation && usable.tools.length > 0,
    ...measures,
    toolChars: usable.tools.reduce((sum, tool) => sum + JSON.stringify(specOf(tool)).length, RECALL_CHARS),
    autonomy: options.autonomy ?? DEFAULT_AUTONOMY_BUDGET,
    maxReasks,
    capture: options.capture,
    window: fittingIn(measures, options.window ?? policiesFor(config.window)),
    resolve: (call, extra, offered) => {
      const all = extra.length === 0 ? usable : toolset([...usable.tools, ...extra]);
      return resolvedIn(offered === undefined ? all : all.narrow({ include: offered }), call);
    },
    prove: options.prove,
    whenUnproven: options.whenUnproven ?? 'fail',
    read: options.read ?? (async (_run, text) => ({ ok: true, value: text as O })),
  };
}

const LEAST_RESULT = 200;
/** More than the description of the tool that is added once something was cleared. */
const RECALL_CHARS = 500;

export function measuresOf(session: ToolLoopOptions['session'], { maxResultChars }: ToolLoopConfig): Measures {
  const room = roomOf(session);
  // several results of half the room in characters still fit where a token is a few characters long
  return { room, resultChars: Math.min(maxResultChars, Math.max(LEAST_RESULT, Math.floor(room / 2))) };
}

/** What a definition says in words, as the policies it means. */
function policiesFor({ care, trigger, keepRecent }: WindowConfig): readonly WindowPolicy[] {
  if (care === 'off') return [];
  return [care === 'clear' ? prunes({ trigger, keepRecent }) : compresses({ trigger, keepRecent })];
}

function fittingIn({ room }: Measures, window: readonly WindowPolicy[]): readonly WindowPolicy[] {
  for (const policy of window) {
    const why = policy.refuses?.(room);
    if (why !== undefined) throw new ConfigError(why);
  }
  return window;
}

function givenTools(tools: ToolLoopOptions['tools'] = []): Toolset {
  const given = 'narrow' in tools ? tools : toolset(tools);
  if (given.has(RECALL_RESULT))
    throw new ConfigError(`The tool loop already has a tool "${RECALL_RESULT}". Rename yours.`);
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
  const known = timed.get(tool) ?? new Map<number, ToolRef>();
  timed.set(tool, known);
  // on the tool, not a copy of it: its methods may rest on fields of a class
  const wrapped =
    known.get(timeoutMs) ?? (Object.create(tool, { timeoutMs: { value: timeoutMs, enumerable: true } }) as ToolRef);
  known.set(timeoutMs, wrapped);
  return wrapped;
}

/** One wrapper for each tool and time, however many loops are made: a circuit breaker knows a tool by its object. */
const timed = new WeakMap<ToolRef, Map<number, ToolRef>>();

function sessionFor(given: ToolLoopOptions['session'], { tools }: Toolset, textForm: TextForm | undefined): Session {
  if (textForm === undefined) return { ...given, tools };
  return { ...given, setup: `${given.setup}\n\n${textCallInstructions(textForm, tools)}`, tools: [] };
}

/** Tools in the setup do not pass the seams of a request, so that they are held to the budget before there is one. */
function admitted({ tools }: Toolset, { session, toolBudget }: Pick<ToolLoopOptions, 'session' | 'toolBudget'>) {
  const measured = measureTools(tools, estimateTextTokens, session.model.capabilities.window);
  const admission = admitTools(measured, toolBudget);
  if (!admission.ok) throw new ConfigError(`Tool budget: ${admission.why}`);
  return admission.warnings;
}

function resolvedIn(view: Toolset, call: ToolCall): Resolved {
  const resolved = resolveCall(view, call);
  if (resolved.ok) return resolved;
  const { observation, miss } = resolved;
  return { ok: false, failure: observation.failure, ...(miss === undefined ? {} : { miss }) };
}
