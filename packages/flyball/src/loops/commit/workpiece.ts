import type { Run } from '../../core/run.js';
import type { Artefact } from '../../core/work.js';

/**
 * What is worked on, and how a repair changes it. Files are changed through tools only, so that every change is
 * governed, journaled and undone byte for byte when the loop fails.
 */
export interface Workpiece {
  /** What there is after ACT; `answer` is what its last step said. */
  collect(run: Run, answer: string): Promise<readonly Artefact[]>;
  /** Puts an artefact in place. `known` is its text as it was last seen, so that only the difference need be sent. */
  write(run: Run, artefact: Artefact, known?: string): Promise<void>;
}
