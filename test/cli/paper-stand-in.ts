import { type ModelServer, modelServer, type ServedRequest } from 'flyball/testing';
import { onTestFinished } from 'vitest';
import { scenarioText } from '../../packages/evals/src/simulation/user-prompt.js';
import { dumpJson } from '../../packages/evals/src/tau2/python/json.js';
import type { Domain } from '../../packages/evals/src/world/environment.js';
import type { GoldAction, Task } from '../../packages/evals/src/world/task.js';
import type { ServerReplyParts } from '../../packages/flyball/src/testing/model-server/server-script.js';

/** What every reply is said to have used: most of the prompt from the cache. */
export const USAGE = { input: 2_000, output: 50, cacheRead: 1_280 };
export const USER = 'gpt-4.1';

/** How a model fails a task: it does nothing, or it skips the verification. */
export type Flaw = 'gives-up' | 'unverified';

/**
 * Stands in for every model of the paper's experiment, over the wire formats of their vendors. The user tells which task
 * it is; the agent makes the gold calls of it one by one, unless it has a flaw there. It keeps nothing in memory.
 */
export async function paperServer(
  { tasks }: Pick<Domain, 'tasks'>,
  flawOf: (model: string, task: string) => Flaw | undefined,
): Promise<ModelServer & { readonly env: Readonly<Record<string, string>> }> {
  const server = await modelServer({
    replies: (request): ServerReplyParts => ({
      ...(request.model === USER ? userReply(request, tasks) : agentReply(request, tasks, flawOf)),
      usage: USAGE,
    }),
  });
  onTestFinished(() => server.close());
  const chat = server.baseUrl('openai-chat');
  return Object.assign(Object.create(server) as ModelServer, {
    env: {
      OPENAI_BASE_URL: chat,
      DEEPSEEK_BASE_URL: chat,
      DASHSCOPE_BASE_URL: chat,
      ANTHROPIC_API_KEY: 'key-of-this-test',
      FLYBALL_ANTHROPIC_BASE_URL: server.baseUrl('anthropic'),
      GEMINI_API_KEY: 'key-of-this-test',
      FLYBALL_GOOGLE_BASE_URL: server.baseUrl('gemini'),
    },
  });
}

function userReply({ messages }: ServedRequest, tasks: readonly Task[]): ServerReplyParts {
  const heard = messages.at(-1)?.content ?? '';
  if (heard.includes('That is all.')) return { text: '###STOP###' };
  const setup = messages[0]?.content ?? '';
  const task = tasks.find((one) => setup.includes(scenarioText(one)));
  return { text: messages.length <= 2 ? `This is about ${task?.id}.` : 'Please go on.' };
}

function agentReply(
  request: ServedRequest,
  tasks: readonly Task[],
  flawOf: (model: string, task: string) => Flaw | undefined,
): ServerReplyParts {
  const { messages, tools, model } = request;
  const text = messages.map(({ content }) => content).join('\n');
  if (text.includes('<phase name="PLANNING">')) return { text: 'TASKS:\n1. Do it.\nEND_TASKS' };
  const id = /This is about (\w+)\./.exec(text)?.[1] ?? '';
  const flaw = flawOf(model, id);
  const gold = tasks.find((task) => task.id === id)?.criteria?.actions ?? [];
  const path = flaw === 'unverified' ? gold.filter(({ name }) => name !== 'log_verification') : gold;
  const made = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : [])).length;
  const next = path[made];
  if (next === undefined || flaw === 'gives-up') return { text: 'That is all.' };
  return tools.some(({ name }) => name === next.name) ? callOf(next, made) : { text: 'One moment.' };
}

function callOf({ name, arguments: args }: GoldAction, made: number): ServerReplyParts {
  return { text: '', toolCalls: [{ id: `call_${made}`, name, arguments: dumpJson(args) }] };
}
