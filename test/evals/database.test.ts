import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dumpJson, parseJson } from '../../packages/evals/src/tau2/python/json.js';
import { sha256Hex } from '../../packages/evals/src/tau2/python/sha.js';
import { type PyDict, PyError, type PyValue } from '../../packages/evals/src/tau2/python/value.js';
import { Tables } from '../../packages/evals/src/world/database.js';
import { stream } from './python-questions.js';
import { tau2, withTau2 } from './tau2-data.js';

const CONTENT = `{
  "users": {"data": {
    "u2": {"name": "Ann", "age": 30, "tags": ["a", 1, null, true], "more": {"x": 1.0}},
    "u1": {"name": "Bo", "age": 41.5, "tags": [], "more": {"k": "it's"}},
    "u3": {"name": "Ann \u00e9", "age": null}
  }, "notes": "people"},
  "cards": {"data": {}, "notes": ""}
}`;
const tables = (): Tables => Tables.read(parseJson(CONTENT), ['users', 'cards', 'log']);
const ids = (json: string): string[] => {
  const filters = parseJson(json) as PyDict;
  const limit = filters.get('limit') ?? null;
  filters.delete('limit');
  return tables()
    .query('users', filters, limit)
    .map(([id]) => id);
};

describe('a database of tables', () => {
  it.each([
    ['{"name": "Ann"}', ['u2']],
    ['{"age": 30.0}', ['u2']],
    ['{"age__ne": 30}', ['u1', 'u3']],
    ['{"age__gt": 30}', ['u1']],
    ['{"age__gte": 30}', ['u2', 'u1']],
    ['{"age__lt": "x"}', []],
    ['{"age__lte": 30}', ['u2']],
    ['{"name__contains": "nn"}', ['u2', 'u3']],
    ['{"tags__contains": true}', ['u2']],
    ['{"more__contains": "k"}', ['u1']],
    ['{"more__contains": ["k"]}', []],
    ['{"age__startswith": 4}', ['u1']],
    ['{"name__endswith": "o"}', ['u1']],
    ['{"name__in": ["Bo", "Ann"]}', ['u2', 'u1']],
    ['{"name__in": "Bogota"}', ['u1']],
    ['{"age__in": "30"}', []],
    ['{"name__nin": ["Bo"]}', ['u2', 'u3']],
    ['{"name__nin": 5}', []],
    ['{"age__nin": "30"}', []],
    ['{"name__like": "Bo"}', ['u1']],
    ['{"lost": null}', ['u2', 'u1', 'u3']],
    ['{"lost__contains": null}', []],
    ['{"name__contains": "A", "age__gt": 1}', ['u2']],
    ['{"limit": 2}', ['u2', 'u1']],
    ['{"limit": 0}', ['u2']],
    ['{}', ['u2', 'u1', 'u3']],
  ])('finds by %s in order of insertion [R5-PY-TEXT]', (json, found) => {
    expect(ids(json)).toEqual(found);
  });

  it('prints records field by field as Python prints values [R5-PY-TEXT]', () => {
    expect(tables().printQuery('users', '{"name__startswith": "Ann", "limit": 1}')).toBe(
      "Found 1 record(s) in 'users':\n\n1. Record ID: u2\n   name: Ann\n   age: 30\n   tags: ['a', 1, None, True]\n" +
        "   more: {'x': 1.0}\n",
    );
  });

  it.each([
    ['cards', '{}', "No records found in 'cards'."],
    ['users', '', undefined],
    ['users', '{"a": ', 'Error: Invalid JSON: Expecting value: line 1 column 7 (char 6)'],
    [
      'users',
      '[]',
      'Error querying database: tau2.domains.banking_knowledge.db_query.query_db() argument after ** must be a mapping, not list',
    ],
    [
      'users',
      '{"db": 1}',
      "Error querying database: tau2.domains.banking_knowledge.db_query.query_db() got multiple values for keyword argument 'db'",
    ],
    ['users', '{"db_name": 1}', "Error querying database: query_db() got multiple values for argument 'db_name'"],
    ['users', '{"limit": "x"}', "Error querying database: '>=' not supported between instances of 'int' and 'str'"],
    ['lost', '{}', "Error: Database 'lost' not found. Available: ['users', 'cards', 'log']"],
  ])('answers a query of %s by %s with its own text [R5-PY-TEXT]', (table, json, text) => {
    const printed = tables().printQuery(table, json);
    if (text === undefined) expect(printed).toMatch(/^Found 3 record/);
    else expect(printed).toBe(text);
  });

  it('adds only new ids to known tables, and updates and removes only what is there [R5-DOMAIN-INTERFACE]', () => {
    const database = tables();
    expect(database.add('log', 'a', { x: 1n })).toBe(true);
    expect(database.add('log', 'a', { x: 2n })).toBe(false);
    expect(database.add('nowhere', 'a', {})).toBe(false);
    expect(database.update('log', 'a', { y: null })).toBe(true);
    expect(database.update('log', 'b', { y: null })).toBe(false);
    expect([...(database.get('log', 'a') ?? [])]).toEqual([
      ['x', 1n],
      ['y', null],
    ]);
    expect(database.put('log', 'a', { z: 1n })).toBe(true);
    expect(database.get('log', 'a')).toEqual(new Map([['z', 1n]]));
    expect(database.remove('log', 'a')).toBe(true);
    expect(database.remove('log', 'a')).toBe(false);
    expect(database.remove('nowhere', 'a')).toBe(false);
  });

  it('keeps what a caller does to its own values afterwards out of the records [R5-DOMAIN-INTERFACE]', () => {
    const database = tables();
    const tags: PyValue[] = ['a'];
    database.add('log', 'a', { tags });
    const hash = database.hash();
    tags.push('b');
    expect(database.get('log', 'a')?.get('tags')).toEqual(['a']);
    expect(database.hash()).toBe(hash);
  });

  it('merges initial data key by key, and refuses what is no data as a whole [R5-DOMAIN-INTERFACE]', () => {
    const database = tables();
    database.merge(
      parseJson('{"users": {"data": {"u2": {"age": 31, "more": {"y": 2}, "tags": ["b"]}, "u9": {"name": "New"}}}}'),
    );
    expect(dumpJson(database.dump().get('users') ?? null)).toBe(
      '{"data": {"u2": {"name": "Ann", "age": 31, "tags": ["b"], "more": {"x": 1.0, "y": 2}}, ' +
        '"u1": {"name": "Bo", "age": 41.5, "tags": [], "more": {"k": "it\'s"}}, ' +
        '"u3": {"name": "Ann \\u00e9", "age": null}, "u9": {"name": "New"}}, "notes": "people"}',
    );
    database.merge(parseJson('{"users": {"data": {"u1": {"age": {"x": 1}, "more": 5}}}}'));
    expect(dumpJson((database.get('users', 'u1') as PyDict) ?? null)).toBe(
      '{"name": "Bo", "age": {"x": 1}, "tags": [], "more": 5}',
    );
    const hash = database.hash();
    for (const patch of ['{"lost": {}}', '{"users": {"notes": 5}}', '{"users": {"data": {"u1": null}}}', '[]']) {
      expect(() => database.merge(parseJson(`${patch}`))).toThrow(PyError);
    }
    expect(() => database.merge(parseJson('{"cards": {"data": {"c": {}}}, "lost": {}}'))).toThrow("no table 'lost'");
    expect(database.hash()).toBe(hash);
  });

  it('counts notes and the spelling of numbers, not the order of records [R5-PY-NUMBERS]', () => {
    const hashOf = (json: string): string => Tables.read(parseJson(json), ['t']).hash();
    const base = hashOf('{"t": {"data": {"a": {"x": 33}, "b": {}}}}');
    expect(hashOf('{"t": {"data": {"b": {}, "a": {"x": 33}}, "notes": ""}}')).toBe(base);
    expect(hashOf('{"t": {"data": {"a": {"x": 33.0}, "b": {}}}}')).not.toBe(base);
    expect(hashOf('{"t": {"data": {"a": {"x": 33, "y": null}, "b": {}}}}')).not.toBe(base);
    expect(hashOf('{"t": {"data": {"a": {"x": 33}, "b": {}}, "notes": "n"}}')).not.toBe(base);
  });

  it('hashes after any change what a whole dump would hash to, and copies stay apart [R5-DOMAIN-INTERFACE]', () => {
    const random = stream(7);
    const base = tables();
    const before = base.hash();
    const worlds = [base.copy(), base.copy()];
    worlds.push((worlds[0] as Tables).copy());
    for (let step = 0; step < 600; step += 1) {
      const world = worlds[Math.floor(random() * worlds.length)] as Tables;
      change(world, random);
      if (step % 5 === 0) expect(world.hash()).toBe(sha256Hex(dumpJson(world.dump(), { sortKeys: true })));
      if (step % 50 === 0) worlds.push(world.copy());
    }
    for (const world of worlds) expect(world.hash()).toBe(sha256Hex(dumpJson(world.dump(), { sortKeys: true })));
    expect(base.hash()).toBe(before);
    expect(base.copy().hash()).toBe(before);
  });
});

describe('a large table', () => {
  it('hashes what a whole dump would hash to while records come, change and go [R5-DOMAIN-INTERFACE]', () => {
    const random = stream(8);
    const world = Tables.read(new Map(), ['t']);
    const id = (): string => `${Math.floor(random() * 400).toString(36)}\u{1f600}`;
    for (let step = 0; step < 1500; step += 1) {
      if (random() < (step < 900 ? 0.1 : 0.6)) world.remove('t', id());
      else world.put('t', id(), { x: random() });
      if (step % 60 === 0) expect(world.hash()).toBe(sha256Hex(dumpJson(world.dump(), { sortKeys: true })));
    }
    for (const each of [...world.records('t').keys()]) world.remove('t', each);
    expect(world.hash()).toBe(sha256Hex('{"t": {"data": {}, "notes": ""}}'));
  });
});

function change(world: Tables, random: () => number): void {
  const table = ['users', 'cards', 'log'][Math.floor(random() * 3)] as string;
  const id = ['u1', 'u2', 'a', '\u{1f600}', '\uff5e', 'B'][Math.floor(random() * 6)] as string;
  const kind = random();
  if (kind < 0.3) world.add(table, id, { x: BigInt(Math.floor(random() * 9)) });
  else if (kind < 0.6) world.update(table, id, { y: random() });
  else if (kind < 0.8) world.remove(table, id);
  else if (kind < 0.9) world.put(table, id, { '\u{1f600}': 'é', '\uff5e': null });
  else world.merge(new Map([[table, new Map<string, PyValue>([['notes', `n${Math.floor(random() * 3)}`]])]]));
}

withTau2('the database of the benchmark', () => {
  it('hashes to what was recorded of the file, and after initial data to what was recorded then [R5-PY-NUMBERS]', () => {
    const { data, oracle } = tau2();
    const file = parseJson(readFileSync(`${data}/domains/banking_knowledge/db.json`, 'utf8')) as PyDict;
    const lines = readFileSync(`${oracle}/banking_gold.jsonl`, 'utf8').trim().split('\n');
    const base = Tables.read(file, TABLES);
    for (const line of lines.map((each) => parseJson(each) as PyDict)) {
      expect(base.hash()).toBe((line.get('hash_file') as PyDict).get('agent'));
      const world = base.copy();
      const task = parseJson(
        readFileSync(`${data}/domains/banking_knowledge/tasks/${line.get('task_id')}.json`, 'utf8'),
      ) as PyDict;
      const state = task.get('initial_state');
      const patch =
        state instanceof Map ? (state.get('initialization_data') as PyDict | null)?.get('agent_data') : null;
      if (patch instanceof Map) world.merge(patch);
      expect(world.hash(), String(line.get('task_id'))).toBe((line.get('hash_initial') as PyDict).get('agent'));
    }
  });
});

const TABLES = [
  'users accounts debit_cards referrals credit_card_applications user_discoverable_tools user_discoverable_tool_calls',
  'verification_history credit_card_transaction_history cash_back_disputes bank_account_transaction_history',
  'credit_card_accounts agent_discoverable_tools task_config human_transfer_requests transaction_disputes',
  'credit_card_orders debit_card_orders credit_card_closure_reasons credit_card_account_flags',
  'credit_limit_increase_requests payment_history debit_card_disputes',
].flatMap((line) => line.split(' '));
