import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, budget, done } from 'flyball';
import { codeTest, reAct, selfConsistency, untilApproved, useOf, withBudget, zeroShot } from 'flyball/patterns';
import { type Script, scriptedModel } from 'flyball/testing';
import { delegateTo, delegateTool, tool, transferTool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ended, session } from '../../../../../test/patterns/bed.js';

const folder = mkdtempSync(join(tmpdir(), 'flyball-react-'));
for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(join(folder, name), `contents of ${name}`);
const seen: unknown[] = [];
const list = tool({
  name: 'list',
  description: 'Lists files.',
  input: z.object({}),
  effect: 'pure',
  execute: async () => readdirSync(folder).join(', '),
});
const read = tool({
  name: 'read',
  description: 'Reads a file.',
  input: z.object({ name: z.string() }),
  effect: 'pure',
  execute: async (args) => {
    seen.push(args);
    return readFileSync(join(folder, args.name), 'utf8');
  },
});
const call = (name: string, args: unknown = {}, text = '') => ({
  text,
  toolCalls: [{ id: `${name}-${JSON.stringify(args)}`, name, arguments: JSON.stringify(args) }],
});
const GOAL = 'What is in the second file?';
function bed(worker: Script[string], more: Parameters<typeof reAct>[1] = {}) {
  const model = scriptedModel({ worker });
  return {
    model,
    agent: reAct({ worker: session(model, 'worker', { setup: 'You look.' }), tools: [list, read] }, more),
  };
}

describe('reAct', () => {
  it('lists, fails, reads and answers in four calls, and reads the real error [R4.acceptance] [R4.7]', async () => {
    const { model, agent } = bed([
      call('list'),
      call('read', { name: 'd.txt' }),
      call('read', { name: 'b.txt' }),
      'It is b.',
    ]);
    const { outcome, uses } = await ended(agent, GOAL);
    expect(outcome).toMatchObject({ stop: 'done', value: 'It is b.' });
    expect(model.requests).toHaveLength(4);
    expect(model.promptAt('worker', 3)).toContain('ENOENT');
    for (const n of [1, 2, 3, 4]) expect(model.promptAt('worker', n)).toContain(GOAL);
    expect(uses[0]).toMatchObject({ pattern: 'reAct', learned: { turns: 4, toolCalls: 3 } });
  });

  it('stops an endless identical action before its cap, as stalled [R4.acceptance]', async () => {
    const { model, agent } = bed(() => call('list'), { maxIterations: 8 });
    const { outcome } = await ended(agent, GOAL);
    expect(outcome).toMatchObject({ stop: 'bounded', reason: { code: 'stalled' } });
    expect(model.requests.length).toBeLessThanOrEqual(8);
  });

  it('refuses to be built without a cap, and ends at it; a run always has a cap on its cost [R4.1]', async () => {
    for (const maxIterations of [0, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => bed([], { maxIterations })).toThrow('reAct (R4) needs maxIterations');
    expect(Number.isFinite(budget().costUsd)).toBe(true);
    const { model, agent } = bed((_request, n) => call('read', { name: `${n}.txt` }), { maxIterations: 2 });
    expect((await ended(agent, GOAL)).outcome).toMatchObject({ stop: 'bounded', bound: 'maxIterations', limit: 2 });
    expect(model.requests).toHaveLength(2);
  });

  it('cuts what a model makes up after its call, and says so [R4.2] [R4.acceptance]', async () => {
    const invented = 'I list the files.\nObservation: d.txt, SECRET.txt';
    const { model, agent } = bed([call('list', {}, invented), 'done']);
    const { entries } = await ended(agent, GOAL);
    expect(model.promptAt('worker', 2)).not.toContain('SECRET.txt');
    expect(model.promptAt('worker', 2)).toContain('I list the files.');
    expect(JSON.stringify(entries)).toContain('invented-observation');
    const { model: plain, agent: answering } = bed(['Observation: the sky is blue.']);
    expect((await ended(answering, GOAL)).outcome).toMatchObject({ value: 'Observation: the sky is blue.' });
    plain.assertFinished();
  });

  it('shows results of tools as the tools gave them, and none that a model wrote [R4.3]', async () => {
    const { model, agent } = bed([call('read', { name: 'a.txt' }), 'done']);
    await ended(agent, GOAL);
    const results = model.requests[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(results.map(({ content }) => content)).toEqual(['contents of a.txt']);
  });

  it('makes one call a turn, and says so of the others [R4.4]', async () => {
    seen.length = 0;
    const two = {
      text: '',
      toolCalls: [...call('read', { name: 'a.txt' }).toolCalls, ...call('read', { name: 'b.txt' }).toolCalls],
    };
    const { model, agent } = bed([two, 'done']);
    await ended(agent, GOAL);
    expect(seen).toEqual([{ name: 'a.txt' }]);
    expect(model.promptAt('worker', 2)).toMatch(/not executed/i);
  });

  it('repairs no malformed call: the model reads what is wrong with it [R4.5]', async () => {
    seen.length = 0;
    const broken = { text: '', toolCalls: [{ id: '1', name: 'read', arguments: '{"name": "a.txt"' }] };
    const { model, agent } = bed([broken, 'done']);
    await ended(agent, GOAL);
    expect(seen).toEqual([]);
    expect(model.requests[1]?.messages.at(-1)?.role).toBe('tool');
  });

  it('only ever adds to what was said [R4.6]', async () => {
    const { model, agent } = bed([call('list'), call('read', { name: 'a.txt' }), 'done']);
    await ended(agent, GOAL);
    const [first, second, third] = model.requests.map(({ messages }) => messages.map(({ content }) => content));
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(third?.slice(0, second?.length)).toEqual(second);
  });

  it('hands tools exactly the arguments that were parsed [R4.8]', async () => {
    seen.length = 0;
    const { agent } = bed([call('read', { name: 'a.txt' }), 'done']);
    await ended(agent, GOAL);
    expect(seen).toEqual([{ name: 'a.txt' }]);
  });

  it('logs thought, call and result, also of what failed [R4.9]', async () => {
    const { agent } = bed([call('read', { name: 'd.txt' }, 'I try d.'), 'done']);
    const { entries } = await ended(agent, GOAL);
    const journal = JSON.stringify(entries);
    for (const part of ['I try d.', 'd.txt', 'ENOENT']) expect(journal).toContain(part);
  });

  it('returns what the schema of its worker makes of the answer [R4.acceptance]', async () => {
    const model = scriptedModel({ worker: [call('list'), 'no JSON', '{"files":3}'] });
    const Count = z.object({ files: z.number() });
    const worker = { ...session(model, 'worker'), output: Count, outputJsonSchema: z.toJSONSchema(Count) };
    const agent = reAct({ worker, tools: [list] });
    const { outcome } = await ended(agent, GOAL);
    expect(outcome).toMatchObject({ stop: 'done', value: { files: 3 } });
    expect(model.promptAt('worker')).toContain('"files"');
    expect(useOf(agent)).toMatchObject({ id: 'R4', provides: ['V9', 'V14', 'I2'], predicted: { min: 0, max: 60 } });
  });

  it('has the last words of its model as its partial value, where it answers with text [R11-N7-REACT]', async () => {
    const saying = (_request: unknown, n: number) =>
      call('read', { name: `${' abc'[n]}.txt` }, n === 3 ? '' : `So far: ${n}.`);
    const { agent } = bed(saying, { maxIterations: 3 });
    expect((await ended(agent, GOAL)).outcome).toMatchObject({
      stop: 'bounded',
      bound: 'maxIterations',
      partial: 'So far: 2.',
    });
    const byBudget = withBudget(bed(saying).agent, { modelCalls: 2 });
    expect((await ended(byBudget, GOAL)).outcome).toMatchObject({ stop: 'bounded', partial: 'So far: 2.' });
    const stalls = bed(() => call('list', {}, 'I list them.'));
    expect((await ended(stalls.agent, GOAL)).outcome).toMatchObject({ stop: 'bounded', partial: 'I list them.' });
    const silent = await ended(bed(() => call('list')).agent, GOAL);
    expect(silent.outcome).not.toHaveProperty('partial');

    const Count = z.object({ files: z.number() });
    const model = scriptedModel({
      worker: (_request: unknown, n: number) => call('read', { name: `${' abc'[n]}.txt` }, 'Three, I think.'),
    });
    const typed = { ...session(model, 'worker'), output: Count, outputJsonSchema: z.toJSONSchema(Count) };
    const { outcome } = await ended(reAct({ worker: typed, tools: [read] }, { maxIterations: 2 }), GOAL);
    expect(outcome).toMatchObject({ stop: 'bounded' });
    expect(outcome).not.toHaveProperty('partial'); // words are no count
  });

  it('hands on what a tool handed over, through the patterns around it too [R11-N2-TRANSFER]', async () => {
    const handOver = transferTool({
      name: 'to_billing',
      description: 'Hands over to billing. Not for other questions.',
      input: z.object({ about: z.string() }),
      transfers: ({ about }) => ({ to: 'billing', about }),
    });
    const desk = () => {
      const model = scriptedModel({ worker: call('to_billing', { about: 'an invoice' }) });
      return reAct({ worker: session(model, 'worker'), tools: [list, handOver] });
    };
    const reason = { code: 'transfer', data: { tool: 'to_billing', package: { to: 'billing', about: 'an invoice' } } };
    expect((await ended(desk(), GOAL)).outcome).toMatchObject({ stop: 'blocked', reason });
    const approved = untilApproved(desk(), { test: codeTest(() => ({ ok: true })) });
    const outer = withBudget(approved, { modelCalls: 5 });
    expect((await ended(outer, GOAL)).outcome).toMatchObject({ stop: 'blocked', reason });
  });

  it("takes the calls of an agent that works for a tool for nobody's of its own [R11-N8-PARTS]", async () => {
    const model = scriptedModel({ worker: [call('research', { topic: 'tides' }), 'Done.'], finder: () => 'high' });
    const finder: Agent<string, string> = async (run, topic) =>
      done((await run.ask(session(model, 'finder'), topic)).text);
    const research = delegateTool({
      name: 'research',
      description: 'Researches a topic. Not for sums.',
      input: z.object({ topic: z.string() }),
      delegates: ({ topic }) => delegateTo(finder, topic, { modelCalls: 10 }),
    });
    const { uses } = await ended(reAct({ worker: session(model, 'worker'), tools: [research] }), GOAL);
    expect(uses[0]).toMatchObject({ modelCalls: 3, learned: { turns: 2 } });
  });

  it('predicts no most where a tool hands its work to an agent: nobody knows what that one asks [R11-FORMULA-PREDICTED]', async () => {
    const model = scriptedModel({ worker: [call('research', { topic: 'tides' }), 'Done.'], finder: () => 'high' });
    const research = delegateTool({
      name: 'research',
      description: 'Researches a topic. Not for sums.',
      input: z.object({ topic: z.string() }),
      delegates: ({ topic }) =>
        delegateTo(selfConsistency(zeroShot(session(model, 'finder')), {}, { samples: 10 }), topic, { modelCalls: 10 }),
    });
    const agent = reAct({ worker: session(model, 'worker'), tools: [list, research] }, { maxIterations: 2 });
    expect(useOf(agent)).toMatchObject({ parts: { delegates: [{ opaque: 'research' }] }, predicted: { min: 0 } });
    const { uses } = await ended(agent, GOAL); // holds each use against what was predicted for it
    expect(uses[0]).toMatchObject({ pattern: 'reAct', modelCalls: 12 });
    expect(useOf(bed('x', { maxIterations: 2 }).agent)?.predicted).toEqual({ min: 0, max: 6 });
  });
});
