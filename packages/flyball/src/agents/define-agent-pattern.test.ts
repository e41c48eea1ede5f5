import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, budget, createRuntime, memoryEngine } from 'flyball';
import { defineAgent } from 'flyball/agents';
import { reflexion, useOf } from 'flyball/patterns';
import { type Script, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { traceOf } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { root } from '../../../../scripts/files.mjs';

const FILE = 'packages/flyball/src/core/mark.ts';
const readFile = tool({
  name: 'read_file',
  description: 'Reads a file.',
  input: z.object({ path: z.string() }),
  effect: 'pure',
  execute: async ({ path }) => readFileSync(join(root, path), 'utf8'),
});
const reads = (path: string) => ({
  text: '',
  toolCalls: [{ id: `read-${path}`, name: 'read_file', arguments: JSON.stringify({ path }) }],
});
function bed(replies: Script[string], maxIterations = 20) {
  const model = scriptedModel({ reader: replies });
  const loop = { doubleConfirmation: false, maxIterations, repeatLimit: 'off' } as const;
  return { model, reader: defineAgent({ name: 'reader', description: 'Reads.', model, tools: [readFile], loop }) };
}
async function ran(
  reader: { readonly agent: Agent<never, unknown> },
  input: unknown,
  limits: Parameters<typeof budget>[0] = {},
) {
  const runtime = createRuntime({ engine: memoryEngine(), agents: { agent: reader.agent as Agent<unknown, unknown> } });
  const handle = await runtime.start('agent', input, { budget: budget(limits) });
  const outcome = await handle.outcome();
  const entries = await runtime.entries(handle.id);
  await runtime.close();
  return { outcome, entries };
}
const CORE = 'packages/flyball/src/core';
const FILES = readdirSync(join(root, CORE)).filter((name) => name.endsWith('.ts'));
const ENDLESS = (_request: unknown, n: number) => reads(`${CORE}/${FILES[n]}`);

describe('defineAgent as a pattern', () => {
  it('reads a real file and answers in two calls; the second adds the call and the bytes [O1.acceptance] [O1.1]', async () => {
    const { model, reader } = bed([reads(FILE), 'It marks a scope.']);
    const { outcome } = await ran(reader, 'What is a mark?');
    expect(outcome).toMatchObject({ stop: 'done' });
    const [first, second] = model.requests.map(({ messages }) => messages);
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(second?.at(-1)?.content).toBe(readFileSync(join(root, FILE), 'utf8'));
    expect(new Set(model.requests.map(({ session, messages }) => `${session} ${messages[0]?.content}`)).size).toBe(1);
  });

  it('makes exactly twenty calls of a script that never ends, and is bounded [O1.acceptance]', async () => {
    const { model, reader } = bed(ENDLESS);
    const { outcome } = await ran(reader, 'Read on.');
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'iterations', limit: 20 });
    expect(model.requests).toHaveLength(20);
  });

  it('has no second session [O1.2]', async () => {
    const { model, reader } = bed([reads(FILE), reads('package.json'), 'done']);
    const { entries } = await ran(reader, 'x');
    const asked = entries.flatMap(({ event }) => (event.type === 'ask-start' ? [event.session] : []));
    expect([...new Set(asked)]).toEqual(['reader']);
    expect(model.requests).toHaveLength(3);
  });

  it('refuses the sixteenth tool unless it is asked for [O1.3]', () => {
    const model = scriptedModel({});
    const tools = Array.from({ length: 16 }, (_none, n) => ({ ...readFile, name: `read_${n}` }));
    const made = (more: object) => () => defineAgent({ name: 'reader', description: 'Reads.', model, tools, ...more });
    expect(made({})).toThrow('has 16 tools, and may have 15');
    expect(made({ maxTools: 16 })).not.toThrow();
    expect(made({ tools: tools.slice(1) })).not.toThrow();
  });

  it.each([
    ['modelCalls', { modelCalls: 3 }],
    ['toolCalls', { toolCalls: 2 }],
    ['iterations', { iterations: 2 }],
    ['tokensIn', { tokensIn: 400 }],
  ] as const)('is ended by its bound on %s alone [O1.4]', async (bound, limits) => {
    const { outcome } = await ran(bed(ENDLESS, 50).reader, 'Read on.', limits);
    expect(outcome).toMatchObject({ stop: 'bounded', bound });
  });

  it('takes its input once: what the caller changes later is not read [O1.5]', async () => {
    const { model, reader } = bed([reads(FILE), 'done']);
    const input = { question: 'What is a mark?' };
    const running = ran(reader, input);
    input.question = 'CHANGED';
    await running;
    for (const { messages } of model.requests) expect(JSON.stringify(messages)).not.toContain('CHANGED');
  });

  it('starts every run afresh [O1.6]', async () => {
    const { model, reader } = bed([reads(FILE), 'done', reads(FILE), 'done']);
    await ran(reader, 'What is a mark?');
    await ran(reader, 'What is a mark?');
    expect(model.requests[2]?.messages).toEqual(model.requests[0]?.messages);
  });

  it('has every step in the trace [O1.7]', async () => {
    const { entries } = await ran(bed([reads(FILE), 'done']).reader, 'x');
    const names = JSON.stringify(traceOf('run', entries));
    for (const part of ['reader', 'read_file']) expect(names).toContain(part);
  });

  it('says what it is, so that compositions with it can be read [O1.acceptance]', () => {
    const { model, reader } = bed([]);
    expect(useOf(reader.agent)).toMatchObject({
      id: 'O1',
      params: { agent: 'reader', maxIterations: 20, tools: ['read_file'] },
      parts: { worker: { session: 'reader', tools: 1 } },
      predicted: { min: 0, max: 60 },
    });
    expect(useOf(reader.invoke)?.predicted).toEqual({ min: 1, max: 3 });
    const critic = { name: 'critic', model, setup: '' };
    const careful = reflexion(reader.agent, { test: () => ({ ok: true }), critic });
    expect(useOf(careful)?.parts['agent']).toMatchObject({ id: 'O1' });
  });
});
