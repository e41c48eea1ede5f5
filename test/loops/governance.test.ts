import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Run, systemClock } from 'flyball';
import { processSandbox } from 'flyball/adapters/sandbox-process';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { filesTools, shellTool, unsandboxed, webFetchTool } from 'flyball/toolbox';
import { tool, toolRegistry } from 'flyball/tools';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { autonomyBudget } from '../../packages/flyball/src/tools/autonomy/index.js';
import { governance, joinSeams } from '../../packages/flyball/src/tools/governance/index.js';
import { readOnlyCommands } from '../../packages/flyball/src/tools/rules/commands-read-only.js';
import { domainRules } from '../../packages/flyball/src/tools/rules/domains.js';
import { pathRules } from '../../packages/flyball/src/tools/rules/paths.js';
import { moving, RUN } from '../runtime/stage.js';
import { call, proposes, proposesAll, runLoop } from './stage-loop.js';

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

const ONCE = { doubleConfirmation: false };

/** A real folder with a file, and the real built-in tools over it. */
function workshop() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'flyball-loop-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, 'notes.txt'), 'tea is green\n');
  mkdirSync(join(root, 'private'));
  writeFileSync(join(root, 'private', 'key.txt'), 'secret\n');
  const tools = [
    ...filesTools({ allow: root }),
    shellTool({
      sandbox: unsandboxed(processSandbox(), 'the test runs commands of its own'),
      cwd: root,
      rules: readOnlyCommands(),
    }),
    webFetchTool({ rules: domainRules({ allow: ['example.com', 'example.org'] }) }),
  ];
  return { root, view: toolRegistry(tools).toolset() };
}

describe('governance', () => {
  it('that denies a call explains it to the model, and the loop goes on [R3-CASE-08]', async () => {
    const { root, view } = workshop();
    const seams = governance({ clock: systemClock(), tools: view.tools, autonomy: 'read-only' });
    const { result, model, stage } = await runLoop(
      [
        proposes('write_file', { path: 'out.txt', content: 'x' }),
        proposes('read_file', { path: 'notes.txt' }),
        'I can only read.',
      ],
      { tools: view, seams, config: ONCE },
    );
    expect(result).toMatchObject({ termination: 'completed', toolCalls: 2, toolsUsed: ['read_file'] });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      name: 'write_file',
      content: expect.stringMatching(/^Denied, not executed: This agent may only read/),
    });
    expect(model.requests[2]?.messages.at(-1)?.content).toContain('tea is green');
    expect(() => readFileSync(join(root, 'out.txt'))).toThrow(/ENOENT/);
    expect(await stage.events('guard-refused')).toHaveLength(1);
  });

  it('and autonomy are asked at the points that concern a tool, and at no others [R3-CASE-19]', async () => {
    const { root, view } = workshop();
    const autonomy = autonomyBudget({
      paths: pathRules({ roots: [{ path: root, write: true }], deny: ['private/**'], denyWrite: ['notes.txt'] }),
      commands: { programs: { ls: { readOnly: true } } },
      domains: domainRules({ allow: ['example.org'] }),
    });
    const clock = systemClock();
    const seams = joinSeams(
      governance({ clock, tools: view.tools, autonomy: 'autonomous', trifecta: 'off' }),
      autonomy.seam(),
    );
    const asked = [
      call('read_file', { path: 'private/key.txt' }, 'EF-01'),
      call('write_file', { path: 'notes.txt', content: 'no' }, 'EF-02'),
      call('shell', { argv: ['cat', 'notes.txt'] }, 'EF-03'),
      call('web_fetch', { url: 'https://example.com/' }, 'EF-04'),
    ];
    const allowed = [
      call('read_file', { path: 'notes.txt' }, 'r'),
      call('shell', { argv: ['ls'] }, 's'),
      call('write_file', { path: 'out.txt', content: 'yes' }, 'w'),
    ];
    const { result, model, stage } = await runLoop([proposesAll(...asked), proposesAll(...allowed), 'Done.'], {
      tools: view,
      seams,
      autonomy,
      config: ONCE,
    });
    expect(result).toMatchObject({ termination: 'completed', toolCalls: 7 });
    const refused = model.requests[1]?.messages.slice(-4) ?? [];
    for (const message of refused)
      expect(message.content).toMatch(
        new RegExp(
          `^Denied, not executed: Refused by the autonomy budget \\(${'toolCallId' in message ? message.toolCallId : ''},`,
        ),
      );
    for (const message of model.requests[2]?.messages.slice(-3) ?? [])
      expect(message.content).not.toMatch(/^Denied|^Error/);
    expect(readFileSync(join(root, 'out.txt'), 'utf8')).toBe('yes');
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('tea is green\n');
    const rules = (await stage.events('guard-decision'))
      .filter(({ guard }) => guard === 'autonomy-budget')
      .map(({ rule }) => rule);
    expect(rules.sort()).toEqual(['EF-01', 'EF-02', 'EF-03', 'EF-04']);
  });
});

describe('a call that a person has to agree to', () => {
  const pay = () => {
    const paid: string[] = [];
    const payTool = tool({
      name: 'pay',
      description: 'Pays a bill. Not for anything else.',
      effect: 'irreversible',
      input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
      execute: async ({ to }) => {
        paid.push(String(to));
        return 'paid';
      },
    });
    return { paid, payTool };
  };

  async function paying(verdicts: readonly ('approve' | 'reject')[]) {
    const { paid, payTool } = pay();
    const model = scriptedModel({ worker: [...verdicts.map((_, n) => proposes('pay', { to: `Ann ${n}` })), 'Done.'] });
    const agent = toolLoop({ session: { name: 'worker', model, setup: 'x' }, tools: [payTool], config: ONCE });
    const stage = moving();
    const life = stage.open((run: Run) => agent(run, 'Pay them.'));
    let outcome = await life.start();
    for (const verdict of verdicts) {
      if (outcome.stop !== 'suspended') throw new Error(`It did not wait: ${JSON.stringify(outcome)}`);
      await life.runtime.signal(
        RUN,
        outcome.waiting[0]?.token ?? '',
        { verdict, reason: 'too dear' },
        { from: 'rita' },
      );
      outcome = await life.resume();
    }
    return { paid, model, outcome };
  }

  it('suspends the loop, which goes on exactly there', async () => {
    const { paid, model, outcome } = await paying(['approve']);
    expect(outcome).toMatchObject({ stop: 'done', value: { termination: 'completed', toolsUsed: ['pay'] } });
    expect(paid).toEqual(['Ann 0']);
    expect(model.requests).toHaveLength(2); // the reply before the wait was not paid for again
  });

  it('and does not is told to the model, and is no error of the work [R3-LOOP-ERRORS] [R3-CASE-08]', async () => {
    const { paid, model, outcome } = await paying(['reject', 'reject', 'reject', 'approve']);
    expect(outcome).toMatchObject({ stop: 'done', value: { termination: 'completed', toolCalls: 4 } });
    expect(paid).toEqual(['Ann 3']);
    expect(model.requests[1]?.messages.at(-1)?.content).toBe(
      'Denied, not executed: pay was not approved: rita rejected it: too dear',
    );
  });
});
