import { EventEmitter } from 'node:events';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

/** Replaces fetch by a model that asks for `add_one` so many times and then says "done", streamed or not. */

/** @param {number} calls */
export function stubFetch(calls) {
  /** @type {(input: unknown, init?: { body?: unknown }) => Promise<Response>} */
  const answer = async (input, init = {}) => {
    const { type, text } = completion(await textOf(input, init), calls);
    return new Response(text, { headers: { 'content-type': type } });
  };
  globalThis.fetch = /** @type {typeof fetch} */ (answer);
}

/** The same for clients of node:http. To be called before they are loaded. @param {number} calls */
export function stubHttp(calls) {
  /** @type {(options: unknown, onResponse: (response: EventEmitter) => void) => EventEmitter} */
  const request = (_options, onResponse) => {
    const sent = Object.assign(new EventEmitter(), {
      destroy: () => undefined,
      end: (/** @type {string} */ body) => {
        const { type, text } = completion(body, calls);
        process.nextTick(() => {
          const response = Object.assign(new EventEmitter(), { statusCode: 200, headers: { 'content-type': type } });
          onResponse(response);
          response.emit('data', Buffer.from(text));
          process.nextTick(() => response.emit('end'));
        });
      },
    });
    return sent;
  };
  http.request = /** @type {typeof http.request} */ (/** @type {unknown} */ (request));
  syncBuiltinESMExports();
}

/** The answer to a request for a chat completion. @param {string} body @param {number} calls */
export function completion(body, calls) {
  const made = (body.match(/"role":\s?"tool"/g) ?? []).length;
  return /"stream":\s?true/.test(body)
    ? { type: 'text/event-stream', text: streamed(made, calls) }
    : { type: 'application/json', text: whole(made, calls) };
}

/** @param {unknown} input @param {{ body?: unknown }} init */
async function textOf(input, init) {
  if (typeof init.body === 'string') return init.body;
  return input instanceof Request ? input.text() : new Response(/** @type {string} */ (init.body)).text();
}

/** @param {number} made */
function toolCall(made) {
  return {
    id: `call_${made}`,
    type: 'function',
    function: { name: 'add_one', arguments: JSON.stringify({ x: made }) },
  };
}

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
/** Ids differ from reply to reply: LangGraph takes a message with a known id for a correction of that message. */
let replies = 0;
const head = () => ({ id: `reply_${replies++}`, created: 1, model: 'fake' });

/** @param {number} made @param {number} calls */
function whole(made, calls) {
  const message =
    made >= calls
      ? { role: 'assistant', content: 'done' }
      : { role: 'assistant', content: null, tool_calls: [toolCall(made)] };
  const choice = { index: 0, message, finish_reason: made >= calls ? 'stop' : 'tool_calls', logprobs: null };
  return JSON.stringify({ ...head(), object: 'chat.completion', choices: [choice], usage });
}

/** @param {number} made @param {number} calls */
function streamed(made, calls) {
  /** @param {unknown[]} choices @param {unknown} [used] */
  const chunk = (choices, used) =>
    `data: ${JSON.stringify({ ...same, object: 'chat.completion.chunk', choices, ...(used === undefined ? {} : { usage: used }) })}\n\n`;
  const same = head();
  const isDone = made >= calls;
  const delta = isDone
    ? { role: 'assistant', content: 'done' }
    : { role: 'assistant', tool_calls: [{ index: 0, ...toolCall(made) }] };
  return [
    chunk([{ index: 0, delta, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: isDone ? 'stop' : 'tool_calls' }]),
    chunk([], usage),
    'data: [DONE]\n\n',
  ].join('');
}
