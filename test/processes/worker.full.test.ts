import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { patient } from '../patience.js';
import { type Desk, newDesk, whileAnswering } from './desk.js';
import { killAll, type Remote, type RemoteOpening, remote } from './remote.js';

let desk: Desk;
beforeEach(async () => {
  desk = await newDesk();
});
afterEach(async () => {
  killAll();
  await desk.close();
});

async function opened(opening: Omit<RemoteOpening, 'path'> = {}): Promise<Remote> {
  const process = remote();
  await process.open({ path: desk.path, ...opening });
  return process;
}

const gate = () => join(desk.folder, 'gate');
const openGate = () => writeFileSync(gate(), '');

/** Never looks around on its own account, so what it does it was woken for. */
const PATIENT = { pollMs: 600_000 };

describe('a worker process', () => {
  it('takes over the run of a killed process by itself [R2-WORKER] [R2-FAILURE-CRASH]', async () => {
    const doomed = await opened();
    await doomed.start('walk', { steps: 20, gate: gate() }, { id: 'orphan' });
    await opened();
    await expect.poll(async () => (await desk.events('orphan', 'complete')).length).toBeGreaterThan(3);
    await doomed.kill();
    openGate();
    await desk.rests('orphan', 'done');
    const starts = await desk.events('orphan', 'attempt-start');
    expect(starts.map(({ why }) => why)).toEqual(['start', 'takeover']);
    expect(starts.at(1)?.owner).not.toEqual(starts.at(0)?.owner);
    expect(await desk.runtime.handle('orphan').outcome()).toMatchObject({ stop: 'done', value: 20 });
  });

  it('takes over what was orphaned before it started, several runs at once [R2-WORKER]', async () => {
    const doomed = await opened({ options: { worker: false } });
    const ids = ['a', 'b', 'c'];
    for (const id of ids) await doomed.start('walk', { steps: 3, gate: gate() }, { id });
    await doomed.kill();
    openGate();
    await opened();
    for (const id of ids) expect(await desk.rests(id, 'done')).toBe('done');
  });

  it('leaves alone the runs of agents it does not have [R2-WORKER]', async () => {
    const doomed = await opened({ options: { worker: false } });
    await doomed.start('walk', { steps: 3, gate: gate() }, { id: 'foreign' });
    await doomed.start('nap', { ms: 50 }, { id: 'own' });
    await doomed.kill();
    await opened({ agents: ['nap'] });
    await desk.rests('own', 'done');
    expect(await desk.runtime.get('foreign')).toMatchObject({ status: 'running', crashes: 0 });
  });

  it('wakes a sleeping run on time, without looking for it all the while [R2-WORKER] [R2-RUN-SLEEP]', async () => {
    const starter = await opened({ options: { worker: false } });
    await starter.start('nap', { ms: patient(1_200) }, { id: 'sleeper' });
    expect(await starter.outcome('sleeper')).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'sleep' }] });
    await starter.kill();
    await opened({ options: PATIENT });
    await desk.rests('sleeper', 'done');
    const entries = await desk.runtime.entries('sleeper');
    const due = entries.flatMap(({ event }) => (event.type === 'sleep-start' ? [event.due] : [])).at(0) ?? 0;
    const woken = entries.find(({ event }) => event.type === 'sleep-end')?.at ?? 0;
    expect(woken).toBeGreaterThanOrEqual(due);
    expect(woken - due).toBeLessThan(PATIENT.pollMs / 2); // it had set a timer: looking around would have come later
  });

  it('goes on with a suspended run when a third process, which runs no agents, signals it [R2-WORKER] [R2-ENGINE-PROCESSES]', async () => {
    const starter = await opened({ options: { worker: false } });
    await starter.start('ask', null, { id: 'asker' });
    expect(await starter.outcome('asker')).toMatchObject({ stop: 'suspended' });
    await starter.kill();
    await opened({ options: PATIENT });
    const commandLine = await opened({ agents: [], options: { worker: false } });
    expect(await commandLine.signal('asker', 'answer', { yes: 1 })).toMatchObject({ delivery: 'delivered' });
    await desk.rests('asker', 'done');
    expect(await desk.runtime.handle('asker').outcome()).toMatchObject({ value: { yes: 1 } });
  });
});

describe('a server process that owns a run', () => {
  it('hears what another process signals while the run is in its memory [R2-ENGINE-PROCESSES] [R2-CLI-SIGNAL]', async () => {
    const server = await opened();
    await server.start('busy', { gate: gate() }, { id: 'owned' });
    await expect.poll(async () => (await desk.events('owned', 'wait-start')).length).toBe(1);
    expect(await desk.runtime.get('owned')).toMatchObject({ status: 'running' });
    await desk.runtime.signal('owned', 'answer', 'from outside', { from: 'command line' });
    await expect
      .poll(async () => await desk.events('owned', 'wait-end'))
      .toEqual([expect.objectContaining({ payload: 'from outside', from: 'command line' })]);
    expect(await desk.runtime.get('owned')).toMatchObject({ status: 'running' }); // the other branch still works
    openGate();
    expect(await server.finished('owned')).toMatchObject({ stop: 'done', value: 'from outside' });
    expect(await desk.events('owned', 'attempt-start')).toHaveLength(1);
  });

  it('hears that another process pauses, resumes or cancels it [R2-ENGINE-PROCESSES] [R2-FAILURE-HUMAN]', async () => {
    const server = await opened();
    await server.start('walk', { steps: 100_000 }, { id: 'steered' });
    await expect.poll(async () => (await desk.events('steered', 'complete')).length).toBeGreaterThan(2);
    await desk.runtime.pause('steered', { by: 'operator' });
    await desk.rests('steered', 'paused');
    const paused = (await desk.events('steered', 'complete')).length;
    await server.resume('steered', { by: 'operator' });
    await expect.poll(async () => (await desk.events('steered', 'complete')).length).toBeGreaterThan(paused + 2);
    await desk.runtime.cancel('steered', { by: 'operator', why: 'no longer needed' });
    await desk.rests('steered', 'cancelled');
    expect(await desk.runtime.handle('steered').outcome()).toMatchObject({
      stop: 'cancelled',
      because: expect.stringContaining('no longer needed'),
    });
  });
});

describe('a run that takes its process down each time', () => {
  it('is set aside after maxResumes, with a sentence, and goes on when somebody resumes it [R2-MAX-RESUMES]', async () => {
    const repaired = join(desk.folder, 'repaired');
    const options = { maxResumes: 3 };
    let deaths = 0;
    for (; deaths < 20; deaths++) {
      const doomed = await opened({ options });
      if (deaths === 0) void doomed.start('fatal', { repaired }, { id: 'loop' });
      const stalled = desk.engine
        .get('loop')
        .then(() => desk.rests('loop', 'stalled').catch(() => new Promise<never>(() => undefined)));
      const end = await Promise.race([doomed.exited, deaths === 0 ? new Promise<never>(() => undefined) : stalled]);
      if (end === 'stalled') break;
      expect(end).toBe('SIGKILL');
    }
    expect(deaths).toBe(1 + options.maxResumes);
    expect(await desk.runtime.get('loop')).toMatchObject({
      status: 'stalled',
      attention: expect.stringContaining('resume it by hand'),
    });
    await opened({ options }); // a worker does not touch it any more
    expect((await desk.events('loop', 'complete')).map(({ name }) => name)).toEqual(['first']);

    writeFileSync(repaired, '');
    const careful = await opened({ options: { ...options, worker: false } });
    await careful.resume('loop', { by: 'operator' });
    expect(await careful.finished('loop')).toMatchObject({ stop: 'done', value: 'survived' });
  });
});

it('answers to whoever waits in another process when the run ends here [R2-WORKER]', async () => {
  const starter = await opened({ agents: ['walk'] });
  await opened({ agents: ['ask'] });
  const waiter = await opened({ agents: ['ask'], options: { worker: true } });
  await waiter.start('ask', null, { id: 'elsewhere' });
  await waiter.outcome('elsewhere');
  const finished = starter.finished('elsewhere');
  await whileAnswering(desk, 'elsewhere', () => desk.rests('elsewhere', 'done'));
  expect(await finished).toMatchObject({ stop: 'done', value: 'yes to answer' });
});
