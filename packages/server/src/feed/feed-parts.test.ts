import { describe, expect, it } from 'vitest';
import type { Entry, RunEvent } from '../../../flyball/src/core/events.js';
import { DeltaBoard } from './delta-board.js';
import { EntryRing } from './entry-ring.js';
import type { EntryItem } from './run-feed.js';
import { RunFolds } from './run-folds.js';
import { SafeText } from './safe-text.js';

const item = (seq: number, generation = 0, text = 'x'.repeat(10)): EntryItem => ({
  kind: 'entry',
  position: { generation, seq },
  text,
  entry: entry(seq),
});
const entry = (seq: number, event: RunEvent = { type: 'changed', id: `${seq}` }, generation = 0): Entry => ({
  generation,
  seq,
  at: seq,
  activeMs: 0,
  event,
});

describe('the ring of latest entries', () => {
  const limits = { items: 4, bytes: 1_000, allBytes: 2_000 };

  it('serves a reader that keeps up and sends one that is behind to the journal', () => {
    const ring = new EntryRing(limits, { bytes: 0 });
    expect(ring.after({ generation: 0, seq: 3 }, 10)).toBeUndefined();
    ring.push([item(5), item(6), item(7)]);
    const seqs = (seq: number) => ring.after({ generation: 0, seq }, 10)?.map(({ position }) => position.seq);
    expect(seqs(4)).toEqual([5, 6, 7]);
    expect(seqs(6)).toEqual([7]);
    expect(seqs(7)).toEqual([]);
    expect(seqs(3)).toBeUndefined();
    ring.push([item(8), item(9)]);
    expect(seqs(4)).toBeUndefined();
    expect(seqs(5)).toEqual([6, 7, 8, 9]);
    expect(ring.after(undefined, 10)).toBeUndefined();
  });

  it('knows that it does not know how a generation before ended', () => {
    const ring = new EntryRing(limits, { bytes: 0 });
    ring.push([item(0, 1)]);
    expect(ring.after({ generation: 0, seq: 99 }, 10)).toBeUndefined();
    expect(ring.after({ generation: 1, seq: 0 }, 10)).toEqual([]);
  });

  it('is bounded in bytes, alone and together with all others', () => {
    const total = { bytes: 0 };
    const rings = [new EntryRing(limits, total), new EntryRing(limits, total), new EntryRing(limits, total)];
    for (const ring of rings) ring.push([item(0, 0, 'x'.repeat(600)), item(1, 0, 'x'.repeat(600))]);
    expect(total.bytes).toBeLessThanOrEqual(2_000);
    for (const ring of rings) ring.clear();
    expect(total.bytes).toBe(0);
  });
});

describe('text that arrives in pieces', () => {
  const arrive = (text: string, size: number, known: readonly string[] = []): string[] => {
    const safe = new SafeText(known);
    const shown: string[] = [];
    for (let at = 0; at < text.length; at += size) {
      safe.add(text.slice(at, at + size));
      shown.push(safe.safe);
    }
    safe.close();
    return [...shown, safe.safe];
  };

  it.each([1, 3, 7, 50])('never shows a part of a secret, in pieces of %i', (size) => {
    const key = `sk-${'abcDEF123'.repeat(5)}`;
    const pem = `-----BEGIN PRIVATE KEY-----\n${'QUJD REVG\n'.repeat(9)}-----END PRIVATE KEY-----`;
    const text = `first ${key} then ${pem} and my house, please. Done`;
    const shown = arrive(text, size, ['my house, please']);
    expect(shown.at(-1)).toBe('first [model-key removed] then [private-key removed] and [secret removed]. Done');
    for (const part of shown) {
      expect(shown.at(-1)?.startsWith(part)).toBe(true);
      expect(part).not.toMatch(/abcDEF|QUJD|my house/);
    }
  });

  it('holds back no more than a word', () => {
    const shown = arrive('one two three four', 4);
    expect(shown).toEqual(['one ', 'one two ', 'one two ', 'one two three ', 'one two three ', 'one two three four']);
  });
});

describe('replies as they arrive', () => {
  it('are joined for each reader since it last came, and begin again when the call does', () => {
    const board = new DeltaBoard([]);
    const [fast, slow] = [board.enter(), board.enter()];
    const texts = (cursor: typeof fast) =>
      board
        .since(cursor)
        .map(({ delta }) => (delta.type === 'tool-call' ? delta.arguments : 'text' in delta ? delta.text : delta.type));
    board.add('#1', 1, { type: 'text', text: 'one ' });
    expect(texts(fast)).toEqual(['one ']);
    board.add('#1', 1, { type: 'text', text: 'two ' });
    expect(texts(fast)).toEqual(['two ']);
    expect(texts(slow)).toEqual(['one two ']);
    expect(texts(slow)).toEqual([]);
    board.add('#1', 1, { type: 'restart', why: 'again' });
    board.add('#1', 1, { type: 'reasoning', text: 'hm ' });
    board.add('#1', 1, { type: 'tool-call', id: 'c', name: 't', arguments: '{"a":' });
    board.add('#1', 1, { type: 'tool-call', id: 'c', arguments: '1} ' });
    expect(texts(fast)).toEqual(['restart', 'hm ', '{"a":1} ']);
    board.end('#1');
    expect(board.dropped).toBe(1); // the slow one had not come for the rest
    expect(texts(slow)).toEqual([]);
  });

  it('tell of a call once, also while none of its text is safe to show yet', () => {
    const board = new DeltaBoard([]);
    const cursor = board.enter();
    board.add('#1', 1, { type: 'tool-call', id: 'c', name: 'pay', arguments: '{"amount":' });
    expect(board.since(cursor).map(({ delta }) => delta)).toEqual([
      { type: 'tool-call', id: 'c', name: 'pay', arguments: '' },
    ]);
    expect(board.since(cursor)).toEqual([]); // otherwise a reader would turn in circles and take the whole process with it
    board.add('#1', 1, { type: 'tool-call', id: 'c', arguments: '5} ' });
    expect(board.since(cursor).map(({ delta }) => delta)).toEqual([
      { type: 'tool-call', id: 'c', arguments: '{"amount":5} ' },
    ]);
  });

  it('are bounded in size', () => {
    const board = new DeltaBoard([]);
    const cursor = board.enter();
    for (let n = 0; n < 400; n++) board.add('#1', 1, { type: 'text', text: 'a '.repeat(500) });
    const size = board.since(cursor).reduce((sum, { delta }) => sum + ('text' in delta ? delta.text.length : 0), 0);
    expect(size).toBeLessThanOrEqual(262_144);
    expect(board.dropped).toBeGreaterThan(0);
  });
});

describe('folds', () => {
  const folded = (journal: Entry[]) => {
    const told: number[] = [];
    let reads = 0;
    const folds = new RunFolds(
      {
        entries: async (_runId, part) => {
          reads++;
          const from = part?.after === undefined ? 0 : part.after.seq + 1;
          return journal.slice(from, from + (part?.limit ?? journal.length));
        },
      },
      { most: 2, isPinned: () => false, onTaken: (_fold, entries) => told.push(...entries.map(({ seq }) => seq)) },
    );
    return { folds, told, reads: () => reads };
  };

  it('take what is heard once and in order, and read what was not heard', async () => {
    const journal = [entry(0), entry(1)];
    const { folds, told } = folded(journal);
    await folds.current('r');
    expect(told).toEqual([]); // its past
    expect(folds.hear('r', [entry(1), entry(2)], 0)).toBe(true);
    journal.push(entry(2), entry(3), entry(4));
    expect(folds.hear('r', [entry(4)], 0)).toBe(false);
    await folds.current('r');
    expect(told).toEqual([2, 3, 4]);
    expect((await folds.current('r')).entries).toBe(5);
  });

  it('keep names as soon as something is private, from the first entry on', async () => {
    const call: RunEvent = { type: 'complete', id: '#0', fp: '', of: 'call', name: 'diary', result: 'x' };
    const mark: RunEvent = { type: 'note', path: '', event: { kind: 'private', tools: ['diary'] } };
    const journal = [entry(0, call), entry(1)];
    const { folds } = folded(journal);
    expect((await folds.current('r')).privacy.isEmpty).toBe(true);
    journal.push(entry(2, mark));
    expect(folds.hear('r', [entry(2, mark)], 0)).toBe(false);
    const { privacy, entries } = await folds.current('r');
    expect(entries).toBe(3);
    expect(privacy.hidesEffect(0, '#0')).toBe(true);
    expect(privacy.hidesEffect(0, '#9')).toBe(true); // unknown: it may be the one
  });

  it('forget the run that was not asked for longest', async () => {
    const { folds } = folded([entry(0)]);
    for (const runId of ['a', 'b', 'a', 'c']) await folds.current(runId);
    expect(folds.known('b')).toBeUndefined();
    expect(folds.known('a')).toBeDefined();
  });
});
