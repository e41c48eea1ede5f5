import { ConfigError } from '../core/errors.js';
import type { Agent, Run } from '../core/run.js';
import type { EffectClass, Tool } from '../core/tool.js';
import type { Embedder } from '../ports/embedder.js';
import type { Store } from '../ports/store.js';
import { handled } from './handled.js';
import { checkItem, type MemoryKind, type NewItem, type NewItems } from './items.js';
import { type FullEntry, type Level, type RecalledAt, shownAt } from './levels.js';
import { eraseItems, itemAt, keepNewest, type Listed, type ListPage, listItems, versionsOf } from './lookup.js';
import { type RecallArguments, recallTool } from './recall-tool.js';
import { type Reembedded, reembedItems } from './reembed.js';
import { type Asking, type Recall, type RecallQuery, search } from './search.js';
import { placeFor } from './shelf.js';
import { type Batch, type Remembered, simulatedWrite, undoWrites, writeItems } from './write-items.js';

/** Options of `memory`. */
export interface MemoryOptions {
  readonly store: Store;
  /** Items are found by their words alone where there is none. */
  readonly embedder?: Embedder;
  /** The name of a memory that all subjects of a tenant share; each subject has its own where it is absent. */
  readonly shared?: string;
  /** Items of working memory a run may have; the oldest goes first. 20 where it is absent. */
  readonly workingLimit?: number;
  /** Items that one search looks at; a recall says when there were more. 10,000 where it is absent. */
  readonly maxSearched?: number;
}

/**
 * What outlives a run. Every read and write is a step of the run: on replay it is answered from the journal, and a write
 * that a crash interrupts is not made twice. Whose memory it is comes from the run and cannot be chosen by a caller.
 */
export interface Memory {
  remember<K extends MemoryKind>(run: Run, kind: K, item: NewItems[K]): Promise<Remembered>;
  /** The items that fit best, at the level asked for: by default the five best, a line each. */
  recall<L extends Level = 'index'>(run: Run, query: RecallQuery<L>): Promise<Recall<RecalledAt<L>>>;
  /** One item by the id that a recall gave; whole where no level is named. */
  read<L extends Level = 'full'>(run: Run, id: string, level?: L): Promise<RecalledAt<L> | undefined>;
  /** Items of a kind in key order, a page at a time. */
  list(run: Run, kind: MemoryKind, page?: ListPage): Promise<Listed>;
  /** All versions of an item, oldest first; those that were erased are gone. */
  history(run: Run, id: string): Promise<readonly FullEntry[]>;
  /** Erases items with all their versions and vectors. The journal of the run that wrote them still holds what it wrote. */
  forget(run: Run, ids: string | readonly string[]): Promise<void>;
  /** Erases the run's working memory. `withWorkingMemory` does it at the end. */
  dropWorking(run: Run): Promise<void>;
  /** Gives items that another embedder embedded, or none, a vector of this one. */
  reembed(run: Run, kinds?: readonly MemoryKind[]): Promise<Reembedded>;
  /** A tool with which a model recalls by itself, in the memory of this run. */
  tool(run: Run, of?: { readonly session?: string }): Tool<RecallArguments, string>;
}

const WORKING_LIMIT = 20;

/** A memory in a store. */
export function memory(options: MemoryOptions): Memory {
  const { store, shared, workingLimit = WORKING_LIMIT, maxSearched } = options;
  for (const limit of [workingLimit, maxSearched ?? 1])
    if (!(limit >= 1)) throw new ConfigError(`workingLimit and maxSearched must be at least 1, got ${limit}.`);
  const askingIn = (run: Run): Asking => ({ place: placeFor(run, shared), run: run.id });

  return {
    remember: (run, kind, item) =>
      handled(() => {
        const given = { kind, ...item } as unknown as NewItem; // a generic kind cannot be narrowed to its variant
        return rememberIn(run, { ...options, workingLimit }, askingIn(run), given);
      }),

    recall<L extends Level = 'index'>(run: Run, query: RecallQuery<L>) {
      const asking = askingIn(run);
      const found = run.step('memory.recall', query, (input, how) => search(options, asking, input, how), 'pure');
      return found as Promise<Recall<RecalledAt<L>>>; // `search` shows items at the level of the query
    },

    read<L extends Level = 'full'>(run: Run, id: string, level?: L) {
      const asking = askingIn(run);
      const read = async (wanted: { readonly id: string; readonly level: Level }) => {
        const item = await itemAt(store, asking, wanted.id);
        return item === undefined ? undefined : shownAt(wanted.level, item);
      };
      return run.step('memory.read', { id, level: level ?? 'full' }, read, 'pure') as Promise<
        RecalledAt<L> | undefined
      >;
    },

    list(run, kind, page = {}) {
      const asking = askingIn(run);
      return run.step('memory.list', { kind, ...page }, (input) => listItems(store, asking, input), 'pure');
    },

    history(run, id) {
      const { place } = askingIn(run);
      return run.step('memory.history', { id }, (input) => versionsOf(store, place, input.id), 'pure');
    },

    forget(run, ids) {
      const { place } = askingIn(run);
      const input = { ids: [ids].flat(), at: run.now() };
      // what was erased cannot be put back, and a rollback says so
      return run.step('memory.forget', input, (given) => eraseItems(store, place, given.ids, given.at), {
        class: 'idempotent',
        records: true,
        simulate: () => undefined,
      });
    },

    dropWorking(run) {
      const asking = askingIn(run);
      const drop = ({ at }: { readonly at: number }) => keepNewest(store, asking, { count: 0, at });
      return run.step('memory.drop-working', { at: run.now() }, drop, nothingToUndo(undefined));
    },

    reembed(run, kinds) {
      const { place } = askingIn(run);
      const input = { at: run.now(), ...(kinds === undefined ? {} : { kinds }) };
      const none = { reembedded: 0, left: 0 };
      return run.step(
        'memory.reembed',
        input,
        (given, how) => reembedItems(options, place, given, how),
        nothingToUndo<Reembedded>(none),
      );
    },

    tool: (run, of = {}) => recallTool(options, askingIn(run), of),
  };
}

async function rememberIn(
  run: Run,
  options: MemoryOptions & { readonly workingLimit: number },
  asking: Asking,
  item: NewItem,
): Promise<Remembered> {
  const { store, workingLimit } = options;
  checkItem(item);
  const [remembered] = await run.step<Batch, readonly Remembered[]>(
    'memory.remember',
    { run: run.id, at: run.now(), items: [item] },
    async (input, how) => {
      const written = await writeItems(options, asking.place, input, how);
      if (item.kind === 'working') await keepNewest(store, asking, { count: workingLimit, at: input.at });
      return written;
    },
    { class: 'idempotent', records: true, compensate: undoWrites(store, asking.place), simulate: simulatedWrite },
  );
  return remembered as Remembered;
}

/** A rollback leaves it as it is: it changed nothing that anybody could miss. */
function nothingToUndo<T>(simulated: T): EffectClass<unknown, T> {
  return { class: 'idempotent', records: true, compensate: async () => undefined, simulate: () => simulated };
}

/**
 * Runs the agent and drops the run's working memory when it is through. A run that fails or is cancelled drops it in its
 * rollback; one that reached a bound keeps it, because it may go on.
 */
export function withWorkingMemory<I, O>(of: Memory, agent: Agent<I, O>): Agent<I, O> {
  return async (run, input) => {
    const outcome = await agent(run, input);
    if (outcome.stop !== 'bounded') await of.dropWorking(run);
    return outcome;
  };
}
