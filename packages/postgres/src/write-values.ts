import type { Batch, StoredLink } from 'flyball/adapters/engine-kit';
import { floats, integers, texts } from './arrays.js';
import { entryChecksum } from './journal.js';
import { name, stored } from './text.js';

/** The parameters of `writes`: entries, contents and links of several batches, each with the number of its batch. */
export function writeValues(of: readonly { readonly runId: string; readonly batch: Batch }[]): readonly Buffer[] {
  const batches = of.map(({ batch }) => batch);
  const entries = of.flatMap(({ runId, batch }, at) =>
    batch.entries.map((entry, index) => ({
      ...entry,
      runId,
      body: stored(entry.body),
      i: at + 1,
      after: placeBefore(batch, index),
    })),
  );
  const blobs = batches.flatMap((batch, at) => (batch.blobs ?? []).map(([hash, body]) => ({ i: at + 1, hash, body })));
  const links = batches.flatMap((batch, at) =>
    (batch.links ?? []).map((link, index) => ({ ...link, i: at + 1, ...missing(batch, link, index) })),
  );
  return [
    integers(entries.map(({ i }) => i)),
    integers(entries.map(({ generation }) => generation)),
    integers(entries.map(({ seq }) => seq)),
    floats(entries.map(({ at }) => at)),
    floats(entries.map(({ activeMs }) => activeMs)),
    texts(entries.map(({ body }) => body)),
    integers(entries.map(({ after }) => after)),
    texts(entries.map((entry) => entryChecksum(entry.runId, entry, entry.body))),
    integers(blobs.map(({ i }) => i)),
    texts(blobs.map(({ hash }) => name(hash))),
    texts(blobs.map(({ body }) => stored(body))),
    integers(links.map(({ i }) => i)),
    texts(links.map(({ id }) => name(id))),
    texts(links.map(({ parent }) => parent)),
    texts(links.map(({ header }) => stored(header))),
    texts(links.map(({ content }) => (content === undefined ? undefined : stored(content)))),
    texts(links.map(({ blob }) => blob)),
    texts(links.map(({ needs }) => needs)),
    texts(links.map(({ wants }) => wants)),
  ];
}

export const WRITE_VALUES = 19;

/** The entry that has to be stored before this one; -1 where it comes first, or right after one of its batch. */
function placeBefore({ entries }: Batch, index: number): number {
  const { generation, seq } = entries[index] ?? { generation: 0, seq: 0 };
  const before = entries[index - 1];
  if (before !== undefined && before.generation === generation && before.seq === seq - 1) return -1;
  return seq - 1; // for 0 this is -1
}

/** What a link refers to that does not come with its batch, before it. */
function missing({ links = [], blobs = [] }: Batch, { parent, blob }: StoredLink, index: number) {
  const hasParent = parent === undefined || links.slice(0, index).some(({ id }) => id === parent);
  const hasBlob = blob === undefined || blobs.some(([hash]) => hash === blob);
  return { needs: hasParent ? undefined : parent, wants: hasBlob ? undefined : blob };
}

/** The parameters of `changes`: what batches change beside their journal. */
export function changeValues(batches: readonly Batch[]): readonly Buffer[] {
  const each = <T>(of: (batch: Batch) => readonly T[] | undefined): readonly (readonly [number, T])[] =>
    batches.flatMap((batch, at) => (of(batch) ?? []).map((one) => [at + 1, one] as const));
  const taken = each(({ taken: numbers }) => numbers);
  const opened = each((batch) => batch.opened);
  const closed = each((batch) => batch.closed);
  const numbers = <T>(of: readonly (readonly [number, T])[]): Buffer => integers(of.map(([i]) => i));
  return [
    numbers(taken),
    integers(taken.map(([, number]) => number)),
    numbers(opened),
    texts(opened.map(([, { token }]) => name(token))),
    integers(opened.map(([, { generation }]) => generation)),
    integers(opened.map(([, { seq }]) => seq)),
    integers(opened.map(([, { asked }]) => (asked ? 1 : 0))),
    floats(opened.map(([, { since }]) => since)),
    numbers(closed),
    texts(closed.map(([, token]) => token)),
    integers(batches.map((_, at) => at + 1)),
    integers(batches.map(({ generation }) => generation ?? -1)),
    integers(batches.map(({ progress }) => (progress === true ? 1 : 0))),
    texts(batches.map(({ version }) => (version === undefined ? undefined : name(version)))),
  ];
}

/** Whether a batch changes anything beside its journal. */
export function hasChanges({ taken, opened, closed, generation, version, progress }: Batch, crashes: number): boolean {
  const isProgress = progress === true && crashes > 0;
  return isProgress || [taken, opened, closed, generation, version].some((one) => one !== undefined);
}
