import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeResultsFile } from '../../packages/evals/src/files/results-file.js';
import type { Route } from '../../packages/server/src/contract/route.js';
import type { Parts } from '../../packages/server/src/parts.js';
import { Problem } from '../../packages/server/src/problem.js';
import { evalRoutes } from '../../packages/server/src/routes/evals.js';
import { DEFAULT_SETTINGS } from '../../packages/server/src/settings.js';
import { call, made, results, said, simulation } from '../evals/stage-results.js';

interface Listed {
  readonly evaluations: readonly { readonly id: string; readonly name: string; readonly files: readonly string[] }[];
}
interface Detail {
  readonly points: readonly { readonly label: string; readonly pass1: number; readonly costPerTask: number }[];
  readonly summaries: readonly {
    readonly file: string;
    readonly label: string;
    readonly tasks: number;
    readonly domain: string;
  }[];
  readonly unread: readonly { readonly file: string; readonly why: string }[];
}

interface Simulations {
  readonly simulations: readonly { readonly id: string; readonly task: string; readonly dbMatch: boolean | null }[];
}
interface Conversation {
  readonly checks: readonly unknown[];
  readonly conversation: readonly { readonly by: string; readonly text: string; readonly calls: readonly unknown[] }[];
  readonly run: string | null;
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flyball-evals-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function asking(evals: string | undefined) {
  const routes = evalRoutes({ settings: { ...DEFAULT_SETTINGS, evals } } as Parts);
  const ask = async <T>(route: Route | undefined, params: unknown, query: unknown = {}): Promise<T> => {
    const answer = await route?.handle({ params, query } as Parameters<Route['handle']>[0]);
    return (answer as { readonly body: T }).body;
  };
  return {
    list: () => ask<Listed>(routes[0], {}),
    get: (id: string) => ask<Detail>(routes[1], { id }),
    simulations: (id: string, file: string) => ask<Simulations>(routes[2], { id }, { file }),
    simulation: (id: string, file: string, one: string) =>
      ask<Conversation>(routes[3], { id, simulation: one }, { file }),
  };
}

const put = (path: string, agent: string, rewards: readonly number[], agentCost = 0.02): Promise<void> => {
  const simulations = rewards.map((reward, index) => simulation(`t${index}`, reward, { agentCost }));
  return writeResultsFile(join(folder, path, 'results.json'), results({ agent }, simulations, []));
};

describe('evaluations over HTTP', () => {
  it('are found with their conditions, newest first, and answer the points of a plot [R6-STUDIO-EVALS]', async () => {
    await put('2026-01-01/baseline', 'baseline', [1, 0, 0, 0]);
    await put('2026-01-01/governed', 'governed', [1, 1, 1, 0], 0.2);
    await put('alone', 'baseline', [1], 0);
    await utimes(join(folder, 'alone', 'results.json'), 1, 1);
    const { list, get } = asking(folder);
    const { evaluations } = await list();
    expect(evaluations.map(({ name, files }) => [name, files.length])).toEqual([
      ['2026-01-01', 2],
      ['alone', 1],
    ]);
    const both = await get(evaluations[0]?.id ?? '');
    expect(both.points.map(({ pass1, costPerTask }) => [pass1, costPerTask]).sort()).toEqual([
      [0.25, 0.02],
      [0.75, 0.2],
    ]);
    expect(both.summaries.map(({ tasks }) => tasks)).toEqual([4, 4]);
    const free = await get(evaluations[1]?.id ?? '');
    expect(free.points).toEqual([]); // no cost: it has no place on a logarithmic scale, and is in the table
    expect(free.summaries).toHaveLength(1);
  });

  it('lead from a figure to its simulations and to the conversation of each [R8-EVAL-STUDIO]', async () => {
    const messages = [
      said('user', 'Refund me.'),
      ...made([call('refund', { id: 'a' }), 'raise:Not yet.']),
      said('assistant', 'Not yet.'),
    ];
    const cut = simulation('t2', 0, { termination: 'max_steps' });
    const simulations = [
      simulation('t1', 1, { messages, info: { runId: 'sim-1' } }),
      { ...cut, reward: cut.reward && { ...cut.reward, db: null, actions: null } },
    ];
    await writeResultsFile(join(folder, 'x/baseline/results.json'), results({}, simulations, []));
    const routes = asking(folder);
    const id = (await routes.list()).evaluations[0]?.id ?? '';
    const [row] = (await routes.get(id)).summaries;
    expect(row).toMatchObject({ simulations: 2, dbMatch: { hits: 1, of: 2 }, modelCalls: { value: 0.5, of: 2 } });
    const file = row?.file ?? '';
    const listed = (await routes.simulations(id, file)).simulations;
    expect(listed).toMatchObject([
      { task: 't1', reward: 1, dbMatch: true, toolCalls: 1, modelCalls: 1, messages: 4, cost: 0.02 },
      { task: 't2', reward: 0, dbMatch: false, termination: 'max_steps' },
    ]);
    const one = await routes.simulation(id, file, listed[0]?.id ?? '');
    expect(one).toMatchObject({ run: 'sim-1', checks: [{ what: 'The database is correct', met: true }] });
    expect(one.conversation).toEqual([
      { by: 'user', text: 'Refund me.', calls: [], failed: false },
      { by: 'assistant', text: '', calls: [{ name: 'refund', arguments: '{"id": "a"}' }], failed: false },
      { by: 'tool', text: 'Not yet.', calls: [], failed: true },
      { by: 'assistant', text: 'Not yet.', calls: [], failed: false },
    ]);
    for (const wrong of ['../x/baseline/results.json', join(folder, file), 'nothing'])
      await expect(routes.simulations(id, wrong)).rejects.toMatchObject({ status: 404 });
    await expect(routes.simulation(id, file, 'nobody')).rejects.toMatchObject({ status: 404 });
  });

  it('are read again when a file changes', async () => {
    await put('one', 'baseline', [0]);
    const { list, get } = asking(folder);
    const id = (await list()).evaluations[0]?.id ?? '';
    expect((await get(id)).points[0]?.pass1).toBe(0);
    await put('one', 'baseline', [1, 1]);
    expect((await get(id)).points[0]?.pass1).toBe(1);
  });

  it('tell what cannot be read without naming where the folder lies', async () => {
    await mkdir(join(folder, 'broken'), { recursive: true });
    await writeFile(join(folder, 'broken', 'results.json'), '{ "info": ');
    const { list, get } = asking(folder);
    const { unread, summaries } = await get((await list()).evaluations[0]?.id ?? '');
    expect(summaries).toEqual([]);
    expect(unread[0]?.file).toBe('broken/results.json');
    expect(unread[0]?.why).toContain('broken/results.json is not valid JSON');
    expect(JSON.stringify(unread)).not.toContain(folder);
  });

  it('are neither found nor named outside of the folder: links and paths lead nowhere', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'flyball-outside-'));
    try {
      await writeResultsFile(join(outside, 'results.json'), results({}, [simulation('t', 1)]));
      await symlink(outside, join(folder, 'linked'));
      await mkdir(join(folder, 'file-linked'));
      await symlink(join(outside, 'results.json'), join(folder, 'file-linked', 'results.json'));
      const { list, get } = asking(folder);
      expect(await list()).toEqual({ evaluations: [] });
      for (const id of ['..', '../..', 'linked', outside, '0000000000000000'])
        await expect(get(id)).rejects.toMatchObject({ status: 404 });
    } finally {
      await rm(outside, { recursive: true, force: true });
    }
  });

  it('are none where the server has no folder, or it is not there', async () => {
    for (const place of [undefined, join(folder, 'nowhere')]) {
      const { list, get } = asking(place);
      expect(await list()).toEqual({ evaluations: [] });
      await expect(get('0000000000000000')).rejects.toBeInstanceOf(Problem);
    }
  });

  it('leave out what is too large to read while others wait for answers, and say so', async () => {
    await put('large', 'baseline', [1]);
    await mkdir(join(folder, 'large', 'simulations'));
    const { open } = await import('node:fs/promises');
    const file = await open(join(folder, 'large', 'simulations', 'x.json'), 'w');
    await file.truncate(60 * 1024 * 1024); // sparse: it takes no room on the disk
    await file.close();
    const { list, get } = asking(folder);
    const { unread } = await get((await list()).evaluations[0]?.id ?? '');
    expect(unread[0]?.why).toContain('the studio reads up to 48 MB');
  });
});
