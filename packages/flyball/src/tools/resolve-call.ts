import { strictJson } from '../core/codec.js';
import { type ErrorCode, failureOf } from '../core/errors.js';
import type { ToolCall } from '../core/model.js';
import { argumentsIn } from '../core/read-json.js';
import type { DomainEvent } from '../core/run.js';
import type { ToolRef, ToolResult } from '../core/tool.js';
import { nearestNames } from './nearest-names.js';
import type { Toolset } from './toolset.js';

/** The result of a tool call that was refused or failed. */
export type Refusal = Extract<ToolResult, { readonly ok: false }>;
/** The arguments of a tool call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A proposed call, decided: what to run, or what the model is told instead. Nothing has been executed. */
export type ResolvedCall =
  | { readonly ok: true; readonly tool: ToolRef; readonly args: Arguments }
  | {
      readonly ok: false;
      readonly observation: Refusal;
      /** The tool exists but was not loaded for this session: worth a note, because whoever chose the view missed it. */
      readonly miss?: DomainEvent;
    };

/** How much of unreadable text is shown back. */
const SHOWN = 200;
const LISTED = 20;

/**
 * Reads a call that a model proposes against the tools of its session. Its arguments are parsed here and checked
 * against the tool's schema by `run.call`. Nothing is guessed or repaired: the model gets a sentence and tries again.
 */
export function resolveCall(toolset: Toolset, call: ToolCall): ResolvedCall {
  const { name } = call;
  const tool = toolset.get(name);
  if (tool === undefined) {
    const miss = { kind: 'tool-missed', tool: name, toolset: toolset.hash };
    return { ok: false, observation: unknownTool(name, toolset.names), ...(toolset.hides(name) ? { miss } : {}) };
  }
  const parsed = parseArguments(call.arguments);
  if (!parsed.ok) return { ok: false, observation: refusal(name, 'INPUT_INVALID', parsed.problem) };
  const observation = unusable(name, parsed.value);
  return observation === undefined ? { ok: true, tool, args: parsed.value as Arguments } : { ok: false, observation };
}

/** What is told about a name that is not among `known`. Names outside are not disclosed. */
export function unknownTool(name: string, known: readonly string[]): Refusal {
  const near = nearestNames(name, known);
  const listed = known.length > LISTED ? `${known.slice(0, LISTED).join(', ')}, …` : known.join(', ');
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `The tools are: ${listed || 'none'}.`;
  const message = `there is no tool "${shorten(name, 64)}". ${hint}`;
  return {
    ok: false,
    content: `Not executed: ${message}`,
    failure: { code: 'TOOL_UNKNOWN', message, retryable: false, detail: { tool: shorten(name, 64), near } },
  };
}

/** Arguments that cannot even be put to a schema or into the journal, as an observation. */
export function unusable(name: string, args: unknown): Refusal | undefined {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    const kind = args === null ? 'null' : Array.isArray(args) ? 'a list' : `a ${typeof args}`;
    return refusal(name, 'INPUT_INVALID', `the arguments are ${kind}, but must be one JSON object`);
  }
  try {
    strictJson(args);
    return undefined;
  } catch (error) {
    // nested without end, or a number such as 1e999, which JSON can write and nothing can hold
    return refusal(name, 'INPUT_INVALID', `the arguments cannot be used: ${failureOf(error).message}`);
  }
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

function parseArguments(text: string): Parsed {
  const read = argumentsIn(text);
  if (read !== undefined) return { ok: true, value: read.value };
  return { ok: false, problem: `the arguments are not valid JSON; they begin with: ${shorten(text, SHOWN)}` };
}

function refusal(name: string, code: ErrorCode, problem: string): Refusal {
  return {
    ok: false,
    content: `${name} was not executed: ${problem}. Call it again with corrected arguments.`,
    failure: { code, message: problem, retryable: false, detail: { tool: name } },
  };
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
