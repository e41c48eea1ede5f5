import type { Entry } from '../../../flyball/src/core/events.js';
import { promptOf } from '../conversation/prompt-cache.js';
import type { RunOf } from '../conversation/prompt-view.js';
import type { Attempt, CommitView } from '../gates/fold-attempts.js';
import { artefactsIn, askedAbout, finalOf, type Version } from './artefacts.js';

/** Something that can be compared: an attempt, or what the run came to. */
export interface Candidate {
  readonly id: string;
  readonly title: string;
  readonly attempt?: Attempt;
}

export type LoadedVersion = Version | 'loading' | 'unknown';

/** Prompts of one VERIFY that are looked through: the judge is among the first that are asked. */
const MOST_PROMPTS = 6;

export function candidatesOf({ attempts, course }: CommitView, entries: readonly Entry[]): readonly Candidate[] {
  const tried = attempts.map(
    (attempt): Candidate => ({ id: String(attempt.n), title: `Attempt ${attempt.n}`, attempt }),
  );
  // a run may end with something else than its loop: then the result is not one of its versions
  const isResult = course.loop === '' && finalOf(entries) !== undefined;
  return isResult ? [...tried, { id: 'result', title: course.committed ? 'Committed result' : 'Last state' }] : tried;
}

/** The texts of a version. Reads signals: run it where they are watched, and it is run again when a prompt arrives. */
export function versionOf(runOf: RunOf, { attempt }: Candidate, entries: readonly Entry[]): LoadedVersion {
  if (attempt === undefined) return finalOf(entries) ?? 'unknown';
  const asked = askedAbout(attempt);
  if (asked !== undefined) return asked;
  for (const tip of attempt.tips.slice(0, MOST_PROMPTS)) {
    const loaded = promptOf(runOf(tip), tip).value;
    if (loaded.state === 'loading') return 'loading';
    const found = loaded.state === 'ready' ? artefactsIn(loaded.segments.map(({ content }) => content)) : undefined;
    if (found !== undefined) return found;
  }
  return 'unknown';
}
