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

export const evaluations = {
  list: async (): Promise<readonly EvaluationCard[]> =>
    (await api.get<{ evaluations: EvaluationCard[] }>('/v1/evals')).evaluations,
  get: (id: string): Promise<EvaluationDetail> => api.get(`/v1/evals/${encodeURIComponent(id)}`),
};
