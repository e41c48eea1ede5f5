import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore, type Run, type Store, systemClock } from 'flyball';
import { processSandbox } from 'flyball/adapters/sandbox-process';
import { toolLoop } from 'flyball/loops';
import { capture } from 'flyball/memory';
import { scriptedModel } from 'flyball/testing';
import { filesTools, shellTool, unsandboxed, webFetchTool } from 'flyball/toolbox';
import { toolRegistry } from 'flyball/tools';
import { loopTraceOf, observationsOf } from 'flyball/views';
import { describe, expect, it, onTestFinished } from 'vitest';
import { autonomyBudget } from '../../src/tools/autonomy/index.js';
import { governance, joinSeams } from '../../src/tools/governance/index.js';
import { readOnlyCommands } from '../../src/tools/rules/commands-read-only.js';
import { domainRules } from '../../src/tools/rules/domains.js';
import { pathRules } from '../../src/tools/rules/paths.js';
import { RUN, still } from '../runtime/stage.js';
import { smallTools } from './small-tools.js';
import { call, forEver, proposes, proposesAll, resultIn, runLoop } from './stage-loop.js';

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

describe('autonomy', () => {
  it('that blocks an iteration ends the loop as budget_exceeded [R3-CASE-05]', async () => {
    const tools = smallTools();
    const autonomy = autonomyBudget({ limits: { iterations: 3 } });
    const { outcome, result, model, stage } = await runLoop(
      forEver(() => proposes('next')),
      { tools: tools.all, autonomy },
    );
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'iterations', limit: 3 });
    expect(result).toMatchObject({ termination: 'budget_exceeded', iterations: 3, toolCalls: 3 });
    expect(result.why).toMatch(/4 of 3 iteration/);
    expect(model.requests).toHaveLength(3);
    const notes = (await stage.events('note')).map(({ event }) => event);
    expect(notes).toContainEqual(
      expect.objectContaining({ kind: 'decision', guard: 'autonomy-budget', verdict: 'blocked', rule: 'EF-05' }),
    );
  });

  it('counts what the budget of the run counted, not what the loop did: an earlier loop of the run counts [R3-CASE-05]', async () => {
    const tools = smallTools();
    const model = scriptedModel({ worker: forEver(() => proposes('next')) as never });
    const loop = toolLoop({
      session: { name: 'worker', model, setup: 'x' },
      tools: tools.all,
      config: { maxIterations: 3 },
      autonomy: autonomyBudget({ limits: { iterations: 5 } }),
    });
    const agent = async (run: Run) => {
      const first = await loop(run, 'one');
      const second = await loop(run, 'two');
      return {
        stop: 'done' as const,
        value: [resultIn(first), resultIn(second)].map(({ termination, iterations }) => [termination, iterations]),
      };
    };
    const outcome = await still().open(agent).start();
    expect(outcome).toMatchObject({
      value: [
        ['max_iterations', 3],
        ['budget_exceeded', 2],
      ],
    });
  });

  it('that blocks for time ends the loop as duration_exceeded [R3-LOOP-REASONS]', async () => {
    const stage = still();
    const model = scriptedModel(
      { worker: [{ ...proposes('next'), latencyMs: 61_000 }, 'Late.'] },
      { clock: stage.clock },
    );
    const agent = toolLoop({
      session: { name: 'worker', model, setup: 'x' },
      tools: smallTools().all,
      autonomy: autonomyBudget({ limits: { minutes: 1 } }),
    });
    const outcome = stage.open((run) => agent(run, 'go')).start();
    await model.reached('worker');
    await stage.clock.advance(61_000);
    expect(await outcome).toMatchObject({ stop: 'bounded', bound: 'wallMs', limit: 60_000 });
    expect(resultIn((await outcome) as never)).toMatchObject({ termination: 'duration_exceeded', iterations: 1 });
  });

  it('has a default profile where none is given: a hundred iterations, whatever the loop allows [R3-LOOP-DEFAULTS]', async () => {
    const { result } = await runLoop(
      forEver(() => proposes('next')),
      {
        tools: smallTools().all,
        config: { maxIterations: 500 },
        limits: { iterations: 1000, modelCalls: 1000, toolCalls: 1000 },
      },
    );
    expect(result).toMatchObject({ termination: 'budget_exceeded', iterations: 100 });
  });

  it('that only warns lets the loop go on, and says so once', async () => {
    const { result, stage } = await runLoop([proposes('next'), proposes('next'), proposes('next'), 'Done.'], {
      tools: smallTools().all,
      config: ONCE,
      autonomy: autonomyBudget({ limits: { iterations: 2 }, modes: { 'EF-05': 'warn' } }),
    });
    expect(result).toMatchObject({ termination: 'completed', iterations: 4 });
    const told = (await stage.events('note')).filter(({ event }) => event.kind === 'decision');
    expect(told).toHaveLength(1);
    expect(told[0]?.event).toMatchObject({ verdict: 'warned', rule: 'EF-05' });
  });

  it.each(['approve', 'reject'] as const)('that escalates waits for a person, once: %s', async (verdict) => {
    const stage = still();
    const model = scriptedModel({ worker: [proposes('next'), proposes('next'), proposes('next'), 'Done.'] });
    const agent = toolLoop({
      session: { name: 'worker', model, setup: 'x' },
      tools: smallTools().all,
      config: ONCE,
      autonomy: autonomyBudget({ limits: { iterations: 2 }, warnAt: 1, modes: { 'EF-05': 'escalate' } }),
    });
    const life = stage.open((run) => agent(run, 'go'), { options: { suspendAfterMs: 5 } });
    const suspended = life.start();
    await model.reached('worker', 2);
    await stage.clock.advance(10);
    expect(await suspended).toMatchObject({ stop: 'suspended', waiting: [{ name: 'go-on:EF-05' }] });
    expect(model.requests).toHaveLength(2);
    await life.runtime.signal(RUN, 'go-on:EF-05', { verdict });
    const outcome = await life.resume();
    const result = resultIn(outcome as never);
    if (verdict === 'approve') expect(result).toMatchObject({ termination: 'completed', iterations: 4 });
    else expect(result).toMatchObject({ termination: 'budget_exceeded', iterations: 2 });
  });

  it('stops the loop where a condition is met, and not where none is [R3-LOOP-REASONS]', async () => {
    const stops = async (
      ...stopWhen: Parameters<typeof autonomyBudget>[0] extends infer S
        ? NonNullable<NonNullable<S>['stopWhen']>
        : never
    ) => {
      const { result } = await runLoop([proposes('next'), proposes('fail'), 'FINISHED here.', 'Done.'], {
        tools: smallTools().all,
        autonomy: autonomyBudget({ stopWhen }),
      });
      return [result.termination, result.iterations];
    };
    expect(await stops()).toEqual(['completed', 4]);
    expect(await stops({ kind: 'toolCallsAtLeast', calls: 2 })).toEqual(['stop_condition', 2]);
    expect(await stops({ kind: 'errorCodeSeen', code: 'EFFECT_FAILED' })).toEqual(['stop_condition', 2]);
    expect(await stops({ kind: 'replyMatches', pattern: 'FINISHED*' })).toEqual(['stop_condition', 3]);
    expect(await stops({ kind: 'toolCalled', tool: 'write' })).toEqual(['completed', 4]);
  });
});

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

describe('observations', () => {
  const SAID = [
    { text: 'I look.', ...proposesAll(call('next', {}, 'a'), call('add_one', { x: 1 }, 'b')) },
    { text: 'It fails.', ...proposesAll(call('fail', {}, 'c'), call('nobody', {}, 'd')) },
    'Done.',
  ];

  it('are there for each reply of the model and each tool call [R3-CASE-17]', async () => {
    const { stage } = await runLoop(SAID, { tools: smallTools().all, config: ONCE });
    const seen = observationsOf(await stage.entries(), { runId: RUN });
    expect(seen.map(({ type, agent, session }) => [type, agent, session])).toEqual([
      ['llm_response', 'worker', RUN],
      ['tool_call', 'worker', RUN],
      ['tool_call', 'worker', RUN],
      ['llm_response', 'worker', RUN],
      ['tool_call', 'worker', RUN],
      ['llm_response', 'worker', RUN],
    ]);
  });

  it('are carried into memory by a capture, in one step an iteration [R3-CASE-17] [R3-OBS-CAPTURE]', async () => {
    const store = memoryStore();
    const { stage, result } = await runLoop(SAID, {
      tools: smallTools().all,
      config: ONCE,
      capture: capture({ store, session: 'chat-7', agent: 'clerk', tags: ['tea'] }),
    });
    const kept = await episodes(store);
    expect(kept.map(({ metadata, content }) => [(metadata as { type: string }).type, content]).sort()).toEqual(
      [
        ['llm_response', 'I look.'],
        ['tool_call', '1'],
        ['tool_call', '2'],
        ['llm_response', 'It fails.'],
        ['tool_call', 'it broke'],
        ['tool_call', expect.stringMatching(/^there is no tool "nobody"/)],
        ['llm_response', 'Done.'],
      ].sort(),
    );
    for (const item of kept) expect(item).toMatchObject({ session: 'chat-7', agent: 'clerk', tags: ['tea'] });
    const steps = (await stage.events('intent')).filter(({ name }) => name === 'memory.capture');
    expect(steps).toHaveLength(result.iterations);
  });

  it('of a failing model are kept as errors, also when they end the loop [R3-OBS-CAPTURE]', async () => {
    const store = memoryStore();
    const away = Object.assign(new Error('The model is away.'), { retryable: true });
    await runLoop([away, away, away], { capture: capture({ store, session: 's', agent: 'a' }) });
    const kept = await episodes(store);
    expect(kept.map(({ metadata }) => (metadata as { type: string }).type)).toEqual(['error', 'error', 'error']);
  });

  it('of calls that were not executed are kept as well [R3-OBS-CAPTURE]', async () => {
    const store = memoryStore();
    const three = proposesAll(...['a', 'b', 'c'].map((id) => call('next', {}, id)));
    await runLoop([three, 'Done.'], {
      tools: smallTools().all,
      config: { ...ONCE, maxToolCallsPerIteration: 2 },
      capture: capture({ store, session: 's', agent: 'a' }),
    });
    const calls = (await episodes(store)).filter(({ metadata }) => (metadata as { type: string }).type === 'tool_call');
    expect(calls.map(({ metadata }) => (metadata as { ok: boolean }).ok).sort()).toEqual([false, true, true]);
  });

  it('cost nothing where nobody asks for them', async () => {
    const { stage } = await runLoop(SAID, { tools: smallTools().all, config: ONCE });
    expect(await stage.events('intent')).toEqual([]);
  });
});

async function episodes(store: Store): Promise<readonly Record<string, unknown>[]> {
  const { records } = await store.query({ tenant: 'default', owner: 'anonymous', collection: 'memory.episodic' });
  return records.map(({ value }) => value as Record<string, unknown>);
}

describe('the trace', () => {
  it('has a step for each iteration and an action for each tool call [R3-CASE-18] [R3-OBS-TRACE]', async () => {
    const { stage } = await runLoop(
      [
        proposesAll(call('next', {}, 'a'), call('add_one', { x: 1 }, 'b'), call('nobody', {}, 'c')),
        proposes('write', { text: 'x' }, 'd'),
        'Done.',
        'Done, checked.',
      ],
      { tools: smallTools().all },
    );
    const [trace, ...others] = loopTraceOf(await stage.entries());
    expect(others).toEqual([]);
    expect(trace).toMatchObject({ loop: '', status: 'completed', reason: 'completed' });
    expect(
      trace?.steps.map(({ iteration, actions }) => [
        iteration,
        actions.map(({ tool, callId, ok, made }) => [tool, callId, ok, made]),
      ]),
    ).toEqual([
      [
        1,
        [
          ['next', 'a', true, true],
          ['add_one', 'b', true, true],
          ['nobody', 'c', false, false],
        ],
      ],
      [2, [['write', 'd', true, true]]],
      [3, []],
      [4, []],
    ]);
  });
});
