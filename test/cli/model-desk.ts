import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ModelServer, modelServer, type ServedRequest, type ServerScript } from 'flyball/testing';
import { onTestFinished } from 'vitest';
import { type Desk, newDesk, type Talking } from './flyball.js';

/** A desk whose commands find a model: a provider on loopback that answers from a script. */
export interface ModelDesk extends Desk {
  readonly server: ModelServer;
  /** Writes a file below the desk's folder; answers its path. */
  file(name: string, text: string): string;
  /** What the model was sent with its n-th request: role and text. */
  heard(n: number): readonly string[];
}

export const MODEL = 'openai-compatible/test';

type Env = Readonly<Record<string, string | undefined>>;

export async function modelDesk(
  replies: ServerScript,
  env: Env | ((server: ModelServer) => Env) = {},
): Promise<ModelDesk> {
  const server = await modelServer({ replies, models: ['test'] });
  const more = typeof env === 'function' ? env(server) : env;
  const desk = newDesk({
    env: { OPENAI_COMPATIBLE_BASE_URL: server.baseUrl('openai-chat'), FLYBALL_MODEL: MODEL, ...more },
  });
  const talking: Talking[] = [];
  onTestFinished(async () => {
    for (const { child } of talking) child.kill('SIGKILL'); // those that a failed test left in the middle
    await server.close();
    desk.clear();
  });
  return {
    ...desk,
    server,
    talk: (...words) => {
      const talk = desk.talk(...words);
      talking.push(talk);
      return talk;
    },
    file(name, text) {
      const path = join(desk.folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    heard: (n) => textsOf(server.requestAt(n)),
  };
}

function textsOf({ messages }: ServedRequest): readonly string[] {
  return messages.map(({ role, content }) => `${role}: ${content}`);
}

/** The least that a definition needs, and what a test adds to it. */
export function definition(more = ''): string {
  return `name: helper\ndescription: You help.\nprice: { input: 1, output: 2 }\n${more}`;
}

/** A reply that proposes one call. */
export function proposes(name: string, args: unknown, text = ''): { text: string; toolCalls: [ToolCall] } {
  return { text, toolCalls: [{ id: `call_${name}`, name, arguments: JSON.stringify(args) }] };
}

interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface Gate {
  readonly promise: Promise<void>;
  open(): void;
}

/** Holds a reply back until a test has looked. */
export function gate(): Gate {
  let open: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
