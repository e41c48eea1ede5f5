import type { Entry, ForkPoint } from '../../../flyball/src/core/events.js';

/**
 * What a fork took over from the run it was forked from. Its own journal begins after that, so these entries are put
 * before it: numbered backwards from -1 and counted to its own generation, so that no place is there twice and every
 * fold goes on in the fork where the parent stood.
 */
export interface Inherited {
  readonly entries: readonly Entry[];
  /** Where they come from, the nearest parent first. */
  readonly stretches: readonly Stretch[];
}

interface Stretch {
  readonly run: string;
  readonly generation: number;
  /** What was taken off the number that an entry has in its own journal. */
  readonly shift: number;
}

export const NOTHING_INHERITED: Inherited = { entries: [], stretches: [] };

/** Longer lines of descent are cut: their beginning is one link away. */
const MOST_PARENTS = 8;

/** All entries of a run up to a point, in order. */
export type ReadUpTo = (run: string, point: ForkPoint) => Promise<readonly Entry[]>;

/** Follows the parents up. A fork of a later generation inherits that generation only: it began with a fresh journal. */
export async function inheritedAt(fork: ForkPoint, own: number, read: ReadUpTo): Promise<Inherited> {
  let { entries, stretches } = NOTHING_INHERITED;
  for (let point: ForkPoint | undefined = fork; point !== undefined && stretches.length < MOST_PARENTS; ) {
    const { run, generation, seq }: ForkPoint = point;
    const shift = seq + 1 + (stretches.at(-1)?.shift ?? 0);
    const taken: readonly Entry[] = (await read(run, point)).filter(
      (entry) => entry.generation === generation && entry.seq <= seq,
    );
    entries = [...taken.map((entry) => ({ ...entry, generation: own, seq: entry.seq - shift })), ...entries];
    stretches = [...stretches, { run, generation, shift }];
    const first: Entry['event'] | undefined = taken[0]?.event;
    point = first?.type === 'run-start' ? first.fork : undefined;
  }
  return { entries, stretches };
}

/** The place that an inherited entry has in its own journal; undefined for an entry of the fork itself. */
export function originOf(
  { stretches }: Inherited,
  seq: number,
): { readonly run: string; readonly generation: number; readonly seq: number } | undefined {
  if (seq >= 0) return undefined;
  const found = stretches.find(({ shift }) => seq >= -shift);
  return found === undefined ? undefined : { run: found.run, generation: found.generation, seq: seq + found.shift };
}

const askers = new WeakMap<Inherited, ReadonlyMap<string, string>>();

/** Which run has the prompt that ends in a link: the server shows a prompt only to those who ask for it by its own run. */
export function runOfPrompt(inherited: Inherited, own: string, tip: string): string {
  const known = askers.get(inherited) ?? askersIn(inherited);
  askers.set(inherited, known);
  return known.get(tip) ?? own;
}

function askersIn(inherited: Inherited): ReadonlyMap<string, string> {
  return new Map(
    inherited.entries.flatMap(({ event, seq }) => {
      const run = originOf(inherited, seq)?.run;
      return event.type === 'ask-start' && run !== undefined ? [[event.tip, run] as const] : [];
    }),
  );
}
