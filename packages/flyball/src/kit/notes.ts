import { sha256 } from '../core/canonical.js';
import type { Run } from '../core/run.js';

/**
 * The same run, in which every session also reads these notes: how a wrapper tells an agent what became of its last
 * attempt, without the agent being written for it. They stand at the end of the setup, marked as notes and not as orders
 * of the author.
 */
export function withNotes(run: Run, heading: string, notes: readonly string[]): Run {
  if (notes.length === 0) return run;
  const text = [heading, ...notes.map((note, n) => `<note n="${n + 1}">\n${unmarked(note)}\n</note>`)].join('\n');
  return run.dressed({
    id: `notes:${sha256(text).slice(0, 16)}`,
    session: (session) => ({ ...session, setup: session.setup === '' ? text : `${session.setup}\n\n${text}` }),
  });
}

/** A note that writes the mark itself would end early, and what follows would read as the author's. */
const unmarked = (note: string): string => note.replaceAll(/<(\/?)note/gi, '<$1 note');
