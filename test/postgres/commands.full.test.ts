import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { AGENTS, type Desk, newDesk } from '../cli/flyball.js';
import { freshSchema, sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) process.stdout.write(`Skipped commands on PostgreSQL: ${why}.\n`);

describe.skipIf(why !== undefined)('commands on PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof sharedServer>>;
  let here: Desk;
  let address: string;
  beforeAll(async () => {
    server = await sharedServer();
    address = `${server.url.replace('postgres@', 'postgres:unasked@')}?schema=${freshSchema()}`;
    here = newDesk({ env: { FLYBALL_DB: address } });
  });
  afterAll(() => {
    here?.clear();
    server?.remove();
  });

  const run = (id: string, agent: string, input: unknown) =>
    here.flyball('run', AGENTS, '--agent', agent, '--input', JSON.stringify(input), '--id', id);

  it('run, list, show, answer and resume runs, by --db and FLYBALL_DB [R10-WORK-DB]', async () => {
    expect(await here.flyball('runs')).toMatchObject({ code: 0, out: 'No matching runs.\n' });
    expect(await run('one', 'greet', { name: 'Ada' })).toMatchObject({ code: 0 });
    const waits = await run('two', 'form', null);
    expect(waits.out).toContain('two');
    expect(await here.flyball('signal', 'two', 'form', '{"age":36}')).toMatchObject({ code: 0 });
    const listed = JSON.parse((await here.flyball('runs', '--json')).out) as { readonly runs: readonly unknown[] };
    expect(listed.runs).toMatchObject([
      { id: 'two', status: 'done' },
      { id: 'one', status: 'done' },
    ]);
    const elsewhere = newDesk();
    onTestFinished(() => elsewhere.clear());
    const shown = await elsewhere.flyball('show', 'two', '--db', address);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('"age":36') });
    const doctor = await here.flyball('doctor', '--no-ask', '--json');
    expect(doctor.out).toContain('2 runs');
    expect(waits.out + shown.out + doctor.out).not.toContain('unasked');
  });

  it('prune, erase, hold, operations and export work there; those of files say so [R10-WORK-DB]', async () => {
    await run('old', 'greet', { name: 'Bob' });
    expect(await here.flyball('hold', 'old', '--reason', 'audit')).toMatchObject({ code: 0 });
    expect(await here.flyball('prune', '--older', '0d', '--yes')).toMatchObject({ code: 0 });
    const left = JSON.parse((await here.flyball('runs', '--json')).out) as { readonly runs: readonly unknown[] };
    expect(left.runs).toMatchObject([{ id: 'old' }]);
    expect((await here.flyball('operations', '--json')).out).toContain('"hold"');
    for (const words of [
      ['check'],
      ['backup', 'copy.db'],
      ['restore', 'copy.db'],
      ['prune', '--older', '1d', '--vacuum'],
    ])
      expect(await here.flyball(...words)).toMatchObject({ code: 2, error: expect.stringContaining('pg_dump') });
  });

  it('serve keeps its runs and keys there, and stops in order [R10-WORK-DB]', async () => {
    const key = await here.flyball('keys', 'create', '--name', 'ci', '--scope', 'admin', '--json');
    const { secret } = JSON.parse(key.out) as { readonly secret: string };
    const serving = here.talk('serve', AGENTS, '--port', '0', '--json');
    onTestFinished(() => void serving.child.kill('SIGKILL'));
    await serving.says('"serving"');
    const line =
      serving
        .out()
        .split('\n')
        .find((text) => text.includes('"serving"')) ?? '{}';
    const { url } = JSON.parse(line) as { readonly url: string };
    const answer = await fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ agent: 'greet', input: { name: 'Eve' } }),
    });
    expect(answer.status, await answer.clone().text()).toBe(202);
    serving.child.kill('SIGTERM');
    const ended = await serving.ended;
    expect(ended.code).toBe(0);
    expect(ended.out + ended.error).not.toContain('unasked');
    expect((await here.flyball('runs')).out).toContain('greet');
  });

  it('a server that does not answer, or refuses, is told in a sentence without the password [R10-WORK-DB]', async () => {
    const gone = await here.flyball('runs', '--db', 'postgres://ada:secret@127.0.0.1:1/x');
    expect(gone.code).toBeGreaterThan(0);
    expect(gone.error.split('\n').length).toBeLessThanOrEqual(4); // what it waits for, what became of it, what to do
    const wrong = await here.flyball('runs', '--db', `${server.url}?schema=Not%20One`);
    expect(wrong).toMatchObject({ code: 2, error: expect.stringContaining('cannot be the name of a schema') });
    expect(gone.error + wrong.error).not.toContain('secret');
  });
});
