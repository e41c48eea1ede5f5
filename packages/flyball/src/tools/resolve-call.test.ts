import { budget, done, memoryEngine, type Outcome, type Run, type ToolResult } from 'flyball';
import { autoClock, testHost } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openRuntime } from '../runtime/open-runtime.js';
import { executeValidated, tool, toolRegistry } from './index.js';
import { resolveCall } from './resolve-call.js';

const executed: unknown[] = [];
const readFile = tool({
  name: 'read_file',
  description: 'Reads a file. Not for folders.',
  input: z.object({ path: z.string(), lines: z.number().optional() }),
  effect: 'pure',
  execute: async (args) => {
    executed.push(args);
    return `content of ${args.path}`;
  },
});
const listFolder = tool({ name: 'list_folder', description: 'Lists.', effect: 'pure', execute: async () => [] });
const secret = tool({ ...listFolder, name: 'drop_tables' });
const registry = toolRegistry([readFile, listFolder, secret]);
const view = registry.toolset({ exclude: ['drop_tables'] });
const call = (name: string, args: string) => resolveCall(view, { id: 'c1', name, arguments: args });

describe('a proposed call', () => {
  it('is resolved to its tool and its arguments', () => {
    expect(call('read_file', '{"path":"a.txt"}')).toEqual({ ok: true, tool: readFile, args: { path: 'a.txt' } });
  });

  it('of a tool that does not exist is answered with the nearest names [R3-TOOL-REGISTRY]', () => {
    const resolved = call('raed_file', '{}');
    expect(resolved).toEqual({
      ok: false,
      observation: {
        ok: false,
        content: 'Not executed: there is no tool "raed_file". Did you mean read_file?',
        failure: {
          code: 'TOOL_UNKNOWN',
          message: 'there is no tool "raed_file". Did you mean read_file?',
          retryable: false,
          detail: { tool: 'raed_file', near: ['read_file'] },
        },
      },
    });
  });

  it.each(['functions.read_file', 'readFile', 'Read-File', 'read_fil'])(
    'of "%s" is asked whether it means read_file',
    (name) => {
      expect(call(name, '{}')).toMatchObject({ observation: { content: expect.stringContaining('mean read_file?') } });
    },
  );

  it('that is near to nothing is told what there is', () => {
    expect(call('send_money', '{}')).toMatchObject({
      observation: { content: expect.stringContaining('The tools are: read_file, list_folder.') },
    });
  });

  it('outside the view is refused without a word about what is outside, and is a miss [R3-TOOL-TOOLSET]', () => {
    const resolved = call('drop_tables', '{}');
    expect(resolved).toMatchObject({
      ok: false,
      observation: { failure: { code: 'TOOL_UNKNOWN' } },
      miss: { kind: 'tool-missed', tool: 'drop_tables', toolset: view.hash },
    });
    expect(call('drop_table', '{}')).not.toHaveProperty('miss');
    expect(JSON.stringify(call('drop_table', '{}'))).not.toContain('drop_tables');
  });

  it('with a name of any length is answered in few words, and compared with none', () => {
    expect(call(`${'a.'.repeat(60)}read_file`, '{}')).not.toMatchObject({
      observation: { content: expect.stringContaining('Did you mean') },
    });
    const resolved = call('x'.repeat(1e6), '{}');
    expect(JSON.stringify(resolved).length).toBeLessThan(1000);
  });

  it.each([
    ['cut off', '{"path": "a', 'not valid JSON;'],
    ['two objects', '{"path":"a"}{"path":"b"}', 'not valid JSON;'],
    ['in fences', '```json\n{"path":"a"}\n```', 'they begin with: ```json'],
    ['single quotes', "{'path':'a'}", "they begin with: {'path':'a'}"],
    ['a list', '["a"]', 'the arguments are a list, but must be one JSON object'],
    ['null', 'null', 'the arguments are null'],
    ['text that holds JSON', '"{\\"path\\":\\"a\\"}"', 'the arguments are a string'],
    ['a number nothing can hold', '{"path":"a","lines":1e999}', 'Infinity is not a finite number'],
    ['nesting without end', `{"path":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'nested too deeply'],
  ])('whose arguments are %s is answered with what is wrong', (_, args, told) => {
    expect(call('read_file', args)).toMatchObject({
      ok: false,
      observation: { content: expect.stringContaining(told), failure: { code: 'INPUT_INVALID', retryable: false } },
    });
  });

  it('with long broken arguments shows only how they begin', () => {
    const resolved = call('read_file', `{"path": ${'x'.repeat(5000)}`) as { readonly observation: ToolResult };
    expect(resolved.observation.content).toContain('xxx…');
    expect(resolved.observation.content.length).toBeLessThan(600);
  });

  it.each(['', '  \n'])('without any text as arguments (%j) has none', (args) => {
    expect(call('list_folder', args)).toEqual({ ok: true, tool: listFolder, args: {} });
  });
});

async function inRun(
  act: (run: Run) => Promise<unknown>,
): Promise<{ readonly outcome: unknown; readonly calls: number }> {
  const engine = memoryEngine();
  const agent = async (run: Run): Promise<Outcome<unknown>> => done(await act(run));
  const runtime = openRuntime({ engine, clock: autoClock(), host: testHost('life'), agents: { agent } });
  onTestFinished(() => runtime.abandon());
  const handle = await runtime.start('agent', null, { budget: budget({ toolCalls: 5 }) });
  const outcome = await handle.outcome();
  return { outcome: (outcome as { readonly value: unknown }).value, calls: outcome.usage?.toolCalls ?? 0 };
}

describe('a validated execution', () => {
  it('calls the tool through the run with what its schema returns [R3-TOOL-REGISTRY]', async () => {
    const { outcome, calls } = await inRun((run) =>
      executeValidated(run, registry, 'read_file', { path: 'a', more: 1 }),
    );
    expect(outcome).toMatchObject({ ok: true, content: 'content of a' });
    expect(executed).toEqual([{ path: 'a' }]);
    expect(calls).toBe(1);
  });

  it.each([
    ['an unknown tool', 'reed_file', { path: 'a' }, 'TOOL_UNKNOWN', 'Did you mean read_file?'],
    ['arguments that do not fit', 'read_file', { path: 7 }, 'INPUT_INVALID', 'path: '],
    ['arguments that JSON Schema refuses', 'list_folder', { path: 'a' }, 'INPUT_INVALID', 'path: is not a known field'],
    ['arguments that are no object', 'read_file', 'a', 'INPUT_INVALID', 'must be one JSON object'],
    [
      'arguments no journal can hold',
      'read_file',
      { path: () => 'a' },
      'INPUT_INVALID',
      'the arguments cannot be used',
    ],
  ])('answers %s as an observation [R3-TOOL-REGISTRY]', async (_, name, args, code, told) => {
    executed.length = 0;
    const { outcome } = await inRun((run) => executeValidated(run, registry, name, args));
    expect(outcome).toMatchObject({ ok: false, content: expect.stringContaining(told), failure: { code } });
    expect(executed).toEqual([]);
  });

  it('of a view knows only what is in the view [R3-TOOL-TOOLSET]', async () => {
    const { outcome } = await inRun((run) => executeValidated(run, view, 'drop_tables', {}));
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'TOOL_UNKNOWN' } });
  });
});
