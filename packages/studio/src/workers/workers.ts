import { api } from '../api/client.js';
import type { Tone } from '../ui/tone.js';

export interface WorkerInfo {
  /** Host and pid are for whoever operates the server. */
  readonly owner: { readonly id: string; readonly host?: string; readonly pid?: number };
  readonly state: 'working' | 'draining' | 'silent' | 'gone';
  /** When its last lease ended, where it is silent and no longer renews them. */
  readonly silentSince?: number;
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

const TONES = { working: 'good', draining: 'warn', silent: 'bad', gone: 'bad' } as const;

/** The state in a word. A process that takes no runs by itself is no cause for alarm while it renews its leases. */
export function stateShown({ state, silentSince }: Pick<WorkerInfo, 'state' | 'silentSince'>): {
  readonly text: string;
  readonly tone: Tone;
  readonly about?: string;
} {
  if (state !== 'silent' || silentSince !== undefined) return { text: state, tone: TONES[state] };
  return { text: 'command', tone: 'idle', about: 'Runs a command or a program; takes no other runs' };
}

/** What to do about a process that is lost. Its real id is known only to whoever may declare it gone. */
export function adviceFor({ owner: { id, host } }: Pick<WorkerInfo, 'owner'>): {
  readonly words: string;
  readonly command: string;
} {
  return host === undefined
    ? { words: 'If it is gone, somebody with access to the database can declare it:', command: 'flyball owner list' }
    : { words: 'If it is gone, declare it:', command: `flyball owner gone ${id}` };
}

/** The number is of all tenants, and the table below it of one. */
export function queueText({ runs, lines }: Pick<WorkInfo['queue'], 'runs' | 'lines'>): string {
  if (runs === 0) return 'The queue is empty.';
  const own = lines.reduce((sum, line) => sum + line.runs, 0);
  return `${runs} waiting in the queue${own === runs ? '' : `, ${own} of them in your tenant`}`;
}
