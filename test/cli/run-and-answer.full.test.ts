import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AGENTS, type Desk, jsonLines, lastJson, newDesk } from './flyball.js';

let desk: Desk;
beforeEach(() => {
  desk = newDesk();
});
afterEach(() => desk.clear());

describe('flyball run', () => {
  it('runs an agent of a file to its end and prints what came out [R2-CLI-RUN]', async () => {
    const { code, out, error } = await desk.flyball('run', AGENTS, '--agent', 'greet', '--input', '{"name":"Ada"}');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toContain('Ada: draft 1');
    expect(out).toMatch(/asked writer \(model scripted\/writer\)/);
  });

  it('takes its input from a file and from standard input [R2-CLI-RUN]', async () => {
    writeFileSync(join(desk.folder, 'input.json'), '{"name":"Grace"}');
    const fromFile = await desk.flyball('run', AGENTS, '--agent', 'greet', '--input', '@input.json', '--json');
    const fromPipe = await desk.piped('{"name":"Alan"}', 'run', AGENTS, '--agent', 'greet', '--input', '-', '--json');
    expect(lastJson(fromFile.out)).toMatchObject({ kind: 'rest', outcome: { value: 'Grace: draft 1' } });
    expect(lastJson(fromPipe.out)).toMatchObject({ kind: 'rest', outcome: { value: 'Alan: draft 1' } });
  });

  it('keeps id, subject, tenant, budget and the absolute path of the file with the run [R2-CLI-RUN]', async () => {
    const options = ['--id', 'r1', '--subject', 'ada', '--tenant', 'acme', '--budget', 'costUsd=2,modelCalls=7'];
    await desk.flyball('run', AGENTS, '--agent', 'greet', '--input', '{"name":"Ada"}', ...options);
    const shown = lastJson((await desk.flyball('show', 'r1', '--json')).out);
    expect(shown['record']).toMatchObject({ id: 'r1', subject: 'ada', tenant: 'acme', source: AGENTS });
    expect(shown['summary']).toMatchObject({ usage: { costUsd: { limit: 2 }, modelCalls: { spent: 1, limit: 7 } } });
  });

  it('takes a function that a file exports as default, under the name of the file [R2-CLI-RUN]', async () => {
    writeFileSync(
      join(desk.folder, 'adder.mjs'),
      `export default async (run, { a, b }) => ({ stop: 'done', value: a + b });`,
    );
    const { code, out } = await desk.flyball('run', 'adder.mjs', '--input', '{"a":2,"b":3}', '--json');
    expect(code).toBe(0);
    expect(lastJson(out)).toMatchObject({ status: 'done', outcome: { value: 5 } });
    expect(lastJson((await desk.flyball('runs', '--json')).out)).toMatchObject({ runs: [{ agent: 'adder' }] });
  });

  it('ends with another code for each way a run can rest [R2-CLI-EXIT-CODES]', async () => {
    const codeOf = async (agent: string, ...options: string[]) =>
      (await desk.flyball('run', AGENTS, '--agent', agent, ...options)).code;
    const codes = await Promise.all([
      codeOf('greet', '--input', '{"name":"Ada"}'),
      codeOf('broken'),
      codeOf('form'),
      codeOf('chatter', '--budget', 'modelCalls=2'),
      codeOf('stuck'),
    ]);
    expect(codes).toEqual([0, 1, 3, 4, 5]);
  });

  it('stays with a run that sleeps a moment, and leaves one that sleeps for long [R2-CLI-RUN]', async () => {
    const short = desk.flyball('run', AGENTS, '--agent', 'nap', '--input', '{"ms":300}', '--json');
    const long = desk.flyball('run', AGENTS, '--agent', 'nap', '--input', '{"ms":86400000}', '--json');
    expect(lastJson((await short).out)).toMatchObject({ status: 'done', outcome: { value: 'rested' } });
    expect((await long).code).toBe(3);
    expect(lastJson((await long).out)).toMatchObject({
      status: 'suspended',
      outcome: { waiting: [{ kind: 'sleep' }] },
    });
  });
});

describe('a run that waits', () => {
  it('says in `show` what it waits for and which command answers it; that command ends it [R2-CLI-SHOW] [R2-CLI-SIGNAL]', async () => {
    const started = await desk.flyball('run', AGENTS, '--agent', 'form', '--id', 'r1');
    expect(started.code).toBe(3);
    const { out } = await desk.flyball('show', 'r1');
    expect(out).toContain('waits for signal "form"');
    expect(out).toContain(`flyball signal r1 form '{"age":0}'`); // the shape comes from the schema the agent declared
    const answered = await desk.paste(`flyball signal r1 form '{"age":0}' --json`);
    expect(answered.code).toBe(0);
    expect(lastJson(answered.out)).toMatchObject({ kind: 'rest', status: 'done', outcome: { value: { age: 0 } } });
  });

  it('refuses an answer that does not fit, loses nothing, and takes the right one [R2-BAD-SIGNAL]', async () => {
    await desk.flyball('run', AGENTS, '--agent', 'form', '--id', 'r1');
    const wrong = await desk.flyball('signal', 'r1', 'form', '{"age":"old"}');
    expect(wrong.code).toBe(2);
    expect(wrong.error).toMatch(/does not match what r1 waits for under "form": .*integer/);
    expect(wrong.error).toContain('flyball show r1');
    expect((await desk.flyball('show', 'r1')).out).toContain('waits for signal "form"');
    expect((await desk.flyball('signal', 'r1', 'form', '{"age":36}')).code).toBe(0);
  });

  it('keeps a signal that comes before the wait, once for each id [R2-CLI-SIGNAL]', async () => {
    await desk.flyball('run', AGENTS, '--agent', 'form', '--id', 'r1');
    for (let n = 0; n < 2; n++) {
      const sent = await desk.flyball('signal', 'r1', 'later', '1', '--signal-id', 's1', '--no-wake');
      expect(sent.code).toBe(0);
    }
    expect(lastJson((await desk.flyball('show', 'r1', '--json')).out)).toMatchObject({
      record: { status: 'suspended' },
    });
    expect((await desk.flyball('signal', 'r1', 'form', '{"age":1}')).code).toBe(0);
  });

  it('acts once an approval comes from another process, and only once [R2-CLI-SIGNAL]', async () => {
    const input = JSON.stringify({ folder: desk.folder });
    expect((await desk.flyball('run', AGENTS, '--agent', 'pay', '--id', 'r1', '--input', input)).code).toBe(3);
    expect(desk.ledger()).toEqual([]);
    expect((await desk.flyball('show', 'r1')).out).toContain('flyball approve r1');
    expect((await desk.flyball('approve', 'r1', '--as', 'ada')).code).toBe(0);
    expect(desk.ledger()).toEqual([{ paid: 120 }]);
    expect((await desk.flyball('approve', 'r1')).code).toBe(8); // it has ended, as resume says too
    expect((await desk.flyball('show', 'r1')).out).toContain('pay approved by ada');
  });

  it('makes no effect when the action is rejected, and tells the agent why [R2-CLI-SIGNAL]', async () => {
    const input = JSON.stringify({ folder: desk.folder });
    await desk.flyball('run', AGENTS, '--agent', 'pay', '--id', 'r1', '--input', input);
    const { code, out } = await desk.flyball('reject', 'r1', '--reason', 'too dear');
    expect(code).toBe(1); // this agent does not catch the refusal
    expect(out).toMatch(/pay was not approved: .* rejected it: too dear/);
    expect(desk.ledger()).toEqual([]);
  });
});

describe('output', () => {
  it('is plain lines when piped, and JSON lines with --json: entries as they happen, then how it rests [R2-CLI-OUTPUT]', async () => {
    const plain = await desk.flyball('run', AGENTS, '--agent', 'greet', '--input', '{"name":"Ada"}');
    expect(plain.out).not.toContain('\u001b');
    expect(plain.out.split('\n').length).toBeGreaterThan(4);
    const { out } = await desk.flyball('run', AGENTS, '--agent', 'greet', '--input', '{"name":"Ada"}', '--json');
    const lines = jsonLines(out);
    const types = lines.slice(0, -1).map((line) => (line['event'] as { type: string }).type);
    expect(types[0]).toBe('run-start');
    expect(types.at(-1)).toBe('run-end');
    expect(lines.map((line) => line['seq']).slice(0, -1)).toEqual(types.map((_, index) => index)); // each entry once, in order
    expect(lines.at(-1)).toMatchObject({ kind: 'rest', status: 'done' });
  });
});
