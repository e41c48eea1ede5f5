import { dumpJson } from '../tau2/python/json.js';
import type { RecordFields } from '../tau2/python/record-fields.js';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import type { ExperimentInfo } from './simulation-record.js';

/** Stands in the file where the policy differs by task and is kept with each simulation. */
export const POLICY_BY_TASK = "(Policy is task-specific - see 'policy' field in each simulation)";

/** What the reference writes into files of text runs. */
const STREAMING: PyDict = new Map<string, PyValue>([
  ['chunk_by', 'words'],
  ['chunk_size', 1n],
]);

const AS_READ = new WeakMap<PyDict, ExperimentInfo>();

export function readInfo(fields: RecordFields): ExperimentInfo {
  const [agent, user, world] = [
    fields.fields('agent_info'),
    fields.fields('user_info'),
    fields.fields('environment_info'),
  ];
  const info: ExperimentInfo = {
    domain: world.text('domain_name'),
    trials: fields.number('num_trials'),
    maxSteps: fields.number('max_steps'),
    maxErrors: fields.number('max_errors'),
    seed: fields.numberOrNull('seed'),
    agent: sideOf(agent),
    user: { ...sideOf(user), guidelines: user.textOrNull('global_simulation_guidelines') },
    policy: world.textOrNull('policy') ?? '',
    retrieval: fields.textOrNull('retrieval_config'),
    retrievalOptions: fields.value('retrieval_config_kwargs'),
    gitCommit: fields.textOrNull('git_commit') ?? '',
    rest: fields.dict,
  };
  AS_READ.set(fields.dict, info);
  return info;
}

export function infoRecord(info: ExperimentInfo): PyDict {
  const { rest } = info;
  if (rest instanceof Map && AS_READ.get(rest) === info) return rest;
  const own: PyDict = new Map<string, PyValue>([
    ['git_commit', info.gitCommit],
    ['num_trials', BigInt(info.trials)],
    ['max_steps', BigInt(info.maxSteps)],
    ['max_errors', BigInt(info.maxErrors)],
    [
      'user_info',
      over(innerOf(rest, 'user_info'), [
        ...sideRecord(info.user),
        ['global_simulation_guidelines', info.user.guidelines],
        ['voice_settings', null],
        ['persona_config', null],
      ]),
    ],
    ['agent_info', over(innerOf(rest, 'agent_info'), [...sideRecord(info.agent), ['voice_settings', null]])],
    [
      'environment_info',
      over(innerOf(rest, 'environment_info'), [
        ['domain_name', info.domain],
        ['policy', info.policy],
        ['tool_defs', null],
      ]),
    ],
    ['seed', info.seed === null ? null : BigInt(info.seed)],
    ['text_streaming_config', STREAMING],
    ['speech_complexity', null],
    ['audio_native_config', null],
    ['retrieval_config', info.retrieval],
    ['retrieval_config_kwargs', info.retrievalOptions],
  ]);
  return over(rest instanceof Map ? rest : new Map(), [...own]);
}

/** What has to be the same for a file to be gone on with. The policy's text is left out: it is derived from the rest. */
export function configurationOf(info: ExperimentInfo): ReadonlyMap<string, string> {
  const text = (value: PyValue): string => dumpJson(value, { sortKeys: true });
  return new Map([
    ['domain', info.domain],
    ['trials', String(info.trials)],
    ['max_steps', String(info.maxSteps)],
    ['max_errors', String(info.maxErrors)],
    ['seed', String(info.seed)],
    ['agent', `${info.agent.implementation} ${info.agent.llm} ${text(info.agent.llmArgs)}`],
    ['user', `${info.user.implementation} ${info.user.llm} ${text(info.user.llmArgs)}`],
    ['retrieval', `${info.retrieval} ${text(info.retrievalOptions)}`],
  ]);
}

type SideInfo = ExperimentInfo['agent'];

function sideOf(fields: RecordFields): SideInfo {
  return {
    implementation: fields.text('implementation'),
    llm: fields.textOrNull('llm'),
    llmArgs: fields.value('llm_args'),
  };
}

function sideRecord({ implementation, llm, llmArgs }: SideInfo): readonly (readonly [string, PyValue])[] {
  return [
    ['implementation', implementation],
    ['llm', llm],
    ['llm_args', llmArgs],
  ];
}

function innerOf(rest: PyValue, name: string): PyDict {
  const inner = rest instanceof Map ? rest.get(name) : undefined;
  return inner instanceof Map ? inner : new Map();
}

/** Values over those of a record; a null of ours hides nothing that the record knows. */
function over(record: PyDict, values: readonly (readonly [string, PyValue])[]): PyDict {
  const whole: PyDict = new Map(values.map(([name, value]) => [name, value ?? record.get(name) ?? null]));
  for (const [name, value] of record) if (!whole.has(name)) whole.set(name, value);
  return whole;
}
