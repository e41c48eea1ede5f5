import type { Entry, EventOf } from 'flyball';

export interface Doubt {
  readonly why: string;
  /** It could have been settled without a person; says how. */
  readonly avoidable: string | undefined;
}

interface Tried {
  readonly intent: EventOf<'intent'>;
  readonly life: number;
}

/** What people were asked in one run, and whether that had to be. Goes by the journal alone. */
export function doubtsIn(entries: readonly Entry[]): readonly Doubt[] {
  const tried = new Map<string, Tried>();
  const ended = new Set<string>();
  const found: Doubt[] = [];
  let life = 0;
  for (const { event } of entries) {
    if (event.type === 'attempt-start') life += 1;
    else if (event.type === 'intent') tried.set(event.id, { intent: event, life });
    else if (event.type === 'complete' || event.type === 'abort') ended.add(event.id);
    else if (event.type === 'doubt') {
      const by = tried.get(event.id)?.life === life ? 'by its own process' : 'by the next process';
      found.push({
        why: `${event.why} (asked ${by})`,
        avoidable: avoidable(event, tried.get(event.id)?.intent, ended.has(event.id)),
      });
    }
  }
  return found;
}

const MAY_RUN = /may still be running/;

function avoidable(
  doubt: EventOf<'doubt'>,
  intent: EventOf<'intent'> | undefined,
  isEnded: boolean,
): string | undefined {
  if (intent === undefined) return 'it was never attempted';
  if (isEnded) return 'its end is recorded';
  if (intent.class === 'idempotent') return 'it could be repeated under its key';
  // the ledger answers always: only somebody who may still act keeps a no from being believed
  if (intent.name === 'verified' && !MAY_RUN.test(doubt.why)) return 'the ledger could be asked';
  return undefined;
}
