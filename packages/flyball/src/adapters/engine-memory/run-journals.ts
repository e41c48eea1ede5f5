import { linkDangling, positionTaken, runExists, staleClaim } from '../../core/engine-errors.js';
import type { Batch, Engine } from '../../ports/engine.js';
import { chainTo, danglingLink, store } from './contents.js';
import { addEntry, isWritten, type MemoryRun, memoryRun, misplaced } from './memory-run.js';
import type { MemoryState } from './memory-state.js';
import { isRemoved, refuseOrphan } from './retention.js';

const DONE = Promise.resolve();

/** What is written about runs, and the contents that it refers to. */
export function journalsIn(state: MemoryState): Pick<Engine, 'create' | 'append' | 'read' | 'blobs' | 'links'> {
  const { runs, inOrder, operations, contents, line } = state;
  return {
    async create(given) {
      if (runs.has(given.id) || isRemoved(operations, given.id)) throw runExists(given.id);
      refuseOrphan(runs, given);
      const run = memoryRun(given, inOrder.length);
      const refused = refusal(state, run, given.first);
      if (refused !== undefined) throw refused;
      write(state, run, given.first);
      runs.set(run.id, run);
      inOrder.push(run);
      line.enter(run);
      if (given.inLine === true) state.notify(given.id);
    },

    // not async: this is the hot path, and the promise of an async function costs more than the append itself
    append(claim, batch) {
      const run = state.held(claim);
      if (run === undefined) return Promise.reject(staleClaim(claim));
      const refused = refusal(state, run, batch);
      if (refused === undefined) write(state, run, batch);
      else if (!isWritten(run, batch.entries)) return Promise.reject(refused);
      return DONE;
    },

    async read(runId, { generation, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }) {
      return (runs.get(runId)?.journals.get(generation) ?? []).filter(({ seq }) => seq >= from && seq <= to);
    },

    async blobs(tenant, hashes) {
      const found = new Map<string, string>();
      const { blobs } = contents.of(tenant);
      for (const hash of hashes) {
        const content = blobs.get(hash);
        if (content !== undefined) found.set(hash, content);
      }
      return found;
    },

    links: async (tenant, tip) => chainTo(tip, contents.of(tenant)),
  };
}

function refusal({ contents }: MemoryState, run: MemoryRun, batch: Batch): Error | undefined {
  const wrong = misplaced(run, batch.entries);
  if (wrong !== undefined) return positionTaken(run.id, wrong.entry, wrong.why);
  const dangling = batch.links === undefined ? undefined : danglingLink(batch, contents.of(run.tenant));
  return dangling === undefined ? undefined : linkDangling(dangling.id);
}

function write({ contents }: MemoryState, run: MemoryRun, batch: Batch): void {
  for (const entry of batch.entries) addEntry(run, entry);
  if (batch.blobs !== undefined || batch.links !== undefined) store(contents.of(run.tenant), batch);
  for (const wait of batch.opened ?? [])
    run.waits.set(wait.token, { ...wait, since: run.waits.get(wait.token)?.since ?? wait.since });
  for (const token of batch.closed ?? []) run.waits.delete(token);
  if (batch.generation !== undefined) run.generation = batch.generation;
  if (batch.version !== undefined) run.version = batch.version;
  for (const number of batch.taken ?? []) run.taken.add(number);
  if (batch.progress === true) run.crashes = 0;
  if (batch.taken !== undefined) takeMessages(run, batch.taken);
}

function takeMessages(run: MemoryRun, numbers: readonly number[]): void {
  run.inbox = run.inbox.filter(({ number }) => !numbers.includes(number));
  if (run.inbox.length === 0) run.signalled = 'nothing'; // it has seen all there was: no reason to wake it again
}
