import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonSchemaCheck } from '../../packages/flyball/src/adapters/schema-json/index.js';
import { EXIT } from '../../packages/flyball/src/cli/exit-codes.js';
import type { JsonSchema } from '../../packages/flyball/src/core/schema.js';
import { tau2, withTau2 } from '../evals/tau2-data.js';
import { AGENT_MODEL, deskServer, evals, type Place, place } from './evals-stage.js';

const THREE = ['--tasks', 'energy_001,energy_002,energy_005', '--retrieval', 'bm25'];

/** A right agent and one that says nothing. */
async function measured(): Promise<Place> {
  const here = place();
  const ran = await evals(['run', '--agent', 'baseline', 'silent', ...THREE, '--out', here.at('x')]);
  expect(ran.code).toBe(EXIT.ok);
  return here;
}

describe('flyball evals report', () => {
  it('writes the tables in four formats [R5-CLI-REPORT]', async () => {
    const here = await measured();
    const markdown = await evals(['report', here.at('x')]);
    expect(markdown).toMatchObject({ code: EXIT.ok, error: '' });
    expect(markdown.out).toMatch(/^# Evaluation of energy_desk\n/);
    for (const text of [
      '| scripted/desk | baseline | 100.00 (n = 3) |',
      '## Compliance',
      '## Why tasks failed',
      '| RQ1 |',
    ])
      expect(markdown.out).toContain(text);
    expect(await evals(['report', here.at('x'), '--format', 'csv', '--out', here.at('tables')])).toMatchObject({
      code: EXIT.ok,
    });
    const tables = readdirSync(here.at('tables'));
    expect(tables.length).toBeGreaterThan(5);
    expect(tables.every((name) => name.endsWith('.csv'))).toBe(true);
    const [json] = (await evals(['report', here.at('x/baseline-bm25'), '--json'])).json();
    expect(json).toMatchObject({ summaries: [{ pass1: { value: 1 }, simulations: 3 }] });
    const html = await evals(['report', here.at('x'), '--format', 'html', '--out', here.at('report.html')]);
    expect(html.out).toBe(`Written to ${here.at('report.html')}\n`);
    const page = here.read('report.html');
    expect(page).toMatch(/^<!doctype html>/i);
    expect(page).not.toMatch(/(?:src|href)="https?:/); // nothing is loaded from elsewhere
  });
});

withTau2('results of a domain with data of its own', () => {
  it('are reported without naming the data again: the experiment knows where they are [F-E3]', async () => {
    const here = place();
    const gold = ['--domain', 'mock', '--agent', 'gold', '--user', 'gold', '--limit', '1'];
    const ran = await evals(['run', ...gold, '--data', tau2().data, '--out', here.at('x')]);
    expect(ran.code).toBe(EXIT.ok);
    for (const path of ['x', 'x/gold', 'x/gold/results.json'])
      expect(await evals(['report', here.at(path)])).toMatchObject({ code: EXIT.ok, error: '' });
  });
});

it('counts the gold calls of simulations that a limit ended, though no grade of the file names a tool [F-T7]', async () => {
  const here = place();
  const cut = ['run', '--agent', 'silent', ...THREE, '--max-steps', '2', '--out', here.at('x')];
  expect((await evals(cut)).code).toBe(EXIT.ok);
  const [json] = (await evals(['report', here.at('x'), '--json'])).json();
  // the three tasks have 2 + 2 + 2 gold writes and 2 other gold calls
  expect(json).toMatchObject({
    summaries: [
      {
        simulations: 3,
        terminations: { max_steps: 3 },
        dbMatch: { of: 3, hits: 0 },
        goldWrites: { of: 6, hits: 0 },
        actionMatch: { of: 8, hits: 0 },
      },
    ],
  });
});

describe('flyball evals compare', () => {
  it('compares two results task by task [R5-CLI-COMPARE]', async () => {
    const here = await measured();
    const paths = [here.at('x/baseline-bm25'), here.at('x/silent-bm25/results.json')];
    const said = await evals(['compare', ...paths, '--tasks']);
    expect(said).toMatchObject({ code: EXIT.ok, error: '' });
    expect(said.out).toContain('3 tasks: second − first = −1.000, 95 % interval [−1.000, −1.000]');
    expect(said.out).toContain('0 won, 3 lost, 0 equal');
    expect(said.out).toContain('  energy_002  1.00 → 0.00');
    const [json] = (await evals(['compare', ...paths, '--json'])).json();
    expect(json).toMatchObject({ wins: 0, losses: 3, differing: [{ task: 'energy_001', from: 1, to: 0 }, {}, {}] });
  });

  it('asks for one of several results files, by name [R5-CLI-COMPARE]', async () => {
    const here = await measured();
    const ran = await evals(['compare', here.at('x'), here.at('x')]);
    expect(ran.code).toBe(EXIT.usage);
    expect(ran.error).toContain(`Name one of them: ${here.at('x/baseline-bm25/results.json')}`);
  });
});

describe('flyball evals run --gate', () => {
  it('fails the build when the agent got worse, and names the cases that fell [R5-SUITE-GATE]', async () => {
    const here = place();
    let isGood = true;
    const server = await deskServer({ spoil: () => !isGood });
    const words = ['run', '--model', AGENT_MODEL, '--price', '0/0', ...THREE, '--gate', here.at('baseline.json')];
    const run = (out: string, ...more: readonly string[]) =>
      evals([...words, '--out', here.at(out), ...more], { env: server.env });
    const promoted = await run('a', '--promote', 'the first one');
    expect(promoted).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('is the baseline now: 6 cases.') });
    expect(JSON.parse(here.read('baseline.json'))).toMatchObject({ promoted: { reason: 'the first one' } });
    expect(await run('b')).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('✓ The gate passed') });
    isGood = false;
    const worse = await run('c');
    expect(worse.code).toBe(EXIT.failed);
    expect(worse.error).toContain('✗ The gate failed:');
    expect(worse.error).toContain('task fell from 100.0 % to 0.0 %');
    expect(worse.error).toMatch(/worse: .*energy_002 \(it failed\)/);
    expect((await run('d', '--json')).json().at(-1)).toMatchObject({ kind: 'gate', passed: false, comparable: true });
  });

  it('stays shut for another agent: nothing there can be compared [R5-SUITE-GATE]', async () => {
    const here = place();
    const gate = ['--gate', here.at('baseline.json')];
    const good = ['run', '--agent', 'gold', '--user', 'gold', ...THREE, '--out', here.at('a')];
    expect((await evals([...good, ...gate, '--promote', 'the ceiling'])).code).toBe(EXIT.ok);
    const silent = await evals([
      'run',
      '--agent',
      'silent',
      '--user',
      'gold',
      ...THREE,
      '--out',
      here.at('b'),
      ...gate,
    ]);
    expect(silent).toMatchObject({ code: EXIT.failed, error: expect.stringContaining('promote a new baseline') });
  });

  it('asks for the baseline before anything is run [R5-SUITE-GATE]', async () => {
    const here = place();
    const refused = await evals(['run', '--out', here.at('x'), '--gate', here.at('none.json')]);
    expect(refused).toMatchObject({ code: EXIT.usage, error: expect.stringContaining('add --promote "<reason>"') });
    const broken = await evals(['run', '--out', here.at('x'), '--gate', here.file('g.json', '{}')]);
    expect(broken).toMatchObject({ code: EXIT.usage, error: expect.stringContaining('is not a baseline') });
    const nowhere = await evals(['run', '--out', here.at('x'), '--promote', 'why not']);
    expect(nowhere).toMatchObject({ code: EXIT.usage, error: expect.stringContaining('--promote needs --gate') });
    const unsaid = await evals(['run', '--out', here.at('x'), '--gate', here.at('n.json'), '--promote', ' ']);
    expect(unsaid).toMatchObject({ code: EXIT.usage, error: expect.stringContaining('needs a reason') });
    expect(existsSync(here.at('x'))).toBe(false);
  });
});

withTau2('results of tau2-bench', () => {
  it('are reported and compared like ours [R5-CLI-REPORT]', async () => {
    const sample = `${tau2().oracle}/sample_results.json`;
    const ran = await evals(['report', sample, '--data', tau2().data]);
    expect(ran).toMatchObject({ code: EXIT.ok, error: '' });
    expect(ran.out).toMatch(/^# Evaluation of banking_knowledge\n/);
    const paired = await evals(['compare', sample, sample, '--data', tau2().data]);
    expect(paired).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('0 won, 0 lost') });
  });

  it('are submitted to the leaderboard in its form, our own scaffolds as custom [R5-RESULTS-LEADERBOARD]', async () => {
    const here = place();
    const data = ['--data', fewTasks(here, tau2().data, ['task_001.json', 'task_002.json'])];
    const run = ['run', '--domain', 'banking_knowledge', ...data, '--agent', 'gold', '--user', 'gold'];
    const ran = await evals([...run, '--retrieval', 'no_knowledge', '--trials', '2', '--out', here.at('x')]);
    expect(ran).toMatchObject({ code: EXIT.ok, error: '' });
    const words = ['submit', here.at('x'), ...data, '--out', here.at('boards'), '--date', '2026-03-04'];
    const facts = ['--model-name', 'Gold 1.0', '--model-organization', 'Nobody', '--organization', 'Acme & Sons'];
    const silent = await evals([...words, ...facts]);
    expect(silent).toMatchObject({
      code: EXIT.usage,
      error: expect.stringContaining('--email, --contact or --github'),
    });
    const about = [...words, ...facts, '--email', 'ada@acme.example'];
    const refused = await evals(about);
    expect(refused.code).toBe(EXIT.usage);
    expect(refused.error).toContain('a custom scaffold needs notes that say what it changes');
    const vague = await evals([...about, '--notes', 'The gold path.', '--reference', 'nowhere']);
    expect(vague).toMatchObject({ code: EXIT.usage, error: expect.stringContaining('A reference is title=url') });
    expect(existsSync(here.at('boards'))).toBe(false);
    const done = await evals([...about, '--notes', 'The gold path.', '--reference', 'Code=https://acme.example/a?b=c']);
    expect(done).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('A custom submission is in') });
    const name = 'gold-1.0_acme-sons_2026-03-04';
    const submission = JSON.parse(here.read(`boards/${name}/submission.json`)) as Record<string, unknown>;
    const schema = JSON.parse(readFileSync(`${tau2().data}/leaderboard/schema.json`, 'utf8')) as JsonSchema;
    expect(await jsonSchemaCheck()(schema, submission)).toBeUndefined();
    expect(submission).toMatchObject({
      submission_type: 'custom',
      results: { banking_knowledge: { pass_1: 100, pass_2: 100, retrieval_config: 'no_knowledge' } },
      references: [{ title: 'Code', url: 'https://acme.example/a?b=c' }],
      trajectory_files: { banking_knowledge: `${name}_banking_knowledge.json` },
    });
    const reported = await evals([
      'report',
      here.at(`boards/${name}/trajectories/${name}_banking_knowledge.json`),
      ...data,
    ]);
    expect(reported.code).toBe(EXIT.ok);
  });
});

/** The benchmark with some of its tasks: all of its rules, a part of its time. */
function fewTasks(here: Place, data: string, tasks: readonly string[]): string {
  const folder = 'domains/banking_knowledge';
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.startsWith('user_simulator') || name.startsWith(folder),
  );
  for (const name of files) {
    const isLeftOut = name.startsWith(`${folder}/tasks/`) && !tasks.includes(basename(name));
    if (isLeftOut || statSync(join(data, name)).isDirectory()) continue;
    mkdirSync(dirname(here.at(`data/${name}`)), { recursive: true });
    writeFileSync(here.at(`data/${name}`), readFileSync(join(data, name)));
  }
  return here.at('data');
}
