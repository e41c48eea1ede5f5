import type { GuardDecision } from '../../../core/events.js';

const MAX_RUNS = 1000;

/**
 * What was decided about an input before its run had a journal: told with the end of the run. Kept in this process and
 * for at most as many runs as stated; what is refused is not here, because then there is no run.
 */
export class InputNotes {
  private readonly notes = new Map<string, GuardDecision[]>();

  keep(runId: string, decision: GuardDecision): void {
    const known = this.notes.get(runId);
    if (known !== undefined) return void known.push(decision);
    if (this.notes.size >= MAX_RUNS) this.notes.delete(this.notes.keys().next().value ?? '');
    this.notes.set(runId, [decision]);
  }

  take(runId: string): readonly GuardDecision[] {
    const found = this.notes.get(runId) ?? [];
    this.notes.delete(runId);
    return found;
  }
}
