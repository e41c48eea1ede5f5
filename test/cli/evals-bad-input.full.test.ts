import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../packages/flyball/src/cli/exit-codes.js';
import { evals, type Place, place } from './evals-stage.js';

/** The words, what the message says, and what it says to do next. */
type Refusal = readonly [what: string, words: (here: Place) => readonly string[], message: RegExp];

const REFUSALS: readonly Refusal[] = [
  [
    'an unknown domain',
    () => ['--domain', 'nope'],
    /no domain "nope"\. Available: energy_desk, banking_knowledge, mock/,
  ],
  [
    'an unknown task',
    () => ['--tasks', 'energy_999'],
    /no task or set "energy_999" in energy_desk\. Did you mean energy_0/,
  ],
  ['no task at all', () => ['--tasks', ''], /Name at least one task, a set of them, or all/],
  ['an unknown policy', () => ['--agent', 'govern'], /no agent "govern"\. Did you mean governed\?/],
  [
    'an unknown retrieval',
    () => ['--retrieval', 'bm26'],
    /"bm26" in energy_desk\. Did you mean bm25\? `flyball evals list/,
  ],
  ['an unknown preset', () => ['--preset', 'pilo'], /no preset "pilo"\. Did you mean pilot\?/],
  ['a way out of the presets', () => ['--preset', '../x'], /no preset "\.\.\/x"\. Available: experiment, paper, pilot/],
  ['a preset and a file', () => ['--preset', 'pilot', '--config', 'x.yaml'], /--preset or --config, not both/],
  ['a model without provider', () => ['--model', 'gpt'], /no model "gpt"\. Set --model to provider\/model, such as/],
  ['an unknown provider', () => ['--model', 'openia/gpt'], /no provider "openia".* Did you mean openai\/gpt\?/],
  ['a model without a key', () => ['--model', 'openai/gpt-4.1'], /openai is not configured\. Set OPENAI_API_KEY/],
  ['a user nobody plays', () => ['--user', 'bob'], /no model "bob"\. Set --user to provider\/model/],
  ['a judge nobody knows', () => ['--judge', 'bob'], /no model "bob"\. Set --judge to provider\/model/],
  [
    'a search that a model rates',
    () => ['--retrieval', 'bm25_reranker_grep'],
    /bm25_reranker_grep ranks search results with a model\. Set one with --reranker .*, or choose bm25_grep/,
  ],
  ['an unknown embedder', () => ['--embedder', 'x'], /no embedder "x"\. Use energetic, hash, a folder/],
  ['no trials', () => ['--trials', '0'], /--trials must be a whole number of at least 1, got "0"/],
  ['trials without end', () => ['--trials', '1000000000'], /--trials must be at most 1000, got "1000000000"/],
  ['a limit in words', () => ['--limit', 'x'], /--limit must be a whole number of at least 1, got "x"/],
  ['an empty seed', () => ['--seed', ' '], /--seed must be a whole number of at least 0/],
  [
    'a price in words',
    () => ['--price', 'cheap'],
    /input\/output in USD per million tokens, as in 0\.25\/2, .*got "cheap"/,
  ],
  ['a cost below nothing', () => ['--max-cost', '-1'], /--max-cost must be an amount in USD, as in 2\.50/],
  ['no such module', (here) => ['--module', here.at('no.mjs')], /There is no module .*no\.mjs\. Name the file/],
  [
    'a module without agents',
    (here) => ['--module', here.file('m.mjs', 'export const policies = { mine: 1 };')],
    /does not register an agent\. Export functions by name: export const policies/,
  ],
  [
    'a module that takes a name again',
    (here) => ['--module', here.file('t.mjs', 'export const policies = { baseline: () => 1 };')],
    /conversation policy "baseline" already exists\. Choose another name/,
  ],
  [
    'no such configuration',
    (here) => ['--config', here.at('no.yaml')],
    /no file .*no\.yaml\. Use --config with a YAML file/,
  ],
  [
    'a broken configuration',
    (here) => ['--config', here.file('b.yaml', 'domain: mock\nagnets: [baseline]\ntrials: none\nagents: [1]\n')],
    /b\.yaml:2: there is no setting "agnets"\. Did you mean agents\?\n.*b\.yaml:3: trials must be a whole.*\n.*b\.yaml:4: agents must/,
  ],
  ['no YAML', (here) => ['--config', here.file('y.yaml', 'domain: mock\n\ttasks: x\n')], /y\.yaml:2: /],
  ['a list of settings', (here) => ['--config', here.file('l.yaml', '- a\n')], /l\.yaml:1: an experiment is a mapping/],
  ['no data', () => ['--domain', 'mock'], /needs the data of tau2-bench\. Download it with `flyball evals fetch tau2`/],
  ['no data folder', (here) => ['--domain', 'mock', '--data', here.at('no')], /There is no folder .*domains\/mock/],
  ['an empty data folder', (here) => ['--domain', 'mock', '--data', here.path], /There is no domains\/mock\/.* in /],
];

describe('flyball evals run refuses, before anything is started,', () => {
  it.each(REFUSALS)('%s [R5-CLI-RUN]', async (_, words, message) => {
    const here = place();
    const ran = await evals(['run', ...words(here), '--out', here.at('out')]);
    expect(ran).toMatchObject({ code: EXIT.usage, out: '' });
    expect(ran.error).toMatch(message);
    expect(existsSync(here.at('out'))).toBe(false);
    const told = await evals(['run', ...words(here), '--out', here.at('out'), '--json']);
    expect(told.json()).toMatchObject([{ kind: 'error', exitCode: EXIT.usage }]);
  });

  it('a folder that holds an experiment already, and keeps it [R5-CLI-RUN]', async () => {
    const here = place();
    const first = ['run', '--tasks', 'energy_001', '--agent', 'gold', '--user', 'gold', '--out', here.at('x')];
    expect((await evals(first)).code).toBe(EXIT.ok);
    const before = here.read('x/gold-bm25_grep/results.json');
    const again = await evals(first);
    expect(again.code).toBe(EXIT.usage);
    expect(again.error).toContain(`Continue it with flyball evals resume ${here.at('x')}, or name another folder`);
    expect(here.read('x/gold-bm25_grep/results.json')).toBe(before);
    expect(readdirSync(here.at('x'))).not.toContain('running');
  });
});

describe('the other commands say what is wrong with', () => {
  const cases: readonly Refusal[] = [
    [
      'results of another shape',
      (here) => ['report', here.file('o.json', '{"a":1}')],
      /o\.json: info.*Name a results\.json/,
    ],
    ['a list', (here) => ['report', here.file('l.json', '[]')], /l\.json: .*expected an object/],
    ['no JSON', (here) => ['report', here.file('n.json', 'xx')], /n\.json is not valid JSON/],
    ['a file that is no JSON file', (here) => ['report', here.file('n.txt', 'xx')], /no results\.json in .*n\.txt/],
    ['no results', (here) => ['report', here.at('none')], /There is no results\.json in .*none\. Name a results file/],
    [
      'an unknown format',
      (here) => ['report', here.path, '--format', 'pdf'],
      /no format "pdf"\. Available: md, csv, json, html/,
    ],
    [
      'no experiment',
      (here) => ['resume', here.path],
      /There is no experiment in .*Start one with: flyball evals run --out/,
    ],
    [
      'settings that were cut',
      (here) => ['resume', here.file('experiment.json', '{').replace(/\/experiment\.json$/, '')],
      /experiment\.json is not valid JSON/,
    ],
    ['nothing to replay', () => ['replay'], /Name what to replay: --calls <file>, or --tasks/],
    [
      'no calls file',
      (here) => ['replay', '--calls', here.at('none')],
      /none cannot be read: .*Name a file with one sequence/,
    ],
    [
      'lines that are no JSON',
      (here) => ['replay', '--calls', here.file('c', '{}x')],
      /c:1 is not valid JSON: .*Each line must contain/,
    ],
    [
      'a line without calls',
      (here) => ['replay', '--calls', here.file('c', '{"header":true}\n{"seq":1}\n')],
      /c:2 has no calls\. A sequence is \{"calls"/,
    ],
    [
      'a sequence of an unknown task',
      (here) => ['replay', '--calls', here.file('c', '{"init":{"task_id":"x"},"calls":[{"name":"a","arguments":{}}]}')],
      /There is no task "x" in energy_desk/,
    ],
  ];
  it.each(cases)('%s [R5-CLI-REPORT] [R5-CLI-REPLAY] [R5-CLI-RESUME]', async (_, words, message) => {
    const ran = await evals(words(place()));
    expect(ran.code).toBe(EXIT.usage);
    expect(ran.error).toMatch(message);
  });
});

describe('a place that cannot be written', () => {
  it('is named, with what to do, and is no surprise [R5-CLI-RUN] [R5-CLI-REPORT]', async () => {
    const here = place();
    const run = ['run', '--tasks', 'energy_001', '--agent', 'gold', '--user', 'gold', '--out'];
    const intoFile = await evals([...run, here.file('taken', '')]);
    expect(intoFile.code).toBe(EXIT.usage);
    expect(intoFile.error).toMatch(/taken\/.*: a part of the path is not a folder\.\n {2}Name another place\./);
    expect((await evals([...run, '/proc/nobody/x'])).error).toMatch(/\/proc\/nobody: .*\.\n/); // and it ends
    expect((await evals([...run, here.at('x')])).code).toBe(EXIT.ok);
    const nowhere = await evals(['report', here.at('x'), '--out', here.at('none/report.md')]);
    expect(nowhere.code).toBe(EXIT.usage);
    expect(nowhere.error).toMatch(/none\/report\.md: there is no such file or folder\.\n {2}Check the path/);
  });
});

it('an experiment that breaks in the middle says what is saved and how to go on [R5-CLI-RESUME]', async () => {
  const here = place();
  const gold = ['run', '--tasks', 'energy_001', '--agent', 'gold', '--user', 'gold', '--out', here.at('x')];
  expect((await evals(gold)).code).toBe(EXIT.ok);
  here.file('x/gold-bm25_grep/results.json', '{');
  const broken = await evals(['resume', here.at('x')]);
  expect(broken.code).toBe(EXIT.usage);
  expect(broken.error).toContain(
    `Finished simulations are saved. Fix the cause, then run: flyball evals resume ${here.at('x')}`,
  );
  expect(broken.error).toMatch(/results\.json is not valid JSON/);
  expect(readdirSync(here.at('x'))).not.toContain('running');
});

describe('the help of', () => {
  it.each(['run', 'resume', 'report', 'compare', 'replay', 'submit'])('%s teaches by examples', async (name) => {
    const help = await evals([name, '--help']);
    expect(help.code).toBe(EXIT.ok);
    expect(help.out).toContain(`Examples:\n  $ flyball evals ${name}`);
  });

  it('evals names every command, and is bad usage without one', async () => {
    const help = await evals(['--help']);
    for (const name of ['run', 'resume', 'report', 'compare', 'replay', 'submit'])
      expect(help.out).toContain(`\n  ${name} `);
    expect((await evals([])).code).toBe(EXIT.usage);
    expect(await evals(['rnu'])).toMatchObject({
      code: EXIT.usage,
      error: expect.stringContaining('Did you mean run?'),
    });
  });
});
