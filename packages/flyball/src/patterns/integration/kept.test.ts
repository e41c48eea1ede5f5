import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, type Clock, done, systemClock } from 'flyball';
import { tool, useOf } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { session } from '../../../../../test/patterns/bed.js';
import { moving, Stage } from '../../../../../test/runtime/stage.js';
import { processSandbox } from '../../adapters/sandbox-process/index.js';
import { shellTool, unsandboxed } from '../../toolbox/shell.js';
import { judgeCall } from '../../toolbox/shell-call.js';

it('a model that picks a tool executes nothing [I2.2]', async () => {
  let made = 0;
  const add = tool({
    name: 'add',
    description: 'Adds one. Not for text.',
    input: z.object({}),
    effect: 'pure',
    execute: async () => ++made,
  });
  const model = scriptedModel({ worker: { toolCalls: [{ id: 'a', name: 'add', arguments: '{}' }] } });
  const agent: Agent<null, unknown> = async (run) =>
    done((await run.ask(session(model, 'worker', { tools: [add] }), 'Add one.')).toolCalls.map(({ name }) => name));
  expect(
    await moving()
      .open(agent as never)
      .start(),
  ).toMatchObject({ stop: 'done', value: ['add'] });
  expect(made).toBe(0);
});

it('a shell tool says that it is one, and the journal has words, exit code, output and time [I4.7] [R11-PATTERN-KEPT]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-shell-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const shell = shellTool({
    sandbox: unsandboxed(processSandbox(), 'a test'),
    cwd: folder,
    rules: { programs: { echo: {} } },
    effect: 'idempotent',
  });
  expect(useOf(shell)).toMatchObject({ id: 'I4', name: 'shellTool' });
  const stage = new Stage<Clock>(systemClock());
  const agent: Agent<null, unknown> = async (run) => done((await run.call(shell, { argv: ['echo', 'hello'] })).ok);
  expect(await stage.open(agent as never).start()).toMatchObject({ value: true });
  const [intent] = await stage.events('intent');
  const [complete] = await stage.events('complete');
  expect(intent?.input).toMatchObject({ argv: ['echo', 'hello'] });
  expect(complete?.result).toMatchObject({
    value: { exitCode: 0, stdout: 'hello', usage: { wallMs: expect.any(Number) as number } },
  });
});

it('a line is split into words by our own parser, and whatever else a shell would make of it is refused [I4.2]', () => {
  const rules = { programs: { grep: {}, wc: {} } };
  expect(judgeCall(rules, { command: "grep -c 'a; rm -rf x' notes.txt | wc -l" })).toMatchObject({
    ok: true,
    stages: [
      ['grep', '-c', 'a; rm -rf x', 'notes.txt'],
      ['wc', '-l'],
    ],
  });
  for (const end of [
    '; rm -rf x',
    '&& rm x',
    '|| rm x',
    '& rm x',
    '> out',
    '$(rm x)',
    '`rm x`',
    '$HOME',
    '<(rm x)',
    '*',
  ])
    expect(judgeCall(rules, { command: `grep a ${end}` }), end).toMatchObject({ ok: false });
});
