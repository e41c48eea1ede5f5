import { canonicalJson, sha256 } from '../core/canonical.js';
import type { Run } from '../core/run.js';

/**
 * The same run, in which every session also reads these notes: how a wrapper tells an agent what became of its last
 * attempt, without the agent being written for it. They stand last, marked as notes, and count as text from outside:
 * models wrote them, and what they quote may come from anywhere.
 */
export function withNotes(run: Run, heading: string, notes: readonly string[]): Run {
  if (notes.length === 0) return run;
  const marked = notes.map((note, n) => `<note n="${n + 1}">\n${unmarked(note)}\n</note>`);
  return withClosing(run, [[heading, ...marked].join('\n')]);
}

/** The same run, in which every session reads these texts last, in messages of their own: text from outside. */
export function withClosing(run: Run, texts: readonly string[]): Run {
  const closing = texts.map((content) => ({ content, owner: 'notes', trust: 'outside' }) as const);
  return run.dressed({
    id: `notes:${sha256(canonicalJson(texts)).slice(0, 16)}`,
    session: (session) => ({ ...session, closing: [...(session.closing ?? []), ...closing] }),
  });
}

/** The same run, in which the setup of every session also says this. Only for what the author of a pattern wrote. */
export function withSetup(run: Run, text: string): Run {
  return run.dressed({
    id: `setup:${sha256(text).slice(0, 16)}`,
    session: (session) => ({ ...session, setup: session.setup === '' ? text : `${session.setup}\n\n${text}` }),
  });
}

/** A note that writes the mark itself would end early, and what follows would read as another note. */
const unmarked = (note: string): string => note.replaceAll(/<(\/?)note/gi, '<$1 note');
