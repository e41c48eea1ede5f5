import { api } from '../api/client.js';

export interface EvaluationCard {
  readonly id: string;
  readonly name: string;
  readonly updatedAt: number;
  readonly files: readonly string[];
}

export interface Point {
  readonly label: string;
  readonly agent: string;
  readonly model: string;
  readonly retrieval: string;
  readonly pass1: number;
  readonly costPerTask: number;
}

/** A mean, and how many simulations it is over. */
export interface Mean {
  readonly value: number | null;
  readonly of: number;
}

export interface Share {
  readonly hits: number;
  readonly of: number;
}

export interface Figures {
  readonly file: string;
  readonly label: string;
  readonly domain: string;
  readonly model: string;
  readonly agent: string;
  readonly retrieval: string;
  readonly simulations: number;
  readonly tasks: number;
  readonly infrastructureErrors: number;
  readonly unscored: number;
  readonly pass1: { readonly value: number; readonly low: number; readonly high: number } | null;
  readonly passHat: readonly number[];
  readonly dbMatch: Share;
  readonly turns: Mean;
  readonly modelCalls: Mean;
  readonly toolCalls: Mean;
  readonly seconds: Mean;
  readonly costPerTask: Mean;
  readonly cacheShare: Share;
}

export interface EvaluationDetail extends EvaluationCard {
  readonly summaries: readonly Figures[];
  readonly points: readonly Point[];
  readonly unread: readonly { readonly file: string; readonly why: string }[];
}

/** One simulation behind the figures of a condition. */
export interface Simulation {
  readonly id: string;
  readonly task: string;
  readonly trial: number;
  readonly reward: number | null;
  readonly termination: string;
  readonly dbMatch: boolean | null;
  readonly seconds: number;
  readonly messages: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly cost: number | null;
}

export interface Spoken {
  readonly by: 'assistant' | 'user' | 'tool';
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly failed: boolean;
}

export interface SimulationDetail extends Simulation {
  readonly checks: readonly { readonly what: string; readonly met: boolean }[];
  readonly conversation: readonly Spoken[];
  readonly run: string | null;
}

const simulationsAt = (id: string, file: string, simulation = ''): string =>
  `/v1/evals/${encodeURIComponent(id)}/simulations${simulation === '' ? '' : `/${encodeURIComponent(simulation)}`}?${new URLSearchParams({ file })}`;

export const evaluations = {
  list: async (): Promise<readonly EvaluationCard[]> =>
    (await api.get<{ evaluations: EvaluationCard[] }>('/v1/evals')).evaluations,
  get: (id: string): Promise<EvaluationDetail> => api.get(`/v1/evals/${encodeURIComponent(id)}`),
  simulations: async (id: string, file: string): Promise<readonly Simulation[]> =>
    (await api.get<{ simulations: Simulation[] }>(simulationsAt(id, file))).simulations,
  simulation: (id: string, file: string, simulation: string): Promise<SimulationDetail> =>
    api.get(simulationsAt(id, file, simulation)),
};
