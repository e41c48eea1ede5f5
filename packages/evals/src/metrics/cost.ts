import type { SimulationRecord } from '../results/simulation-record.js';
import type { SpokenMessage } from '../world/message.js';
import type { Task } from '../world/task.js';
import type { DomainFacts } from './condition.js';
import { madeCalls } from './tool-calls.js';

/** What a simulation cost: money, tokens and calls. */
export interface CostFacts {
  /** Null where somebody's price is not known. */
  readonly agentUsd: number | null;
  readonly userUsd: number | null;
  /** The agent's. */
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  /** How often the agent's model was asked; 0 for an agent that asks none. */
  readonly modelCalls: number;
  readonly toolCalls: number;
  /** Share of the task's documents that the agent got to see; null where it needs none. */
  readonly recall: number | null;
}

/** Measures what a simulation cost. */
export function costOf(simulation: SimulationRecord, task: Task | undefined, domain: DomainFacts): CostFacts {
  const said = simulation.messages.filter(
    (message): message is SpokenMessage => message.role === 'assistant' && message.usage !== undefined,
  );
  const sum = (tokens: (usage: NonNullable<SpokenMessage['usage']>) => number) =>
    said.reduce((total, { usage }) => total + (usage === undefined ? 0 : tokens(usage)), 0);
  return {
    agentUsd: simulation.agentCost,
    userUsd: simulation.userCost,
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    cachedTokens: sum(({ cacheReadTokens }) => cacheReadTokens ?? 0),
    modelCalls: sum(({ modelCalls }) => modelCalls ?? 1),
    toolCalls: madeCalls(simulation.messages).filter(({ call }) => call.requestor === 'assistant').length,
    recall: recallOf(simulation, task?.requiredDocuments ?? [], domain),
  };
}

/** A document was seen when a result of the agent's calls, or its prompt, shows its id or its text. */
function recallOf(simulation: SimulationRecord, required: readonly string[], domain: DomainFacts): number | null {
  if (required.length === 0) return null;
  const seen = [
    simulation.policy ?? '',
    ...simulation.messages.map((message) =>
      message.role === 'tool' && message.requestor === 'assistant' ? message.content : '',
    ),
  ].join('\n');
  const isSeen = (id: string) => {
    const content = domain.documents?.get(id)?.content.trim();
    return seen.includes(id) || (content !== undefined && content !== '' && seen.includes(content.slice(0, 200)));
  };
  return required.filter(isSeen).length / required.length;
}
