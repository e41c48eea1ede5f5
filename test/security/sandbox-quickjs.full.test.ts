import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quickJsSandbox } from '../../packages/flyball/src/adapters/sandbox-quickjs/index.js';
import type { CodeLimits } from '../../packages/flyball/src/ports/code-sandbox.js';
import { runJavascriptTool } from '../../packages/flyball/src/toolbox/run-javascript.js';
import { HostCanaries, SECRET_TEXT } from './host-canaries.js';
import table from './sandbox-cases.json' with { type: 'json' };

interface Case {
  readonly id: string;
  readonly tries: string;
  readonly code: string;
  readonly shows: string;
  readonly limits?: Partial<CodeLimits>;
  /** Evaluated before it. */
  readonly before?: string;
}

const cases: readonly Case[] = table.quickjs;

describe('what code tries inside QuickJS [R3-SANDBOX-QUICKJS] [R3-SHOW-SECURITY]', () => {
  const host = new HostCanaries();
  beforeAll(() => host.start());
  afterAll(() => host.stop());

  async function read(code: string, limits: Case['limits'] = {}): Promise<string> {
    const functions = { lookup: (value: unknown) => value };
    const tool = runJavascriptTool({ sandbox: quickJsSandbox(), functions, limits: { memoryMb: 32, ...limits } });
    const made = await tool.execute({ code }, { key: 'k', signal: new AbortController().signal });
    return String(tool.present?.(made as never) ?? '');
  }

  it.each(cases.map((each) => [`${each.id}: ${each.tries}`, each] as const))(
    'is contained and told — %s',
    async (_name, each) => {
      if (each.before !== undefined) await read(each.before);
      const text = await read(each.code, each.limits);

      expect(text).toMatch(new RegExp(each.shows));
      expect(text).not.toContain(SECRET_TEXT);
      expect(text.length).toBeLessThan(600_000);
      expect(host.changes()).toEqual([]);
      expect({} as Record<string, unknown>).not.toHaveProperty('polluted');
    },
  );
});
