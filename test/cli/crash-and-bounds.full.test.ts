import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AGENTS, type Desk, lastJson, newDesk } from './flyball.js';

let desk: Desk;
beforeEach(() => {
  desk = newDesk();
});
afterEach(() => desk.clear());

it('resumes a run that was killed in the middle of an effect, without a second effect [R2-CLI-RESUME]', async () => {
  const input = JSON.stringify({ folder: desk.folder });
  const first = desk.start('run', AGENTS, '--agent', 'hang', '--id', 'r1', '--input', input);
  await first.says('charged, and hanging');
  first.child.kill('SIGKILL');
  await first.ended;
  expect((await desk.flyball('show', 'r1')).out).toMatch(/its process \d+ is gone\n.*flyball resume r1/);
  const { code, out } = await desk.flyball('resume', 'r1', '--json');
  expect(code).toBe(0);
  expect(lastJson(out)).toMatchObject({ status: 'done', outcome: { value: 'charged' } });
  expect(desk.ledger()).toEqual([{ charged: 1 }]);
  expect((await desk.flyball('show', 'r1')).out).toContain('resumed after a crash');
});

it('asks a person what nothing can prove, and prints the command that answers [R2-CLI-RESUME] [R2-DOUBT-PERSON]', async () => {
  const input = JSON.stringify({ folder: desk.folder });
  const first = desk.start('run', AGENTS, '--agent', 'blind', '--id', 'r1', '--input', input);
  await first.says('charged, and hanging');
  first.child.kill('SIGKILL');
  await first.ended;
  const resumed = await desk.flyball('resume', 'r1', '--json');
  expect(resumed.code).toBe(3);
  const [happened = ''] = lastJson(resumed.out)['next'] as string[];
  expect(happened).toMatch(/^flyball answer r1 .*"happened":true/);
  expect((await desk.flyball('show', 'r1')).out).toContain(happened);
  expect((await desk.paste(happened)).code).toBe(0);
  expect(desk.ledger()).toEqual([{ charged: 1 }]); // believed, not repeated
});

it('stops before any effect when the code no longer fits the journal, and the old code still goes on [R2-CLI-EXIT-CODES]', async () => {
  const file = join(desk.folder, 'agent.mjs');
  const version = (step: string) =>
    writeFileSync(
      file,
      `export default async (run) => {
        const first = await run.step('${step}', 1, (n) => n, 'pure');
        await run.wait({ name: 'go' });
        return { stop: 'done', value: first };
      };`,
    );
  version('before');
  expect((await desk.flyball('run', 'agent.mjs', '--id', 'r1')).code).toBe(3);
  version('after');
  const changed = await desk.flyball('signal', 'r1', 'go');
  expect(changed.code).toBe(10);
  expect(changed.error).toMatch(/before.*after|the journal holds/);
  expect((await desk.flyball('show', 'r1')).out).toMatch(/^Run r1 {2}stalled/);
  version('before');
  expect((await desk.flyball('resume', 'r1')).code).toBe(0); // the signal was kept
});

it('goes on with a bounded run under a larger budget, and says which command does it [R2-CLI-RESUME]', async () => {
  const bounded = await desk.flyball('run', AGENTS, '--agent', 'chatter', '--id', 'r1', '--budget', 'modelCalls=2');
  expect(bounded.code).toBe(4);
  expect(bounded.out).toContain('flyball resume r1 --budget modelCalls=4');
  const same = await desk.flyball('resume', 'r1');
  expect(same.code).toBe(2);
  expect(same.error).toContain('larger budget');
  const { code, out } = await desk.flyball('resume', 'r1', '--budget', 'modelCalls=4', '--json');
  expect(code).toBe(0);
  expect(lastJson(out)).toMatchObject({ status: 'done', outcome: { usage: { modelCalls: 3 } } });
});

it('says what a bounded run did before it announces the command that goes on [R8-DOCS-CLAIMS]', async () => {
  writeFileSync(
    join(desk.folder, 'agent.mjs'),
    `export default async (run) => {
      await run.step('send', 1, (n) => n, 'idempotent');
      for (;;) run.budget.take('iterations');
    };`,
  );
  const { code, out } = await desk.flyball('run', 'agent.mjs', '--id', 'r1', '--budget', 'iterations=2');
  expect(code).toBe(4);
  expect(out).toMatch(/ {2}Actions:\n +send took place.*\n.*with a larger budget:\n +flyball resume r1 --budget/);
});

it('refuses to resume, signal, pause or cancel a run that has ended [R2-CLI-EXIT-CODES]', async () => {
  await desk.flyball('run', AGENTS, '--agent', 'greet', '--id', 'r1', '--input', '{"name":"Ada"}');
  for (const words of [
    ['resume', 'r1'],
    ['signal', 'r1', 'go'],
    ['pause', 'r1'],
    ['cancel', 'r1'],
  ]) {
    const { code, error } = await desk.flyball(...words);
    expect(code, words[0]).toBe(8);
    expect(error, words[0]).toContain('Run r1 has ended (done)');
    expect(error, words[0]).toContain('flyball fork r1 --at');
  }
});

it('gives a run back at a safe point on the first Ctrl-C, and another process goes on with it [R2-CLI-RESUME] [R2-CLI-EXIT-CODES]', async () => {
  const hurry = join(desk.folder, 'hurry');
  const input = JSON.stringify({ steps: 400, hurry });
  const first = desk.start('run', AGENTS, '--agent', 'walk', '--id', 'r1', '--input', input);
  await first.says('walk done');
  first.child.kill('SIGINT');
  const { code, out, error } = await first.ended;
  expect(code).toBe(130);
  expect(error).toContain('safe point');
  expect(out).toContain('flyball resume r1');
  expect(lastJson((await desk.flyball('show', 'r1', '--json')).out)).toMatchObject({ record: { status: 'pending' } });
  writeFileSync(hurry, '');
  const resumed = await desk.flyball('resume', 'r1', '--json');
  expect(lastJson(resumed.out)).toMatchObject({ status: 'done', outcome: { value: 400 } });
  const repeated = resumed.out.split('\n').filter((line) => line.includes('"how":"repeated"'));
  expect(repeated).toEqual([]); // what was under way had ended before it left
});

it('leaves at once on the second Ctrl-C, and the run can still be resumed [R2-CLI-EXIT-CODES]', async () => {
  const input = JSON.stringify({ folder: desk.folder });
  const first = desk.start('run', AGENTS, '--agent', 'hang', '--id', 'r1', '--input', input);
  await first.says('charged, and hanging');
  first.child.kill('SIGINT');
  await first.says('safe point');
  first.child.kill('SIGINT');
  expect((await first.ended).code).toBe(130);
  expect((await desk.flyball('resume', 'r1')).code).toBe(0);
  expect(desk.ledger()).toEqual([{ charged: 1 }]);
});
