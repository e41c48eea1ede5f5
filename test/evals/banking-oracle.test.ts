import { expect, it } from 'vitest';
import { dumpJson, parseJson } from '../../packages/evals/src/tau2/python/json.js';
import { str } from '../../packages/evals/src/tau2/python/text.js';
import { titleCase } from '../../packages/evals/src/tau2/python/title-case.js';
import { type PyDict, PyError, type PyValue } from '../../packages/evals/src/tau2/python/value.js';
import type { Row, Tables } from '../../packages/evals/src/world/database.js';
import { bankWorlds, type RecordedCall, type Sequence, sequencesOf } from './banking-world.js';
import { changesBetween } from './changes.js';
import { missingFacts } from './facts.js';
import { withTau2 } from './tau2-data.js';

withTau2('the bank answers as the recordings of the reference do', () => {
  it('replays the gold calls of every recorded task [R5-DOMAIN-BANKING-ORACLE]', async () => {
    expect(await disagreements('banking_gold.jsonl', 66)).toEqual([]);
  });

  it('replays random and malformed calls [R5-DOMAIN-BANKING-ORACLE]', async () => {
    expect(await disagreements('banking_fuzz.jsonl', 177)).toEqual([]);
  });

  it('replays every discoverable tool with every parameter spoilt [R5-DOMAIN-BANKING-ORACLE] [R5-DOMAIN-BANKING-TOOLS]', async () => {
    expect(await disagreements('banking_grid.jsonl', 220)).toEqual([]);
  });
});

/** Everything in which a file's sequences differ from ours. */
async function disagreements(file: string, expected: number): Promise<readonly string[]> {
  const world = bankWorlds();
  const sequences = sequencesOf(file);
  expect(sequences.length).toBe(expected);
  const found: string[] = [];
  for (const sequence of sequences) found.push(...(await replayed(sequence, world)));
  return found;
}

async function replayed(sequence: Sequence, world: ReturnType<typeof bankWorlds>): Promise<readonly string[]> {
  const { env, tables } = world(sequence.loggedReads);
  for (const patch of sequence.patches) {
    await env.setState({ agentData: patch, userData: null, actions: null, history: null }, { strict: true });
  }
  const before = rowsOf(tables);
  const found: string[] = [];
  const compare = (what: string, theirs: unknown, ours: unknown): void => {
    if (theirs !== ours) found.push(`${sequence.name}: ${what} is ${String(ours)}, recorded ${String(theirs)}`);
  };
  compare('hash_initial', sequence.hashInitial, env.hashes().agent);
  for (const [at, call] of sequence.calls.entries()) {
    const ours = await env.respond({ ...call, id: String(at) });
    const facts = missingFacts(call, ours, givenIn(call));
    if (facts.length > 0)
      found.push(`${sequence.name}[${at}] ${call.name} lacks ${facts.join(' | ')}\n  in ${ours.content}`);
    compare(`hash after call ${at} (${call.name})`, call.hashAfter, env.hashes().agent);
  }
  compare('hash_final', sequence.hashFinal, env.hashes().agent);
  compare('user hash', env.hashes().agent, env.hashes().user);
  compare('changes', sorted(sequence.changes), sorted(changesBetween(...onlyChanged(before, rowsOf(tables)))));
  return found;
}

type Rows = ReadonlyMap<string, ReadonlyMap<string, Row>>;

function rowsOf(tables: Tables): Rows {
  return new Map(tables.names.map((name) => [name, new Map(tables.records(name))]));
}

/** Both states without the records that are the very same in both: records never change, they are replaced. */
function onlyChanged(before: Rows, after: Rows): readonly [PyDict, PyDict] {
  const part = (rows: Rows, others: Rows): PyDict =>
    new Map([...rows].map(([name, table]) => [name, new Map([['data', rest(table, others.get(name))]])]));
  return [part(before, after), part(after, before)];
}

function rest(table: ReadonlyMap<string, Row>, other: ReadonlyMap<string, Row> | undefined): PyDict {
  return new Map([...table].filter(([id, row]) => other?.get(id) !== row).map(([id, row]) => [id, new Map(row)]));
}

/** A list of changes as one text: order does not matter, the spelling of numbers does. */
function sorted(changes: PyValue): string {
  if (!Array.isArray(changes)) throw new Error('the recording has no list of changes');
  return changes
    .map((change) => dumpJson(change, { sortKeys: true }))
    .sort()
    .join('\n');
}

/** Values of a call, also as they are printed for people: what a recorded answer repeats, ours repeats. */
function givenIn(call: RecordedCall): readonly string[] {
  const texts = [...call.arguments.values(), ...innerArguments(call.arguments)].filter((value) => value !== null);
  return texts
    .flatMap((value) => [str(value), titleCase(str(value).replaceAll('_', ' '))])
    .filter((value) => value.length > 2);
}

function innerArguments(args: PyDict): readonly PyValue[] {
  try {
    const inner = parseJson(args.get('arguments') ?? null, { integers: 'float' });
    return inner instanceof Map ? [...inner.values()] : [];
  } catch (error) {
    if (error instanceof PyError) return [];
    throw error;
  }
}
