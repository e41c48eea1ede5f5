import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, type Engine, memoryEngine } from 'flyball';
import { autoClock, testHost } from 'flyball/testing';
import { expect, it, onTestFinished } from 'vitest';
import type { ExperimentOptions, Progress, SideMaker } from '../../packages/evals/src/experiment/experiment.js';
import { runExperiment } from '../../packages/evals/src/experiment/run-experiment.js';
import {
  goldAgentSide,
  goldUserSide,
  scriptedUser,
  silentAgentSide,
} from '../../packages/evals/src/experiment/sides.js';
import { resultsFile } from '../../packages/evals/src/files/results-file.js';
import { referenceMetrics } from '../../packages/evals/src/metrics/reference-metrics.js';
import type { Results } from '../../packages/evals/src/results/simulation-record.js';
import type { Party } from '../../packages/evals/src/simulation/party.js';
import { counterDomain, sumTask } from './counter-domain.js';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'flyball-evals-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function stage(engine: Engine = memoryEngine()): ExperimentOptions['runtime'] {
  const clock = autoClock({ idleTurns: 40 });
  onTestFinished(() => clock.stop());
  return { engine, clock, host: testHost(`life-${Math.random()}`, new Set()) };
}

function options(more: Partial<ExperimentOptions> = {}): ExperimentOptions {
  const domain = more.domain ?? counterDomain();
  return {
    domain,
    tasks: domain.tasks,
    trials: 1,
    seed: 300,
    conditions: [{ name: 'gold', agent: 'gold', user: 'gold' }],
    agents: { gold: goldAgentSide, silent: silentAgentSide },
    users: { gold: goldUserSide, brief: scriptedUser([{ text: 'Hello.' }, { text: '###STOP###' }]) },
    runtime: stage(),
    concurrency: 2,
    ...more,
  };
}

function only(report: { readonly results: ReadonlyMap<string, Results> }): Results {
  const [results] = report.results.values();
  if (results === undefined) throw new Error('no results');
  return results;
}

/** An agent that breaks while `breaks` says so, and else is the gold one. */
function fragile(breaks: (taskId: string) => boolean): SideMaker {
  return {
    llm: null,
    make: (setting) => {
      const gold: Party = goldAgentSide.make(setting);
      return {
        ...gold,
        take: (incoming) => {
          if (breaks(setting.task.id)) throw new Error('the line is dead');
          return gold.take(incoming);
        },
      };
    },
  };
}

it('runs every task under every condition as often as there are trials, with the seeds of the trials [R5-SIM-SEEDS]', async () => {
  const conditions = [
    { name: 'gold', agent: 'gold', user: 'gold' },
    { name: 'silent', agent: 'silent', user: 'brief' },
  ];
  const report = await runExperiment(options({ trials: 2, conditions }));
  expect(report.ended).toBe('complete');
  const gold = report.results.get('gold');
  expect(gold?.simulations.map(({ taskId, trial, seed, reward }) => [taskId, trial, seed, reward?.reward])).toEqual([
    ['sum-1', 0, 626729, 1],
    ['sum-2', 0, 626729, 1],
    ['sum-3', 0, 626729, 1],
    ['sum-1', 1, 373753, 1],
    ['sum-2', 1, 373753, 1],
    ['sum-3', 1, 373753, 1],
  ]);
  expect(gold?.simulations[0]).toMatchObject({ termination: 'user_stop', agentCost: 0, userCost: 0 });
  const silent = report.results.get('silent');
  expect(silent?.simulations.map(({ reward }) => reward?.reward)).toEqual([0, 0, 0, 0, 0, 0]);
});

it('tries a simulation that fails for infrastructure three more times, a second apart [R5-SIM-RETRY]', async () => {
  let tries = 0;
  const agents = { gold: fragile((id) => id === 'sum-2' && ++tries <= 3) };
  const given = options({ agents });
  const began = given.runtime.clock.now();
  const results = only(await runExperiment(given));
  expect(tries).toBe(4 + 3); // three that broke, and every turn of the one that went through
  expect(results.simulations.map(({ reward }) => reward?.reward)).toEqual([1, 1, 1]);
  expect(results.simulations[1]?.info).toMatchObject({ attempts: 4 });
  expect(given.runtime.clock.now() - began).toBeGreaterThanOrEqual(3_000);
});

it('records a simulation whose tries all failed without messages, counts it apart and never scores it [R5-SIM-RETRY]', async () => {
  const agents = { gold: fragile((id) => id === 'sum-2') };
  const results = only(await runExperiment(options({ agents })));
  expect(results.simulations[1]).toMatchObject({
    taskId: 'sum-2',
    termination: 'infrastructure_error',
    messages: [],
    reward: null,
    info: { attempts: 4, error: expect.stringContaining('the line is dead') },
  });
  const metrics = referenceMetrics(results);
  expect(metrics).toMatchObject({ infrastructureErrors: 1, simulations: 2, tasks: 2, avgReward: 1 });
});

it('keeps what is finished when it is resumed and runs infrastructure errors again [R5-SIM-RESUME]', async () => {
  const path = join(folder(), 'results.json');
  const engine = memoryEngine();
  const domain = counterDomain();
  let isDead = true;
  const given = (): ExperimentOptions =>
    options({
      domain,
      agents: { gold: fragile((id) => isDead && id === 'sum-2') },
      runtime: stage(engine),
      checkpoint: () => resultsFile(path),
    });
  const first = only(await runExperiment(given()));
  expect(first.simulations.map(({ termination }) => termination)).toEqual([
    'user_stop',
    'infrastructure_error',
    'user_stop',
  ]);
  isDead = false;
  domain.calls.length = 0;
  const seen: Progress[] = [];
  const second = only(await runExperiment({ ...given(), onProgress: (progress) => seen.push(progress) }));
  expect(second.simulations.map(({ reward }) => reward?.reward)).toEqual([1, 1, 1]);
  expect(seen.map((one) => [one.simulation.taskId, one.finished, one.total, one.successes])).toEqual([
    ['sum-2', 3, 3, 3],
  ]);
  expect(second.timestamp).toBe(first.timestamp);
  expect(readdirSync(join(path, '..'))).toEqual(['results.json']);
  const third = only(await runExperiment({ ...given(), agents: { gold: fragile(() => true) } }));
  expect(third.simulations.map(({ id }) => id)).toEqual(second.simulations.map(({ id }) => id));
});

it('refuses to resume with changed or removed tasks or another configuration, and accepts added tasks [R5-SIM-RESUME]', async () => {
  const path = join(folder(), 'results.json');
  const given = (more: Partial<ExperimentOptions> = {}): ExperimentOptions =>
    options({ checkpoint: () => resultsFile(path), ...more });
  await runExperiment(given());
  const saved = readFileSync(path, 'utf8');
  const [one, two, three] = counterDomain().tasks as never as [never, never, never];
  const changed = sumTask(2, { communicate_info: ['two'] });
  await expect(runExperiment(given({ tasks: [one, changed, three] }))).rejects.toThrow(/Task sum-2 .* was changed/);
  await expect(runExperiment(given({ tasks: [one, two] }))).rejects.toThrow(/Task sum-3 .* no longer among the tasks/);
  await expect(runExperiment(given({ seed: 1 }))).rejects.toThrow(/seed differ/);
  await expect(runExperiment(given({ limits: { maxSteps: 50 } }))).rejects.toThrow(/max_steps differ/);
  expect(readFileSync(path, 'utf8')).toBe(saved);
  const domain = counterDomain(4);
  const more = only(await runExperiment(given({ domain, tasks: domain.tasks })));
  expect(more.simulations.map(({ taskId }) => taskId)).toEqual(['sum-1', 'sum-2', 'sum-3', 'sum-4']);
});

it('does not compare the text of the policy when it is resumed [R5-SIM-RESUME]', async () => {
  const path = join(folder(), 'results.json');
  const given = (policy: string): ExperimentOptions => {
    const domain = counterDomain();
    const environment: typeof domain.environment = (about) => Object.assign(domain.environment(about), { policy });
    return options({ domain: { ...domain, environment }, checkpoint: () => resultsFile(path) });
  };
  await runExperiment(given('Count.'));
  expect((await runExperiment(given('Count well.'))).ended).toBe('complete');
});

it('keeps the policy with every simulation where it differs by task, and once where it does not [R5-RESULTS-FORMAT]', async () => {
  const domain = counterDomain(2);
  const environment: typeof domain.environment = (about) =>
    Object.assign(domain.environment(about), { policy: `Count for ${about.task?.id}.` });
  const byTask = only(await runExperiment(options({ domain: { ...domain, environment } })));
  expect(byTask.info.policy).toMatch(/task-specific/);
  expect(byTask.simulations.map(({ policy }) => policy)).toEqual(['Count for sum-1.', 'Count for sum-2.']);
  const common = only(await runExperiment(options({ domain })));
  expect([common.info.policy, common.simulations[0]?.policy]).toEqual(['Count.', null]);
});

it('saves the file whole after every simulation [R5-SIM-RESUME]', async () => {
  const saved: number[] = [];
  const checkpoint = (): { load(): Promise<undefined>; save(results: Results): Promise<void> } => ({
    load: async () => undefined,
    save: async (results) => {
      saved.push(results.simulations.length);
    },
  });
  await runExperiment(options({ checkpoint, concurrency: 1 }));
  expect(saved).toEqual([0, 1, 2, 3]);
});

it('stops taking simulations when it is told to, and goes on from there [R5-SIM-RESUME]', async () => {
  const path = join(folder(), 'results.json');
  const engine = memoryEngine();
  const stop = new AbortController();
  const given = (): ExperimentOptions =>
    options({ domain: counterDomain(6), concurrency: 1, runtime: stage(engine), checkpoint: () => resultsFile(path) });
  const report = await runExperiment({
    ...given(),
    signal: stop.signal,
    onProgress: ({ finished }) => finished === 2 && stop.abort(new Error('enough')),
  });
  expect(report.ended).toBe('aborted');
  expect(only(report).simulations).toHaveLength(2);
  expect((await resultsFile(path).load())?.simulations).toHaveLength(2);
  const seen: string[] = [];
  const rest = await runExperiment({ ...given(), onProgress: ({ simulation }) => seen.push(simulation.taskId) });
  expect(rest.ended).toBe('complete');
  expect(seen).toEqual(['sum-3', 'sum-4', 'sum-5', 'sum-6']);
});

it('tells what is done, what it cost and how long the rest will take', async () => {
  const seen: Progress[] = [];
  const paid: SideMaker = {
    llm: null,
    make: (setting) => {
      const user = goldUserSide.make(setting);
      return { ...user, take: async (incoming) => ({ ...(await user.take(incoming)), cost: 0.5 }) };
    },
  };
  await runExperiment(
    options({ users: { gold: paid }, concurrency: 1, onProgress: (progress) => seen.push(progress) }),
  );
  expect(seen.map(({ finished, total, costUsd, successes }) => [finished, total, costUsd, successes])).toEqual([
    [1, 3, 1, 1],
    [2, 3, 2, 2],
    [3, 3, 3, 3],
  ]);
  expect(seen.at(-1)?.etaMs).toBe(0);
});

it('never has more simulations under way than it may [R5-SIM-CONCURRENT]', async () => {
  let open = 0;
  let most = 0;
  const counting: SideMaker = {
    llm: null,
    make: (setting) => {
      const user = goldUserSide.make(setting);
      most = Math.max(most, ++open);
      return {
        ...user,
        take: async (incoming) => {
          const message = await user.take(incoming);
          if (message.content === '###STOP###') open--;
          return message;
        },
      };
    },
  };
  const domain = counterDomain(12);
  const results = only(await runExperiment(options({ domain, users: { gold: counting }, concurrency: 3 })));
  expect(results.simulations).toHaveLength(12);
  expect(most).toBe(3);
});

it('does not take the runs of another experiment for its own, even one of the same moment [R5-SIM-RESUME]', async () => {
  const engine = memoryEngine();
  const domain = counterDomain();
  const [first, second] = [stage(engine), stage(engine)];
  expect(first.clock.now()).toBe(second.clock.now());
  const one = only(await runExperiment(options({ domain, runtime: first })));
  const made = domain.calls.length;
  const two = only(await runExperiment(options({ domain, runtime: second })));
  expect(domain.calls.length).toBeGreaterThanOrEqual(2 * made - 9); // the gold path is worked out once
  expect(two.simulations.map(({ id }) => id)).not.toEqual(one.simulations.map(({ id }) => id));
});

it('stops at the first simulation that is misconfigured, and goes on when that is set right [R5-SIM-RETRY]', async () => {
  const checkpoint = resultsFile(join(folder(), 'results.json'));
  const engine = memoryEngine();
  const unpriced: SideMaker = {
    llm: null,
    make: () => {
      throw new ConfigError('No price is known.');
    },
  };
  const given = (agent: SideMaker): ExperimentOptions =>
    options({ agents: { gold: agent }, runtime: stage(engine), concurrency: 1, checkpoint: () => checkpoint });
  await expect(runExperiment(given(unpriced))).rejects.toThrow(/Simulation .*: No price is known/);
  expect((await checkpoint.load())?.simulations).toEqual([]);
  const results = only(await runExperiment(given(goldAgentSide)));
  expect(results.simulations.map(({ reward }) => reward?.reward)).toEqual([1, 1, 1]);
});

it('refuses an experiment that cannot be run before anything is spent', async () => {
  await expect(runExperiment(options({ concurrency: 0 }))).rejects.toThrow(/concurrency must be at least 1/);
  await expect(runExperiment(options({ tasks: [] }))).rejects.toThrow(/no task/);
  const conditions = [{ name: 'x', agent: 'nobody', user: 'gold' }];
  await expect(runExperiment(options({ conditions }))).rejects.toThrow(
    /names the agent nobody\. Available: gold, silent/,
  );
});
