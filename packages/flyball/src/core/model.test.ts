import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { EVENT_VERSION, type EventOf, type RunEvent } from './events.js';
import type { Model, ModelReply } from './model.js';
import { changed, type Tool, type ToolRef } from './tool.js';

describe('the model port and tools', () => {
  it('are plain objects: no vendor type, no base class, no import [R2-CORE-MODEL-TYPE]', async () => {
    const reply: ModelReply = { text: 'hi', toolCalls: [], finish: 'stop', usage: { input: 1, output: 1 } };
    const model: Model = {
      id: 'own/model',
      capabilities: { window: 1000, maxOutputTokens: 10, tools: false, structuredOutput: false, promptCache: false },
      countTokens: () => 1,
      generate: async () => reply,
    };
    const signal = new AbortController().signal;
    const request = {
      session: 's',
      model: model.id,
      messages: [],
      tools: [],
      toolChoice: 'none',
      sampling: {},
    } as const;
    expect(await model.generate(request, { signal, key: 'k' })).toEqual(reply);
    for (const file of ['model.ts', 'tool.ts', 'session.ts', 'schema.ts']) {
      const source = readFileSync(new URL(file, import.meta.url), 'utf8');
      for (const [, from] of source.matchAll(/from '([^']+)'/g)) expect(from).toMatch(/^\.\/[\w-]+\.js$/);
    }
  });

  it('let any concrete tool stand where a tool is asked for [R2-CORE-MODEL-TYPE]', () => {
    const tool: Tool<{ readonly path: string }, number> = {
      name: 'size',
      description: 'Size.',
      effect: 'pure',
      execute: async ({ path }) => path.length,
    };
    expectTypeOf(tool).toExtend<ToolRef<number>>();
    expect(changed(1, { filesChanged: 1 })).toEqual({ $changed: { filesChanged: 1 }, value: 1 });
  });
});

describe('run events', () => {
  it('are one versioned union, told apart by their type [R2-CORE-EVENTS]', () => {
    expect(EVENT_VERSION).toBe(1);
    expectTypeOf<EventOf<'run-start'>['v']>().toEqualTypeOf<number>();
    expectTypeOf<EventOf<'generation-start'>['v']>().toEqualTypeOf<number>();
    const told = (event: RunEvent): string =>
      event.type === 'intent' ? event.key : event.type === 'trip' ? event.bound : event.type;
    expect(told({ type: 'trip', node: '', bound: 'costUsd', limit: 1, spent: 1, wanted: 1, left: 0 })).toBe('costUsd');
  });
});
