import { describe, expect, it } from 'vitest';
import type { ModelDelta } from '../../packages/flyball/src/core/model.js';
import { purchase } from '../../packages/flyball/src/views/fixtures.test-data.js';
import type { RunCard } from '../../packages/studio/src/api/types.js';
import { GapError, positionOf } from '../../packages/studio/src/run/journal-reader.js';
import { MOST_ENTRIES, RunFeed } from '../../packages/studio/src/run/run-feed.js';
import { runInputs } from '../../packages/studio/src/run/run-model.js';

const entries = purchase();
const CARD: RunCard = {
  id: 'r1',
  agent: 'buyer',
  mode: 'iterative',
  version: '1',
  tenant: 'default',
  subject: 'ann',
  status: 'running',
  createdAt: 1,
  updatedAt: 1,
  waiting: [],
  asks: 0,
  crashes: 0,
  takeovers: 0,
  attempts: 1,
  usage: {},
  entries: 1,
};

/** A feed whose frames are drawn by hand. */
function feedByHand() {
  const inputs = runInputs();
  const frames: (() => void)[] = [];
  const feed = new RunFeed(inputs, (work) => frames.push(work));
  const changes = { entries: 0 };
  inputs.entries.subscribe(() => changes.entries++);
  changes.entries = 0;
  return {
    inputs,
    feed,
    frames,
    changes,
    frame: () => {
      for (const work of frames.splice(0)) work();
    },
    entry: (index: number) => feed.receive({ event: 'entry', data: JSON.stringify(entries[index]) }),
    delta: (effect: string, delta: ModelDelta) =>
      feed.receive({ event: 'delta', data: JSON.stringify({ effect, attempt: 1, delta }) }),
  };
}

describe('the feed of a run', () => {
  it('changes the page once a frame, however many entries arrive [R6-STUDIO-VIRTUAL]', () => {
    const { inputs, entry, frame, frames, changes } = feedByHand();
    for (const index of entries.keys()) entry(index);
    expect(frames).toHaveLength(1);
    expect(changes.entries).toBe(0);
    frame();
    expect(changes.entries).toBe(1);
    expect(inputs.entries.value).toEqual(entries);
  });

  it('takes no entry twice when a stream tells again what is known [R6-STUDIO-LIVE]', () => {
    const { inputs, entry, frame, feed } = feedByHand();
    for (const index of [0, 1, 2, 1, 2, 3]) entry(index);
    frame();
    for (const index of [0, 3, 4]) entry(index);
    frame();
    expect(inputs.entries.value).toEqual(entries.slice(0, 5));
    expect(feed.lastId()).toBe('0.4');
  });

  it('refuses an entry that leaves a gap, so that the stream asks again from the last good one [R6-STUDIO-LIVE]', () => {
    const { inputs, entry, frame, feed } = feedByHand();
    entry(0);
    expect(() => entry(2)).toThrow(GapError);
    expect(feed.lastId()).toBe('0.0');
    entry(1);
    entry(2);
    frame();
    expect(inputs.entries.value.map(positionOf)).toEqual(['0.0', '0.1', '0.2']);
  });

  it('keeps the newer card when an answer that was asked for earlier comes later [F-D1]', () => {
    const { inputs, feed, frame } = feedByHand();
    const card = (status: RunCard['status'], entries: number) => ({ ...CARD, status, entries });
    feed.receive({ event: 'card', data: JSON.stringify(card('paused', 10)) });
    frame();
    feed.takeCard(card('running', 9));
    expect(inputs.card.value?.status).toBe('paused');
    feed.takeCard(card('running', 12));
    expect(inputs.card.value?.status).toBe('running');
  });

  it('goes on from one generation to the next and sees one that is left out', () => {
    const { feed } = feedByHand();
    const receive = (generation: number, seq: number) =>
      feed.receive({ event: 'entry', data: JSON.stringify({ ...entries[0], generation, seq }) });
    receive(0, 0);
    receive(1, 0);
    receive(1, 1);
    receive(0, 0);
    expect(feed.lastId()).toBe('1.1');
    expect(() => receive(3, 0)).toThrow(GapError);
    expect(() => receive(2, 1)).toThrow(GapError);
  });

  it('shows text while it arrives, up to a length, until the reply is in the journal [R6-STUDIO-LIVE]', () => {
    const { inputs, entry, frame, delta } = feedByHand();
    for (let index = 0; index < 4; index++) entry(index);
    delta('#0', { type: 'text', text: 'void' });
    delta('#0', { type: 'restart', why: 'again' });
    delta('#0', { type: 'reasoning', text: 'hm' });
    delta('#0', { type: 'text', text: 'buy ' });
    delta('#0', { type: 'text', text: 'tea' });
    frame();
    expect([...inputs.arriving.value]).toEqual([['#0', 'buy tea']]);
    for (let n = 0; n < 30; n++) delta('#0', { type: 'text', text: 'x'.repeat(1000) });
    frame();
    expect(inputs.arriving.value.get('#0')).toHaveLength(20_000);
    entry(4);
    frame();
    expect(entries[4]?.event.type).toBe('ask-end');
    expect(inputs.arriving.value.size).toBe(0);
  });

  it('stops at a length that a page can hold and says so [R6-STUDIO-LIVE]', () => {
    const { inputs, feed, frame } = feedByHand();
    const receive = (seq: number) =>
      feed.receive({ event: 'entry', data: `{"generation":0,"seq":${seq},"event":{"type":"stuck"}}` });
    for (let seq = 0; seq < MOST_ENTRIES; seq++) receive(seq);
    expect(inputs.isCut.value).toBe(false);
    expect(receive(MOST_ENTRIES)).toBe('stop');
    frame();
    expect(inputs.isCut.value).toBe(true);
    expect(inputs.entries.value).toHaveLength(MOST_ENTRIES);
  });

  it('ends with the run and keeps the last card', () => {
    const { inputs, feed, frame } = feedByHand();
    feed.receive({ event: 'card', data: '{"id":"r1","status":"running"}' });
    feed.receive({ event: 'card', data: '{"id":"r1","status":"done"}' });
    expect(feed.receive({ event: 'something new', data: '{}' })).toBeUndefined();
    expect(feed.receive({ event: 'end', data: '{"status":"done"}' })).toBe('stop');
    frame();
    expect(inputs.card.value).toMatchObject({ status: 'done' });
  });
});
