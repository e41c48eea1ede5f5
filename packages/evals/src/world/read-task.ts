import { RecordFields } from '../tau2/python/record-fields.js';
import type { PyValue } from '../tau2/python/value.js';
import { readMessage, sideOf } from './message-record.js';
import type { Criteria, EnvAssertion, EnvFunction, GoldAction, InitialState, RewardBasis, Task } from './task.js';

export const BASES: readonly RewardBasis[] = ['DB', 'ENV_ASSERTION', 'ACTION', 'COMMUNICATE', 'NL_ASSERTION'];
/** What counts where a task does not say. */
const DEFAULT_BASIS: readonly RewardBasis[] = ['DB', 'COMMUNICATE'];

/** Reads a task as the benchmark's files hold it. The record itself is kept and never changed. */
export function readTask(value: PyValue, path = 'task'): Task {
  const task = new RecordFields(value, path);
  const scenario = task.fields('user_scenario');
  const criteria = task.fieldsOrNull('evaluation_criteria');
  return {
    id: task.text('id'),
    persona: scenario.value('persona'),
    instructions: scenario.value('instructions'),
    initialState: readState(task.fieldsOrNull('initial_state')),
    criteria: criteria === null ? null : readCriteria(criteria),
    userTools: texts(task, 'user_tools'),
    requiredDocuments: texts(task, 'required_documents') ?? [],
    record: task.dict,
  };
}

function readState(state: RecordFields | null): InitialState | null {
  if (state === null) return null;
  const data = state.fieldsOrNull('initialization_data');
  return {
    agentData: data?.value('agent_data') ?? null,
    userData: data?.value('user_data') ?? null,
    actions: state.eachOrNull('initialization_actions', readFunction),
    history: state.eachOrNull('message_history', readMessage),
  };
}

function readCriteria(criteria: RecordFields): Criteria {
  const basis = criteria.value('reward_basis') === null ? DEFAULT_BASIS : criteria.each('reward_basis', readBasis);
  return {
    actions: criteria.eachOrNull('actions', readAction),
    envAssertions: criteria.eachOrNull('env_assertions', readAssertion),
    communicateInfo: texts(criteria, 'communicate_info'),
    nlAssertions: texts(criteria, 'nl_assertions'),
    rewardBasis: basis,
  };
}

export function readBasis(value: PyValue, path: string): RewardBasis {
  return new RecordFields(new Map([['basis', value]]), path).oneOf('basis', BASES);
}

export function readAction(value: PyValue, path = 'action'): GoldAction {
  const action = new RecordFields(value, path);
  return {
    actionId: action.text('action_id'),
    requestor: sideOf(action),
    name: action.text('name'),
    arguments: action.fields('arguments').dict,
    info: action.textOrNull('info'),
    compareArgs: texts(action, 'compare_args'),
  };
}

function readFunction(value: PyValue, path: string): EnvFunction {
  const call = new RecordFields(value, path);
  return {
    side: call.oneOf('env_type', ['assistant', 'user']),
    name: call.text('func_name'),
    arguments: call.fields('arguments').dict,
  };
}

export function readAssertion(value: PyValue, path = 'assertion'): EnvAssertion {
  const assertion = new RecordFields(value, path);
  return {
    ...readFunction(value, path),
    assertValue: assertion.value('assert_value') === null || assertion.boolean('assert_value'),
    message: assertion.textOrNull('message'),
  };
}

function texts(record: RecordFields, name: string): readonly string[] | null {
  return record.eachOrNull(name, (value, path) => new RecordFields(new Map([['text', value]]), path).text('text'));
}
