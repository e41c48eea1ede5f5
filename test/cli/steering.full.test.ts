import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AGENTS, type Desk, lastJson, newDesk } from './flyball.js';

let desk: Desk;
beforeEach(() => {
  desk = newDesk();
});
afterEach(() => desk.clear());

/** A minute's walk; `hurry` ends it. */
const walk = () => [
  'run',
  AGENTS,
  '--agent',
  'walk',
  '--id',
  'r1',
  '--input',
  JSON.stringify({ steps: 400, hurry: join(desk.folder, 'hurry') }),
];
const hurry = () => writeFileSync(join(desk.folder, 'hurry'), '');

it('pauses a run that another process works on, which goes on when it is resumed [R2-CLI-PAUSE]', async () => {
  const owner = desk.start(...walk(), '--json');
  await owner.says('"complete"');
  const paused = await desk.flyball('pause', 'r1');
  expect(paused.code).toBe(0);
  expect(paused.out).toContain(`Process ${owner.child.pid} on`);
  const { code, out } = await owner.ended;
  expect(code).toBe(3);
  expect(lastJson(out)).toMatchObject({ status: 'paused', next: ['flyball resume r1'] });
  expect((await desk.flyball('signal', 'r1', 'x')).out).toContain('The run is paused'); // a signal does not wake it
  hurry();
  expect((await desk.flyball('resume', 'r1')).code).toBe(0);
});

it('pauses a run that nobody works on [R2-CLI-PAUSE]', async () => {
  await desk.flyball('run', AGENTS, '--agent', 'form', '--id', 'r1');
  expect((await desk.flyball('pause', 'r1')).code).toBe(0);
  expect((await desk.flyball('show', 'r1')).out).toMatch(/^Run r1 {2}paused/);
  expect((await desk.flyball('resume', 'r1')).code).toBe(3); // back to waiting for its form
  expect((await desk.flyball('signal', 'r1', 'form', '{"age":1}')).code).toBe(0);
});

it('cancels a run that another process works on [R2-CLI-CANCEL]', async () => {
  const owner = desk.start(...walk(), '--json');
  await owner.says('"complete"');
  expect((await desk.flyball('cancel', 'r1', '--reason', 'no longer needed')).code).toBe(0);
  const { code, out } = await owner.ended;
  expect(code).toBe(6);
  expect(lastJson(out)).toMatchObject({
    status: 'cancelled',
    outcome: { because: expect.stringContaining('no longer needed') },
  });
});

it('cancels a run that waits, undoes what it did and reports the rollback [R2-CLI-CANCEL]', async () => {
  const file = join(desk.folder, 'draft.txt');
  await desk.flyball(
    'run',
    AGENTS,
    '--agent',
    'draft',
    '--id',
    'r1',
    '--input',
    JSON.stringify({ folder: desk.folder }),
  );
  expect(existsSync(file)).toBe(true);
  const { code, out } = await desk.flyball('cancel', 'r1');
  expect(code).toBe(0);
  expect(out).toMatch(/write-file .*COMPENSATED/);
  expect(existsSync(file)).toBe(false);
  expect((await desk.flyball('show', 'r1')).out).toMatch(/^Run r1 {2}cancelled/);
});

it('cancels a bounded run [R2-CLI-CANCEL]', async () => {
  await desk.flyball('run', AGENTS, '--agent', 'chatter', '--id', 'r1', '--budget', 'modelCalls=1');
  expect((await desk.flyball('cancel', 'r1')).code).toBe(0);
  expect((await desk.flyball('show', 'r1')).out).toMatch(/^Run r1 {2}cancelled/);
});

it('only posts a signal to a run that another process works on, and that process takes it [R2-CLI-SIGNAL]', async () => {
  const gate = join(desk.folder, 'gate');
  const input = JSON.stringify({ gate });
  const owner = desk.start('run', AGENTS, '--agent', 'ear', '--id', 'r1', '--input', input, '--json');
  await owner.says('"wait-start"');
  const sent = await desk.flyball('signal', 'r1', 'word', '"hello"');
  expect(sent.code).toBe(0);
  expect(sent.out).toContain('is running it and will pick this up');
  writeFileSync(gate, '');
  const { code, out } = await owner.ended;
  expect(code).toBe(0);
  expect(lastJson(out)).toMatchObject({ status: 'done', outcome: { value: 'hello' } });
});

it('does not take a run from a process that works on it [R2-CLI-EXIT-CODES]', async () => {
  const owner = desk.start(...walk(), '--json');
  await owner.says('"complete"');
  const { code, error } = await desk.flyball('resume', 'r1');
  expect(code).toBe(8);
  expect(error).toContain('owns it until');
  hurry();
  expect((await owner.ended).code).toBe(0);
});
