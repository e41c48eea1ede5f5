import type { Termination } from '../simulation/party.js';
import { plainOf, pyOf } from '../tau2/python/plain-values.js';
import { RecordFields } from '../tau2/python/record-fields.js';
import { instantIn, timestamp } from '../tau2/python/timestamps.js';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import { readMessage, writeMessage } from '../world/message-record.js';
import { readReward, rewardRecord } from './reward-record.js';
import type { SimulationRecord } from './simulation-record.js';

const TERMINATIONS: readonly Termination[] = [
  'user_stop',
  'agent_stop',
  'max_steps',
  'timeout',
  'too_many_errors',
  'agent_error',
  'user_error',
  'infrastructure_error',
  'context_window_exceeded',
  'unexpected_error',
];

/** What a record was when it was read: fields that are still the same are written back as they came. */
const AS_READ = new WeakMap<PyDict, SimulationRecord>();

/** Everything that a simulation of the reference has and ours has not. */
const ABSENT: readonly (readonly [string, PyValue])[] = [
  ['agent_usage', null],
  ['ticks', null],
  ['mode', 'half_duplex'],
  ['speech_environment', null],
  ['review', null],
  ['user_only_review', null],
  ['auth_classification', null],
  ['hallucination_retries_used', 0n],
  ['hallucination_check', null],
  ['provider_session_id', null],
  ['effect_timeline', null],
];

/** The order of the file. */
const ORDER: readonly string[] = (
  'id task_id timestamp start_time end_time duration termination_reason agent_cost user_cost agent_usage reward_info ' +
  'messages ticks trial seed mode speech_environment review user_only_review info auth_classification ' +
  'hallucination_retries_used hallucination_check provider_session_id policy effect_timeline'
).split(' ');

export function readSimulation(value: PyValue, path: string): SimulationRecord {
  const fields = new RecordFields(value, path);
  const info = fields.value('info');
  const startedAt = instantIn(fields, 'start_time');
  const record: SimulationRecord = {
    id: fields.text('id'),
    taskId: String(fields.value('task_id') ?? fields.text('task_id')),
    trial: fields.numberOrNull('trial') ?? 0,
    seed: fields.numberOrNull('seed'),
    startedAt,
    endedAt: instantIn(fields, 'end_time'),
    seconds: fields.number('duration'),
    termination: fields.oneOf('termination_reason', TERMINATIONS),
    agentCost: fields.numberOrNull('agent_cost'),
    userCost: fields.numberOrNull('user_cost'),
    reward:
      fields.value('reward_info') === null ? null : readReward(fields.value('reward_info'), fields.at('reward_info')),
    messages: fields.eachOrNull('messages', readMessage) ?? [],
    policy: fields.textOrNull('policy'),
    info: info === null ? null : (plainOf(info) as Record<string, unknown>),
    rest: fields.dict,
  };
  AS_READ.set(fields.dict, record);
  return record;
}

export function simulationRecord(record: SimulationRecord): PyDict {
  const own = ownFields(record);
  const asRead = record.rest === undefined ? undefined : AS_READ.get(record.rest);
  const whole: PyDict = new Map(record.rest ?? ABSENT);
  for (const { names, values, isSame } of own) {
    if (asRead !== undefined && isSame(asRead)) continue;
    names.forEach((name, index) => whole.set(name, values[index] ?? null));
  }
  return record.rest === undefined ? new Map(ORDER.map((name) => [name, whole.get(name) ?? null])) : whole;
}

interface OwnField {
  readonly names: readonly string[];
  readonly values: readonly PyValue[];
  isSame(asRead: SimulationRecord): boolean;
}

function ownFields(record: SimulationRecord): readonly OwnField[] {
  const field = <K extends keyof SimulationRecord>(
    key: K,
    names: readonly string[],
    write: (value: SimulationRecord[K]) => PyValue,
  ): OwnField => ({
    names,
    get values() {
      const written = write(record[key]);
      return names.map(() => written);
    },
    isSame: (asRead) => asRead[key] === record[key],
  });
  return [
    field('id', ['id'], (id) => id),
    field('taskId', ['task_id'], (id) => id),
    field('startedAt', ['start_time'], timestamp),
    field('endedAt', ['timestamp', 'end_time'], timestamp),
    field('seconds', ['duration'], (seconds) => seconds),
    field('termination', ['termination_reason'], (reason) => reason),
    field('agentCost', ['agent_cost'], (cost) => cost),
    field('userCost', ['user_cost'], (cost) => cost),
    field('reward', ['reward_info'], (reward) => reward && rewardRecord(reward)),
    field('messages', ['messages'], (messages) => messages.map(writeMessage)),
    field('trial', ['trial'], BigInt),
    field('seed', ['seed'], (seed) => (seed === null ? null : BigInt(seed))),
    field('policy', ['policy'], (policy) => policy),
    field('info', ['info'], pyOf),
  ];
}
