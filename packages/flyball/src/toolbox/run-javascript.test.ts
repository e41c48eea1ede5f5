import { done, type Run, type ToolRef } from 'flyball';
import { describe, expect, it } from 'vitest';
import { still } from '../../../../test/runtime/stage.js';
import { quickJsSandbox } from '../adapters/sandbox-quickjs/index.js';
import type { CodeResult } from '../ports/code-sandbox.js';
import { presentCode, runJavascriptTool } from './run-javascript.js';

const result = (end: CodeResult['end'], logs: readonly string[] = [], elidedLogs = 0): CodeResult => ({
  end,
  logs,
  elidedLogs,
  usage: { wallMs: 1 },
});

describe('run_javascript', () => {
  it('computes for a model inside a run [R3-SANDBOX-QUICKJS]', async () => {
    const tool = runJavascriptTool({
      sandbox: quickJsSandbox(),
      functions: { price: (name: unknown) => (name === 'tea' ? 3 : 0) },
    });
    const code =
      'console.log("counting", input.items.length); let sum = 0; for (const item of input.items) sum += await price(item); return { sum };';
    const agent = async (run: Run) =>
      done((await run.call(tool, { code, input: { items: ['tea', 'tea', 'air'] } })).content);
    const outcome = await still().open(agent).start();
    expect(outcome).toMatchObject({ stop: 'done', value: 'returned {"sum":6}\nconsole:\ncounting 3' });
  });

  it('refuses arguments without code', async () => {
    const tool = runJavascriptTool({ sandbox: quickJsSandbox() });
    const agent = async (run: Run) => done((await run.call(tool as ToolRef, { input: 1 })).content);
    expect(await still().open(agent).start()).toMatchObject({ value: expect.stringContaining('code') });
  });

  it('cannot be made without a sandbox', () => {
    expect(() => runJavascriptTool({} as never)).toThrow(/needs a sandbox/);
  });

  it('says what is offered and what is not', () => {
    const { description } = runJavascriptTool({ sandbox: quickJsSandbox(), functions: { price: () => 1 } });
    expect(description).toContain('await price(value)');
    expect(description).toContain('5 s, 64 MB');
  });

  it.each([
    [result({ how: 'value', value: null }), 'returned null'],
    [result({ how: 'error', name: 'TypeError', message: 'no' }), 'threw TypeError: no'],
    [result({ how: 'limit', limit: 'wallMs', allowed: 5000 }), 'stopped: it ran longer than 5 s (limit wallMs)'],
    [result({ how: 'limit', limit: 'calls', allowed: 100 }), 'stopped: it made more than 100 calls (limit calls)'],
    [
      result({ how: 'stuck' }),
      'stopped: the code waits for something that never comes; there are no timers, and nothing arrives from outside',
    ],
    [result({ how: 'aborted' }), 'stopped: the call was cancelled'],
    [result({ how: 'value', value: 1 }, ['a', 'b'], 7), 'returned 1\nconsole:\na\nb\n[7 lines left out]'],
  ])('tells a model %j', (given, text) => {
    expect(presentCode(given)).toBe(text);
  });
});
