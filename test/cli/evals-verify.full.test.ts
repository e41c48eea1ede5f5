import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dumpJson, parseJson } from '../../packages/evals/src/tau2/python/json.js';
import type { PyDict } from '../../packages/evals/src/tau2/python/value.js';
import { tau2, withTau2 } from '../evals/tau2-data.js';
import { flyball } from './in-process.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flyball-verify-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Told {
  readonly kind: string;
  readonly file: string;
  readonly recorded: string;
  readonly agreeing: number;
  readonly differing: number;
  readonly skipped: number;
  readonly disagreements: readonly { readonly what: string; readonly differs: readonly string[] }[];
}

async function verify(): Promise<{ readonly code: number; readonly told: readonly Told[]; readonly error: string }> {
  const words = ['evals', 'verify', '--data', tau2().data, '--oracle', folder, '--json'];
  const { code, out, error } = await flyball(words);
  return {
    code,
    error,
    told: out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Told),
  };
}

const recorded = (name: string): string => {
  const bytes = readFileSync(join(tau2().oracle, name));
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
};
const lines = (name: string, from: number, to: number): string => recorded(name).split('\n').slice(from, to).join('\n');

const put = (name: string, text: string): void =>
  writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text);

/** A few of every kind, under names that say nothing. */
function someOfEach(): Readonly<Record<string, string>> {
  const scenarios = parseJson(recorded('orchestrator.json')) as PyDict[];
  const prompts = JSON.parse(recorded('banking_prompts.json')) as Record<string, Record<string, unknown>>;
  const some = (field: string): object => Object.fromEntries(Object.entries(prompts[field] ?? {}).slice(0, 2));
  const told = scenarios.filter((scenario, at) => at < 3 || (scenario.get('options') as PyDict).has('history'));
  return {
    'a.jsonl': lines('banking_gold.jsonl', 0, 3),
    'b.jsonl': lines('banking_fuzz.jsonl', 0, 3),
    'c.jsonl': lines('banking_grid.jsonl', 0, 3),
    'd.jsonl.gz': lines('banking_eval.jsonl.gz', 0, 8),
    'e.jsonl': lines('banking_bm25.jsonl', 0, 4),
    'f.jsonl': lines('banking_grep.jsonl', 0, 4),
    'g.json': recorded('banking_kb_search_format.json'),
    'h.json': JSON.stringify({
      ...prompts,
      variants: some('variants'),
      golden_retrieval_per_task: some('golden_retrieval_per_task'),
      user_system_prompts: some('user_system_prompts'),
    }),
    'i.json': dumpJson(told),
    'j.json': recorded('metrics.json'),
    'k.json': recorded('sample_results.json'),
    'l.jsonl': lines('mock.jsonl', 0, 10),
  };
}

/** What is changed in each, once: the first that fits becomes another value. */
const SPOILT: Readonly<Record<string, readonly [RegExp, string]>> = {
  'a.jsonl': [/"db_hash_after": "[0-9a-f]/, '"db_hash_after": "_'],
  'b.jsonl': [/"error": false/, '"error": true'],
  'c.jsonl': [/"hash_final": "[0-9a-f]/, '"hash_final": "_'],
  'd.jsonl.gz': [/"action_match": true/, '"action_match": false'],
  'e.jsonl': [/(", \d+\.\d{4})\d/, '$1'],
  'f.jsonl': [/12\.0\]/, '11.0]'],
  'g.json': [/Score: 1/, 'Score: 2'],
  'h.json': [/You are a customer service agent/, 'You are a pirate'],
  'i.json': [/"step_count":\s*\d+/, '"step_count":99'],
  'j.json': [/"avg_reward": 1\.0/, '"avg_reward": 0.9'],
  'k.json': [/"reward": 1\.0/, '"reward": 0.0'],
  'l.jsonl': [/"content": "\{\\"task_id\\"/, '"content": "{\\"task_no\\"'],
};

withTau2('flyball evals verify', () => {
  it('tells every kind of recording by its shape, whatever its name, and reproduces it [R5-CLI-REPLAY]', async () => {
    for (const [name, text] of Object.entries(someOfEach())) put(name, text);
    put('notes.json', '{"hello": "world"}');
    const { code, told, error } = await verify();
    expect(
      told
        .filter(({ kind }) => kind === 'recording')
        .map(({ file, recorded: kind, differing }) => [file, kind, differing]),
    ).toEqual([
      ['a.jsonl', 'gold calls', 0],
      ['b.jsonl', 'calls', 0],
      ['c.jsonl', 'calls', 0],
      ['d.jsonl.gz', 'evaluations', 0],
      ['e.jsonl', 'word search', 0],
      ['f.jsonl', 'pattern search', 0],
      ['g.json', 'search answers', 0],
      ['h.json', 'prompts', 0],
      ['i.json', 'conversations', 0],
      ['j.json', 'metrics', 0],
      ['k.json', 'results', 0],
      ['l.jsonl', 'gold calls', 0],
    ]);
    expect(code).toBe(0);
    expect(error).toContain('notes.json is not a known kind of recording');
    expect(told.at(-1)).toMatchObject({ kind: 'verified', differing: 0, files: 12 });
    expect(told.every(({ kind, agreeing }) => kind !== 'recording' || agreeing > 0)).toBe(true);
  });

  it('tells a disagreement in each of them, and fails [R5-CLI-REPLAY]', async () => {
    for (const [name, text] of Object.entries(someOfEach())) {
      const [form, other] = SPOILT[name] ?? [/^/, ''];
      const spoilt = text.replace(form, other);
      expect(spoilt, name).not.toBe(text);
      put(name, spoilt);
    }
    const { code, told, error } = await verify();
    expect(code).toBe(1);
    const agreeing = told.filter(({ kind, differing }) => kind === 'recording' && differing === 0);
    expect(agreeing.map(({ file }) => file)).toEqual([]);
    expect(told[0]?.disagreements[0]?.differs[0]).toMatch(/the hash after .* is [0-9a-f]{64}, recorded _/);
    expect(error).toContain('sequence 1: the error flag of call 0');
  });

  it('passes over a conversation whose beginning nobody recorded [R5-CLI-REPLAY]', async () => {
    const scenarios = JSON.parse(recorded('orchestrator.json')) as { options: { history?: string } }[];
    const unseen = scenarios.filter(({ options }) => options.history === 'missing_result');
    put('x.json', JSON.stringify([...unseen, ...unseen.map((one) => ({ ...one, options: { history: 'another' } }))]));
    const { code, told } = await verify();
    expect(code).toBe(0);
    expect(told[0]).toMatchObject({ agreeing: 1, skipped: 1 });
  });
});

describe('flyball evals verify', () => {
  it('says what is wrong with a folder or a file [R5-CLI-REPLAY]', async () => {
    const said = async (...words: string[]) => flyball(['evals', 'verify', '--oracle', ...words]);
    expect(await said(join(folder, 'none'))).toMatchObject({
      code: 2,
      error: expect.stringContaining('There is no folder'),
    });
    expect(await said(folder)).toMatchObject({ code: 2, error: expect.stringContaining('no recordings') });
    put('m.jsonl', '{"pattern": "x", "results": []}\n{"pattern": ');
    expect(await said(folder, '--data', join(folder, 'none'))).toMatchObject({ code: 2 });
    expect(await said(folder, '--show', 'all')).toMatchObject({ code: 2, error: expect.stringContaining('--show') });
    put('n.jsonl.gz', 'x');
    writeFileSync(join(folder, 'a.jsonl.gz'), 'no gzip');
    expect((await said(folder)).error).toContain('a.jsonl.gz cannot be read');
  });
});
