import { ReplayDivergedError } from '../core/errors.js';
import type { EffectId } from '../core/events.js';
import type { Pending } from './open-effects.js';
import type { Recorded } from './recorded.js';

/** Another fingerprint at the same place: the code asks for something else than it did. */
export function wrongFingerprint(recorded: Recorded, pending: Pending): ReplayDivergedError | undefined {
  const start = recorded.starts.get(pending.id)?.[0]?.event;
  const end = recorded.ends.get(pending.id)?.event;
  const fp = start?.fp ?? (end !== undefined && 'fp' in end ? end.fp : undefined);
  if (fp === undefined || fp === pending.fp) return undefined;
  const name = nameIn(start) ?? nameIn(end);
  return new ReplayDivergedError({
    id: pending.id,
    recorded: `${start?.type ?? end?.type}${named(name)} with fingerprint ${fp}`,
    asked: `${pending.kind}${named(pending.name)} with fingerprint ${pending.fp}`,
  });
}

/** A recorded end that nobody asked for. */
export function nobodyAsked(id: EffectId, what: string): ReplayDivergedError {
  return new ReplayDivergedError({ id, recorded: `the end of an effect (${what})`, asked: 'nothing there' });
}

/** At the end of history every recorded start must have been asked for again: an open INTENT is never forgotten. */
export function unclaimedStart(
  recorded: Recorded,
  isAccountedFor: (id: EffectId) => boolean,
): ReplayDivergedError | undefined {
  for (const [id, starts] of recorded.starts) {
    if (id.endsWith('!undo') || recorded.ends.has(id)) continue;
    const bang = id.indexOf('!');
    const base = bang === -1 ? id : id.slice(0, bang);
    if (recorded.ends.has(base) || isAccountedFor(base)) continue;
    const what = `the start of an effect (${starts[0]?.event.type})`;
    return new ReplayDivergedError({ id, recorded: what, asked: 'nothing there' });
  }
  return undefined;
}

function named(name: string | undefined): string {
  return name === undefined ? '' : ` "${name}"`;
}

function nameIn(event: object | undefined): string | undefined {
  return event !== undefined && 'name' in event && typeof event.name === 'string' ? event.name : undefined;
}
