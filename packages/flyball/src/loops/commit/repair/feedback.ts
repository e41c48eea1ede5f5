import { sha256 } from '../../../core/canonical.js';
import type { Defect } from '../../../core/work.js';

const PERSON = 'person';

/** What a person wants changed is as a defect that concerns everything: it is done first, and verified like the others. */
export function feedbackDefect(feedback: string): Defect {
  return {
    id: `feedback-${sha256(feedback).slice(0, 12)}`,
    dimension: 'completeness',
    description: feedback,
    severity: 1,
    scope: 'global',
    foundBy: PERSON,
  };
}

export function isFeedback({ foundBy }: Defect): boolean {
  return foundBy === PERSON;
}
