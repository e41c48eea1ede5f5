import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { append, bodies, claimed, message, newRun, suspended } from '../../testing/contracts/engine-fixture.js';
import { availableDrivers, type TemporaryFile, temporaryFile } from './available-drivers.test-data.js';

const program = fileURLToPath(new URL('../../../../../dist-programs/engine-process.js', import.meta.url));

beforeAll(() => {
  if (!existsSync(program))
    throw new Error('The test programs are not built. Run `npm test`, or `node scripts/ensure.mjs` first.');
});

interface Process {
  readonly child: ChildProcessWithoutNullStreams;
  line(): Promise<string>;
}

function start(...parameters: readonly string[]): Process {
  const child = spawn(process.execPath, [program, ...parameters]);
  child.stderr.pipe(process.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, line: async () => String((await lines.next()).value) };
}

describe.each(await availableDrivers())('several processes on one file with %s', (driver) => {
  let file: TemporaryFile;
  beforeEach(() => {
    file = temporaryFile(driver);
  });
  afterEach(() => file.remove());

  it('race for one run: exactly one appends, the others get JOURNAL_CONFLICT [R2-SHOW-RACE]', async () => {
    const engine = await file.open();
    await engine.create(newRun('a'));
    const racers = ['p', 'q', 'r'].map((owner) => start(driver, file.path, 'race', 'a', owner, '20'));
    for (const racer of racers) expect(await racer.line()).toBe('ready');
    for (const { child } of racers) child.stdin.write('go\n');
    const results = await Promise.all(racers.map(async ({ line }) => JSON.parse(await line()) as unknown));
    expect(results.filter((result) => (result as { value?: number }).value === 20)).toHaveLength(1);
    expect(results.filter((result) => (result as { code?: string }).code === 'JOURNAL_CONFLICT')).toHaveLength(2);
    const written = await bodies(engine, 'a');
    expect(written).toHaveLength(21);
    expect(new Set(written.slice(1)).size).toBe(1); // all by the same one
    await engine.close();
  });

  it('write at the same time, each to its own runs, and lose nothing [R2-ENGINE-PROCESSES]', async () => {
    const engine = await file.open();
    for (const id of ['a', 'b', 'c']) await engine.create(newRun(id));
    const writers = ['a', 'b', 'c'].map((id) => start(driver, file.path, 'race', id, id, '50'));
    for (const writer of writers) expect(await writer.line()).toBe('ready');
    for (const { child } of writers) child.stdin.write('go\n');
    for (const { line } of writers) expect(JSON.parse(await line())).toEqual({ value: 50 });
    for (const id of ['a', 'b', 'c']) expect(await bodies(engine, id)).toHaveLength(51);
    await engine.close();
  });

  it('tell each other: a post from a command line wakes the server that watches [R2-ENGINE-PROCESSES]', async () => {
    const server = await file.open({ pollMs: 5 });
    await suspended(server, 'a');
    const noticed = new Promise<void>((resolve) => server.watch(() => resolve()));
    const commandLine = start(driver, file.path, 'post', 'a', 'm');
    expect(await commandLine.line()).toBe('ready');
    expect(JSON.parse(await commandLine.line())).toEqual({ value: 'accepted' });
    await noticed;
    expect((await server.inbox('a', 0)).map(({ id }) => id)).toEqual(['m']);
    expect(await server.due({ now: 1, limit: 1, agents: ['agent'], isGone: () => false })).toEqual(['a']);
    await server.close();
  });

  it('may die at any time: what they confirmed is there [R2-SHOW-TORN-TAIL]', async () => {
    const engine = await file.open();
    await engine.create(newRun('a'));
    await engine.close();
    const doomed = start(driver, file.path, 'die', 'a', '30');
    const exited = once(doomed.child, 'exit');
    expect(await doomed.line()).toBe('ready');
    expect(JSON.parse(await doomed.line())).toEqual({ value: 30 });
    expect((await exited)[1]).toBe('SIGKILL');
    const again = await file.open();
    expect(await bodies(again, 'a')).toHaveLength(31);
    await again.close();
  });

  it('do not poll while nobody watches, and stop with the last one', async () => {
    const engine = await file.open({ pollMs: 1 });
    const other = await file.open();
    const claim = await claimed(other, 'a');
    let calls = 0;
    const stop = engine.watch(() => (calls += 1));
    await append(other, claim, 1);
    await expect.poll(() => calls, { interval: 2 }).toBeGreaterThan(0);
    stop();
    const seen = calls;
    await other.post('a', message('m'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(calls).toBe(seen);
    await engine.close();
    await other.close();
  });
});
