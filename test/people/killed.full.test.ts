import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { type Desk, lastJson, newDesk } from '../cli/flyball.js';
import { patient } from '../patience.js';

/** Real processes over one SQLite file: the first one starts the run and is killed with SIGKILL, others answer. */

const PROGRAM = join(root, 'dist-programs/people-process.js');

function deskFor(): Desk {
  const desk = newDesk();
  onTestFinished(() => desk.clear());
  return desk;
}

/** Starts a run in a process of its own, waits until it has said all of this, and kills it. */
async function killedAfter(desk: Desk, agent: string, input: object, ...said: readonly string[]): Promise<void> {
  mkdirSync(dirname(desk.database), { recursive: true });
  const words = [PROGRAM, desk.database, 'r1', agent, JSON.stringify({ folder: desk.folder, ...input })];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...words], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const missing = new Set(said);
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    missing.delete(line);
    if (missing.size === 0) break;
  }
  expect([...missing], 'it ended without saying this').toEqual([]);
  child.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
}

describe('a confirmation tool', () => {
  it('is answered from another process after the first one was killed, with the rest of its batch kept [R4-SHOW-CONFIRM-KILLED] [R4-PEOPLE-SUSPENDS] [R4-PEOPLE-BATCH-KEPT]', async () => {
    const desk = deskFor();
    await killedAfter(desk, 'tidy', {}, 'waits question', 'rests suspended');
    expect(desk.ledger()).toEqual(['looked']);
    const { out } = await desk.flyball('show', 'r1');
    expect(out).toContain('asks "Delete the drafts?');
    expect(out).toContain('flyball answer r1 true');
    const answered = await desk.flyball('answer', 'r1', 'false', '--as', 'ada', '--json');
    expect(answered.code, answered.error).toBe(0);
    expect(lastJson(answered.out)).toMatchObject({
      kind: 'rest',
      status: 'done',
      outcome: { value: { output: expect.stringContaining('a year old / The person says no.') as string } },
    });
    expect(desk.ledger()).toEqual(['looked']); // not looked up a second time
    expect((await desk.flyball('inbox', '--all')).out).toContain('answered by ada');
  });

  it('is answered although the process that owned the run died in the middle of other work [R4-SHOW-CONFIRM-KILLED]', async () => {
    const desk = deskFor();
    await killedAfter(desk, 'busy', {}, 'waits question');
    const answered = await desk.flyball('answer', 'r1', 'true', '--json');
    expect(answered.code, answered.error).toBe(0);
    expect(lastJson(answered.out)).toMatchObject({ status: 'done', outcome: { value: { ok: true, value: true } } });
    const again = await desk.flyball('answer', 'r1', 'false');
    expect(again.code).not.toBe(0);
  });
});

describe('an irreversible action', () => {
  const sent = (desk: Desk) =>
    desk.ledger().filter((line) => typeof line === 'object' && line !== null && 'sent' in line);
  const open = async (input = {}) => {
    const desk = deskFor();
    await killedAfter(desk, 'mail', input, 'waits approval', 'rests suspended');
    expect(desk.ledger()).toEqual([{ drafted: 'Dear Ada, yes.' }]); // the draft is made, the mail is not sent
    return desk;
  };

  it('is made exactly once when it is approved after a kill [R4-PEOPLE-VERDICTS] [R4-PEOPLE-PROVENANCE] [V1.7] [V1.acceptance]', async () => {
    const desk = await open();
    const approved = await desk.flyball('approve', 'r1', '--as', 'ada');
    expect(approved.code, approved.error).toBe(0);
    expect(sent(desk)).toEqual([{ sent: { to: 'ada@example.com', text: 'Dear Ada, yes.' } }]);
    const provenance = JSON.parse((await desk.flyball('export', 'r1', '--format', 'provenance')).out) as object;
    expect(provenance).toMatchObject({ approvals: [{ by: 'ada', verdict: 'approve' }] });
    const late = await desk.flyball('reject', 'r1', '--reason', 'too late');
    expect(late.code).not.toBe(0);
    expect(sent(desk)).toHaveLength(1);
  });

  it('is not made when it is rejected, and the reason reaches the next prompt [R4-PEOPLE-VERDICTS] [V1.acceptance]', async () => {
    const desk = await open();
    const rejected = await desk.flyball('reject', 'r1', '--reason', 'not on a Friday', '--json');
    expect(rejected.code, rejected.error).toBe(0);
    expect(JSON.stringify(lastJson(rejected.out))).toContain('not on a Friday');
    expect(sent(desk)).toEqual([]);
  });

  it('is asked about again when it is modified [R4-PEOPLE-MODIFY-REGATED] [V1.5] [V1.acceptance]', async () => {
    const desk = await open();
    const value = JSON.stringify({ to: 'bob@example.com', text: 'Dear Bob, no.' });
    const modified = await desk.flyball('modify', 'r1', value, '--as', 'ada', '--reason', 'wrong customer');
    expect(modified.code, modified.error).toBe(3); // it waits again
    expect(sent(desk)).toEqual([]);
    expect((await desk.flyball('inbox', '--json')).out).toContain('bob@example.com');
    expect((await desk.flyball('approve', 'r1', '--as', 'grace')).code).toBe(0);
    expect(sent(desk)).toEqual([{ sent: { to: 'bob@example.com', text: 'Dear Bob, no.' } }]);
  });

  it('is not made when nobody says anything in time [R4-PEOPLE-TIMEOUT] [V1.3] [V1.acceptance]', async () => {
    const desk = await open({ timeoutMs: patient(1_000) });
    await expect.poll(async () => (await desk.flyball('inbox')).out).toContain('overdue since');
    const late = await desk.flyball('approve', 'r1');
    expect(late.code).toBe(2);
    expect(late.error).toContain('its deadline passed');
    const { code, out } = await desk.flyball('resume', 'r1');
    expect(code).toBe(0);
    expect(out).toContain('nobody decided about it in time');
    expect(sent(desk)).toEqual([]);
  });
});
