import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ledger } from './effect-ledger.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  path = join(folder, 'effects.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('keeps one line an effect, in order, and knows which keys happened', () => {
  const effects = ledger(path);
  expect(effects.lines()).toEqual([]);
  effects.record('k1', 'paid\n12 €');
  effects.record('k1', { again: true });
  expect(ledger(path).lines()).toEqual([
    { key: 'k1', what: 'paid\n12 €' },
    { key: 'k1', what: { again: true } },
  ]);
  expect(effects.has('k1')).toBe(true);
  expect(effects.has('k2')).toBe(false);
  expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(2);
});

it('shares the file with other processes, none of which overwrites another', async () => {
  const effects = ledger(path);
  const writer = `const fs=require('node:fs');for(let i=0;i<50;i++){const h=fs.openSync(${JSON.stringify(path)},'a');fs.writeSync(h,JSON.stringify({key:process.argv[1]+i,what:0})+'\\n');fs.closeSync(h)}`;
  const others = ['x', 'y'].map((name) => promisify(execFile)(process.execPath, ['-e', writer, name]));
  for (let n = 0; n < 50; n++) effects.record(`own${n}`, n);
  await Promise.all(others);
  expect(new Set(effects.lines().map(({ key }) => key)).size).toBe(150);
});

it('refuses to be read when its last line is torn', () => {
  const effects = ledger(path);
  effects.record('k', 1);
  appendFileSync(path, '{"key":"half');
  expect(() => effects.lines()).toThrow(/torn/);
});
