import type { DomainFacts } from '../../packages/evals/src/metrics/condition.js';
import type { Results, SimulationRecord } from '../../packages/evals/src/results/simulation-record.js';
import type { PyDict, PyValue } from '../../packages/evals/src/tau2/python/value.js';
import type { Requestor, SimCall, SimMessage, SpokenMessage } from '../../packages/evals/src/world/message.js';
import type { GoldAction, Task } from '../../packages/evals/src/world/task.js';

/** A results file made by hand: what metrics and reports are tested with. */

export const SHOP: DomainFacts = {
  name: 'shop',
  compliance: { writes: new Set(['refund', 'close']), verification: 'verify', exempt: new Set(['task_free']) },
  documents: new Map([
    ['doc_refunds', { title: 'Refunds', content: 'Refunds are paid within five days.' }],
    ['doc_closing', { title: 'Closing', content: 'Close an account after its balance is paid.' }],
  ]),
};

let ids = 0;

export function call(name: string, args: Record<string, PyValue> = {}, requestor: Requestor = 'assistant'): SimCall {
  ids += 1;
  return { id: `call_${ids}`, name, arguments: new Map(Object.entries(args)), requestor };
}

/** A message with calls, and their results: `error:` raises, anything else is what the tool said. */
export function made(...calls: readonly (readonly [SimCall, string])[]): readonly SimMessage[] {
  const requestor = calls[0]?.[0].requestor ?? 'assistant';
  return [
    { role: requestor, content: null, calls: calls.map(([one]) => one), cost: 0.01, at: 0, usage: USAGE },
    ...calls.map(
      ([one, content]): SimMessage => ({
        role: 'tool',
        id: one.id,
        content: content.replace(/^raise:/, ''),
        requestor,
        error: content.startsWith('raise:'),
        at: 0,
      }),
    ),
  ];
}

const USAGE = { promptTokens: 100, completionTokens: 10, cacheReadTokens: 40 };

export function said(role: Requestor, content: string): SpokenMessage {
  return { role, content, calls: [], cost: 0.01, at: 0 };
}

export function gold(name: string, args: Record<string, PyValue> = {}, requestor: Requestor = 'assistant'): GoldAction {
  ids += 1;
  return {
    actionId: `a${ids}`,
    requestor,
    name,
    arguments: new Map(Object.entries(args)),
    info: null,
    compareArgs: null,
  };
}

export function task(id: string, actions: readonly GoldAction[] = [], requiredDocuments: readonly string[] = []): Task {
  return {
    id,
    persona: null,
    instructions: '',
    initialState: null,
    criteria: { actions, envAssertions: null, communicateInfo: null, nlAssertions: null, rewardBasis: ['DB'] },
    userTools: null,
    requiredDocuments,
    record: new Map() as PyDict,
  };
}

export function simulation(
  taskId: string,
  reward: number | null,
  more: Partial<SimulationRecord> = {},
): SimulationRecord {
  return {
    id: `${taskId}-${more.trial ?? 0}`,
    taskId,
    trial: 0,
    seed: 1,
    startedAt: 0,
    endedAt: 1000,
    seconds: 1,
    termination: 'user_stop',
    agentCost: 0.02,
    userCost: 0.01,
    reward:
      reward === null
        ? null
        : {
            reward,
            db: { match: reward === 1, reward },
            envAssertions: null,
            actions: [],
            nl: null,
            communicate: null,
            basis: ['DB'],
            breakdown: { DB: reward },
            info: {},
          },
    messages: [],
    policy: null,
    info: null,
    ...more,
  };
}

export function results(
  condition: { readonly agent?: string; readonly model?: string; readonly retrieval?: string | null },
  simulations: readonly SimulationRecord[],
  tasks: readonly Task[] = [...new Set(simulations.map(({ taskId }) => taskId))].map((id) => task(id)),
): Results {
  const { agent = 'baseline', model = 'm1', retrieval = 'golden_retrieval' } = condition;
  return {
    timestamp: '2026-01-01T00:00:00.000000',
    info: {
      domain: 'shop',
      trials: 1,
      maxSteps: 200,
      maxErrors: 10,
      seed: 300,
      agent: { implementation: agent, llm: model, llmArgs: null },
      user: { implementation: 'user_simulator', llm: null, llmArgs: null, guidelines: null },
      policy: '',
      retrieval,
      retrievalOptions: null,
      gitCommit: '',
      rest: null,
    },
    tasks,
    simulations,
  };
}
