import { isSagaStep, sagaEntry } from '../core/acts.js';
import type { EffectId, EventOf, SagaEntry } from '../core/events.js';
import type { EffectContext } from '../core/tool.js';
import { dealtWith } from './history/rollbacks.js';
import { isUnder } from './loaded-entry.js';
import type { Recorded } from './recorded.js';

/** What changes what there is to undo. */
export type SagaEvent = EventOf<'intent' | 'complete' | 'abort' | 'rollback-start' | 'rollback-end'>;

export type Compensation = (how: EffectContext) => Promise<void>;

/** An act that may have to be undone, and its INTENT. */
export interface Done {
  readonly entry: SagaEntry;
  readonly intent: EventOf<'intent'> | undefined;
}

/** What a generation of a run has done to the world, and how to undo it: folded from the journal, entry by entry. */
export class Saga {
  readonly intents: Map<EffectId, EventOf<'intent'>>;
  /** By `generation:effect`. Learned again on every replay: code cannot be stored. */
  readonly compensations = new Map<string, Compensation>();
  private readonly done: SagaEntry[];
  private readonly undoEnds = new Map<EffectId, EventOf<'complete' | 'abort'>>();
  private readonly undoneScopes: Set<string>;
  private readonly undone: Set<EffectId>;
  private readonly announced: Set<string>;
  private readonly recorded: Recorded;
  /** Scopes in which something was intended: made when first asked for. */
  private acted: Set<string> | undefined;
  private readonly generation: number;
  private readonly runId: string;

  constructor(runId: string, recorded: Recorded, generation: number) {
    this.runId = runId;
    this.recorded = recorded;
    this.generation = generation;
    this.intents = new Map(recorded.intents);
    this.done = [...recorded.saga];
    this.undoneScopes = new Set(recorded.rollbacks);
    this.undone = new Set(recorded.undone);
    this.announced = new Set(recorded.rollbackStarts);
    for (const [id, { event }] of recorded.ends) {
      if (id.endsWith('!undo') && (event.type === 'complete' || event.type === 'abort')) this.undoEnds.set(id, event);
    }
  }

  observe(event: SagaEvent): void {
    switch (event.type) {
      case 'intent':
        this.intents.set(event.id, event);
        if (this.acted !== undefined) addPaths(this.acted, event.id);
        return;
      case 'complete':
      case 'abort':
        if (event.id.endsWith('!undo')) this.undoEnds.set(event.id, event);
        if (event.type === 'abort') return;
        if (isSagaStep(this.intents.get(event.id), event)) this.done.push(sagaEntry(event, this.generation));
        return;
      case 'rollback-start':
        this.announced.add(event.scope);
        return;
      case 'rollback-end':
        this.undoneScopes.add(event.scope);
        for (const effect of dealtWith(event)) this.undone.add(effect);
        return;
    }
  }

  /** Effects of this generation below `path` that no rollback has dealt with, newest first. */
  toUndo(path: string): readonly SagaEntry[] {
    return this.done.filter(({ effect }) => isUnder(effect, path) && !this.undone.has(effect)).reverse();
  }

  /** Effects of branches that lost, of which it was known only later that they happened: newest first. */
  strays(): readonly SagaEntry[] {
    const losers = [...this.undoneScopes].filter((scope) => scope !== '');
    return this.toUndo('').filter(
      (entry) =>
        losers.some((scope) => isUnder(entry.effect, scope)) && this.undoEnd(undoId(this.runId, entry)) === undefined,
    );
  }

  /** What later generations have to be able to undo. */
  left(): readonly SagaEntry[] {
    return this.toUndo('')
      .filter((entry) => this.undoEnd(undoId(this.runId, entry))?.type !== 'complete')
      .reverse();
  }

  undoEnd(id: EffectId): EventOf<'complete' | 'abort'> | undefined {
    return this.undoEnds.get(id);
  }

  isAnnounced(path: string): boolean {
    return this.announced.has(path);
  }

  /** Something below `path` was ever intended, in this run or in the one it was forked from. */
  hasActed(path: string): boolean {
    if (this.acted === undefined) {
      this.acted = new Set();
      for (const id of this.recorded.intended) addPaths(this.acted, id);
      for (const id of this.intents.keys()) addPaths(this.acted, id);
    }
    return this.acted.has(path);
  }
}

/** `/a/b#1` lies in `/a/b` and in `/a`. */
function addPaths(paths: Set<string>, id: EffectId): void {
  for (let end = id.indexOf('#'); end > 0; end = id.lastIndexOf('/', end - 1)) paths.add(id.slice(0, end));
}

/** Names the run too: an undo that a fork inherits is its parent's, and says nothing about its own acts. */
export function undoId(runId: string, entry: SagaEntry): EffectId {
  return `${runId}:${entry.generation}:${entry.effect}!undo`;
}
