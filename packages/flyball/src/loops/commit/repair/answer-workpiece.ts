import type { Workpiece } from '../workpiece.js';

/** The name of the only artefact where the answer itself is what is made. */
export const ANSWER = 'answer';

/** The answer is the work: nothing outside the run holds it, so there is nothing to put in place. */
export function answerWorkpiece(): Workpiece {
  return {
    collect: async (_run, answer) => [{ name: ANSWER, text: answer }],
    write: async () => undefined,
  };
}
