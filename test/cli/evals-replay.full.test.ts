import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../packages/flyball/src/cli/exit-codes.js';
import { desk } from '../evals/energy-desk-stage.js';
import { tau2, withTau2 } from '../evals/tau2-data.js';
import { evals, place } from './evals-stage.js';

interface Recorded {
  readonly name: string;
  readonly arguments: unknown;
  readonly requestor: string;
  readonly content?: string;
  readonly error?: boolean;
  readonly db_hash_after?: string;
}
interface Sequence {
  readonly seq: number;
  readonly calls: readonly Recorded[];
}

const lines = (...records: readonly unknown[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join('');
const lookUp = (id: string) => ({ name: 'get_customer_by_id', arguments: { customer_id: id }, requestor: 'assistant' });

describe('flyball evals replay', () => {
  it('prints one JSON line a call, and nothing else [R5-CLI-REPLAY]', async () => {
    const here = place();
    const file = here.file('calls.jsonl', lines({ seq: 'a', calls: [lookUp('cus_1001'), { ...lookUp('nobody') }] }));
    const ran = await evals(['replay', '--calls', file, '--json']);
    expect(ran).toMatchObject({ code: EXIT.ok, error: '' });
    const [first, second] = ran.json();
    expect(ran.json()).toHaveLength(2);
    expect(first).toMatchObject({ seq: 'a', index: 0, name: 'get_customer_by_id', requestor: 'assistant' });
    for (const one of [first, second])
      expect(one).toMatchObject({
        content: expect.any(String),
        error: expect.any(Boolean),
        db_hash_after: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
  });

  it('begins each sequence in a fresh world, with the patch of the header or its own init [R5-CLI-REPLAY]', async () => {
    const here = place();
    const { tasks } = await desk();
    const task = tasks.find(({ initialState }) => initialState !== null) ?? tasks[0];
    const patch = (name: string) => ({ customers: { data: { C_new: { customer_id: 'C_new', name } } } });
    const file = here.file(
      'calls.jsonl',
      lines(
        { header: true, agent_data_patch: patch('From the header') },
        { seq: 1, calls: [lookUp('C_new')] },
        { seq: 2, init: { task_id: null, agent_data: patch('Of its own') }, calls: [lookUp('C_new')] },
        { seq: 3, init: { task_id: task?.id, agent_data: null }, calls: [lookUp('C_new')] },
        { calls: [lookUp('C_new')] },
      ),
    );
    const ran = await evals(['replay', '--calls', file, '--json']);
    expect(ran.code).toBe(EXIT.ok);
    const told = ran.json().map(({ seq, content }) => [seq, String(content)]);
    expect(told).toEqual([
      [1, expect.stringContaining('From the header')],
      [2, expect.stringContaining('Of its own')],
      [3, expect.not.stringMatching(/From the header|Of its own/)],
      [4, expect.stringContaining('From the header')],
    ]);
    const hashes = ran.json().map((one) => one['db_hash_after']);
    expect(hashes[0]).toBe(hashes[3]);
    expect(new Set(hashes).size).toBe(3);
  });

  it('compares with what was recorded: a difference is told and fails, other words are none [R5-CLI-REPLAY]', async () => {
    const here = place();
    const plain = here.file('plain.jsonl', lines({ seq: 1, calls: [lookUp('cus_1001')] }));
    const [answer] = (await evals(['replay', '--calls', plain, '--json'])).json();
    const same = { ...lookUp('cus_1001'), error: answer?.['error'], db_hash_after: answer?.['db_hash_after'] };
    const recorded = here.file('same.jsonl', lines({ seq: 1, calls: [{ ...same, content: 'In other words.' }] }));
    expect((await evals(['replay', '--calls', recorded])).code).toBe(EXIT.ok);
    const other = here.file('other.jsonl', lines({ seq: 7, calls: [{ ...same, db_hash_after: 'beef', error: true }] }));
    const differs = await evals(['replay', '--calls', other, '--json']);
    expect(differs.code).toBe(EXIT.failed);
    expect(differs.json()).toHaveLength(1);
    expect(differs.error).toContain('✗ 7[0] get_customer_by_id: error is false, recorded true');
    expect(differs.error).toContain('recorded beef');
    const said = await evals(['replay', '--calls', other]);
    expect(said.out).toContain('1 call in 1 fresh environment, 1 different from the recording.');
  });

  it('replays the gold calls of every task of the built-in domain [R5-CLI-REPLAY]', async () => {
    const { tasks } = await desk();
    const ran = await evals(['replay', '--tasks', 'all', '--json']);
    const calls = tasks.flatMap(({ id, criteria }) => (criteria?.actions ?? []).map(({ name }) => [id, name]));
    expect(ran.json().map(({ seq, name }) => [seq, name])).toEqual(calls);
    expect(ran.json().every(({ action_id: id }) => typeof id === 'string')).toBe(true);
  });
});

withTau2('the recordings of tau2-bench', () => {
  const oracle = (name: string): string => `${tau2().oracle}/${name}`;
  const recordedIn = (name: string): readonly Sequence[] =>
    readFileSync(oracle(name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Sequence)
      .filter(({ calls }) => calls !== undefined);
  const banking = ['replay', '--domain', 'banking_knowledge', '--data', tau2().data];

  it.each(['banking_fuzz.jsonl', 'banking_grid.jsonl'])(
    'give the hashes and errors of %s, call by call [R5-CLI-REPLAY]',
    async (name) => {
      const ran = await evals([...banking, '--calls', oracle(name), '--json']);
      expect(ran).toMatchObject({ code: EXIT.ok, error: '' });
      const expected = recordedIn(name).flatMap(({ seq, calls }) =>
        calls.map((call) => [seq, call.name, call.error, call.db_hash_after]),
      );
      expect(expected.length).toBeGreaterThan(1000);
      const told = ran.json().map((one) => [one['seq'], one['name'], one['error'], one['db_hash_after']]);
      expect(told).toEqual(expected);
    },
  );

  it('give the same without contents and hashes in the file, from an environment variable [R5-CLI-REPLAY]', async () => {
    const here = place();
    const [header, ...some] = readFileSync(oracle('banking_grid.jsonl'), 'utf8').trim().split('\n').slice(0, 9);
    const sequences = some.map((line) => JSON.parse(line) as Sequence);
    const bare = sequences.map((one) => ({
      ...one,
      calls: one.calls.map(({ name, arguments: args, requestor }) => ({ name, arguments: args, requestor })),
    }));
    const file = here.file('bare.jsonl', `${header}\n${lines(...bare)}`);
    const words = ['replay', '--domain', 'banking_knowledge', '--calls', file, '--json'];
    const ran = await evals(words, { env: { FLYBALL_TAU2: tau2().data } });
    expect(ran.code).toBe(EXIT.ok);
    expect(ran.json().map((one) => one['db_hash_after'])).toEqual(
      sequences.flatMap(({ calls }) => calls.map((call) => call.db_hash_after)),
    );
  });

  it('refuses a file without a sequence: nothing compared is nothing shown [R5-CLI-REPLAY]', async () => {
    const here = place();
    const ran = await evals(['replay', '--calls', here.file('empty.jsonl', '\n')]);
    expect(ran.code).toBe(EXIT.usage);
    expect(ran.error).toContain('contains no calls');
  });
});
