import { readFileSync } from 'node:fs';
import { readToolData } from '../../packages/evals/src/domains/discovery/tool-specs.js';
import { tableNames } from '../../packages/evals/src/tau2/banking-knowledge/bank.js';
import { bankSides } from '../../packages/evals/src/tau2/banking-knowledge/sides.js';
import { parseJson } from '../../packages/evals/src/tau2/python/json.js';
import type { PyDict, PyValue } from '../../packages/evals/src/tau2/python/value.js';
import { Tables } from '../../packages/evals/src/world/database.js';
import type { Environment } from '../../packages/evals/src/world/environment.js';
import { makeEnvironment } from '../../packages/evals/src/world/live-environment.js';
import { tau2 } from './tau2-data.js';

/** A recorded call with its answer. */
export interface RecordedCall {
  readonly name: string;
  readonly requestor: 'assistant' | 'user';
  readonly arguments: PyDict;
  readonly content: string;
  readonly error: boolean;
  readonly hashAfter: string | undefined;
}

/** A recorded sequence: how the world starts, what is called, and what it ends as. */
export interface Sequence {
  readonly name: string;
  readonly patches: readonly PyValue[];
  readonly loggedReads: ReadonlySet<string>;
  readonly calls: readonly RecordedCall[];
  readonly hashInitial: string;
  readonly hashFinal: string;
  readonly changes: PyValue;
}

export function dict(value: PyValue | undefined): PyDict {
  if (value instanceof Map) return value;
  throw new Error(`not an object: ${String(value)}`);
}

export function list(value: PyValue | undefined): readonly PyValue[] {
  if (Array.isArray(value)) return value;
  throw new Error(`not a list: ${String(value)}`);
}

export function text(value: PyValue | undefined): string {
  if (typeof value === 'string') return value;
  throw new Error(`not a text: ${String(value)}`);
}

const read = (path: string): string => readFileSync(path, 'utf8');
const readData = (path: string): PyValue => parseJson(read(`${tau2().data}/domains/banking_knowledge/${path}`));

/** The bank over the benchmark's database. */
export function bankWorlds(): (loggedReads: ReadonlySet<string>) => { env: Environment; tables: Tables } {
  const tables = Tables.read(readData('db.json'), tableNames);
  const open = bankSides(readToolData(readData('tools.json'), 'tools.json'));
  return (loggedReads) => {
    const { agent, user } = open({ tables, loggedReads, toolkit: 'KnowledgeToolsPlain', search: [] });
    const env = makeEnvironment({ domain: 'banking_knowledge', policy: '', agent, user });
    return { env, tables: agent.database as Tables };
  };
}

/** The data that a task starts with. */
export function agentData(taskId: string): PyValue {
  const state = dict(readData(`tasks/${taskId}.json`)).get('initial_state');
  if (!(state instanceof Map)) return null;
  const data = state.get('initialization_data');
  return data instanceof Map ? (data.get('agent_data') ?? null) : null;
}

export function sequencesOf(file: string): readonly Sequence[] {
  const lines = read(`${tau2().oracle}/${file}`).trimEnd().split('\n');
  const records = lines.map((line) => dict(parseJson(line)));
  const header = records.find((record) => record.has('header'));
  return records
    .filter((record) => record !== header)
    .map((record) => (record.has('steps') ? goldSequence(record) : sequence(record, header)));
}

function goldSequence(record: PyDict): Sequence {
  return {
    name: text(record.get('task_id')),
    patches: [agentData(text(record.get('task_id')))],
    loggedReads: new Set(list(record.get('read_log_allowlist')).map(text)),
    calls: list(record.get('steps')).map(callOf),
    hashInitial: text(dict(record.get('hash_initial')).get('agent')),
    hashFinal: text(dict(record.get('hash_final')).get('agent')),
    changes: dict(record.get('changes_final_vs_init')).get('agent') ?? null,
  };
}

function sequence(record: PyDict, header: PyDict | undefined): Sequence {
  const init = record.get('init');
  return {
    name: String(record.get('seq')),
    patches: [header?.get('agent_data_patch') ?? null, ...(init instanceof Map ? startOf(init) : [])],
    loggedReads: new Set(list(record.get('read_log_allowlist')).map(text)),
    calls: list(record.get('calls')).map(callOf),
    hashInitial: text(record.get('hash_initial')),
    hashFinal: text(record.get('hash_final')),
    changes: record.get('changes_final_vs_init') ?? null,
  };
}

function startOf(init: PyDict): readonly PyValue[] {
  const task = init.get('task_id');
  return [typeof task === 'string' ? agentData(task) : null, init.get('agent_data') ?? null];
}

function callOf(value: PyValue): RecordedCall {
  const call = dict(value);
  const hash = call.get('db_hash_after');
  return {
    name: text(call.get('name')),
    requestor: text(call.get('requestor')) as 'assistant' | 'user',
    arguments: dict(call.get('arguments')),
    content: text(call.get('content')),
    error: call.get('error') === true,
    hashAfter: typeof hash === 'string' ? hash : undefined,
  };
}
