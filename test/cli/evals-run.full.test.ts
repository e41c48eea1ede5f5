import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../packages/flyball/src/cli/exit-codes.js';
import { root } from '../../scripts/files.mjs';
import { tau2, withTau2 } from '../evals/tau2-data.js';
import { AGENT_MODEL, deskServer, evals, POLICIES, place, simulationsIn, USER_MODEL } from './evals-stage.js';

const TWO = ['--tasks', 'energy_001,energy_005'];

describe('flyball evals run', () => {
  it('runs each policy end to end with the scripted model, and tells how it goes [R5-CLI-RUN] [R5-SIM-KILL]', async () => {
    const here = place();
    const ran = await evals(['run', '--agent', ...POLICIES, ...TWO, '--out', here.at('all')]);
    expect(ran).toMatchObject({ code: EXIT.ok, error: '' });
    expect(ran.out).toContain('2 tasks of energy_desk × 4 conditions × 1 trial = 8 simulations, into ');
    expect(ran.out).toMatch(/✓ 8\/8 {2}\w+-bm25_grep {2}energy_00\d {2}user_stop, \d+ messages {2}\$0\.0000/);
    for (const policy of POLICIES) {
      const simulations = simulationsIn(here.read(`all/${policy}-bm25_grep/results.json`));
      expect(simulations.map((one) => [one.task_id, one.reward_info?.reward])).toEqual([
        ['energy_001', 1],
        ['energy_005', 1],
      ]);
      expect(ran.out).toMatch(new RegExp(`scripted/desk / ${policy} / bm25_grep +pass\\^1 1\\.000`));
    }
    expect(ran.out).toContain(`Report: flyball evals report ${here.at('all')}`);
    expect(existsSync(here.at('all/running'))).toBe(false);
  });

  it('runs each policy with agent and user played by models over HTTP, and counts what they cost [R5-CLI-RUN] [R5-SIM-KILL]', async () => {
    const here = place();
    const server = await deskServer();
    const words = ['run', '--agent', ...POLICIES, ...TWO, '--out', here.at('all'), '--retrieval', 'bm25'];
    const models = ['--model', AGENT_MODEL, '--user', USER_MODEL, '--price', '1/2'];
    const ran = await evals([...words, ...models], { env: server.env });
    expect(ran).toMatchObject({ code: EXIT.ok, error: '' });
    for (const policy of POLICIES) {
      const simulations = simulationsIn(here.read(`all/${policy}-bm25/results.json`));
      expect(simulations.map((one) => one.reward_info?.reward)).toEqual([1, 1]);
      for (const one of simulations) expect(Math.min(one.agent_cost ?? 0, one.user_cost ?? 0)).toBeGreaterThan(0);
    }
    expect(new Set(server.requests.map(({ model }) => model))).toEqual(new Set(['desk', 'customer']));
  });

  it('writes nothing but JSON lines with --json [R5-CLI-RUN]', async () => {
    const here = place();
    const ran = await evals(['run', ...TWO, '--trials', '2', '--out', here.at('x'), '--json']);
    expect(ran).toMatchObject({ code: EXIT.ok, error: '' });
    const kinds = ran.json().map(({ kind }) => kind);
    expect(kinds).toEqual(['experiment', ...Array<string>(4).fill('simulation'), 'ended']);
    expect(ran.json()[4]).toMatchObject({ finished: 4, total: 4, successes: 4, reward: 1, costUsd: 0 });
    expect(ran.json()[2]?.['etaMs']).toEqual(expect.any(Number));
  });

  it('takes a name that is given twice once [R5-CLI-RUN]', async () => {
    const here = place();
    const twice = ['--agent', 'gold', 'gold', '--retrieval', 'bm25,bm25', '--user', 'gold'];
    const ran = await evals(['run', '--tasks', 'energy_001', ...twice, '--out', here.at('x')]);
    expect(ran).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('1 condition') });
  });

  it('keeps progress, cost and time left in one line on a terminal [R5-CLI-RUN]', async () => {
    const here = place();
    const ran = await evals(['run', ...TWO, '--concurrency', '1', '--out', here.at('x')], { terminal: true });
    expect(ran.code).toBe(EXIT.ok);
    expect(ran.out).toContain('\r\u001b[2KOpening the worlds…');
    expect(ran.out).toMatch(/1 of 2 · 1 right · \$0\.0000 · \S+ ?\S* left/);
    const last = ran.out.slice(ran.out.lastIndexOf('2 of 2 · 2 right'));
    expect(last).toContain('\r\u001b[2K'); // and it is gone at the end
  });

  it('stops where the money ends, and goes on with resume [R5-CLI-RUN] [R5-CLI-RESUME]', async () => {
    const here = place();
    const server = await deskServer();
    const models = ['--model', AGENT_MODEL, '--user', USER_MODEL, '--price', '1/2', '--max-cost', '0.0001'];
    const ran = await evals(['run', ...TWO, ...models, '--concurrency', '1', '--out', here.at('x')], {
      env: server.env,
    });
    expect(ran.code).toBe(EXIT.bounded);
    expect(ran.out).toContain('and --max-cost is $0.00');
    expect(ran.out).toContain(`Continue with: flyball evals resume ${here.at('x')}`);
    const [first, ...others] = simulationsIn(here.read('x/baseline-bm25_grep/results.json'));
    expect(others).toEqual([]);
    const asked = server.askedAbout('energy_001');
    // the bound is over everything: what was spent before counts
    const still = await evals(['resume', here.at('x')], { env: server.env });
    expect(still.code).toBe(EXIT.bounded);
    expect(simulationsIn(here.read('x/baseline-bm25_grep/results.json'))).toHaveLength(1);
    const resumed = await evals(['resume', here.at('x'), '--max-cost', '5'], { env: server.env });
    expect(resumed.code).toBe(EXIT.ok);
    const after = simulationsIn(here.read('x/baseline-bm25_grep/results.json'));
    expect(after.map((one) => one.task_id)).toEqual(['energy_001', 'energy_005']);
    expect(after[0]).toEqual(first);
    expect(server.askedAbout('energy_001')).toBe(asked);
  });

  it('belongs to one process at a time, and takes over from one that is dead [R5-CLI-RESUME]', async () => {
    const here = place();
    const first = await evals(['run', '--tasks', 'energy_001', '--out', here.at('x')]);
    expect(first.code).toBe(EXIT.ok);
    here.file('x/running', String(process.ppid));
    const held = await evals(['resume', here.at('x')]);
    expect(held.code).toBe(EXIT.conflict);
    expect(held.error).toContain(`Process ${process.ppid} is running this experiment. Wait until it has ended`);
    here.file('x/running', '99999999');
    expect((await evals(['resume', here.at('x')])).code).toBe(EXIT.ok);
  });
});

withTau2('an experiment with data of tau2-bench', () => {
  it('goes on with the folder that it began with, wherever it is resumed [R5-CLI-RESUME]', async () => {
    const here = place();
    const words = [
      'run',
      '--domain',
      'mock',
      '--agent',
      'gold',
      '--user',
      'gold',
      '--limit',
      '1',
      '--out',
      here.at('x'),
    ];
    const env = { FLYBALL_TAU2: tau2().data };
    expect((await evals(words, { env })).code).toBe(EXIT.ok);
    expect(JSON.parse(here.read('x/experiment.json'))).toMatchObject({ data: tau2().data });
    expect(await evals(['resume', here.at('x')])).toMatchObject({ code: EXIT.ok, error: '' });
  });
});

describe('presets and agents by name', () => {
  it('pilot runs five tasks under two agents; options win over it [R5-CLI-PRESETS]', async () => {
    const here = place();
    const pilot = await evals(['run', '--preset', 'pilot', '--out', here.at('p'), '--json']);
    expect(pilot.code).toBe(EXIT.ok);
    expect(pilot.json()[0]).toMatchObject({ tasks: 5, conditions: 2, simulations: 10 });
    const words = ['run', '--preset', 'experiment', '--limit', '1', '--out', here.at('e'), '--json'];
    const experiment = await evals(words);
    expect(experiment.json()[0]).toMatchObject({ tasks: 1, conditions: 8, settings: { agents: POLICIES } });
    expect(experiment.json().at(-1)).toMatchObject({ kind: 'ended' });
  });

  it('a file of ones own says the same, and the one in the documentation runs [R5-CLI-PRESETS]', async () => {
    const here = place();
    const words = ['run', '--config', join(root, 'examples/evals.yaml'), '--trials', '1', '--limit', '1'];
    const ran = await evals([...words, '--out', here.at('x'), '--json']);
    expect(ran.json()[0]).toMatchObject({ tasks: 1, conditions: 4, trials: 1, settings: { maxCost: 5 } });
    expect(ran.code).toBe(EXIT.ok);
  });

  it('a module registers an agent, named on the command line or beside a configuration file [R5-CLI-PRESETS]', async () => {
    const here = place();
    here.file('mine.mjs', MODULE);
    const named = await evals([
      'run',
      '--module',
      here.at('mine.mjs'),
      '--agent',
      'mine',
      ...TWO,
      '--out',
      here.at('a'),
    ]);
    expect(named).toMatchObject({ code: EXIT.ok, error: '' });
    const [first] = simulationsIn(here.read('a/mine-bm25_grep/results.json'));
    expect(JSON.stringify(first?.messages)).toContain('I only say this.');
    here.file('mine.yaml', 'modules: mine.mjs\nagents: [mine]\ntasks: energy_001\nmaxSteps: 6\n');
    const configured = await evals(['run', '--config', here.at('mine.yaml'), '--out', here.at('b'), '--json']);
    expect(configured.json()[0]).toMatchObject({ settings: { modules: [here.at('mine.mjs')], maxSteps: 6 } });
    expect(configured.code).toBe(EXIT.ok);
    expect((await evals(['resume', here.at('b')])).code).toBe(EXIT.ok);
  });
});

const MODULE = `
const usage = { input: 0, output: 0, cacheRead: 0 };
export const policies = {
  mine: () => () => ({
    policy: 'mine',
    setup: '',
    open: () => undefined,
    take: async () => ({ text: 'I only say this.', calls: [], costUsd: 0, usage, inside: [] }),
  }),
};
`;
