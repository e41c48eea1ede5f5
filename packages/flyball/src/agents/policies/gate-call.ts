import type { ToolCall } from '../../core/model.js';
import { argumentObjectIn } from '../../core/read-json.js';
import { matchesAny } from '../../tools/governance/text-glob.js';
import type { GateRules, Wrapper } from './gate-rules.js';

export type Arguments = Readonly<Record<string, unknown>>;

/** A call as the rules look at it: through its wrapper, at the tool that it is really about. */
export interface GateCall {
  readonly tool: string;
  /** The tool itself, or the one that a wrapper names. */
  readonly target: string;
  readonly does: 'call' | 'unlock' | 'give';
  readonly args: Arguments;
  /** Arguments for the target; those of the wrapper itself are left out. */
  readonly inner: Arguments;
  readonly wrapper: Wrapper | undefined;
}

export type ReadCall =
  | { readonly ok: true; readonly call: GateCall }
  | { readonly ok: false; readonly because: string };

/** A proposed call, read. What cannot be read cannot be judged, so it is not passed on. */
export function readProposal(rules: GateRules, { name, arguments: text }: ToolCall): ReadCall {
  const args = argumentObjectIn(text);
  if (args === undefined) return { ok: false, because: 'its arguments are not one JSON object' };
  return readCall(rules, name, args);
}

export function readCall(rules: GateRules, tool: string, args: Arguments): ReadCall {
  const wrapper = rules.wrappers.find((one) => one.tool === tool);
  if (wrapper === undefined)
    return { ok: true, call: { tool, target: tool, does: 'call', args, inner: args, wrapper } };
  const target = args[wrapper.names];
  if (typeof target !== 'string' || target === '')
    return { ok: false, because: `its argument ${wrapper.names} names no tool` };
  const inner = innerOf(wrapper, args);
  if (inner === undefined) return { ok: false, because: `its argument ${wrapper.holds} is not one JSON object` };
  return { ok: true, call: { tool, target, does: wrapper.does, args, inner, wrapper } };
}

function innerOf({ holds }: Wrapper, args: Arguments): Arguments | undefined {
  const given = holds === undefined ? undefined : args[holds];
  if (given === undefined) return {};
  if (typeof given !== 'string') return asObject(given);
  return given.trim() === '' ? undefined : argumentObjectIn(given); // no text is no object to the tool inside
}

function asObject(value: unknown): Arguments | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Arguments) : undefined;
}

/** It only reads: never so for something that is handed to the other side. */
export function isRead(rules: GateRules, { does, target }: Pick<GateCall, 'does' | 'target'>): boolean {
  return does !== 'give' && matchesAny(rules.reads, target);
}

/** It has to wait for a proven identity. A wrapper's call does, whatever it calls, unless the rules open it. */
export function needsIdentity(rules: GateRules, call: GateCall): boolean {
  if (call.does === 'unlock') return false; // an entry in memory: nothing of anybody's is read or changed
  if (call.wrapper !== undefined) return !matchesAny(rules.open, call.target);
  if (matchesAny(rules.private ?? [], call.tool)) return true;
  return !matchesAny(rules.reads, call.tool) && !matchesAny(rules.free, call.tool);
}
