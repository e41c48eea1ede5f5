import { type ByKind, byKind, nothingFor, rowsFor } from '../core/by-kind.js';
import type { Entry, EventOf } from '../core/events.js';
import { isNote } from '../core/notes.js';
import { PRIVATE } from '../core/private-marks.js';
import { type Effect, EffectFold } from './effects.js';
import { type FailureRecord, failureAt, NO_NEWS } from './failures.js';
import { loopPathOf, pathOf, pathsAround, scopeOf } from './paths.js';
import { Privacy } from './privacy.js';

/** The types of observations. */
export const OBSERVATION_TYPES = ['tool_call', 'llm_response', 'decision', 'error'] as const;
/** The type of an observation. */
export type ObservationType = (typeof OBSERVATION_TYPES)[number];

/** Something that was seen, said, decided or went wrong. Folded from the journal, which is its only record. */
export interface Observation {
  readonly id: string;
  readonly type: ObservationType;
  /** The conversation it belongs to: the run itself, unless a loop says otherwise. */
  readonly session: string;
  /** The agent, or the child, that made it. */
  readonly agent: string;
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  readonly at: number;
}

/** Options of `observationsOf`. */
export interface ObservationsOptions {
  readonly runId: string;
  /** `all`: private ones too, with their tag. They are for whoever replays the run, and go nowhere else. */
  readonly include?: 'public' | 'all';
}

/**
 * Each model reply is an `llm_response`, each end of a tool call a `tool_call` (failed ones too, with `ok: false`), each
 * decision that an agent or a guard told a `decision`, every other failure an `error`. `observe` adds its own.
 */
export function observationsOf(entries: readonly Entry[], options: ObservationsOptions): readonly Observation[] {
  const fold = new ObservationFold(entries, options.runId);
  const found = entries.flatMap((entry) => fold.apply(entry) ?? []);
  return options.include === 'all' ? found : found.filter(({ tags }) => !tags.includes(PRIVATE));
}

/** What one entry says, without whom it concerns. */
type Said = Pick<Observation, 'type' | 'content' | 'metadata'> & { readonly tags?: readonly string[] };

class ObservationFold {
  private readonly runId: string;
  private readonly privacy: Privacy;
  private readonly effects = new EffectFold();
  /** Who acts in a scope and in those inside it: the run's agent, children, loops that name themselves. */
  private readonly actors = new Map<string, Actor>();

  constructor(entries: readonly Entry[], runId: string) {
    this.runId = runId;
    this.privacy = new Privacy(entries);
  }

  apply(entry: Entry): Observation | undefined {
    const effect = this.effects.apply(entry);
    this.meet(entry);
    const said = saidBy(entry, effect);
    if (said === undefined) return undefined;
    const { generation, seq, at, event } = entry;
    const scope = 'id' in event && event.type !== 'changed' ? scopeOf(event.id) : placeOf(event);
    const { session, agent, tags } = this.actorAt(scope);
    const hidden = this.isHidden(entry) ? [PRIVATE] : [];
    return {
      id: `${this.runId}:${generation}:${seq}`,
      type: said.type,
      session,
      agent,
      content: said.content,
      metadata: said.metadata,
      tags: [...new Set([...tags, ...(said.tags ?? []), ...hidden])],
      at,
    };
  }

  private meet({ event }: Entry): void {
    if (event.type === 'run-start') this.actors.set('', { agent: event.agent });
    if (event.type === 'spawn-start') this.actors.set(pathOf(event.path), { agent: event.name });
    if (!isNote(event, 'loop-start')) return;
    const { agent, session, tags = [] } = event.event;
    const path = loopPathOf(event);
    this.actors.set(path, {
      ...this.actors.get(path), // a loop that does not say who runs it is run by whoever runs its scope
      ...(agent === undefined ? {} : { agent }),
      ...(session === undefined ? {} : { session }),
      tags,
    });
  }

  /** The innermost one who says so, field by field; tags add up. */
  private actorAt(scope: string): Required<Actor> {
    const around = pathsAround(scope).flatMap((path) => this.actors.get(path) ?? []);
    return {
      session: around.find(({ session }) => session !== undefined)?.session ?? this.runId,
      agent: around.find(({ agent }) => agent !== undefined)?.agent ?? '',
      tags: around.flatMap(({ tags }) => tags ?? []),
    };
  }

  private isHidden({ event, generation }: Entry): boolean {
    if (event.type === 'note') return this.privacy.hidesNote(event);
    if ('id' in event && event.type !== 'changed') return this.privacy.hidesEffect(generation, event.id);
    return this.privacy.hidesScope('');
  }
}

interface Actor {
  readonly agent?: string;
  readonly session?: string;
  readonly tags?: readonly string[];
}

function saidBy(entry: Entry, effect: Effect | undefined): Said | undefined {
  return byKind(SAID, entry.event, entry, effect);
}

const failedThere = (_event: unknown, entry: Entry, effect: Effect | undefined): Said | undefined =>
  wentWrong(failureAt(entry, effect));

const SAID: ByKind<[entry: Entry, effect: Effect | undefined], Said | undefined> = {
  ...nothingFor(...NO_NEWS),
  'ask-end': ({ reply }, entry, effect) =>
    reply === undefined ? wentWrong(failureAt(entry, effect)) : replied(reply, effect),
  ...rowsFor(['complete', 'abort'], (event, entry: Entry, effect: Effect | undefined) =>
    effect?.verb === 'call' ? called(event, effect) : wentWrong(failureAt(entry, effect)),
  ),
  'guard-decision': ({ id, guard, verdict, why, rule, policy }) => {
    const rules = { ...(rule === undefined ? {} : { rule }), ...(policy === undefined ? {} : { policy }) };
    return { type: 'decision', content: why, metadata: { effect: id, guard, verdict, ...rules } };
  },
  note: noted,
  ...rowsFor(['spawn-end', 'run-end', 'doubt', 'trip', 'stuck', 'signal-refused', 'operator-alert'], failedThere),
  ...nothingFor('retry'), // the call goes on: its end is the observation
};

function replied(reply: NonNullable<EventOf<'ask-end'>['reply']>, effect: Effect | undefined): Said {
  const start = effect?.start?.type === 'ask-start' ? effect.start : undefined;
  const tools = (reply.toolCalls ?? []).map(({ name }) => name);
  const { input, output } = reply.usage;
  return {
    type: 'llm_response',
    content: reply.text,
    metadata: {
      ...(start === undefined ? {} : { effect: start.id, role: start.session, model: reply.model ?? start.model }),
      finish: reply.finish,
      tokens: { input, output },
      ...(tools.length === 0 ? {} : { tools }),
    },
  };
}

function called(end: EventOf<'complete' | 'abort'>, { id, name }: Effect): Said {
  const { failure } = end;
  if (failure !== undefined)
    return {
      type: 'tool_call',
      content: failure.message,
      metadata: { effect: id, tool: name, ok: false, code: failure.code },
    };
  return {
    type: 'tool_call',
    content: end.type === 'complete' ? textOf(end.result) : '',
    metadata: { effect: id, tool: name, ok: true },
  };
}

function wentWrong(failure: FailureRecord | undefined): Said | undefined {
  if (failure === undefined) return undefined;
  const { effect, code, category, severity, message } = failure;
  return { type: 'error', content: message, metadata: { effect, code, category, severity } };
}

/** A decision that an agent told, or an observation of its own. */
function noted({ event }: EventOf<'note'>): Said | undefined {
  const { kind, type, content, metadata, tags, ...rest } = event as { readonly [key: string]: unknown };
  if (kind !== 'decision' && kind !== 'observation') return undefined;
  return {
    type: kind === 'decision' ? 'decision' : typeOf(type),
    content: typeof content === 'string' ? content : JSON.stringify(content ?? rest),
    metadata: { ...rest, ...(isRecord(metadata) ? metadata : {}) },
    tags: textsIn(tags),
  };
}

function typeOf(value: unknown): ObservationType {
  return OBSERVATION_TYPES.find((type) => type === value) ?? 'decision';
}

/** The text a model read of a tool's result, which is how the journal keeps it. */
function textOf(result: unknown): string {
  if (isRecord(result) && typeof result['text'] === 'string') return result['text'];
  return typeof result === 'string' ? result : JSON.stringify(result ?? null);
}

function placeOf(event: Entry['event']): string {
  if (event.type === 'note') return pathOf(event.path);
  return event.type === 'trip' ? pathOf(event.node) : '';
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
