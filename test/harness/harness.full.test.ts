import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, done, type Outcome, systemClock } from 'flyball';
import { describe, expect, it } from 'vitest';
import { bubblewrapSandbox, detectBubblewrap } from '../../packages/flyball/src/adapters/sandbox-bubblewrap/index.js';
import { processSandbox } from '../../packages/flyball/src/adapters/sandbox-process/index.js';
import { baselineOf, NO_BASELINE, withReports } from '../../packages/flyball/src/checks/baseline.js';
import type { Baseline, TestReport } from '../../packages/flyball/src/checks/contracts.js';
import {
  TEST_LIMITS,
  type TestHarnessOptions,
  testHarness,
} from '../../packages/flyball/src/checks/harness/test-harness.js';
import type { Sandbox } from '../../packages/flyball/src/ports/sandbox.js';
import { at, moving, RUN, Stage } from '../runtime/stage.js';
import { NODE_TEST, PRICE, project, write } from './shop.js';

const sandbox = processSandbox();
const NODE = process.execPath;

function optionsFor(cwd: string, more: Partial<TestHarnessOptions> = {}): TestHarnessOptions {
  const command = [NODE, '--test', '--test-reporter=tap', 'test/price.test.mjs'];
  return { level: 'unit', sandbox, command, cwd, format: 'auto', ...more };
}

function agentOf(options: TestHarnessOptions, baseline: Baseline = NO_BASELINE): Agent<unknown, TestReport> {
  const harness = testHarness(options);
  return async (run) => done(await harness.runTests(run, baseline));
}

function reportIn(outcome: Outcome<unknown>): TestReport {
  if (outcome.stop !== 'done') throw new Error(JSON.stringify(outcome));
  return outcome.value as TestReport;
}

/** One run of its own. */
async function report(options: TestHarnessOptions, baseline: Baseline = NO_BASELINE): Promise<TestReport> {
  return reportIn(await new Stage(systemClock()).open(agentOf(options, baseline)).start());
}

const GREEN = `import test from 'node:test';
import assert from 'node:assert';
import { appendFileSync } from 'node:fs';
import { total } from '../lib/price.mjs';
test('adds up', () => assert.equal(total([{ price: 2, amount: 3 }]), 6));
test('is empty', () => { appendFileSync('runs.txt', 'x'); assert.equal(total([]), 0); });
`;
const green = () => project({ 'lib/price.mjs': PRICE, 'test/price.test.mjs': GREEN });

describe('a test harness', () => {
  it.each(['tap', 'junit', 'spec'])(
    'runs a real command in the sandbox and reads its %s report [R4-VERIFY-TESTS] [R4-VERIFY-PARSERS]',
    async (reporter) => {
      const cwd = project({ 'lib/price.mjs': PRICE, 'test/price.test.mjs': NODE_TEST });
      const command = [NODE, '--test', `--test-reporter=${reporter}`, 'test/price.test.mjs'];
      const found = await report(optionsFor(cwd, { command }));
      expect(found).toMatchObject({ level: 'unit', command: command.join(' '), passed: 3, failed: 5, skipped: 2 });
      expect(found.problem).toBeUndefined();
      expect(found.ms).toBeGreaterThan(0);
      const thrown = found.failures.find(({ test }) => test.includes('throws from inside'));
      expect(thrown).toMatchObject({
        errorType: 'TypeError',
        at: { file: 'lib/price.mjs', line: 2, function: 'total' },
      });
      const wrong = found.failures.find(({ test }) => test.includes('is wrong'));
      expect(wrong).toMatchObject({ expected: '7', actual: '6', at: { file: 'test/price.test.mjs', line: 6 } });
    },
  );

  it('passes where all tests pass, and names them for the next comparison [R4-VERIFY-TESTS]', async () => {
    const found = await report(optionsFor(green(), { level: 'behavioral' }));
    expect(found).toMatchObject({
      level: 'behavioral',
      passed: 2,
      failed: 0,
      passing: ['adds up', 'is empty'],
      regressions: [],
    });
    expect(found.problem).toBeUndefined();
  });

  it('finds what passed before and fails now, and what was deleted since [R4-VERIFY-REGRESSION]', async () => {
    const cwd = green();
    const first = await report(optionsFor(cwd));
    const baseline = baselineOf(withReports({}, [first]), first);
    write(cwd, { 'lib/price.mjs': PRICE.replace('* line.amount', '') });
    expect(await report(optionsFor(cwd), baseline)).toMatchObject({ passed: 1, failed: 1, regressions: ['adds up'] });
    write(cwd, { 'test/price.test.mjs': GREEN.replace(/^test\('adds up'.*\n/m, '') });
    const cheated = await report(optionsFor(cwd), baseline);
    expect(cheated).toMatchObject({ passed: 1, failed: 1, regressions: ['adds up'] });
    expect(cheated.failures[0]).toMatchObject({ test: 'adds up', errorType: 'TestVanished' });
  });

  it.each([
    ['skipped', (tests: string) => tests.replace("test('adds up'", "test.skip('adds up'")],
    ['deleted', (tests: string) => tests.replace(/^test\('adds up'.*\n/m, '')],
  ])('does not pass when a failing test is %s instead of mended [R4-VERIFY-REGRESSION]', async (_, cheat) => {
    const cwd = green();
    write(cwd, { 'lib/price.mjs': PRICE.replace('* line.amount', '') });
    const first = await report(optionsFor(cwd));
    expect(first).toMatchObject({ passed: 1, failed: 1, passing: ['is empty'], known: ['adds up', 'is empty'] });
    const baseline = baselineOf(withReports({}, [first]), first);
    write(cwd, { 'test/price.test.mjs': cheat(GREEN) });
    const cheated = await report(optionsFor(cwd), baseline);
    expect(cheated).toMatchObject({ passed: 1, failed: 1, skipped: 0, regressions: [] });
    expect(cheated.failures[0]).toMatchObject({ test: 'adds up', errorType: 'TestVanished' });
    write(cwd, { 'lib/price.mjs': PRICE, 'test/price.test.mjs': GREEN });
    expect(await report(optionsFor(cwd), baseline)).toMatchObject({ passed: 2, failed: 0 });
  });

  it.each(['tap', 'junit', 'spec'])(
    'passes once code loads that could not be loaded at first, by its %s report [R4-VERIFY-REGRESSION]',
    async (reporter) => {
      const cwd = project({ 'test/price.test.mjs': GREEN });
      const command = [NODE, '--test', `--test-reporter=${reporter}`, 'test/price.test.mjs'];
      const first = await report(optionsFor(cwd, { command }));
      expect(first).toMatchObject({ passed: 0, failed: 1, known: [], failures: [{ test: 'test/price.test.mjs' }] });
      write(cwd, { 'lib/price.mjs': PRICE });
      const later = await report(optionsFor(cwd, { command }), baselineOf(withReports({}, [first]), first));
      expect(later).toMatchObject({ passed: 2, failed: 0 });
    },
  );

  it('misses no test of another command of its level, nor of the same command elsewhere [R4-VERIFY-REGRESSION]', async () => {
    const other = project({ 'test/price.test.mjs': "import test from 'node:test';\ntest('is there', () => {});\n" });
    const cwd = green();
    const command = [NODE, '--test', '--test-reporter=tap', '--test-name-pattern=empty', 'test/price.test.mjs'];
    const all = [optionsFor(cwd), optionsFor(other), optionsFor(cwd, { command })];
    const first = await Promise.all(all.map((options) => report(options)));
    const baselines = withReports({}, first);
    expect(Object.keys(baselines)).toHaveLength(3);
    const again = await Promise.all(all.map((options) => report(options, baselineOf(baselines, testHarness(options)))));
    expect(again.map(({ failed }) => failed)).toEqual([0, 0, 0]);
  });

  it('reads a report from its file, and never one of an earlier run [R4-VERIFY-TESTS]', async () => {
    const cwd = green();
    const command = [
      NODE,
      '--test',
      '--test-reporter=junit',
      '--test-reporter-destination=out.xml',
      'test/price.test.mjs',
    ];
    const mounts = [{ path: cwd, access: 'read-write' as const }];
    const options = optionsFor(cwd, { command, mounts, format: 'junit', reportFile: 'out.xml' });
    expect(await report(options)).toMatchObject({ passed: 2, failed: 0 });
    expect(existsSync(join(cwd, 'out.xml'))).toBe(true);
    const silent = await report({ ...options, command: [NODE, '-e', 'console.error("nothing to do")'] });
    expect(silent).toMatchObject({
      passed: 0,
      passing: [],
      problem: expect.stringMatching(/left no report.*nothing to do/),
    });
  });

  it.each([
    ['is not there', ['no-such-program'], {}, 'could not be started', true],
    ['is not found by a shell', ['sh', '-c', 'no-such-program'], {}, 'no known format', true],
    ['ends by a signal', [NODE, '-e', 'process.kill(process.pid, "SIGKILL")'], {}, 'SIGKILL', false],
    ['runs for ever', [NODE, '-e', 'setInterval(() => {}, 1000)'], { wallMs: 400 }, 'limit wallMs of 400', true],
    ['prints no report', [NODE, '-e', 'console.log("fine")'], {}, 'no known format', false],
    [
      'prints more than is kept',
      [NODE, '-e', 'console.log("TAP version 13\\n1..1\\nok 1\\n" + "#".repeat(9000))'],
      { outputBytes: 4000 },
      'limits.outputBytes',
      true,
    ],
    [
      'fails although its tests passed',
      [NODE, '-e', 'console.log("TAP version 13\\n1..1\\nok 1"); process.exit(7)'],
      {},
      'exit code 7',
      false,
    ],
    ['has no tests', [NODE, '-e', 'console.log("TAP version 13\\n1..0")'], {}, 'ran no tests', false],
  ] as const)(
    'reports a problem and no pass where the command %s [R4-VERIFY-TESTS]',
    async (_, command, limits, problem, isBlocked) => {
      const found = await report(optionsFor(project({ 'a.txt': '' }), { command, limits }), {
        passing: ['earlier'],
        known: ['earlier', 'and failing'],
      });
      expect(found).toMatchObject({
        passed: 0,
        failed: 0,
        passing: [],
        known: [],
        failures: [],
        regressions: [],
        problem: expect.stringContaining(problem),
      });
      // a repair may mend what the code broke, and nothing else
      expect(found.blocked).toBe(isBlocked ? true : undefined);
    },
  );

  it('reports a problem where the sandbox cannot be set up', async () => {
    const found = await report(optionsFor('/no/such/folder'));
    expect(found).toMatchObject({
      passed: 0,
      problem: expect.stringContaining('/no/such/folder is not a folder'),
      blocked: true,
    });
  });

  it('refuses settings that cannot work before anything is run', () => {
    const cwd = '/shop';
    expect(() => testHarness(optionsFor(cwd, { command: [] }))).toThrow('begins with a program');
    expect(() => testHarness(optionsFor('shop'))).toThrow('absolute');
    expect(() => testHarness(optionsFor(cwd, { limits: { wallMs: 0 } }))).toThrow('wallMs');
    expect(() => testHarness(optionsFor(cwd, { format: 'mocha' as 'tap' }))).toThrow('format');
    expect(() => testHarness(optionsFor(cwd, { level: 'smoke' as 'unit' }))).toThrow('smoke');
  });
});

describe('in the journal', () => {
  const runs = (cwd: string) => readFileSync(join(cwd, 'runs.txt'), 'utf8').length;
  const writable = (cwd: string) => optionsFor(cwd, { mounts: [{ path: cwd, access: 'read-write' }] });

  it('a crash before the report is kept runs the tests again; after it the report is taken from there [R4-VERIFY-TESTS]', async () => {
    for (const [when, expected] of [
      ['before', 2],
      ['after', 1],
    ] as const) {
      const cwd = green();
      const stage = new Stage(systemClock());
      const agent = agentOf(writable(cwd));
      await stage.crashed(agent, at(when, 'complete'));
      expect(runs(cwd)).toBe(1);
      const found = reportIn(await stage.open(agent).resume());
      expect(found).toMatchObject({ passed: 2, failed: 0 });
      expect(runs(cwd)).toBe(expected);
    }
  });

  it('the step carries its level and command', async () => {
    const cwd = green();
    const stage = new Stage(systemClock());
    await stage.open(agentOf(optionsFor(cwd, { level: 'integration' }))).start();
    const [intent] = await stage.events('intent');
    expect(intent).toMatchObject({
      name: 'tests:integration',
      class: 'idempotent',
      input: { level: 'integration', cwd },
    });
  });

  it('a fork that is not live runs no tests, and claims none', async () => {
    const cwd = green();
    const life = new Stage(systemClock()).open(agentOf(writable(cwd)));
    await life.start();
    const fork = await life.runtime.fork(RUN, { at: 1, id: 'fork' });
    const found = reportIn(await fork.outcome());
    expect(found).toMatchObject({ passed: 0, problem: expect.stringContaining('simulation') });
    expect(runs(cwd)).toBe(1);
  });

  it('a run that is rolled back takes its report file away', async () => {
    const cwd = green();
    const command = [
      NODE,
      '--test',
      '--test-reporter=junit',
      '--test-reporter-destination=out.xml',
      'test/price.test.mjs',
    ];
    const harness = testHarness({ ...writable(cwd), command, reportFile: 'out.xml' });
    const outcome = await new Stage(systemClock())
      .open(async (run) => {
        expect((await harness.runTests(run, NO_BASELINE)).passed).toBe(2);
        expect(existsSync(join(cwd, 'out.xml'))).toBe(true);
        throw new Error('not good enough');
      })
      .start();
    expect(outcome).toMatchObject({ stop: 'failed', rollback: { success: true } });
    expect(existsSync(join(cwd, 'out.xml'))).toBe(false);
  });

  it('a cancelled run has no report', async () => {
    const cwd = project({ 'a.txt': '' });
    const started = join(cwd, 'started');
    const command = [
      NODE,
      '-e',
      `require('fs').writeFileSync(${JSON.stringify(started)}, ''); setInterval(() => {}, 1000)`,
    ];
    const life = new Stage(systemClock()).open(agentOf(optionsFor(cwd, { command })));
    const outcome = life.start();
    await expect.poll(() => existsSync(started)).toBe(true);
    await life.runtime.cancel(RUN, { why: 'enough' });
    expect(await outcome).toMatchObject({ stop: 'cancelled' });
  });

  it('a sandbox that never comes back is a problem after its time', async () => {
    const deaf: Sandbox = { name: 'deaf', describe: () => sandbox.describe(), run: () => new Promise(() => undefined) };
    const agent = agentOf(optionsFor('/shop', { sandbox: deaf }));
    const stage = moving();
    const report = reportIn(await stage.open(agent).start());
    expect(report).toMatchObject({
      passed: 0,
      problem: expect.stringContaining('did not end the command'),
      blocked: true,
    });
    expect(stage.clock.now()).toBeGreaterThan(TEST_LIMITS.wallMs);
  });
});

const found = await detectBubblewrap();
if (!found.available) process.stdout.write(`Skipped bubblewrap: ${found.why}.\n`);

describe.skipIf(!found.available)('inside bubblewrap', () => {
  it('tests run confined, and their report is read from inside [R4-VERIFY-TESTS]', async () => {
    const cwd = project({
      'lib/price.mjs': PRICE,
      'test/price.test.mjs': `${GREEN.replace("appendFileSync('runs.txt', 'x');", '')}
test('writes', async () => { const { writeFileSync } = await import('node:fs'); writeFileSync('new.txt', ''); });
`,
    });
    const inside = await bubblewrapSandbox();
    const mounts = [
      { path: cwd, access: 'read-only' as const },
      { path: NODE, access: 'read-only' as const },
    ];
    const seen = await report(optionsFor(cwd, { sandbox: inside, mounts }));
    expect(seen).toMatchObject({ passed: 2, failed: 1 });
    expect(seen.failures[0]?.message).toContain('EROFS');
    expect(existsSync(join(cwd, 'new.txt'))).toBe(false);
  });
});
