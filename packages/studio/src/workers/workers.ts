import { api } from '../api/client.js';

export interface WorkerInfo {
  /** Host and pid are for whoever operates the server. */
  readonly owner: { readonly id: string; readonly host?: string; readonly pid?: number };
  readonly state: 'working' | 'draining' | 'silent' | 'gone';
  /** Versions by agent. */
  readonly agents: Readonly<Record<string, string>>;
  readonly since?: number;
  readonly weight?: number;
  readonly concurrency?: number;
  readonly runs: number;
  readonly held: readonly HeldInfo[];
}

export interface HeldInfo {
  readonly id: string;
  readonly agent: string;
  readonly version: string;
  readonly leaseUntil?: number;
}

export interface LineInfo {
  readonly agent: string;
  readonly version: string;
  readonly runs: number;
  readonly since: number;
  readonly served: boolean;
}

export interface WorkInfo {
  readonly workers: readonly WorkerInfo[];
  /** Who says whose turn it is, where somebody does. */
  readonly dispatcher?: { readonly page: string };
  readonly queue: {
    readonly runs: number;
    readonly since?: number;
    readonly unserved: number;
    readonly lines: readonly LineInfo[];
  };
}

export const readWork = (): Promise<WorkInfo> => api.get<WorkInfo>('/v1/workers');

/** `desk 2, research 1`; one agent is run under several names, which say nothing more here. */
export function versionsText(agents: Readonly<Record<string, string>>): string {
  const names = Object.entries(agents).filter(([name]) => !name.includes(':'));
  return names.map(([name, version]) => `${name} ${version}`).join(', ');
}
