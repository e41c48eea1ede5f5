import { dumpJson } from '../tau2/python/json.js';
import { sha256Hex } from '../tau2/python/sha.js';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import type { Task } from '../world/task.js';

/** Fields in the order of the results file, with what stands where a task's own file says nothing. */
type Form = readonly (readonly [field: string, absent: PyValue, inside?: Form, list?: true])[];

const ACTION: Form = [
  ['action_id', null],
  ['requestor', 'assistant'],
  ['name', null],
  ['arguments', new Map()],
  ['info', null],
  ['compare_args', null],
];

const ASSERTION: Form = [
  ['env_type', null],
  ['func_name', null],
  ['arguments', new Map()],
  ['assert_value', true],
  ['message', null],
];

const TASK: Form = [
  ['id', null],
  [
    'description',
    null,
    [
      ['purpose', null],
      ['relevant_policies', null],
      ['notes', null],
    ],
  ],
  [
    'user_scenario',
    null,
    [
      ['persona', null],
      ['instructions', null],
    ],
  ],
  ['ticket', null],
  [
    'initial_state',
    null,
    [
      [
        'initialization_data',
        null,
        [
          ['agent_data', null],
          ['user_data', null],
        ],
      ],
      ['initialization_actions', null],
      ['message_history', null],
    ],
  ],
  [
    'evaluation_criteria',
    null,
    [
      ['actions', null, ACTION, true],
      ['env_assertions', null, ASSERTION, true],
      ['communicate_info', null],
      ['nl_assertions', null],
      ['reward_basis', ['DB', 'COMMUNICATE']],
    ],
  ],
  ['issues', null],
  ['required_documents', null],
  ['user_tools', null],
];

/** Said to people who write tasks; the reference drops it too. */
const DROPPED: ReadonlySet<string> = new Set(['annotations']);

/** A task as the results file holds it: every field present, so that equal tasks are equal records. */
export function taskRecord(task: Task): PyDict {
  return complete(task.record, TASK);
}

/** Tells whether a task was changed since a file was written. */
export function taskHash(task: Task): string {
  return sha256Hex(dumpJson(taskRecord(task), { sortKeys: true }));
}

function complete(record: PyDict, form: Form): PyDict {
  const whole: PyDict = new Map();
  for (const [field, absent, inside, list] of form) {
    const value = record.get(field) ?? absent;
    whole.set(field, inside === undefined ? value : inner(value, inside, list));
  }
  for (const [field, value] of record) if (!whole.has(field) && !DROPPED.has(field)) whole.set(field, value);
  return whole;
}

function inner(value: PyValue, form: Form, list: true | undefined): PyValue {
  if (list === true) return Array.isArray(value) ? value.map((one) => inner(one, form, undefined)) : value;
  return value instanceof Map ? complete(value, form) : value;
}
