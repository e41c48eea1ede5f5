import { canonicalJson, sha256 } from '../core/canonical.js';
import type { EffectKind } from '../core/effect-kind.js';
import type { EffectId, Entry, EventOf, ForkPoint } from '../core/events.js';
import type { Outcome, Stop } from '../core/outcome.js';
import { type SkillRecord, skillsIn } from './active-skills.js';
import { type Effect, effectsOf, type Verb } from './effects.js';
import { type GuardRecord, guardDecisionsOf } from './guard-decisions.js';
import { baseOf } from './paths.js';

/**
 * Where an output comes from: every effect that ended, with hashes of what went in and what came out, the prompts and
 * models behind it, who approved it, and the code that ran.
 *
 * Invariants:
 * 1. Same history, same hash: members and effects have one order, whatever the order they happened in.
 * 2. A crash leaves no trace in it: times, attempts, owners, retries, reservations and cost are not part of it, so a
 *    resumed run has the hash of one that never stopped. What a crash does change is: a person who settled a doubt.
 */
export interface ProvenanceRecord {
  readonly v: 1;
  readonly run: string;
  readonly agent: string;
  /** Version of the agent that began the run. */
  readonly code: string;
  readonly fork?: ForkPoint & { readonly live: boolean };
  readonly input: string;
  /** Absent while the run has no end. */
  readonly output?: { readonly stop: Stop; readonly hash: string };
  readonly effects: readonly ProvenanceEffect[];
  /** Models that answered, sorted. */
  readonly models: readonly string[];
  readonly approvals: readonly Approval[];
  /** What guards decided, by effect; absent where none did. Their words may hold times and counts, so they stay out. */
  readonly guards?: readonly ProvenanceGuard[];
  /** Skills that were active, with version and hash; absent where none was. */
  readonly skills?: readonly SkillRecord[];
  /** SHA-256 over the canonical JSON of all the other members. */
  readonly hash: string;
}

/** An effect in a provenance record. */
export interface ProvenanceEffect {
  readonly id: EffectId;
  readonly generation: number;
  readonly verb: Verb;
  readonly name: string;
  /** Fingerprint of what was asked, as the journal matches it on replay. */
  readonly fp?: string;
  readonly class?: EffectKind;
  readonly model?: string;
  /** Tip of the prompt chain, which names every byte of the prompt. */
  readonly prompt?: string;
  /** Scope of a child agent: the effects below it are what its result came from. */
  readonly path?: string;
  readonly input?: string;
  readonly result?: string;
  readonly failure?: string;
  /** Who answered a wait. */
  readonly from?: string;
  /** The result was not observed but stood in for: by a simulation, or by a person's word. */
  readonly standIn?: 'simulated' | 'person';
}

/** A decision of a person about an effect. */
export interface Approval {
  /** The effect that was approved, or the wait itself where the agent asked on its own. */
  readonly effect: EffectId;
  readonly generation: number;
  readonly name: string;
  readonly by: string;
  /** What was decided on the way to the yes: `approve`, `modify`, `escalate`. */
  readonly verdict: string;
}

/** A guard decision in a provenance record. */
export type ProvenanceGuard = Omit<GuardRecord, 'why'>;

/** Where the result of a run comes from: models, prompts, tools, guards and people. */
export function provenanceOf(runId: string, entries: readonly Entry[]): ProvenanceRecord {
  const start = entries.find((entry): entry is Entry<EventOf<'run-start'>> => entry.event.type === 'run-start')?.event;
  const end = entries.findLast((entry): entry is Entry<EventOf<'run-end'>> => entry.event.type === 'run-end')?.event;
  const ended = effectsOf(entries)
    .filter((effect) => effect.end !== undefined)
    .sort(byIdentity);
  const effects = ended.map(provenanceEffect);
  const guards = guardsIn(entries);
  const skills = skillsIn(entries);
  const record: Omit<ProvenanceRecord, 'hash'> = {
    v: 1,
    run: runId,
    agent: start?.agent ?? '',
    code: start?.version ?? '',
    ...(start?.fork === undefined ? {} : { fork: start.fork }),
    input: contentHash(start?.input),
    ...(end === undefined ? {} : { output: { stop: end.outcome.stop, hash: outcomeHash(end.outcome) } }),
    effects,
    models: [...new Set(effects.flatMap(({ model }) => model ?? []))].sort(),
    approvals: approvalsIn(ended),
    ...(guards.length === 0 ? {} : { guards }),
    ...(skills.length === 0 ? {} : { skills }),
  };
  return { ...record, hash: recordHash(record) };
}

/** Whether a provenance record matches its hash. */
export function verifyProvenance(record: ProvenanceRecord): boolean {
  const { hash, ...rest } = record;
  return recordHash(rest) === hash;
}

/** Hash of a value that crossed the journal; `undefined`, which has no JSON, is the hash of nothing. */
export function contentHash(value: unknown): string {
  return sha256(value === undefined ? '' : canonicalJson(value));
}

function recordHash(record: Omit<ProvenanceRecord, 'hash'>): string {
  return sha256(canonicalJson(record));
}

function provenanceEffect(effect: Effect): ProvenanceEffect {
  const { id, generation, verb, name } = effect;
  return { id, generation, verb, name, ...whatWasAsked(effect), ...whatCameOut(effect) };
}

function whatWasAsked({ start, end }: Effect): Partial<ProvenanceEffect> {
  switch (start?.type) {
    case 'ask-start':
      return { fp: start.fp, model: start.model, prompt: start.tip };
    case 'intent':
      return { fp: start.fp, class: start.class, input: contentHash(start.input) };
    case 'spawn-start':
      return { fp: start.fp, path: start.path, input: contentHash(start.input) };
    case 'wait-start':
      return { fp: start.fp, input: contentHash(start.request) };
    case 'sleep-start':
      return { fp: start.fp };
    case undefined: {
      const fp = end?.type === 'complete' || end?.type === 'abort' || end?.type === 'post' ? end.fp : undefined;
      return { ...(fp === undefined ? {} : { fp }), class: 'pure' };
    }
  }
}

function whatCameOut({ end }: Effect): Partial<ProvenanceEffect> {
  switch (end?.type) {
    case 'ask-end': {
      if (end.reply === undefined) return end.failure === undefined ? {} : { failure: end.failure.code };
      const { text, toolCalls, finish, reasoning, value } = end.reply;
      return { result: contentHash({ text, toolCalls, finish, reasoning, value }) };
    }
    case 'complete': {
      const standIn = end.how === 'simulated' || end.how === 'person' ? { standIn: end.how } : {};
      return { result: contentHash(end.result), ...standIn };
    }
    case 'abort':
      return { failure: end.failure.code };
    case 'spawn-end':
      return { result: outcomeHash(end.outcome) };
    case 'wait-end': {
      const from = end.from === undefined ? {} : { from: end.from };
      return { result: contentHash(end.timedOut === true ? 'timed-out' : end.payload), ...from };
    }
    case 'post':
      return { result: contentHash(end.entry) };
    case 'sleep-end':
    case undefined:
      return {};
  }
}

/** Without usage: what it cost, and how long it took, is not what it is. A message can hold either, so failures go by code. */
function outcomeHash(outcome: Outcome<unknown>): string {
  const { usage: _usage, ...rest } = outcome;
  if (rest.stop !== 'failed') return contentHash(rest);
  const { because: _because, failure, ...kept } = rest;
  return contentHash({ ...kept, failure: failure.code });
}

const REFUSALS: ReadonlySet<string> = new Set(['APPROVAL_REJECTED', 'NO_ANSWER']);

/** A gate is an approval when its effect was not refused; a gate that timed out approved nothing. */
function approvalsIn(ended: readonly Effect[]): readonly Approval[] {
  const byKey = new Map(ended.map((effect) => [`${effect.generation} ${effect.id}`, effect]));
  return ended.flatMap(({ id, generation, name, start, end }) => {
    if (start?.type !== 'wait-start' || start.kind !== 'approval') return [];
    if (end?.type !== 'wait-end' || end.timedOut === true || end.from === undefined) return [];
    const effect = baseOf(id);
    const approved = byKey.get(`${generation} ${effect}`)?.end;
    if (approved?.type === 'abort' && REFUSALS.has(approved.failure.code)) return [];
    const verdict = String((end.payload as { readonly verdict?: unknown } | undefined)?.verdict ?? 'approve');
    return verdict === 'reject' ? [] : [{ effect, generation, name, by: end.from, verdict }];
  });
}

/** Once each, in one order: parallel branches ask their guards in any. */
function guardsIn(entries: readonly Entry[]): readonly ProvenanceGuard[] {
  const byText = new Map(guardDecisionsOf(entries).map(({ why: _why, ...guard }) => [canonicalJson(guard), guard]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, guard]) => guard);
}

function byIdentity(a: Effect, b: Effect): number {
  if (a.generation !== b.generation) return a.generation - b.generation;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
