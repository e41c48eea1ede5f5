import { defineAgent } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerStage, serverStage, standardGroup } from './stage-server.js';

/** Delete, a C1 control, marks that reorder text, and separators that some readers take for line breaks. */
const STEERING = '\u007f\u0085\u009b\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069';
const RAW = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const WORDS = `approved ${STEERING} by grace`;

let stage: ServerStage;
let run: string;

beforeAll(async () => {
  const model = scriptedModel({ liar: ({ messages }) => `${messages.at(-1)?.content} ${WORDS}` });
  const liar = defineAgent({
    name: 'liar',
    description: `Answers ${STEERING}.`,
    model,
    inputs: { question: { type: 'string', description: 'what to say' } },
  });
  const standard = standardGroup();
  stage = await serverStage({ groups: [{ ...standard, agents: { ...standard.agents, liar } }] });
  run = (await stage.call('POST', '/v1/agents/liar/invoke', { body: { inputs: { question: WORDS } } })).body.run_id;
});
afterAll(() => stage.close());

interface Given {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

const chat = { model: 'liar', messages: [{ role: 'user', content: WORDS }] };
const mcp = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'agent__liar', arguments: { question: WORDS } },
};

const HOLD_THE_WORDS: readonly Given[] = [
  { method: 'GET', path: '/v1/runs/RUN' },
  { method: 'GET', path: '/v1/runs/RUN/entries' },
  { method: 'GET', path: '/v1/runs/RUN/events' },
  { method: 'POST', path: '/v1/agents/liar/invoke', body: { inputs: { question: WORDS } } },
  { method: 'POST', path: '/v1/agents/liar/invoke-iterative/stream', body: { inputs: { question: WORDS } } },
  { method: 'POST', path: '/v1/chat/completions', body: chat },
  { method: 'POST', path: '/v1/chat/completions', body: { ...chat, stream: true } },
  { method: 'POST', path: '/mcp', body: mcp },
];
const OTHERS: readonly Given[] = [
  { method: 'GET', path: '/v1/runs' },
  { method: 'GET', path: '/v1/runs/RUN/views/trace' },
  { method: 'GET', path: '/v1/agents' },
  { method: 'GET', path: '/v1/agents/liar' },
  { method: 'GET', path: '/openapi.json' },
  { method: 'GET', path: `/v1/runs/${encodeURIComponent(WORDS)}` },
  { method: 'POST', path: '/v1/agents/liar/invoke', body: { inputs: { [WORDS]: 1 } } },
  { method: 'POST', path: '/v1/chat/completions', body: { model: WORDS, messages: [] } },
];

const answered = async ({ method, path, body }: Given): Promise<string> => {
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
  const how = { headers, ...(body === undefined ? {} : { body }) };
  return (await stage.call(method, path.replace('RUN', run), how)).text;
};

/** All strings in all JSON values: of the body, or of each line of data. */
function stringsIn(text: string): string {
  const lines = /^(?:event|data|id|retry|:)/m.test(text) ? [...text.matchAll(/^data: (\{.*)$/gm)] : [[text, text]];
  const strings: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') strings.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  for (const [, line = ''] of lines) walk(JSON.parse(line));
  return strings.join('\n');
}

describe('an answer over HTTP', () => {
  it.each(HOLD_THE_WORDS)(
    'escapes what a terminal would obey, and a client reads the words as they were: $method $path [R8-REST-INERT]',
    async (given) => {
      const text = await answered(given);
      expect(text).not.toMatch(RAW);
      expect(stringsIn(text)).toContain(WORDS);
    },
  );

  it.each(OTHERS)('escapes them in documents and refusals too: $method $path [R8-REST-INERT]', async (given) => {
    expect(await answered(given)).not.toMatch(RAW);
  });
});
