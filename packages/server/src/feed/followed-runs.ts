import { Problem } from '../problem.js';
import { type Position, positionFrom } from './position.js';

export interface Followed {
  readonly run: string;
  readonly after?: Position;
}

/** As many as one stream follows. */
export const MOST_FOLLOWED = 64;

/** `r1@0.12,r2`: runs, each with the last entry that is known of it. Ids are percent-encoded, so that they may hold both signs. */
export function followedFrom(text: string): readonly Followed[] {
  const parts = text.split(',').filter((part) => part !== '');
  if (parts.length > MOST_FOLLOWED)
    throw new Problem(400, 'INPUT_INVALID', `A stream can follow at most ${MOST_FOLLOWED} runs.`, {
      next: 'Open a second stream for the others.',
    });
  const followed = parts.map(followedIn);
  if (new Set(followed.map(({ run }) => run)).size === followed.length) return followed;
  throw new Problem(400, 'INPUT_INVALID', 'A run is listed twice.', { next: 'Name each run once.' });
}

function followedIn(part: string): Followed {
  const [encoded = '', position, ...more] = part.split('@');
  const after = position === undefined ? undefined : positionFrom(position);
  const run = decoded(encoded);
  if (run === undefined || run === '' || more.length > 0 || (position !== undefined && after === undefined))
    throw new Problem(400, 'INPUT_INVALID', 'The list of runs cannot be read.', {
      next: 'Separate runs with commas, and append @ with the last position you have, for example run_1@0.12,run_2.',
    });
  return { run, ...(after === undefined ? {} : { after }) };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
