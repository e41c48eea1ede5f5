import type { JsonSchema } from '../../../flyball/src/core/schema.js';
import { api } from '../api/client.js';
import type { AgentCard, RunCard } from '../api/types.js';

export type Mode = AgentCard['modes'][number];

export interface AgentDetail extends AgentCard {
  readonly inputs?: JsonSchema;
  readonly outputs?: JsonSchema;
  readonly budget: Readonly<Record<string, number>>;
  readonly skills?: readonly string[];
}

export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly class?: string;
  readonly inputSchema?: JsonSchema;
  readonly tags?: readonly string[];
  readonly agents?: readonly string[];
}

export interface SkillInfo {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly agents: readonly string[];
}

export interface TriggerInfo {
  readonly name: string;
  readonly kind: 'cron' | 'webhook';
  readonly agent: string;
  readonly schedule?: string;
  readonly timezone?: string;
  readonly next?: number;
  readonly last?: number;
  readonly lastRun?: string;
  readonly missed?: number;
  readonly failure?: string;
}

export interface Turn {
  readonly turn: number;
  readonly said: string;
  readonly answer?: string;
  readonly because?: string;
}

export interface Conversation {
  readonly id: string;
  readonly agent: string;
  readonly status: string;
  readonly turns: readonly Turn[];
  /** Whether it waits for the next message. */
  readonly listens: boolean;
  readonly run: RunCard;
}

export const served = {
  agents: async (): Promise<readonly AgentCard[]> => (await api.get<{ agents: AgentCard[] }>('/v1/agents')).agents,
  agent: (name: string): Promise<AgentDetail> => api.get(`/v1/agents/${encodeURIComponent(name)}`),
  tools: async (): Promise<readonly ToolInfo[]> => (await api.get<{ tools: ToolInfo[] }>('/v1/tools')).tools,
  skills: async (): Promise<readonly SkillInfo[]> => (await api.get<{ skills: SkillInfo[] }>('/v1/skills')).skills,
  triggers: async (): Promise<readonly TriggerInfo[]> =>
    (await api.get<{ triggers: TriggerInfo[] }>('/v1/triggers')).triggers,
};

/** One key for one press of the button: a request that is sent again starts nothing twice. */
export function freshKey(): string {
  return crypto.randomUUID();
}

export const starting = {
  run: (
    asked: { readonly agent: string; readonly mode: Mode; readonly input: unknown; readonly budget: Bounds },
    idempotencyKey: string,
  ): Promise<RunCard> => api.post('/v1/runs', withoutEmpty(asked), { idempotencyKey }),
  conversation: (
    asked: { readonly agent: string; readonly budget: Bounds },
    idempotencyKey: string,
  ): Promise<Conversation> => api.post('/v1/conversations', withoutEmpty(asked), { idempotencyKey }),
  say: (id: string, text: string, idempotencyKey: string): Promise<Conversation> =>
    api.post(`/v1/conversations/${encodeURIComponent(id)}/messages`, { text }, { idempotencyKey }),
  end: (id: string): Promise<Conversation> => api.post(`/v1/conversations/${encodeURIComponent(id)}/end`),
  read: (id: string): Promise<Conversation> => api.get(`/v1/conversations/${encodeURIComponent(id)}`),
};

export type Bounds = Readonly<Record<string, number>>;

function withoutEmpty<T extends { readonly budget: Bounds }>({ budget, ...rest }: T): object {
  return Object.keys(budget).length === 0 ? rest : { ...rest, budget };
}
