import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tau2, withTau2 } from '../evals/tau2-data.js';
import { flyball } from './in-process.js';

const empty = mkdtempSync(join(tmpdir(), 'flyball-list-'));
afterAll(() => rmSync(empty, { recursive: true, force: true }));

interface ListedDomain {
  readonly name: string;
  readonly builtIn: boolean;
  readonly present: boolean;
  readonly missing?: string;
  readonly tasks: number;
  readonly retrievals: readonly string[];
}

describe('flyball evals list', () => {
  it('shows domains, agents, users and presets, and what to do about data that are missing [R5-CLI-LIST] [R5-DATA-FOLDER]', async () => {
    const { code, out } = await flyball(['evals', 'list'], { FLYBALL_TAU2: join(empty, 'none') });
    expect(code).toBe(0);
    expect(out).toMatch(/energy_desk +✓ 36 tasks, \d+ retrieval configurations, built in/);
    expect(out).toMatch(/banking_knowledge +✗ There is no folder .*flyball evals fetch tau2/);
    for (const name of ['baseline', 'declarative', 'imperative', 'governed', 'gold', 'silent'])
      expect(out).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
    expect(out).toMatch(/^ {2}scripted .*needs no API key/m);
    expect(out).toMatch(/^ {2}pilot +Five tasks/m);
    expect(out).toMatch(/^ {2}experiment +All tasks/m);
  });

  it('gives programs the same as one object [R5-CLI-LIST] [R5-CLI-PRESETS]', async () => {
    const { out } = await flyball(['evals', 'list', '--json'], { FLYBALL_TAU2: empty });
    const listed = JSON.parse(out) as {
      domains: ListedDomain[];
      agents: string[];
      presets: { name: string; file: string }[];
    };
    const [desk, bank] = listed.domains;
    expect(desk).toMatchObject({ name: 'energy_desk', builtIn: true, present: true, tasks: 36 });
    expect(desk?.retrievals).toContain('hybrid');
    expect(bank).toMatchObject({ name: 'banking_knowledge', builtIn: false, present: false });
    expect(bank?.missing).toMatch(/There is no domains\/banking_knowledge.*flyball evals fetch tau2/);
    expect(listed.agents).toEqual(['baseline', 'declarative', 'imperative', 'governed', 'gold', 'silent']);
    expect(listed.presets.map(({ name }) => name).sort()).toEqual(['experiment', 'paper', 'pilot']);
    expect(listed.presets.every(({ file }) => file.endsWith('.yaml'))).toBe(true);
  });

  it('shows the tasks of a domain with their tier, reward basis and gold calls [R5-CLI-LIST]', async () => {
    const { out, code } = await flyball(['evals', 'list', '--domain', 'energy_desk']);
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}\S+ +DB[^,]*, \d+ gold calls?, \d+ documents? {2}tier-1$/m);
    expect(out).toMatch(/^ {2}tier-4 +\d+ tasks$/m);
    expect(out).toMatch(/^ {2}bm25_grep +where nothing is said$/m);
    const { tasks } = JSON.parse((await flyball(['evals', 'list', '--domain', 'energy_desk', '--json'])).out) as {
      tasks: { sets: string[]; goldActions: number; rewardBasis: string[] }[];
    };
    expect(tasks).toHaveLength(36);
    expect(tasks.every(({ sets, rewardBasis }) => sets.length === 1 && rewardBasis.length > 0)).toBe(true);
    expect(tasks.some(({ goldActions }) => goldActions > 5)).toBe(true);
  });

  it('says what to do for a domain without data, and which one was probably meant [R5-DATA-FOLDER] [R5-CLI-LIST]', async () => {
    const missing = await flyball(['evals', 'list', '--domain', 'mock', '--data', join(empty, 'none')]);
    expect(missing.code).toBe(2);
    expect(missing.error).toMatch(/There is no folder .*domains\/mock.*flyball evals fetch tau2/);
    const wrong = await flyball(['evals', 'list', '--domain', 'enrgy_desk']);
    expect(wrong).toMatchObject({ code: 2, error: expect.stringContaining('Did you mean energy_desk?') });
  });
});

withTau2('flyball evals list, with the data of the benchmark', () => {
  it('finds them by --data and by FLYBALL_TAU2 [R5-DATA-FOLDER]', async () => {
    const data = tau2().data;
    const named = await flyball(['evals', 'list', '--domain', 'mock', '--data', data, '--json']);
    const { tasks, retrievals } = JSON.parse(named.out) as { tasks: unknown[]; retrievals: unknown[] };
    expect([tasks.length, retrievals.length]).toEqual([10, 0]);
    const { out } = await flyball(['evals', 'list'], { FLYBALL_TAU2: data });
    expect((await flyball(['evals', 'list', '--data', data])).out).toBe(out); // what is built in needs none of them
    expect(out).toMatch(/banking_knowledge +✓ 97 tasks, \d+ retrieval configurations\./);
    expect(out).toMatch(/energy_desk +✓ 36 tasks/);
    // the folder around them will do
    expect((await flyball(['evals', 'list'], { FLYBALL_TAU2: join(data, '..') })).out).toBe(out);
    const own = await flyball(['evals', 'list', '--domain', 'energy_desk', '--data', data, '--json']);
    expect((JSON.parse(own.out) as { tasks: unknown[] }).tasks).toHaveLength(36);
  });
});
