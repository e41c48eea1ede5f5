import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, type Seams, systemClock } from 'flyball';
import { processSandbox } from 'flyball/adapters/sandbox-process';
import { defineAgent } from 'flyball/agents';
import { CONFIRMATION } from 'flyball/loops';
import { capture } from 'flyball/memory';
import { scriptedModel } from 'flyball/testing';
import { shellTool, unsandboxed } from 'flyball/toolbox';
import { governance, toolRegistry } from 'flyball/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { smallTools } from '../loops/small-tools.js';
import { call, proposes, proposesAll } from '../loops/stage-loop.js';
import { gained, runAgent } from './stage-agent.js';

const CLERK = { name: 'clerk', description: 'You look things up.' };

function shellView() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'flyball-agent-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'tea.txt'), 'green\nblack\nwhite\n');
  writeFileSync(join(folder, 'coffee.txt'), 'arabica\n');
  const shell = shellTool({ sandbox: unsandboxed(processSandbox(), 'a test with commands of its own'), cwd: folder });
  return toolRegistry([shell, ...smallTools().all]).toolset({ include: ['shell'] });
}

describe('invokeIterative', () => {
  it('does a task of several steps with the real registry and the shell tool [R3-CASE-30] [R3-AGENT-INVOKE]', async () => {
    const model = scriptedModel({
      clerk: [
        { text: 'I see what is there.', ...proposes('shell', { argv: ['ls'] }, 'a') },
        proposesAll(
          call('shell', { command: 'cat tea.txt | wc -l' }, 'b'),
          call('shell', { argv: ['cat', 'coffee.txt'] }, 'c'),
        ),
        proposes('shell', { argv: ['rm', 'tea.txt'] }, 'd'),
        '{"teas": 3}',
        '{"teas": 3, "coffees": ["arabica"]}',
      ],
    });
    const view = shellView();
    // without a sandbox the shell alone stands on all three legs, which is not what this is about
    const seams = governance({ clock: systemClock(), tools: view.tools, autonomy: 'autonomous', trifecta: 'off' });
    const agent = defineAgent({ ...CLERK, model, tools: view, outputs: { teas: {}, coffees: {} } });
    const { outcome } = await runAgent(agent.invokeIterative, 'How many teas are there?', { seams });
    expect(gained(outcome)).toMatchObject({
      output: { teas: 3, coffees: ['arabica'] },
      termination: 'completed',
      iterations: 5,
      toolCalls: 4,
      toolsUsed: ['shell'],
    });
    const texts = model.requests
      .at(-1)
      ?.messages.filter(({ role }) => role === 'tool')
      .map(({ content }) => content);
    expect(texts?.[0]).toMatch(/coffee\.txt\s+tea\.txt/);
    expect(texts?.[1]).toMatch(/\b3\b/);
    expect(texts?.[2]).toContain('arabica');
    expect(texts?.[3]).toMatch(/^Error INPUT_INVALID|^Denied/); // rm is none of the programs that may be run
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['shell']);
    model.assertFinished();
  });

  it('is a single shot for an agent without tools [R3-LOOP-SINGLE]', async () => {
    const model = scriptedModel({ clerk: ['Hello.'] });
    const { outcome } = await runAgent(defineAgent({ ...CLERK, model }).invokeIterative, 'Hi.');
    expect(gained(outcome)).toMatchObject({ output: { result: 'Hello.' }, iterations: 1 });
  });

  it('is what a runtime runs [R3-AGENT-INVOKE]', async () => {
    const agent = defineAgent({ ...CLERK, model: scriptedModel({ clerk: ['Hello.'] }) });
    expect(agent.agent).toBe(agent.invokeIterative);
    expect(agent).toMatchObject({ name: 'clerk', version: '1' });
  });
});

describe('invoke', () => {
  it('makes exactly one model call, with exactly two messages and no tools [R3-CASE-31] [R3-AGENT-INVOKE]', async () => {
    const model = scriptedModel({ clerk: ['It is late.'] });
    const agent = defineAgent({ ...CLERK, model, tools: smallTools().all, inputs: { at: { type: 'string' } } });
    const { outcome, stage } = await runAgent(agent.invoke, { at: '23:00' });
    expect(gained(outcome)).toEqual({
      output: { result: 'It is late.' },
      rawText: 'It is late.',
      tokens: expect.any(Number),
      model: 'scripted/model',
    });
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]).toMatchObject({
      tools: [],
      messages: [
        { role: 'system', content: agent.setup },
        { role: 'user', content: '{\n  "at": "23:00"\n}' },
      ],
    });
    expect(model.promptAt('clerk')).not.toContain(CONFIRMATION);
    expect(await stage.events('ask-start')).toHaveLength(1);
  });

  it('says when the model refuses, breaks off or is cut off [R3-AGENT-INVOKE]', async () => {
    const ended = async (finish: 'content_filter' | 'error' | 'length', text: string, outputs = {}) => {
      const model = scriptedModel({ clerk: [{ text, finish }] });
      return (await runAgent(defineAgent({ ...CLERK, model, outputs }).invoke, 'Hi.')).outcome;
    };
    expect(await ended('content_filter', '')).toMatchObject({ stop: 'blocked' });
    expect(await ended('error', 'I wa')).toMatchObject({ stop: 'failed', failure: { code: 'MODEL_UNAVAILABLE' } });
    expect(await ended('length', 'It is becau')).toMatchObject({
      stop: 'degraded',
      value: { output: { result: 'It is becau' } },
    });
    expect(await ended('length', '{"a": [1,', { a: { type: 'array' } })).toMatchObject({
      stop: 'failed',
      failure: { code: 'REPLY_INVALID' },
    });
  });

  it('fails where an answer is cut and has no output any more: done and degraded always have one [R9-TYPES-OUTPUT]', async () => {
    const model = scriptedModel({ clerk: [{ text: '{"a": [1,', finish: 'length' }] });
    const agent = defineAgent({ ...CLERK, model, tools: smallTools().all, outputs: { a: { type: 'array' } } });
    const { outcome } = await runAgent(agent.agent, 'Hi.');
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'REPLY_INVALID', message: expect.stringContaining('raise maxOutputTokens') },
      partial: { termination: 'invalid_output', rawText: '{"a": [1,' },
    });
  });

  it('asks again for an answer that is empty or only calls tools, and not for ever [R3-AGENT-INVOKE]', async () => {
    const model = scriptedModel({ clerk: ['', { ...proposes('next'), text: ' ' }, 'Hello.'] });
    const { outcome } = await runAgent(defineAgent({ ...CLERK, model }).invoke, 'Hi.');
    expect(gained(outcome)).toMatchObject({ rawText: 'Hello.' });
    expect(model.requests[2]?.messages.at(-1)?.content).toMatch(/There are no tools: answer in text\.$/);
  });

  it('carries its reply into memory by a capture [R3-OBS-CAPTURE]', async () => {
    const store = memoryStore();
    const model = scriptedModel({ clerk: ['Tea is green.'] });
    const agent = defineAgent({ ...CLERK, model, capture: capture({ store, session: 's', agent: 'clerk' }) });
    await runAgent(agent.invoke, 'Tell me.');
    const { records } = await store.query({ tenant: 'default', owner: 'anonymous', collection: 'memory.episodic' });
    expect(records.map(({ value }) => (value as { content: string }).content)).toEqual(['Tea is green.']);
  });
});

describe('inputs', () => {
  const inputs = {
    topic: { type: 'string' },
    depth: { type: 'integer', default: 2 },
    note: { type: 'string', required: false },
  } as const;

  const bad: readonly (readonly [unknown, RegExp])[] = [
    [{}, /clerk cannot start: .*topic/],
    [null, /clerk cannot start: an object with "topic", "depth", "note" is required, got nothing/],
    ['tea', /clerk cannot start: an object with .* got "tea"/],
    [['tea'], /clerk cannot start: an object/],
    [{ topic: 7 }, /clerk cannot start: topic: .*string/],
    [{ topic: 'tea', depth: 1.5 }, /clerk cannot start: depth/],
    [{ topic: 'tea', color: 'green' }, /clerk cannot start: color/],
  ];
  it.each(bad)(
    'that are missing or wrong are refused before anything is spent: %j [R3-AGENT-INVOKE]',
    async (input, why) => {
      for (const how of ['invoke', 'invokeIterative'] as const) {
        const model = scriptedModel({ clerk: [] });
        const { outcome, stage } = await runAgent<unknown>(defineAgent({ ...CLERK, model, inputs })[how], input);
        expect(outcome).toMatchObject({
          stop: 'failed',
          failure: { code: 'INPUT_INVALID', message: expect.stringMatching(why) },
        });
        expect(await stage.events('ask-start')).toEqual([]);
        expect(outcome).toMatchObject({ usage: { modelCalls: 0, tokensIn: 0 } });
      }
    },
  );

  it('get their defaults, and optional ones may be left out [R3-AGENT-INVOKE]', async () => {
    const model = scriptedModel({ clerk: ['Done.'] });
    await runAgent(defineAgent({ ...CLERK, model, inputs }).invokeIterative, { topic: 'tea' });
    expect(JSON.parse(model.requests[0]?.messages[1]?.content ?? '')).toEqual({ depth: 2, topic: 'tea' });
  });

  it('that nobody named are passed on as they are: text as text, data as JSON [R3-AGENT-INVOKE]', async () => {
    const seen = async (input: unknown) => {
      const model = scriptedModel({ clerk: ['Done.'] });
      await runAgent(defineAgent({ ...CLERK, model }).invoke, input);
      return model.requests[0]?.messages[1]?.content;
    };
    expect(await seen('Plain text.')).toBe('Plain text.');
    expect(await seen({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}');
  });
});

describe('a defined agent', () => {
  it('is governed like any other: its calls pass the seams of the runtime', async () => {
    const tools = smallTools();
    const seams: Seams = { 'tool.pre': [() => async () => ({ allow: false, why: 'Not today.' })] };
    const model = scriptedModel({ clerk: [proposes('next'), 'No.', 'No.'] });
    const { outcome } = await runAgent(defineAgent({ ...CLERK, model, tools: tools.all }).agent, 'Go.', { seams });
    expect(gained(outcome)).toMatchObject({ toolsUsed: [], termination: 'completed' });
    expect(tools.done).toEqual([]);
  });

  it('samples as it is told, in the loop and in one shot', async () => {
    const sampling = { temperature: 0, seed: 7, maxOutputTokens: 99 };
    const model = scriptedModel({ clerk: ['a', 'b'] });
    const agent = defineAgent({ ...CLERK, model, sampling });
    await runAgent(agent.invoke, 'x');
    await runAgent(agent.invokeIterative, 'x');
    expect(model.requests.map((request) => request.sampling)).toEqual([sampling, sampling]);
  });
});

describe('run.spawn', () => {
  it('takes what defineAgent returned, and its name and autonomy level hold in the child [F-W9]', async () => {
    const { all } = smallTools();
    const model = scriptedModel({ clerk: ['{"answer": "green"}', '{"answer": "green"}'] });
    const agent = defineAgent({ ...CLERK, model, tools: all, outputs: { answer: { type: 'string' } } });
    const { outcome, stage } = await runAgent(async (run) => run.spawn(agent, 'Which tea?', { share: 0.5 }));
    expect(gained(outcome)).toMatchObject({ output: { answer: 'green' } });
    expect(await stage.events('spawn-start')).toMatchObject([{ name: 'clerk', path: '/clerk.0' }]);
  });

  it('says what it needs where it is handed something else [F-W9]', async () => {
    const { outcome } = await runAgent(async (run) => run.spawn({ name: 'clerk' } as never, null, { share: 0.5 }));
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: {
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('spawn needs an agent: a function') as string,
      },
    });
  });
});
