import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ModelServer, modelServer, type ServedRequest } from 'flyball/testing';
import { onTestFinished } from 'vitest';
import { scriptedCustomers } from '../../packages/evals/src/domains/energy-desk/scripted-customer.js';
import { type DeskReply, scriptedDesk } from '../../packages/evals/src/domains/energy-desk/scripted-desk.js';
import { runProgram } from '../../packages/flyball/src/cli/program.js';
import type { ServerReplyParts } from '../../packages/flyball/src/testing/model-server/server-script.js';
import { desk } from '../evals/energy-desk-stage.js';
import { jsonLines } from './flyball.js';

/** `flyball evals` inside this process: real files, real worlds, and models on loopback. */

export const POLICIES = ['baseline', 'declarative', 'imperative', 'governed'] as const;
export const AGENT_MODEL = 'openai-compatible/desk';
export const USER_MODEL = 'openai-compatible/customer';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly error: string;
  json(): readonly Record<string, unknown>[];
}

export interface Around {
  readonly env?: Readonly<Record<string, string>>;
  readonly terminal?: boolean;
}

export async function evals(words: readonly string[], { env = {}, terminal = false }: Around = {}): Promise<Ended> {
  let out = '';
  let error = '';
  const streams = {
    out: { isTTY: terminal, columns: 100, write: (text: string) => (out += text) },
    error: { write: (text: string) => (error += text) },
    env,
  };
  const code = await runProgram(['evals', ...words], streams);
  return { code, out, error, json: () => jsonLines(out) };
}

export interface Place {
  readonly path: string;
  at(name: string): string;
  file(name: string, text: string): string;
  read(name: string): string;
}

/** A folder that is gone after the test. */
export function place(): Place {
  const path = mkdtempSync(join(tmpdir(), 'flyball-evals-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const at = (name: string): string => join(path, name);
  return {
    path,
    at,
    file: (name, text) => {
      writeFileSync(at(name), text);
      return at(name);
    },
    read: (name) => readFileSync(at(name), 'utf8'),
  };
}

export interface ServerManners {
  /** May hold an answer back. */
  readonly before?: (task: string, request: ServedRequest) => Promise<void> | void;
  /** The agent says that it cannot help, and does nothing. */
  readonly spoil?: () => boolean;
  /** Answers in place of the script, where it says anything. */
  readonly instead?: (request: ServedRequest) => ServerReplyParts | undefined;
  /** What every reply is said to have used. */
  readonly usage?: ServerReplyParts['usage'];
}

/** Both sides of every task of energy_desk, played over HTTP. */
export async function deskServer({
  before,
  spoil,
  instead,
  usage,
}: ServerManners = {}): Promise<
  ModelServer & { readonly env: Readonly<Record<string, string>>; askedAbout(task: string): number }
> {
  const { tasks } = await desk();
  const [agent, customer] = [scriptedDesk(tasks), scriptedCustomers(tasks)];
  const asked = new Map<string, number>();
  const server = await modelServer({
    models: ['desk', 'customer'],
    replies: async (request): Promise<ServerReplyParts> => {
      const other = instead?.(request);
      if (other !== undefined) return other;
      const reply = await play(request);
      return usage === undefined ? reply : { ...reply, usage };
    },
  });
  async function play(request: ServedRequest): Promise<DeskReply> {
    const task = taskIn(request);
    asked.set(task, (asked.get(task) ?? 0) + 1);
    await before?.(task, request);
    if (request.model === 'customer') return customer(request);
    return spoil?.() === true ? { text: 'I cannot help you.', toolCalls: [] } : agent(request);
  }
  onTestFinished(() => server.close());
  const openings = new Map(tasks.map(({ id, instructions }) => [id, String(instructions).split('\n')[0] ?? id]));
  const firstWords = new Map(tasks.map((task) => [task.id, openingOf(customer, openings.get(task.id) ?? '')]));
  function taskIn({ messages }: ServedRequest): string {
    const text = messages.map(({ content }) => content).join('\n');
    const found = tasks.find(
      ({ id }) => text.includes(openings.get(id) ?? id) || text.includes(firstWords.get(id) ?? id),
    );
    return found?.id ?? 'none';
  }
  return Object.assign(Object.create(server) as ModelServer, {
    env: { OPENAI_COMPATIBLE_BASE_URL: server.baseUrl('openai-chat') },
    askedAbout: (task: string) => asked.get(task) ?? 0,
  });
}

function openingOf(customer: ReturnType<typeof scriptedCustomers>, scenario: string): string {
  return customer({ messages: [{ role: 'system', content: scenario }], tools: [] }).text;
}

/** The simulations of a condition, each as the text of the file has it. */
export function simulationsIn(text: string): readonly SimulationText[] {
  const { simulations } = JSON.parse(text) as { simulations: readonly SimulationText[] };
  return simulations;
}

export interface SimulationText {
  readonly task_id: string;
  readonly termination_reason: string;
  readonly agent_cost: number | null;
  readonly user_cost: number | null;
  readonly reward_info: { readonly reward: number } | null;
  readonly messages: readonly unknown[];
}
