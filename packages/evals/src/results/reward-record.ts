import type { RewardInfo } from '../grading/reward.js';
import { plainOf, pyOf } from '../tau2/python/plain-values.js';
import { RecordFields } from '../tau2/python/record-fields.js';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import type { ToolType } from '../world/environment.js';
import { BASES, readAction, readAssertion, readBasis } from '../world/read-task.js';
import type { EnvAssertion, GoldAction } from '../world/task.js';

const TOOL_TYPES: readonly ToolType[] = ['read', 'write', 'think', 'generic'];

/** A reward as the results file holds it. */
export function rewardRecord(reward: RewardInfo): PyDict {
  return new Map<string, PyValue>([
    ['reward', reward.reward],
    ['db_check', reward.db && dict({ db_match: reward.db.match, db_reward: reward.db.reward })],
    [
      'env_assertions',
      each(reward.envAssertions, ({ assertion, met, reward: worth }) =>
        dict({ env_assertion: assertionRecord(assertion), met, reward: worth }),
      ),
    ],
    [
      'action_checks',
      each(reward.actions, ({ action, matched, reward: worth, toolType }) =>
        dict({ action: actionRecord(action), action_match: matched, action_reward: worth, tool_type: toolType }),
      ),
    ],
    [
      'nl_assertions',
      each(reward.nl, ({ assertion, met, because }) => dict({ nl_assertion: assertion, met, justification: because })),
    ],
    [
      'communicate_checks',
      each(reward.communicate, ({ info, met, because }) => dict({ info, met, justification: because })),
    ],
    ['reward_basis', reward.basis && [...reward.basis]],
    ['reward_breakdown', reward.breakdown && dict(reward.breakdown)],
    ['info', pyOf(reward.info)],
  ]);
}

export function readReward(value: PyValue, path: string): RewardInfo {
  const fields = new RecordFields(value, path);
  const db = fields.fieldsOrNull('db_check');
  const breakdown = fields.fieldsOrNull('reward_breakdown');
  return {
    reward: fields.number('reward'),
    db: db && { match: db.boolean('db_match'), reward: db.number('db_reward') },
    envAssertions: fields.eachOrNull('env_assertions', (one, at) => {
      const check = new RecordFields(one, at);
      return {
        assertion: readAssertion(check.value('env_assertion'), check.at('env_assertion')),
        met: check.boolean('met'),
        reward: check.number('reward'),
      };
    }),
    actions: fields.eachOrNull('action_checks', (one, at) => {
      const check = new RecordFields(one, at);
      return {
        action: readAction(check.value('action'), check.at('action')),
        matched: check.boolean('action_match'),
        reward: check.number('action_reward'),
        toolType: check.value('tool_type') === null ? null : check.oneOf('tool_type', TOOL_TYPES),
      };
    }),
    nl: fields.eachOrNull('nl_assertions', (one, at) => {
      const check = new RecordFields(one, at);
      return {
        assertion: check.text('nl_assertion'),
        met: check.boolean('met'),
        because: check.textOrNull('justification') ?? '',
      };
    }),
    communicate: fields.eachOrNull('communicate_checks', (one, at) => {
      const check = new RecordFields(one, at);
      return { info: check.text('info'), met: check.boolean('met'), because: check.textOrNull('justification') ?? '' };
    }),
    basis: fields.eachOrNull('reward_basis', readBasis),
    breakdown:
      breakdown &&
      Object.fromEntries(
        BASES.filter((basis) => breakdown.dict.has(basis)).map((basis) => [basis, breakdown.number(basis)]),
      ),
    info: fields.value('info') === null ? {} : (plainOf(fields.value('info')) as Record<string, unknown>),
  };
}

function actionRecord(action: GoldAction): PyDict {
  return dict({
    action_id: action.actionId,
    requestor: action.requestor,
    name: action.name,
    arguments: action.arguments,
    info: action.info,
    compare_args: action.compareArgs && [...action.compareArgs],
  });
}

function assertionRecord(assertion: EnvAssertion): PyDict {
  return dict({
    env_type: assertion.side,
    func_name: assertion.name,
    arguments: assertion.arguments,
    assert_value: assertion.assertValue,
    message: assertion.message,
  });
}

function dict(fields: Readonly<Record<string, PyValue | undefined>>): PyDict {
  return new Map(Object.entries(fields).map(([key, value]) => [key, value ?? null]));
}

function each<T>(list: readonly T[] | null, record: (one: T) => PyDict): PyValue {
  return list === null ? null : list.map(record);
}
