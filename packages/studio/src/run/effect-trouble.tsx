import type { Entry, EventOf } from '../../../flyball/src/core/events.js';
import type { GuardRecord } from '../../../flyball/src/views/guard-decisions.js';
import { duration } from '../ui/amounts.js';
import { Badge } from '../ui/badge.js';

export function Decisions({ guards }: { readonly guards: readonly GuardRecord[] }) {
  if (guards.length === 0) return null;
  return (
    <section>
      <h3>Guard decisions</h3>
      <ul class="plain-list">
        {guards.map(({ guard, verdict, why, rule }) => (
          <li key={`${guard} ${verdict} ${why}`}>
            <Badge tone={VERDICT_TONES[verdict]}>{verdict}</Badge> <strong>{guard}</strong>
            {rule === undefined ? null : <span class="quiet"> rule {rule}</span>}
            <div>{why}</div>
          </li>
        ))}
      </ul>
    </section>
  );
}

const VERDICT_TONES = {
  allowed: 'good',
  obliged: 'good',
  warned: 'warn',
  asked: 'warn',
  escalated: 'warn',
  denied: 'bad',
  blocked: 'bad',
} as const;

type TroubleEvent = EventOf<'retry' | 'guard-refused' | 'doubt'>;

/** Refusals, tries that failed, doubts: the ends of failed effects are told by the effect itself. */
export function Trouble({ entries }: { readonly entries: readonly Entry[] }) {
  const events = entries.flatMap(({ event, seq }) => (isTrouble(event) ? [{ event, seq }] : []));
  if (events.length === 0) return null;
  return (
    <section>
      <h3>Problems</h3>
      <ul class="plain-list">
        {events.map(({ event, seq }) => (
          <li key={seq}>{wordsOf(event)}</li>
        ))}
      </ul>
    </section>
  );
}

function isTrouble(event: Entry['event']): event is TroubleEvent {
  return event.type === 'retry' || event.type === 'guard-refused' || event.type === 'doubt';
}

function wordsOf(event: TroubleEvent): string {
  switch (event.type) {
    case 'retry':
      return `Attempt ${event.retry} failed (${event.failure.code}): ${event.failure.message} Retried after ${duration(event.delayMs)}.`;
    case 'guard-refused':
      return `Refused at ${event.seam}: ${event.why}`;
    case 'doubt':
      return `In doubt: ${event.why}`;
  }
}
