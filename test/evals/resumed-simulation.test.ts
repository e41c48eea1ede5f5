import { type Engine, memoryEngine, type Run } from 'flyball';
import { autoClock, scriptedModel, testHost } from 'flyball/testing';
import { expect, it, onTestFinished } from 'vitest';
import type { Checkpoint, ExperimentOptions } from '../../packages/evals/src/experiment/experiment.js';
import { runExperiment } from '../../packages/evals/src/experiment/run-experiment.js';
import { policyAgent, scriptedUser } from '../../packages/evals/src/experiment/sides.js';
import type { Results, SimulationRecord } from '../../packages/evals/src/results/simulation-record.js';
import { silentAgent } from '../../packages/evals/src/simulation/scripted-party.js';
import { baseline } from '../../packages/flyball/src/agents/policies/baseline.js';
import type { ToolSeams } from '../../packages/flyball/src/core/seams.js';
import { counterDomain } from './counter-domain.js';

const call = (id: string, name: string, args: string) => ({ toolCalls: [{ id, name, arguments: args }] });

function stage(engine: Engine, gone: Set<string>, seams: ToolSeams = {}): ExperimentOptions['runtime'] {
  const clock = autoClock({ idleTurns: 40 });
  onTestFinished(() => clock.stop());
  return { engine, clock, host: testHost(`life-${gone.size}-${Math.random()}`, gone), seams };
}

/** Keeps results in memory: what a file would hold. */
function remembered(): Checkpoint {
  let kept: Results | undefined;
  return {
    load: async () => kept,
    save: async (results) => {
      kept = results;
    },
  };
}

const user = scriptedUser([{ text: 'Count for me.' }, { text: '###STOP###' }]);

function options(more: Partial<ExperimentOptions> & Pick<ExperimentOptions, 'agents' | 'runtime'>): ExperimentOptions {
  const domain = more.domain ?? counterDomain(1);
  return {
    domain,
    tasks: domain.tasks,
    trials: 1,
    seed: 1,
    conditions: [{ name: 'base', agent: 'baseline', user: 'user' }],
    users: { user },
    concurrency: 1,
    maxRetries: 0,
    ...more,
  };
}

async function theOnly(given: ExperimentOptions): Promise<SimulationRecord> {
  const [results] = (await runExperiment(given)).results.values();
  const [simulation] = results?.simulations ?? [];
  if (simulation === undefined) throw new Error('nothing was simulated');
  return simulation;
}

it('goes on from its journal where it was cut off, in a world rebuilt from the calls that were made [R5-SIM-RESUME]', async () => {
  const engine = memoryEngine();
  const checkpoint = remembered();
  const domain = counterDomain(1);
  const stop = new AbortController();
  const begun = [call('1', 'add', '{"amount": 1}'), call('2', 'read', '{}')];
  const hanging = scriptedModel({ agent: [...begun, { gate: new Promise(() => undefined) }] });
  const gone = new Set<string>();
  const cut = runExperiment(
    options({
      domain,
      agents: { baseline: policyAgent(baseline, { model: hanging }) },
      runtime: stage(engine, gone),
      checkpoint: () => checkpoint,
      signal: stop.signal,
    }),
  );
  await hanging.reached('agent', 3);
  stop.abort(new Error('enough'));
  expect((await cut).ended).toBe('aborted');
  expect(domain.calls).toEqual(['add', 'read']);

  domain.calls.length = 0;
  const rest = [call('3', 'read', '{}'), call('4', 'add', '{"amount": 1}'), 'Done.'];
  const model = scriptedModel({ agent: rest });
  const record = await theOnly(
    options({
      domain,
      agents: { baseline: policyAgent(baseline, { model }) },
      runtime: stage(engine, gone),
      checkpoint: () => checkpoint,
    }),
  );
  model.assertFinished(); // three calls in this life: the two finished ones were not asked again
  const results = record.messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
  // the second read knows of the first one: calls that only read are made again too
  expect(results).toEqual(['It is 1.', 'It is 1 after 1 reads.', 'It is 1 after 2 reads.', 'It is 2.']);
  expect(record.reward?.reward).toBe(1);
  const again = ['add', 'read'];
  expect(domain.calls.slice(0, 4)).toEqual([...again, 'read', 'add']);
});

it('stops a simulation whose world does not answer again as it did [R5-SIM-RESUME]', async () => {
  const engine = memoryEngine();
  const checkpoint = remembered();
  const stop = new AbortController();
  const hanging = scriptedModel({ agent: [call('1', 'add', '{"amount": 1}'), { gate: new Promise(() => undefined) }] });
  const gone = new Set<string>();
  const domain = counterDomain(1);
  const cut = runExperiment(
    options({
      domain,
      agents: { baseline: policyAgent(baseline, { model: hanging }) },
      runtime: stage(engine, gone),
      checkpoint: () => checkpoint,
      signal: stop.signal,
    }),
  );
  await hanging.reached('agent', 2);
  stop.abort(new Error('enough'));
  await cut;
  // the same task, but whoever restarted it brought another world
  const other = counterDomain(1);
  const shifted: typeof other.environment = (about) => {
    const environment = other.environment(about);
    void environment.agent.call('add', new Map([['amount', 5n]]));
    return environment;
  };
  const model = scriptedModel({ agent: [call('2', 'add', '{"amount": 1}'), 'Done.'] });
  const record = await theOnly(
    options({
      domain: { ...domain, environment: shifted },
      agents: { baseline: policyAgent(baseline, { model }) },
      runtime: stage(engine, gone),
      checkpoint: () => checkpoint,
    }),
  );
  expect(record).toMatchObject({ termination: 'infrastructure_error', reward: null });
  expect(record.info?.['error']).toMatch(/a different result than before the process was restarted/);
});

it('lets the seams of the runtime judge every call, and leaves refused ones out of the grade [R5-GRADE-DB]', async () => {
  const seen: unknown[] = [];
  const seams: ToolSeams = {
    'tool.pre': [
      (next) => async (value, context) => {
        seen.push(value.args);
        const { amount } = value.args as { readonly amount?: unknown };
        return amount === 7 ? { allow: false, why: 'seven is too much' } : next(value, context);
      },
    ],
  };
  const model = scriptedModel({
    agent: [
      call('1', 'add', '{"amount": 7}'),
      call('2', 'add', '{"amount": 2.0}'),
      call('3', 'add', '{"amount": 2}'),
      'Done.',
    ],
  });
  const record = await theOnly(
    options({
      agents: { baseline: policyAgent(baseline, { model }) },
      runtime: stage(memoryEngine(), new Set(), seams),
    }),
  );
  // 2.0 stays a float on its way through the journal, and guards can tell
  expect(seen).toEqual([{ amount: 7 }, { amount: { $float: '2' } }, { amount: 2 }]);
  const results = record.messages.flatMap((message) =>
    message.role === 'tool' ? [[message.error, message.content]] : [],
  );
  expect(results).toEqual([
    [true, expect.stringContaining('seven is too much')],
    [true, 'Error: amount must be a whole number'],
    [false, 'It is 2.'],
  ]);
  expect(record.info).toMatchObject({ refusedCalls: 1, refusedCallIds: ['1'], toolErrors: 2 });
  expect(record.reward?.db).toEqual({ match: true, reward: 1 });
});

it('ends a simulation whose model calls cannot be read as an infrastructure error [R5-SIM-RETRY]', async () => {
  const model = scriptedModel({ agent: [call('1', 'add', '{"amount": ')] });
  const record = await theOnly(
    options({ agents: { baseline: policyAgent(baseline, { model }) }, runtime: stage(memoryEngine(), new Set()) }),
  );
  expect(record).toMatchObject({ termination: 'infrastructure_error', messages: [], reward: null });
  expect(record.info?.['error']).toMatch(/arguments of the call add cannot be read/);
});

it('fails a simulation whose world breaks, and shows the agent nothing of it [R5-SIM-RETRY]', async () => {
  const domain = counterDomain(1);
  const dark: typeof domain.environment = (about) => {
    const environment = domain.environment(about);
    return Object.assign(environment, { respond: () => Promise.reject(new Error('the search is down')) });
  };
  const model = scriptedModel({ agent: [call('1', 'read', '{}')] });
  const record = await theOnly(
    options({
      domain: { ...domain, environment: dark },
      agents: { baseline: policyAgent(baseline, { model }) },
      runtime: stage(memoryEngine(), new Set()),
    }),
  );
  expect(record).toMatchObject({ termination: 'infrastructure_error', reward: null });
  expect(record.info?.['error']).toMatch(/The simulated world failed: the search is down/);
  expect(model.requests).toHaveLength(1);
});

it('waits for a simulation that sleeps, and gives up one that waits for a person [R5-SIM-RETRY]', async () => {
  const agentWith = (pause: (run: Run) => Promise<unknown>): ExperimentOptions['agents'] => ({
    baseline: {
      llm: null,
      make: ({ run }) => ({
        ...silentAgent({ now: () => run.now() }),
        take: async () => {
          await pause(run);
          return { role: 'assistant', content: 'Here I am.', calls: [], cost: 0, at: run.now() };
        },
      }),
    },
  });
  const sleeping = options({
    agents: agentWith((run) => run.sleep(3_600_000)),
    runtime: stage(memoryEngine(), new Set()),
  });
  const began = sleeping.runtime.clock.now();
  expect((await theOnly(sleeping)).termination).toBe('user_stop');
  expect(sleeping.runtime.clock.now() - began).toBeGreaterThanOrEqual(3_600_000);
  const waiting = agentWith((run) => run.wait({ name: 'a word' }));
  const record = await theOnly(options({ agents: waiting, maxRetries: 3, runtime: stage(memoryEngine(), new Set()) }));
  expect(record).toMatchObject({ termination: 'infrastructure_error', info: { attempts: 1 } });
  expect(record.info?.['error']).toMatch(/waits for a word, and nobody answers/);
});

it('does not take over a simulation that another process is running [R5-SIM-RESUME]', async () => {
  const [engine, checkpoint, gone] = [memoryEngine(), remembered(), new Set<string>()];
  const stop = new AbortController();
  const hanging = scriptedModel({ agent: [{ gate: new Promise(() => undefined) }] });
  const first = stage(engine, gone);
  const shared = { checkpoint: () => checkpoint, agents: { baseline: policyAgent(baseline, { model: hanging }) } };
  const cut = runExperiment(options({ ...shared, runtime: first, signal: stop.signal }));
  await hanging.reached('agent', 1);
  const second = { ...first, host: testHost('another', gone) };
  await expect(runExperiment(options({ ...shared, runtime: second }))).rejects.toThrow(/Another process is running/);
  stop.abort(new Error('enough'));
  expect((await cut).ended).toBe('aborted');
});

it('spends no more on a simulation than its budget, and does not try it again [R5-SIM-RETRY]', async () => {
  const model = scriptedModel({ agent: () => call('1', 'read', '{}') });
  const given = options({
    agents: { baseline: policyAgent(baseline, { model }) },
    runtime: stage(memoryEngine(), new Set()),
    budget: { modelCalls: 3 },
    maxRetries: 3,
  });
  const record = await theOnly(given);
  expect(record).toMatchObject({ termination: 'infrastructure_error', info: { attempts: 1 } });
  expect(record.info?.['error']).toMatch(/budget of 3 modelCalls is used up/);
  expect(model.requests).toHaveLength(3);
});
