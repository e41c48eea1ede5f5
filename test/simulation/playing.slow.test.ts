import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { playOne } from './play-one.js';
import { askedOf } from './playing.js';

const COMMAND = join(root, 'test/simulation/simulate.ts');
const called = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['--import', 'tsx', COMMAND, ...args], { cwd: root, encoding: 'utf8' });

it.each([
  [['--seeds', 'abc'], '--seeds must be a whole number above 0, not "abc". Nothing was played.'],
  [['--seeds', '0'], '--seeds must be a whole number above 0, not "0". Nothing was played.'],
  [['--seeds', '1e9'], '--seeds must be a whole number above 0, not "1e9". Nothing was played.'],
  [['--seeds='], '--seeds must be a whole number above 0, not "". Nothing was played.'],
  [['--from', 'x'], '--from must be a whole number, not "x". Nothing was played.'],
  [['--seed', 'abc'], '--seed must be a whole number, not "abc". Nothing was played.'],
  [['--seed=-1'], '--seed must be a whole number, not "-1". Nothing was played.'],
  [['--shrink'], '--shrink makes one seed smaller: say which one with --seed. Nothing was played.'],
  [['4711'], '4711 belongs to no option: a seed is played with --seed. Nothing was played.'],
  [['--planted', 'nonsense'], 'There is no planted fault named nonsense. Nothing was played.'],
  [['--sed', '4711'], expect.stringMatching(/^Unknown option '--sed'[\s\S]*Usage: npm run simulate/)],
])('the simulator refuses %j in a sentence, and plays nothing [R10-SIM-COMMAND]', (args, text) => {
  expect(askedOf(args)).toEqual({ text, code: 2 });
});

it('the simulator plays what it is asked for, and a thousand seeds unless it is told [R10-SIM-COMMAND]', () => {
  const asked = { seeds: 1000, from: 1, seed: undefined, isShrunk: false, isAll: false, planted: undefined };
  expect(askedOf([])).toEqual(asked);
  expect(askedOf(['--seeds', '7', '--from', '0', '--all'])).toEqual({ ...asked, seeds: 7, from: 0, isAll: true });
  expect(askedOf(['--seed', '4711', '--shrink'])).toEqual({ ...asked, seed: 4711, isShrunk: true });
  expect(askedOf(['--planted'])).toEqual({ ...asked, planted: [] });
});

it('a seed that passes ends with its duration, and one that is to be shrunk with one line [R10-SIM-COMMAND]', async () => {
  const printed: string[] = [];
  const told: string[] = [];
  const printer = { print: (line: string) => void printed.push(line), tell: (line: string) => void told.push(line) };
  expect(await playOne(1, false, printer)).toBe(0);
  const [, ms] = /^seed 1: \d+ moments, \d+ lives, (\d+) ms, ended as /.exec(printed.at(-1) ?? '') ?? [];
  expect(Number(ms)).toBeGreaterThan(0);
  expect(Number(ms)).toBeLessThan(365 * 86_400_000);
  expect(told).toEqual([]);
  printed.length = 0;
  expect(await playOne(1, true, printer)).toBe(0);
  expect([...printed, ...told]).toEqual(['Seed 1 breaks no rule: there is nothing to shrink.']);
});

it('the simulator ends with 2 where it refused, and with 0 after its help [R10-SIM-COMMAND]', () => {
  expect(called('--seeds', 'abc')).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/^--seeds must/),
  });
  expect(called('--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: npm run simulate/) });
});
