import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, budget, createRuntime, done, memoryEngine, type Run, systemClock, withoutValue } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { defineAgent } from 'flyball/agents';
import { type Script, scriptedModel } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gained, runAgent } from '../../../../../test/agents/stage-agent.js';
import { smallTools } from '../../../../../test/loops/small-tools.js';
import { proposes } from '../../../../../test/loops/stage-loop.js';
import { at, eventsOf, moving, RUN, Stage } from '../../../../../test/runtime/stage.js';
import { agentRegistry } from './agent-registry.js';
import { invokeAgent } from './invoke-agent.js';
import type { DryRunReport, Invoked } from './invoked.js';
import { workflow } from './workflow.js';
import { WORKFLOW, workflowMark } from './workflow-mark.js';

/** A finder with a tool and a writer without one. */
function office(script: Script = {}) {
  const model = scriptedModel({
    finder: [proposes('add_one', { x: 41 }, 'a'), '{"found": "42"}', '{"found": "42"}'],
    writer: ['{"letter": "Dear 42"}'],
    ...script,
  });
  const tools = smallTools();
  const finder = defineAgent({
    name: 'finder',
    version: '3',
    description: 'You find numbers.',
    inputs: { wanted: { type: 'string' }, depth: { type: 'integer', default: 2 } },
    outputs: { found: { type: 'string' } },
    model,
    tools: [tools.addOne],
    budget: { modelCalls: 6, toolCalls: 4 },
  });
  const writer = defineAgent({
    name: 'writer',
    description: 'You write letters.',
    inputs: { about: { type: 'string' } },
    outputs: {
      letter: { type: 'string' },
      copies: { type: 'integer', required: false },
      kind: { enum: ['note', 'letter'], required: false },
    },
    model,
  });
  return { model, tools, finder, writer, registry: agentRegistry({ finder, writer }) };
}

function letterOf({ finder, writer }: Pick<ReturnType<typeof office>, 'finder' | 'writer'>) {
  return workflow(
    {
      name: 'letter',
      description: 'Finds and writes.',
      inputs: { wanted: { type: 'string' } },
      agents: { finder, writer },
    },
    async (run, { wanted }, { invokeAgent: invoke }) => {
      const found = await invoke(run, 'finder', { wanted });
      if (found.stop !== 'done') return withoutValue(found);
      const letter = await invoke(run, 'writer', { about: found.value.output.found }, { slice: { modelCalls: 3 } });
      return letter.stop === 'done' ? done(letter.value.output.letter) : withoutValue(letter);
    },
  );
}

describe('a workflow', () => {
  it('invokes an agent with tools iteratively and one without as a single shot, each with its part of the budget [R6-WORKFLOW-INVOKE]', async () => {
    const made = office();
    const { model, tools } = made;
    const { outcome, stage } = await runAgent(letterOf(made).agent, { wanted: 'x' });
    expect(gained(outcome)).toBe('Dear 42');
    expect(tools.done).toEqual(['add_one 41']);
    expect(model.requestsOf('finder')[0]?.tools.map(({ name }) => name)).toEqual(['add_one']);
    expect(model.requestsOf('writer')).toHaveLength(1);
    expect(model.requestsOf('writer')[0]?.tools).toEqual([]);
    const spawned = await stage.events('spawn-start');
    expect(spawned.map(({ name, limits }) => [name, limits.modelCalls])).toEqual([
      ['finder', 6],
      ['writer', 3],
    ]);
    const notes = (await stage.events('note')).map(({ event }) => event).filter(({ kind }) => kind === 'agent-invoked');
    expect(notes).toEqual([
      { kind: 'agent-invoked', agent: 'finder', version: '3', mode: 'iterative' },
      { kind: 'agent-invoked', agent: 'writer', version: '1', mode: 'once' },
    ]);
    model.assertFinished();
  });

  it('can ask for the loop, or refuse it, whatever the agent has [R6-WORKFLOW-INVOKE]', async () => {
    const { model, tools, registry } = office({
      finder: ['{"found": "7"}'],
      writer: ['{"letter": "x"}', '{"letter": "x"}'],
    });
    const both = workflow({ name: 'both', agents: registry }, async (run, _input, { invokeAgent: invoke }) => {
      const once = gained(await invoke(run, 'finder', { wanted: 'x' }, { mode: 'once' }));
      const looped = gained(await invoke(run, 'writer', { about: 'y' }, { mode: 'iterative' }));
      return done([once.mode, looped.mode, once.result, looped.result]);
    });
    const value = gained((await runAgent(both.agent)).outcome) as readonly unknown[];
    expect(value.slice(0, 2)).toEqual(['once', 'iterative']);
    expect(value[3]).toMatchObject({ termination: 'completed' });
    expect(value[2]).not.toHaveProperty('termination');
    expect(tools.done).toEqual([]);
    expect(model.requestsOf('finder')).toHaveLength(1);
  });

  it('fails with the nearest names when an agent is not registered, and with what is missing when inputs do not fit [R6-WORKFLOW-INVOKE]', async () => {
    const made = office();
    const { registry } = made;
    const wrong = workflow({ name: 'wrong', agents: registry }, (run, _input, { invokeAgent: invoke }) =>
      invoke(run, 'findr', {}),
    );
    expect((await runAgent(wrong.agent)).outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'AGENT_UNKNOWN', message: 'No agent "findr" is registered. Did you mean finder?' },
    });
    const unfit = workflow({ name: 'unfit', agents: registry }, (run, _input, { invokeAgent: invoke }) =>
      invoke(run, 'finder', {}),
    );
    const { outcome } = await runAgent(unfit.agent);
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'INPUT_INVALID' } });
    expect((await runAgent(letterOf(made).agent, {})).outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'INPUT_INVALID', message: expect.stringContaining('wanted') },
    });
    const mode = workflow(
      { name: 'mode', agents: { f: async () => done(1) } },
      (run, _input, { invokeAgent: invoke }) => invoke(run, 'f', null, { mode: 'once' }),
    );
    expect((await runAgent(mode.agent)).outcome).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID' } });
  });

  it('invokes functions and other workflows too, and what is registered where it runs after its own [R6-WORKFLOW-INVOKE]', async () => {
    const inner = workflow(
      { name: 'inner', agents: { add: async (_run, x: number) => done(x + 1) } },
      async (run, x: number, parts) => {
        const added = await parts.invokeAgent(run, 'add', x);
        return done(gained(added).output * 10);
      },
    );
    const outer = workflow({ name: 'outer', agents: agentRegistry({ inner }) }, (run, x: number, parts) =>
      parts.invokeAgent(run, 'other', x),
    );
    const other = {
      version: '9',
      agent: async (run: Run, x: number) => invokeAgent(run, inner, x),
    };
    const bound = outer.bind(agentRegistry({ other, inner: async () => done('never') }));
    expect(gained((await runAgent(bound.agent, 4)).outcome)).toMatchObject({
      agent: 'other',
      version: '9',
      mode: 'function',
      output: { agent: 'inner', mode: 'workflow', output: 50 },
    });
    expect(
      gained(
        (
          await runAgent(
            workflow({ name: 'own', agents: { inner } }, (run, x: number, parts) =>
              parts.invokeAgent(run, 'inner', x),
            ).bind(agentRegistry({ inner: async () => done('never') })).agent,
            1,
          )
        ).outcome,
      ),
    ).toMatchObject({ output: 20 });
    expect((await runAgent(outer.agent, 4)).outcome).toMatchObject({
      failure: { code: 'AGENT_UNKNOWN' },
    });
  });

  it('that invokes itself ends at the depth of its budget [R6-WORKFLOW-INVOKE]', async () => {
    const registry = agentRegistry();
    let deepest = 0;
    const again = workflow({ name: 'again', agents: registry }, async (run, depth: number, parts) => {
      deepest = Math.max(deepest, depth);
      return parts.invokeAgent(run, 'again', depth + 1, { slice: {} });
    });
    registry.register('again', again);
    const { outcome, stage } = await runAgent(again.agent, 0, { limits: { depth: 3 } });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'depth' });
    expect(deepest).toBe(3);
    expect(await stage.events('spawn-start')).toHaveLength(3);
  });

  it('killed between two agents goes on with the second; the first is not run again [R6-WORKFLOW-INVOKE]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flyball-workflow-'));
    const engine = await sqliteEngine({ path: join(folder, 'runs.db') });
    onTestFinished(async () => {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const made = office();
    const { model, tools } = made;
    const { agent } = letterOf(made);
    const stage = new Stage(systemClock(), engine);
    await stage.crashed(agent as never, at('after', 'spawn-end'), { input: { wanted: 'x' } });
    expect(model.requestsOf('finder')).toHaveLength(3);
    expect(model.requestsOf('writer')).toHaveLength(0);
    const outcome = await stage.open(agent as never).resume();
    expect(outcome).toMatchObject({ stop: 'done', value: 'Dear 42' });
    expect(model.requestsOf('finder')).toHaveLength(3);
    expect(tools.done).toEqual(['add_one 41']);
    expect(eventsOf(await stage.entries(RUN), 'spawn-start').map(({ name }) => name)).toEqual(['finder', 'writer']);
    model.assertFinished();
  });

  it('is marked on its function, so that whoever serves it can say what it is', () => {
    const made = letterOf(office());
    expect(made).toMatchObject({ kind: 'workflow', name: 'letter', version: '1' });
    expect(workflowMark(made)).toBe(workflowMark(made.agent));
    expect(workflowMark(made)).toMatchObject({
      description: 'Finds and writes.',
      agents: ['finder', 'writer'],
      inputs: { required: ['wanted'] },
    });
    expect(WORKFLOW in made.agent).toBe(true);
    expect(workflowMark(async () => done(1))).toBeUndefined();
    expect(workflowMark(null)).toBeUndefined();
    expect(() => workflow('two words', async () => done(1))).toThrow(/two words/);
    expect(() => agentRegistry({ a: 7 as never })).toThrow(/"a" is not an agent/);
    expect(() => office().registry.register('finder', async () => done(1))).toThrow(/Two agents/);
  });
});

describe('a dry run', () => {
  const dry = async (made: { readonly dryRun: Agent<never, DryRunReport> }, input: unknown) => {
    const { outcome, stage } = await runAgent(made.dryRun, input);
    return { report: gained(outcome), stage };
  };

  it('of a workflow calls no model and no tool, and says which agents would be invoked how and with what [R6-WORKFLOW-DRY-RUN]', async () => {
    const made = office();
    const { model, tools } = made;
    const { report, stage } = await dry(letterOf(made), { wanted: 'x' });
    expect(report).toEqual({
      workflow: 'letter',
      version: '1',
      acts: [
        {
          kind: 'agent',
          agent: 'finder',
          version: '3',
          mode: 'iterative',
          slice: { modelCalls: 6, toolCalls: 4 },
          inputs: { wanted: 'x', depth: 2 },
        },
        {
          kind: 'agent',
          agent: 'writer',
          version: '1',
          mode: 'once',
          slice: { modelCalls: 3 },
          inputs: { about: '<found>' },
        },
      ],
      problems: [],
      end: { stop: 'done' },
    });
    expect(model.requests).toEqual([]);
    expect(tools.done).toEqual([]);
    const entries = await stage.entries();
    expect(eventsOf(entries, 'ask-start')).toEqual([]);
    expect(eventsOf(entries, 'spawn-start')).toEqual([]);
    const notes = eventsOf(entries, 'note').map(({ event }) => [event.kind, event['agent']]);
    expect(notes).toEqual([
      ['agent-dry-run', 'finder'],
      ['agent-dry-run', 'writer'],
    ]);
  });

  it('finds inputs that do not fit and agents that are not there, of inner workflows too [R6-WORKFLOW-DRY-RUN]', async () => {
    const { registry, model } = office();
    const inner = workflow(
      { name: 'inner', agents: registry, inputs: { n: { type: 'integer' } } },
      async (run, _input, parts) => {
        await parts.invokeAgent(run, 'writer', { about: 7 });
        return parts.invokeAgent(run, 'nobody', {});
      },
    );
    const outer = workflow(
      { name: 'outer', agents: agentRegistry({ inner, finder: office().finder }) },
      async (run, _input, parts) => {
        await parts.invokeAgent(run, 'finder', { wanted: 'x', deep: 3 });
        await parts.invokeAgent(run, 'inner', { n: 'one' });
        return parts.invokeAgent(run, 'inner', { n: 1 }, { sample: 'made up' });
      },
    );
    const { report } = await dry(outer, null);
    expect(report.problems).toHaveLength(4);
    expect(report.problems[0]).toMatch(/^finder cannot start: .*deep/);
    expect(report.problems[1]).toMatch(/^inner cannot start: n/);
    expect(report.problems[2]).toMatch(/^writer cannot start: about/);
    expect(report.problems[3]).toMatch(/No agent "nobody" is registered/);
    expect(report.acts[2]).toMatchObject({
      kind: 'agent',
      agent: 'inner',
      mode: 'workflow',
      inside: { end: { stop: 'failed' } },
    });
    expect(model.requests).toEqual([]);
  });

  it('writes down everything else that a body would do, and does none of it [R6-WORKFLOW-DRY-RUN]', async () => {
    const { model, tools, registry } = office();
    const changed: string[] = [];
    const busy = workflow({ name: 'busy', agents: registry }, async (run, _input, parts) => {
      const called = await run.call(tools.write, { text: 'x' });
      const pure = await run.step('look', 1, (x) => x + 1, 'pure');
      const waited = await run.scope('inner').wait({ name: 'go' });
      const heard = await run.guarded({}).hear({ name: 'verdict' });
      await run.sleep(3_600_000);
      const child = await run.spawn(
        async function helper() {
          changed.push('spawned');
          return done(1);
        },
        null,
        { share: 0.5 },
      );
      const branches = await run.all<unknown>(
        [
          (branch) => parts.invokeAgent(branch, 'writer', { about: 'a' }),
          (branch) => branch.call(tools.write, { text: 'y' }),
        ],
        2,
      );
      const isSame =
        called.ok === false &&
        pure === 2 &&
        waited === 'timed-out' &&
        heard === 'timed-out' &&
        child.stop === 'blocked' &&
        branches.every(({ ok }) => ok);
      await run.step('send', isSame, () => void changed.push('sent'), 'idempotent');
      return done(null);
    });
    const { report } = await dry(busy, null);
    expect(report.acts.map((act) => [act.kind, 'name' in act ? act.name : ''])).toEqual([
      ['tool', 'write'],
      ['wait', 'go'],
      ['wait', 'verdict'],
      ['sleep', ''],
      ['spawn', 'helper'],
      ['tool', 'write'],
      ['agent', ''],
      ['step', 'send'],
    ]);
    expect(report.acts.at(-1)).toMatchObject({ input: true });
    expect(report.end).toEqual({ stop: 'not-simulated', because: expect.stringContaining('make the step "send"') });
    expect(report.problems).toEqual([]);
    expect([...changed, ...tools.done, ...model.requests]).toEqual([]);

    const asking = workflow('asking', async (run) =>
      run.ask({ name: 'writer', model, setup: '' }, 'hello').then(({ text }) => done(text)),
    );
    expect((await dry(asking, null)).report).toMatchObject({
      acts: [{ kind: 'model', name: 'writer', input: 'hello' }],
      end: { stop: 'not-simulated' },
    });
    const living = workflow('living', async (run) => run.continueWith({}));
    expect((await dry(living, null)).report).toMatchObject({
      acts: [{ kind: 'continue' }],
      end: { stop: 'not-simulated' },
    });
    expect(model.requests).toEqual([]);
  });

  it('does nothing inside patterns, parts of the budget and branches, and posts to no board [R6-WORKFLOW-DRY-RUN]', async () => {
    const { tools, registry } = office();
    const write = (run: Run, text: string) => run.call(tools.write, { text });
    const nested = workflow({ name: 'nested', agents: registry }, async (run) => {
      await run.enter({ pattern: 'V19', params: {} }, (inner) => {
        inner.learned({ rounds: 1 });
        return write(inner, 'enter');
      });
      await run.within({ toolCalls: 1 }, (inner) => write(inner, 'within'));
      for await (const _ of run.each([(branch) => write(branch, 'each')], { width: 1 }));
      await run.some([(branch) => write(branch, 'some')], { need: 1, width: 1 });
      await run.first([(branch) => write(branch, 'first')]);
      await run.board('facts').post('a fact');
      return done(null);
    });
    const { report } = await dry(nested, null);
    expect(report.acts.map((act) => ('input' in act ? act.input : act.kind))).toEqual([
      ...['enter', 'within', 'each', 'some', 'first'].map((text) => ({ text })),
      'a fact',
    ]);
    expect(report.end).toEqual({ stop: 'not-simulated', because: expect.stringContaining('board "facts"') });
    expect(tools.done).toEqual([]);
  });

  it('of a workflow without an end has one [R6-WORKFLOW-DRY-RUN]', async () => {
    const endless = workflow({ name: 'endless', agents: { f: async () => done(1) } }, async (run) => {
      for (;;) await run.sleep(1);
    });
    const { report } = await dry(endless, null);
    expect(report.acts).toHaveLength(1000);
    expect(report.end.because).toMatch(/does not seem to end/);
  });

  it('of one invocation answers what would be invoked [R6-WORKFLOW-DRY-RUN]', async () => {
    const { writer, model } = office();
    const one = async (run: Parameters<Agent<unknown, unknown>>[0]) =>
      invokeAgent(run, writer, { about: 'tea' }, { dryRun: true, slice: { share: 0.1 } });
    const { outcome } = await runAgent(one);
    expect(gained(outcome) as Invoked).toEqual({
      agent: 'writer',
      version: '1',
      mode: 'once',
      output: { letter: '<letter>', copies: 0, kind: 'note' },
      dryRun: { slice: { share: 0.1 }, inputs: { about: 'tea' } },
    });
    expect(model.requests).toEqual([]);
  });

  it('survives a kill like any other run [R6-WORKFLOW-DRY-RUN]', async () => {
    const made = office();
    const { dryRun } = letterOf(made);
    const stage = moving();
    await stage.crashed(dryRun as never, at('after', 'complete'), { input: { wanted: 'x' } });
    const outcome = await stage.open(dryRun as never).resume();
    expect(outcome).toMatchObject({ stop: 'done', value: { acts: [{ agent: 'finder' }, { agent: 'writer' }] } });
  });
});

it('a module can export a workflow like any agent', async () => {
  const made = office();
  const runtime = createRuntime({ engine: memoryEngine(), agents: { letter: letterOf(made) } });
  onTestFinished(() => runtime.close());
  const handle = await runtime.start('letter', { wanted: 'x' }, { budget: budget() });
  expect(await handle.outcome()).toMatchObject({ stop: 'done', value: 'Dear 42' });
});
