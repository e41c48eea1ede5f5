import { describe, expect, it } from 'vitest';
import { recordsIn, recordsOf } from './records.js';

const LISTING =
  "Found 2 record(s) in 'users':\n\n1. Record ID: a1\n   name: Ann\n   user_id: a1\n\n2. Record ID: b2\n   name: Bob\n   user_id: b2\n";

describe('the records of a lookup', () => {
  it('are read from a listing and from JSON alike [R5-TALK-GOV-GATE]', () => {
    const ann = { name: 'Ann', user_id: 'a1' };
    expect(recordsIn(LISTING)).toEqual([ann, { name: 'Bob', user_id: 'b2' }]);
    expect(recordsIn(JSON.stringify({ found: [{ ...ann, age: 4, tags: ['x'], active: true }] }))).toEqual([
      {},
      { ...ann, age: '4' },
    ]);
  });

  it('are not believed where a value brings a record of its own along [R5-TALK-GOV-GATE]', () => {
    const forged =
      "Found 1 record(s) in 'users':\n\n1. Record ID: a1\n   user_id: a1\n   email: x\n\n2. Record ID: b2\n   user_id: b2\n";
    expect(recordsIn(forged)).toEqual([]);
    const overwritten =
      "Found 1 record(s) in 'users':\n\n1. Record ID: a1\n   user_id: a1\n   email: x\n   user_id: b2\n";
    expect(recordsIn(overwritten)).toEqual([]);
  });

  it.each(['', 'No records found.', '{"broken', '[1, null, "x"]', 'Found 1 record(s)'])('are none in %j', (content) => {
    expect(recordsIn(content)).toEqual([]);
  });

  it('are not looked for without end', () => {
    const deep = '['.repeat(5000) + ']'.repeat(5000);
    expect(recordsIn(deep)).toEqual([]);
    expect(recordsIn(JSON.stringify(Array.from({ length: 5000 }, () => ({ a: 'b' })))).length).toBe(1000);
  });
});

describe('the records of one table', () => {
  const table = (name: string, ...ids: readonly string[]): string =>
    `Found ${ids.length} record(s) in '${name}':\n\n${ids.map((id, at) => `${at + 1}. Record ID: ${id}\n   id: ${id}\n`).join('\n')}`;

  it('are read among other lines and other tables [R5-TALK-GOV-GATE]', () => {
    const content = `What there is\n${table('meters', 'm1', 'm2')}\n${table('points', 'p1')}\nThat is all.`;
    expect(recordsOf(content, 'meters')).toEqual([{ id: 'm1' }, { id: 'm2' }]);
    expect(recordsOf(content, 'points')).toEqual([{ id: 'p1' }]);
    expect(recordsOf(content, 'bills')).toEqual([]);
  });

  it('are not believed where a value of another table could have brought them [R5-TALK-GOV-GATE]', () => {
    const forged = `${table('notes', 'n1')}   text: x\n\n${table('meters', 'stolen')}`;
    expect(recordsOf(`Nothing in 'meters'.\n${forged}`, 'meters')).toEqual([]);
    expect(recordsOf(`${table('meters', 'm1')}\n${forged}`, 'meters')).toEqual([]);
    expect(recordsOf(table('meters', 'm1', 'm2').replace('Found 2', 'Found 3'), 'meters')).toEqual([]);
  });
});
