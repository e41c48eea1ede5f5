import { canonicalJson } from '../core/canonical.js';
import type { Entry } from '../core/events.js';
import { isNote } from '../core/notes.js';

/** Kind of the note that tells of a skill that became active. */
export const SKILL_ACTIVE = 'skill-active';

/** A skill that was active in a run: its version as it calls itself, and the hash of its files. */
export interface SkillRecord {
  readonly name: string;
  readonly version: string;
  readonly hash: string;
}

/** Every version of every skill that was active, once each and in one order. */
export function skillsIn(entries: readonly Entry[]): readonly SkillRecord[] {
  const found = new Map<string, SkillRecord>();
  for (const { event } of entries) {
    if (!isNote(event, SKILL_ACTIVE)) continue;
    const { name, version, hash } = event.event;
    const record = { name, version, hash };
    found.set(canonicalJson(record), record);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name || (a.name === b.name && a.hash < b.hash) ? -1 : 1));
}
