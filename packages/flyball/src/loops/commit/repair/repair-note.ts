import type { DomainEvent } from '../../../core/run.js';
import type { RepairEntry } from '../contracts.js';

const LONGEST = 500;

/** What observers are told of an attempt. The entry keeps its words; in the journal they would stand once per attempt. */
export function repairNote(entry: RepairEntry, why: string): DomainEvent {
  return { kind: 'repair', ...entry, description: shortened(entry.description), why: shortened(why) };
}

function shortened(text: string): string {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST - 1).replace(/[\ud800-\udbff]$/, '')}…`; // half a character is none
}
