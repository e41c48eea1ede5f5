import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AGENTS, type Desk, jsonLines, lastJson, newDesk } from './flyball.js';

let desk: Desk;
beforeEach(() => {
  desk = newDesk();
});
afterEach(() => desk.clear());

const start = (agent: string, id: string, ...options: string[]) =>
  desk.flyball('run', AGENTS, '--agent', agent, '--id', id, ...options);

describe('flyball runs', () => {
  it('lists runs with the version of their agent, newest first, by status, agent and tenant, page by page [R2-CLI-RUNS]', async () => {
    await start('greet', 'r1', '--input', '{"name":"Ada"}', '--tenant', 'acme');
    await start('form', 'r2');
    await start('form', 'r3', '--tenant', 'acme');
    const { out } = await desk.flyball('runs');
    expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual(['r3', 'r2', 'r1', '']);
    expect(out).toMatch(/r2 +suspended +form v1 .*waits for form/);
    const ids = async (...filter: string[]) =>
      (lastJson((await desk.flyball('runs', ...filter, '--json')).out)['runs'] as { id: string }[]).map(({ id }) => id);
    expect(await ids('--status', 'suspended', '--tenant', 'acme')).toEqual(['r3']);
    expect(await ids('--agent', 'greet')).toEqual(['r1']);
    const first = lastJson((await desk.flyball('runs', '--limit', '2', '--json')).out);
    expect(await ids('--limit', '2', '--cursor', String(first['cursor']))).toEqual(['r1']);
  });

  it('says that there are none where there is no database, and creates none [R2-CLI-RUNS]', async () => {
    const { code, out } = await desk.flyball('runs');
    expect(code).toBe(0);
    expect(out).toContain('No runs yet');
    expect((await desk.flyball('runs')).out).toContain('does not exist'); // still
  });
});

describe('flyball show', () => {
  it('prints a timeline under a header with status, agent and budget [R2-CLI-SHOW]', async () => {
    await start('greet', 'r1', '--input', '{"name":"Ada"}', '--budget', 'modelCalls=1');
    const { out } = await desk.flyball('show', 'r1');
    expect(out).toMatch(/^Run r1 {2}done\n/);
    expect(out).toMatch(/modelCalls +█{20} 1 of 1\n/);
    expect(out).toMatch(/\n +0 +\+0\.000 {2}▶ started greet/);
    expect(out).toContain('◆ phase greeting');
    expect(out).toContain('! budget: modelCalls at 100 %');
  });

  it('travels in time: the state as of an entry, without running anything [R2-CLI-SHOW] [R2-VIEW-TIME-TRAVEL]', async () => {
    await start('chatter', 'r1');
    const entries = jsonLines((await desk.flyball('export', 'r1', '--format', 'entries')).out);
    const firstAnswer = entries.find((entry) => (entry['event'] as { type: string }).type === 'ask-end')?.['seq'];
    const { out } = await desk.flyball('show', 'r1', '--at', String(firstAnswer));
    expect(out).toContain(`Run r1  running, as of entry ${String(firstAnswer)}`);
    expect(out).toMatch(/modelCalls .* 1 of 200/);
    expect(out.split('\n').at(-2)).toMatch(new RegExp(`^ +${String(firstAnswer)} .*asked writer`));
    const beyond = await desk.flyball('show', 'r1', '--at', '999');
    expect(beyond.code).toBe(2);
    expect(beyond.error).toMatch(/There is no entry 999: generation 0 has entries 0 to \d+/);
  });
});

describe('flyball fork', () => {
  it('starts a new run from an entry and pays nothing again [R2-CLI-FORK]', async () => {
    await start('chatter', 'r1');
    const entries = jsonLines((await desk.flyball('export', 'r1', '--format', 'entries')).out);
    const at = entries.find((entry) => (entry['event'] as { type: string }).type === 'ask-end')?.['seq'];
    const { code, out } = await desk.flyball('fork', 'r1', '--at', String(at), '--id', 'f1', '--json');
    expect(code).toBe(0);
    expect(lastJson(out)).toMatchObject({ run: 'f1', status: 'done' });
    const asked = jsonLines(out).filter(
      (line) => (line['event'] as { type: string } | undefined)?.type === 'ask-start',
    );
    expect(asked).toHaveLength(2); // the first of three answers is its parent's
    expect((await desk.flyball('show', 'f1')).out).toContain(`of r1 after entry ${String(at)}, effects simulated`);
  });

  it('refuses an entry inside an effect and names the nearest one; that one works [R2-CLI-FORK] [R2-SHOW-FORK-REFUSED]', async () => {
    await start('draft', 'r1', '--input', JSON.stringify({ folder: desk.folder }));
    const entries = jsonLines((await desk.flyball('export', 'r1', '--format', 'entries')).out);
    const intent = entries.find((entry) => (entry['event'] as { type: string }).type === 'intent')?.['seq'];
    const refused = await desk.flyball('fork', 'r1', '--at', String(intent));
    expect(refused.code).toBe(2);
    const command = /flyball fork r1 --at (\d+)/.exec(refused.error);
    expect(command, refused.error).not.toBeNull();
    const fork = await desk.flyball('fork', 'r1', '--at', command?.[1] ?? '', '--json');
    expect(fork.code).toBe(3); // it waits, like its parent, and wrote no second file
    expect(jsonLines((await desk.flyball('runs', '--json')).out)[0]).toMatchObject({ runs: [{}, {}] });
  });
});

describe('flyball export and verify', () => {
  it('writes an audit file that verifies, and finds an altered line [R2-CLI-EXPORT]', async () => {
    await start('greet', 'r1', '--input', '{"name":"Ada"}');
    const file = join(desk.folder, 'r1.audit.jsonl');
    const exported = await desk.flyball('export', 'r1', '--format', 'audit', '--out', file, '--json');
    expect(exported.code).toBe(0);
    const head = String(lastJson(exported.out)['head']);
    const sound = await desk.flyball('verify', file, '--head', head);
    expect({ code: sound.code, error: sound.error }).toEqual({ code: 0, error: '' });
    expect(sound.out).toContain('unchanged');
    expect((await desk.flyball('verify', file, '--head', 'another')).code).toBe(1);
    writeFileSync(file, readFileSync(file, 'utf8').replace('Ada', 'Eve'));
    const altered = await desk.flyball('verify', file);
    expect(altered.code).toBe(1);
    expect(altered.error).toContain('line 2: its content was altered');
  });

  it.each(['audit', 'entries', 'metrics'])('writes %s as lines of JSON [R2-CLI-EXPORT]', async (format) => {
    await start('greet', 'r1', '--input', '{"name":"Ada"}');
    const { code, out } = await desk.flyball('export', 'r1', '--format', format);
    expect(code).toBe(0);
    expect(jsonLines(out).length).toBeGreaterThan(1);
  });

  it.each([
    ['trace', 'children'],
    ['checkpoint', 'loopId'],
    ['provenance', 'hash'],
    ['cost', 'byModel'],
  ])('writes %s as one document [R2-CLI-EXPORT]', async (format, field) => {
    await start('greet', 'r1', '--input', '{"name":"Ada"}');
    const { code, out } = await desk.flyball('export', 'r1', '--format', format);
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(out) as object)).toContain(field);
  });
});
