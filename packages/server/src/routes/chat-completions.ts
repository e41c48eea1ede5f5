import {
  type ChatRequest,
  chatChunkSchema,
  chatCompletionSchema,
  chatRequestSchema,
  modelSchema,
} from '../contract/chat-completions.js';
import { OPEN_AI_ERRORS } from '../contract/error-shape.js';
import { type Answer, type Example, type Route, route, type ServerRequest } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { StreamSlots } from '../feed/stream-slots.js';
import type { Parts } from '../parts.js';
import { notFound, Problem } from '../problem.js';
import { chatText, usageOf } from './chat-answer.js';
import { answersTranscripts, startCompletion } from './chat-request.js';
import { chatChunks } from './chat-stream.js';
import { streamedStart } from './streamed.js';
import { untilRest } from './until-rest.js';

const tag = 'openai';

/** The agents for clients that speak OpenAI's API: an agent is a model there. */
export function chatCompletionRoutes(parts: Parts, slots: StreamSlots): readonly Route[] {
  return [completing(parts, slots), ...modelRoutes(parts)];
}

type Request = ServerRequest<unknown, unknown, ChatRequest>;

function completing(parts: Parts, slots: StreamSlots): Route {
  return route({
    id: 'createChatCompletion',
    method: 'post',
    path: '/v1/chat/completions',
    tag,
    summary: 'Create a chat completion with an agent (OpenAI format)',
    about:
      '`model` names an agent. Each request is one run: the client keeps the transcript, and the agent answers its last ' +
      'message with its own instructions, tools and limits. With `stream`, the answer is sent in chunks. A run that ends ' +
      'without an answer, or waits for somebody, is an error with status 422. A waiting run continues later.',
    scope: 'agents:invoke',
    body: chatRequestSchema,
    answers: { 200: { about: 'The answer', schema: chatCompletionSchema, events: { message: chatChunkSchema } } },
    examples: examplesOf(parts),
    refuses: [404],
    errors: OPEN_AI_ERRORS,
    streams: ({ stream }) => stream === true,
    handle: (request) => (request.body.stream === true ? stream(parts, slots, request) : complete(parts, request)),
  });
}

async function complete(parts: Parts, request: Request): Promise<Answer> {
  const { principal, signal } = request;
  const { agent, handle } = await startCompletion(parts, request);
  const outcome = await untilRest(handle, { clock: parts.clock, ms: parts.settings.requestTimeoutMs, signal });
  const content = await chatText(parts, { runId: handle.id, principal }, outcome);
  const message = { role: 'assistant', content, refusal: null };
  return {
    status: 200,
    body: {
      ...frameOf(parts, 'chat.completion', { runId: handle.id, model: agent.name }),
      choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
      usage: await usageOf(parts, handle.id),
    },
    headers: { location: placeOf(handle.id) },
  };
}

async function stream(parts: Parts, slots: StreamSlots, request: Request): Promise<Answer> {
  const { principal, body, headers } = request;
  requireNoKey(headers);
  const { include_usage } = (body.stream_options ?? {}) as { readonly include_usage?: boolean };
  return streamedStart(parts, slots, request, async (expecting) => {
    const { agent, handle } = await startCompletion(parts, expecting);
    const frame = frameOf(parts, 'chat.completion.chunk', { runId: handle.id, model: agent.name });
    const completion = { agent, handle, principal, frame, includeUsage: include_usage === true };
    return { source: (signal) => chatChunks(parts, completion, signal), headers: { location: placeOf(handle.id) } };
  });
}

function placeOf(runId: string): string {
  return `/v1/runs/${encodeURIComponent(runId)}`;
}

function frameOf(
  { clock }: Parts,
  object: string,
  { runId, model }: { readonly runId: string; readonly model: string },
) {
  return { id: `chatcmpl-${runId}`, object, created: Math.floor(clock.now() / 1000), model };
}

function modelRoutes({ directory }: Parts): readonly Route[] {
  const models = () =>
    directory
      .list()
      .filter(answersTranscripts)
      .map(({ name }) => ({ id: name, object: 'model', created: 0, owned_by: 'flyball' }));
  return [
    route({
      id: 'listModels',
      method: 'get',
      path: '/v1/models',
      tag,
      summary: 'List the agents (OpenAI format)',
      scope: 'agents:read',
      answers: {
        200: { about: 'The agents', schema: s.object({ object: s.enumOf(['list']), data: s.list(modelSchema) }) },
      },
      examples: [{ title: 'All of them', status: 200 }],
      errors: OPEN_AI_ERRORS,
      handle: () => ({ status: 200, body: { object: 'list', data: models() } }),
    }),
    route({
      id: 'getModel',
      method: 'get',
      path: '/v1/models/{model}',
      tag,
      summary: 'Describe an agent (OpenAI format)',
      scope: 'agents:read',
      params: s.object({ model: s.string({ maxLength: 200 }) }),
      answers: { 200: { about: 'The agent', schema: modelSchema } },
      examples: [{ title: 'An unknown agent', params: { model: 'nobody' }, status: 404 }],
      errors: OPEN_AI_ERRORS,
      handle: ({ params }) => {
        const found = models().find(({ id }) => id === params.model);
        if (found === undefined) throw notFound('agent', params.model);
        return { status: 200, body: found };
      },
    }),
  ];
}

function examplesOf({ directory }: Parts): readonly Example[] {
  const messages = [{ role: 'user', content: 'Good morning' }];
  const known = directory.list().find(({ defined }) => defined !== undefined);
  return [
    ...(known === undefined ? [] : [{ title: 'A first message', body: { model: known.name, messages }, status: 200 }]),
    { title: 'An unknown agent', body: { model: 'nobody', messages }, status: 404 },
    { title: 'Tools of the client', body: { model: 'nobody', messages, tools: [] }, status: 400 },
  ];
}

/** A repeated stream would start the agent again, against what the header promises. */
function requireNoKey(headers: Headers): void {
  if (!headers.has('idempotency-key')) return;
  throw new Problem(400, 'INPUT_INVALID', 'A streamed invocation does not support Idempotency-Key.', {
    next: 'Omit the header, or invoke the agent without streaming.',
  });
}
