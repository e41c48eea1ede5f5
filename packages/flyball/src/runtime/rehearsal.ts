import { ReplayDivergedError } from '../core/errors.js';
import type { EffectId, EventOf, RunEvent, SagaEntry } from '../core/events.js';
import type { Claim } from '../ports/engine.js';
import { agentNamed } from './agent-named.js';
import { Attempt } from './attempt.js';
import type { AttemptHost, Life } from './host.js';
import { LiftedBounds } from './lifted-bounds.js';
import { type Loaded, load, readEntries } from './load.js';
import type { Settings } from './options.js';
import { indexJournal } from './recorded.js';
import type { RunClocks } from './run-clocks.js';
import { makeRun } from './run-object.js';
import type { Compensation, Done, Saga } from './saga.js';

/** Where the past of a run is lived again without doing anything. */
export interface Stage {
  readonly settings: Settings;
  readonly clocks: RunClocks;
  readonly host: AttemptHost;
}

/** Replays a generation, children included, only to learn its compensations again: code cannot be stored. */
export async function harvest(
  stage: Stage,
  { claim }: Life,
  generation: number,
): Promise<ReadonlyMap<string, Compensation>> {
  const loaded = await load(stage.settings.engine, claim.record, generation);
  return (await rehearse(stage, claim, generation, loaded, { deep: true })).saga.compensations;
}

/**
 * The first process after a change of budget looks whether the past fits without the outcomes of children that go on.
 * Branches may share what they know, and then one that went by such an outcome would ask for something else now.
 */
export async function outcomesToKeep(stage: Stage, claim: Claim, loaded: Loaded): Promise<readonly EffectId[]> {
  const { entries } = loaded;
  const isFirst = (lift: number): boolean => !entries.slice(lift).some(({ event }) => event.type === 'attempt-start');
  const keeps: EffectId[] = [];
  for (;;) {
    const lifted = new LiftedBounds(entries, keeps);
    if (![...lifted.children.values()].some(isFirst)) return keeps;
    const { diverged } = await rehearse(stage, claim, claim.record.generation, loaded, { deep: false, keeps });
    if (diverged === undefined) return keeps;
    const at = entries.findLastIndex(({ event }) => asked(event) === diverged.id);
    const suspect = lifted.outcomes.find(({ place }) => place < at);
    if (suspect === undefined) return []; // that is not why: the life about to begin says so
    keeps.push(suspect.id);
  }
}

/** What an earlier generation left to undo, newest first. */
export async function leftBy({ settings }: Stage, life: Life, generation: number): Promise<readonly Done[]> {
  const intents = new Map<EffectId, EventOf<'intent'>>();
  let left: readonly SagaEntry[] = [];
  for (const { event } of await readEntries(settings.engine, life.claim.record, generation)) {
    if (event.type === 'intent') intents.set(event.id, event);
    if (event.type === 'generation-end') left = event.undo;
  }
  return left.map((entry) => ({ entry, intent: intents.get(entry.effect) })).reverse();
}

/** Runs the code through its past, and does nothing. */
function rehearse(
  stage: Stage,
  claim: Claim,
  generation: number,
  loaded: Loaded,
  mode: { readonly deep: boolean; readonly keeps?: readonly EffectId[] },
): Promise<{ readonly saga: Saga; readonly diverged: { readonly id: EffectId } | undefined }> {
  const { settings, clocks } = stage;
  const recorded = indexJournal(loaded.entries, mode);
  return new Promise((resolve) => {
    const over = (error?: unknown): void => {
      learner.life.unload();
      const diverged = error instanceof ReplayDivergedError ? (error.detail as { readonly id: EffectId }) : undefined;
      resolve({ saga: learner.journal.saga, diverged });
    };
    // code that no longer matches its history breaks off: what was learned until then is all there is
    const host: AttemptHost = {
      ...stage.host,
      harvested: () => over(),
      broke: (_life, error) => over(error),
      settled: () => over(),
      stopped: () => over(),
      idle: () => undefined,
    };
    const learner: Attempt = new Attempt({
      host,
      clock: clocks.of(claim.runId, recorded.lastAt),
      claim,
      recorded,
      generation,
      lineage: loaded.lineage,
      workedMs: recorded.activeMs,
      harvest: mode,
    });
    const { agent } = agentNamed(settings.agents, claim.record.agent);
    learner.life.start(agent, makeRun(learner, learner.effects.root));
  });
}

/** What the code asked for that this entry is about. */
function asked(event: RunEvent): EffectId | undefined {
  if (event.type === 'rollback-end') return `${event.scope}!rollback`;
  return 'id' in event ? event.id : undefined;
}
