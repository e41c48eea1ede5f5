import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, createRuntime, done, memoryEngine, type ToolRef } from 'flyball';
import { assertSame, exercise, type Outside, type Scenario } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { httpSpec, httpWorkshop, openPool } from '../../../../../test/mcp/stage.js';
import { localSandbox } from '../../adapters/sandbox-bubblewrap/index.js';
import type { EffectContext, Tool } from '../../core/tool.js';
import { shellTool, unsandboxed } from '../../toolbox/shell.js';

/**
 * The tool as it is, with an act that is seen outside. What it answers is asked for once: the clock of a scenario moves
 * while a process or a server works, which would look like one that takes minutes.
 */
async function acting(tool: ToolRef, args: unknown, outside: () => Outside): Promise<ToolRef> {
  const { execute } = tool as Tool<unknown, unknown>;
  const answer = await execute.call(tool, args, { key: 'before', signal: new AbortController().signal });
  return {
    ...tool,
    execute: async (_given: unknown, how: EffectContext) => {
      await outside().act(tool.name, how);
      return answer;
    },
  } as ToolRef;
}

async function holds(tool: ToolRef, args: unknown): Promise<void> {
  let world: Outside | undefined;
  const acts = await acting(tool, args, () => world as Outside);
  const agent: Agent<unknown, unknown> = async (run) => {
    const said: string[] = [];
    for (let time = 0; time < 2; time++) said.push((await run.call(acts as never, args as never)).content);
    return done(said);
  };
  const scenario: Scenario = {
    name: tool.name,
    open: (life, outside) => {
      world = outside;
      return createRuntime({ ...life, agents: { agent } });
    },
    input: null,
    ends: { stop: 'done' },
  };
  const report = await exercise(scenario, { engine: memoryEngine });
  assertSame(report);
  expect(report.plays).toBeGreaterThan(20);
}

describe('ends the same after a crash at every write, with a tool that acts:', () => {
  it('of an MCP server [I3.crash]', async () => {
    const { url, close } = await httpWorkshop();
    onTestFinished(close);
    const { tool } = await openPool([httpSpec(url, { effects: { '*': 'idempotent' } })]);
    await holds(tool('workshop__write'), { text: 'hello' });
  });

  it('that runs a command [I4.crash]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flyball-crash-shell-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const sandbox = unsandboxed(await localSandbox(), 'the tests run where bubblewrap is missing too');
    const shell = shellTool({ sandbox, cwd: folder, rules: { programs: { printf: {} } } } as never);
    await holds({ ...shell, effect: 'idempotent' } as ToolRef, { argv: ['printf', 'hello'] });
  });
});
