import { canonicalJson, sha256 } from '../core/canonical.js';
import { fingerprint } from '../core/codec.js';
import type { ToolCall } from '../core/model.js';
import { argumentsIn } from '../core/read-json.js';
import type { Effect } from './effects.js';

/** What a call was made with, short enough for a list: the hash tells equal arguments from others. */
export interface ShownArguments {
  readonly hash: string;
  readonly preview: string;
}

/** Which proposed call became which effect. */
export interface Matched {
  readonly byEffect: ReadonlyMap<Effect, ToolCall>;
  /** Proposed and never made: an unknown tool, arguments that are no JSON, one too many. */
  readonly left: readonly ToolCall[];
}

/**
 * The journal keeps what a model proposed and what was called, each in its place. An effect's fingerprint is taken over
 * name and arguments, so it finds its proposal exactly; calls whose arguments were changed on the way go by name, in
 * order.
 */
export function matchProposals(proposed: readonly ToolCall[], calls: readonly Effect[]): Matched {
  const left = new Set(proposed);
  const byEffect = new Map<Effect, ToolCall>();
  const take = (effect: Effect, isIts: (call: ToolCall) => boolean): void => {
    const call = byEffect.has(effect) ? undefined : [...left].find(isIts);
    if (call === undefined) return;
    left.delete(call);
    byEffect.set(effect, call);
  };
  for (const effect of calls) take(effect, (call) => call.name === effect.name && fpOf(call) === fingerprintOf(effect));
  for (const effect of calls) take(effect, (call) => call.name === effect.name);
  return { byEffect, left: [...left] };
}

const PREVIEW_LENGTH = 120;

/** Of an effect that can change the world the journal holds the arguments; of a pure one only the proposal does. */
export function argumentsOf(effect: Effect, proposal: ToolCall | undefined): ShownArguments | undefined {
  if (effect.start?.type === 'intent') return shown(effect.start.input);
  return proposal === undefined ? undefined : shownProposal(proposal);
}

export function shownProposal(proposal: ToolCall): ShownArguments {
  const parsed = argumentsIn(proposal.arguments);
  return parsed === undefined ? shown(proposal.arguments) : shown(parsed.value);
}

function shown(value: unknown): ShownArguments {
  const text = value === undefined ? '' : canonicalJson(value);
  const preview = text.length > PREVIEW_LENGTH ? `${text.slice(0, PREVIEW_LENGTH)}…` : text;
  return { hash: sha256(text).slice(0, 16), preview };
}

function fpOf(call: ToolCall): string | undefined {
  const parsed = argumentsIn(call.arguments);
  return parsed === undefined ? undefined : fingerprint('call', call.name, parsed.value);
}

function fingerprintOf({ start, end }: Effect): string | undefined {
  if (start?.type === 'intent') return start.fp;
  return end?.type === 'complete' || end?.type === 'abort' ? end.fp : undefined;
}
