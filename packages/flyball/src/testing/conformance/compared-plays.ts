import type { EffectId, Entry, RunEvent } from '../../core/events.js';
import type { Played } from '../scenarios/play.js';

/** Where two plays part, and what they show there. */
export interface Parting {
  /** The effect that is asked for otherwise; `end` where only the outcome differs. */
  readonly at: EffectId | 'end';
  readonly straight: string;
  readonly other: string;
}

type Same = (value: unknown) => unknown;

/**
 * The first place at which a play parts from the straight one: another effect, other input to an effect, another outcome.
 * Branches that ended in another order are let pass: which of them is first is not for the code to say, and what comes
 * after that may differ for it.
 */
export function partingOf(straight: Played, other: Played, same: Same): Parting | undefined {
  const wanted = askedIn(straight.entries);
  const got = askedIn(other.entries);
  for (const [place, one] of wanted.ends.entries()) {
    const theirs = got.ends[place];
    if (theirs === one) continue;
    const isReordered = theirs !== undefined && wanted.ends.includes(theirs) && got.ends.includes(one);
    if (isReordered) return undefined;
    if (hasBroken(other)) break;
    return {
      at: theirs ?? one,
      straight: wanted.said.get(one) ?? one,
      other: got.said.get(theirs ?? one) ?? 'nothing',
    };
  }
  return saidParting(wanted, got) ?? outcomeParting(straight, other, same);
}

/** The same effect with another input. */
function saidParting(wanted: AskedEffects, got: AskedEffects): Parting | undefined {
  for (const [id, said] of got.said) {
    const known = wanted.said.get(id);
    if (known !== undefined && known !== said) return { at: id, straight: known, other: said };
  }
  return undefined;
}

/** Of a play that begins with a part of the history of another: what it asks for after that, and how it ends. */
export function forkParting(straight: Played, fork: Played, same: Same): Parting | undefined {
  return saidParting(askedIn(straight.entries), askedIn(fork.entries)) ?? outcomeParting(straight, fork, same);
}

function outcomeParting(straight: Played, other: Played, same: Same): Parting | undefined {
  const [one, two] = [shown(straight, same), shown(other, same)];
  if (one === two) return undefined;
  const at = /\bAt (\S+) the journal holds/.exec(two)?.[1] ?? 'end';
  return { at, straight: one, other: two };
}

function hasBroken({ outcome }: Played): boolean {
  return outcome.stop === 'threw' || outcome.stop === 'stuck';
}

function shown({ outcome }: Played, same: Same): string {
  const {
    usage: _usage,
    acts: _acts,
    actsLeftOut: _left,
    rollback: _rollback,
    ...rest
  } = outcome as unknown as Record<string, unknown>;
  return JSON.stringify('value' in rest ? { ...rest, value: same(rest['value']) } : rest);
}

interface AskedEffects {
  /** What was asked for under each id: kind, name, and the fingerprint of its input. */
  readonly said: ReadonlyMap<string, string>;
  /** In the order of their ends. */
  readonly ends: readonly string[];
}

function askedIn(entries: readonly Entry[]): AskedEffects {
  const said = new Map<string, string>();
  const ends: string[] = [];
  for (const { event, generation } of entries) {
    if (!('id' in event) || event.id.includes('!')) continue;
    const place = generation === 0 ? event.id : `${generation}:${event.id}`;
    if ('fp' in event && event.fp !== undefined && !said.has(place)) said.set(place, `${nameOf(event)} ${event.fp}`);
    if (ENDS.has(event.type)) ends.push(place);
  }
  return { said, ends };
}

const ENDS: ReadonlySet<string> = new Set([
  'ask-end',
  'complete',
  'abort',
  'spawn-end',
  'wait-end',
  'sleep-end',
  'post',
]);

function nameOf(event: RunEvent): string {
  if (event.type === 'ask-start') return `ask "${event.session}"`;
  const kind = 'of' in event && typeof event.of === 'string' ? event.of : event.type.replace('-start', '');
  return 'name' in event && typeof event.name === 'string' ? `${kind} "${event.name}"` : kind;
}
