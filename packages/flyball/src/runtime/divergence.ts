import { type AgentVersions, ReplayDivergedError, unreachable } from '../core/errors.js';
import type { EffectId, EndEvent, EventOf } from '../core/events.js';
import type { Claim } from '../ports/engine.js';
import type { Start } from './history/effects.js';
import type { AttemptHost } from './host.js';
import type { Pending } from './open-effects.js';
import type { Recorded } from './recorded.js';

/** A life of a run, as far as it is about its past. */
interface Replayed {
  readonly recorded: Recorded;
  readonly claim: Claim;
  readonly host: Pick<AttemptHost, 'versionOf'>;
}

type Kind = Pending['kind'] | 'undo';

/** What the code calls it. */
interface What {
  readonly kind: Kind;
  readonly name: string | undefined;
}

const WORDS: Readonly<Record<Kind, string>> = {
  ask: 'the model call',
  call: 'the tool call',
  step: 'the step',
  post: 'the post to the board',
  spawn: 'the child',
  wait: 'the wait',
  sleep: 'the sleep',
  rollback: 'the rollback',
  undo: 'the compensation',
};

/** What else the fingerprint of the same effect is taken over. A wait is nothing but its name. */
const REST: Readonly<Record<Kind, string>> = {
  ask: ' with a different prompt',
  call: ' with different arguments',
  step: ' with a different input',
  post: ' with a different entry',
  spawn: ' with a different input',
  wait: '',
  sleep: ' for a different time',
  rollback: '',
  undo: ' with a different input',
};

/** Another fingerprint at the same place: the code asks for something else than it did. */
export function wrongFingerprint(run: Replayed, pending: Pending): ReplayDivergedError | undefined {
  const { recorded } = run;
  const start = recorded.starts.get(pending.id)?.[0]?.event;
  const end = recorded.ends.get(pending.id)?.event;
  const fp = start?.fp ?? (end !== undefined && 'fp' in end ? end.fp : undefined);
  if (fp === undefined || fp === pending.fp) return undefined;
  const before = inWords(whatIn(start ?? end));
  const now = inWords(pending);
  return new ReplayDivergedError({
    id: pending.id,
    recorded: before,
    asked: before === now ? `${now}${REST[pending.kind]}` : now,
    versions: versionsOf(run),
  });
}

/** A recorded end that nobody asked for. */
export function nobodyAsked(
  run: Replayed,
  { id, event }: { readonly id: EffectId; readonly event: EndEvent | EventOf<'rollback-end'> },
): ReplayDivergedError {
  const start = run.recorded.starts.get(id)?.[0]?.event;
  return new ReplayDivergedError({ id, recorded: inWords(whatIn(start ?? event)), versions: versionsOf(run) });
}

/** At the end of history every recorded start must have been asked for again: an open INTENT is never forgotten. */
export function unclaimedStart(
  run: Replayed,
  isAccountedFor: (id: EffectId) => boolean,
): ReplayDivergedError | undefined {
  const { recorded } = run;
  for (const [id, starts] of recorded.starts) {
    if (id.endsWith('!undo') || recorded.ends.has(id)) continue;
    const bang = id.indexOf('!');
    const base = bang === -1 ? id : id.slice(0, bang);
    if (recorded.ends.has(base) || isAccountedFor(base)) continue;
    return new ReplayDivergedError({ id, recorded: inWords(whatIn(starts[0]?.event)), versions: versionsOf(run) });
  }
  return undefined;
}

/** Nor is a mark: code that does not know the change would go on where the run has taken the other path. */
export function unaskedChange(run: Replayed, asked: ReadonlyMap<string, boolean>): ReplayDivergedError | undefined {
  for (const id of run.recorded.changesToAsk)
    if (!asked.has(id))
      return new ReplayDivergedError({ id, recorded: `run.changed('${id}')`, versions: versionsOf(run) });
  return undefined;
}

function versionsOf({ claim, host }: Replayed): AgentVersions {
  const { agent, version } = claim.record;
  return { agent, began: version, here: host.versionOf(agent) };
}

function inWords(what: What | undefined): string {
  if (what === undefined) return 'an effect';
  return `${WORDS[what.kind]}${what.name === undefined ? '' : ` "${what.name}"`}`;
}

function whatIn(event: Start['event'] | EndEvent | EventOf<'rollback-end'> | undefined): What | undefined {
  switch (event?.type) {
    case undefined:
      return undefined;
    case 'ask-start':
    case 'ask-end':
      return { kind: 'ask', name: event.session };
    case 'intent':
      return { kind: event.of, name: event.name };
    case 'call-start':
      return { kind: 'call', name: event.name };
    case 'complete':
    case 'abort':
      return event.of === undefined ? undefined : { kind: event.of, name: event.name };
    case 'spawn-start':
      return { kind: 'spawn', name: event.name };
    case 'spawn-end':
      return { kind: 'spawn', name: undefined };
    case 'wait-start':
      return { kind: 'wait', name: event.name };
    case 'wait-end':
      return { kind: 'wait', name: undefined };
    case 'sleep-start':
    case 'sleep-end':
      return { kind: 'sleep', name: undefined };
    case 'rollback-end':
      return { kind: 'rollback', name: undefined };
    case 'post':
      return { kind: 'post', name: event.board };
    default:
      return unreachable(event);
  }
}
