import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { flyball } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'flyball-retention-'));
const agents = join(folder, 'agents.mjs');
let file = '';
let files = 0;
const WORD = 'a secret that Ada told the agent, '.repeat(12);
beforeAll(() =>
  writeFileSync(
    agents,
    `export const agents = {
  echo: async (run, input) => ({ stop: 'done', value: await run.step('echo', input, () => input, 'pure') }),
  waiter: async (run) => ({ stop: 'done', value: await run.wait({ name: 'go' }) }),
  long: async (run, input) => ({ stop: 'done', value: (await run.step('long', input, () => String(input).repeat(900_000), 'pure')).length }),
  broken: async () => { throw new Error('broken'); },
};`,
  ),
);
beforeEach(() => {
  file = join(folder, `${++files}.db`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const on = (...words: readonly string[]) => flyball([...words, '--db', file]);
const json = async (...words: readonly string[]) => {
  const { code, out, error } = await on(...words, '--json');
  return { code, error, data: out === '' ? undefined : JSON.parse(out.trim().split('\n').at(-1) ?? '') };
};
const run = (agent: string, id: string, ...more: readonly string[]) =>
  on('run', agents, '--agent', agent, '--id', id, ...more);
const idsThere = async () => (await json('runs')).data.runs.map(({ id }: { id: string }) => id).sort();
/** Moves runs back in time: nobody waits ninety days. */
const age = async (days: number, ...ids: readonly string[]) => {
  const { openDatabase } = await import('../../packages/flyball/src/adapters/engine-sqlite/driver.js');
  const { RunRows } = await import('../../packages/flyball/src/adapters/engine-sqlite/run-rows.js');
  const database = await openDatabase(file);
  const rows = new RunRows(database);
  for (const id of ids) {
    const n = Number(rows.known(id)['n']);
    rows.change(n, () => database.run('UPDATE runs SET updated_at = ? WHERE n = ?', Date.now() - days * 86_400_000, n));
  }
  database.close();
};

describe('flyball prune', () => {
  it('says what would go, and removes it only when told so; a tombstone stays [R8-OPS-PRUNE]', async () => {
    for (const id of ['old', 'new']) await run('echo', id, '--input', JSON.stringify(WORD));
    await run('broken', 'failed');
    await run('waiter', 'open');
    await age(100, 'old', 'failed', 'open');
    const dry = await json('prune', '--older', '90d');
    expect((await json('prune', '--older', '90d', '--dry-run')).data).toEqual(dry.data);
    expect((await on('prune', '--older', '90d', '--dry-run', '--yes')).code).toBe(2);
    expect(dry.data.runs.map(({ id }: { id: string }) => id).sort()).toEqual(['failed', 'old']);
    expect(await idsThere()).toEqual(['failed', 'new', 'old', 'open']);
    expect((await json('prune', '--older', '90d', '--status', 'done')).data.runs).toHaveLength(1);
    expect((await json('prune', '--older', '90d', '--yes')).data.removed.sort()).toEqual(['failed', 'old']);
    expect(await idsThere()).toEqual(['new', 'open']);
    expect((await on('show', 'old')).code).toBe(7);
    expect((await run('echo', 'old')).code).toBe(8); // its id is taken for ever: keys of effects are made of it
    expect((await on('check')).code).toBe(0);
    expect((await on('prune')).code).toBe(2);
    expect((await on('prune', '--older', '90d', '--status', 'running')).code).toBe(2);
  });

  it('keeps what is held and what a fork needs; contents that others use stay [R8-OPS-PRUNE] [R8-OPS-HOLD]', async () => {
    await run('echo', 'parent', '--input', JSON.stringify(WORD));
    await run('echo', 'twin', '--input', JSON.stringify(WORD));
    await run('echo', 'held');
    expect((await on('fork', 'parent', '--at', '1', '--id', 'fork')).code).toBe(0);
    expect((await on('hold', 'held')).code).toBe(2);
    expect((await on('hold', 'held', '--reason', 'case 7', '--as', 'counsel')).code).toBe(0);
    await age(100, 'parent', 'held', 'twin');
    const { data } = await json('prune', '--older', '90d', '--yes');
    expect(data.removed).toEqual(['twin']);
    expect(data.collected).toEqual({ contents: 0, links: 0 }); // the parent says the same words
    expect(data.kept.map(({ id, why }: { id: string; why: string }) => [id, why]).sort()).toEqual([
      ['held', 'under a legal hold'],
      ['parent', 'needed by a fork that stays'],
    ]);
    expect((await on('show', 'fork')).code).toBe(0);
    await age(100, 'fork');
    const all = (await json('prune', '--older', '90d', '--yes')).data;
    expect(all.removed).toEqual(['fork', 'parent']);
    expect(all.collected.contents).toBe(1);
    await on('hold', 'held', '--clear', '--reason', 'closed', '--as', 'counsel');
    const log = (await json('operations')).data.operations;
    expect(log.map(({ action, of, by }: Record<string, string>) => [action, of, by])).toContainEqual([
      'hold',
      'held',
      'counsel',
    ]);
    expect((await json('prune', '--older', '90d', '--yes')).data.removed).toEqual(['held']);
    expect((await on('check')).code).toBe(0);
  });

  it('removes the oldest until the rest fits, and gives the space back [R8-OPS-PRUNE]', async () => {
    for (let n = 0; n < 12; n++) {
      const big = Array.from({ length: 200 }, (_, at) => `value ${n} ${at} `.repeat(4));
      await run('echo', `r${n}`, '--input', JSON.stringify(big));
      await age(20 - n, `r${n}`);
    }
    const { total } = (await json('prune', '--max-size', '1TB')).data;
    const { data } = await json('prune', '--max-size', String(Math.round(total / 2)));
    expect(data.runs.length).toBeGreaterThan(4);
    expect(data.runs.length).toBeLessThan(8);
    const before = readFileSync(file).length;
    await on('prune', '--max-size', String(Math.round(total / 2)), '--yes', '--vacuum');
    expect(await idsThere()).toContain('r11');
    expect(await idsThere()).not.toContain('r0');
    expect(readFileSync(file).length).toBeLessThan(before * 0.75);
  });

  it('counts large contents too, which are kept beside the journals [R8-TRIAL-O1]', async () => {
    for (let n = 0; n < 3; n++) {
      await run('long', `r${n}`, '--input', String(n));
      await age(20 - n, `r${n}`);
    }
    const { data } = await json('prune', '--max-size', '2MB');
    expect(data.runs.map(({ id }: { id: string }) => id)).toEqual(['r0']);
    expect(data.total).toBeGreaterThan(2_700_000);
    expect((await json('prune', '--max-size', '2MB', '--yes')).data.removed).toEqual(['r0']);
    expect((await json('prune', '--max-size', '2MB')).data.runs).toEqual([]);
  });
});

describe('flyball erase', () => {
  it('leaves no word of a subject, and a chain that still has the head of the audit [R8-OPS-ERASE]', async () => {
    await run('echo', 'ada-1', '--subject', 'ada', '--input', JSON.stringify(WORD));
    await run('echo', 'bob-1', '--subject', 'bob', '--input', '"hello"');
    await run('waiter', 'ada-2', '--subject', 'ada');
    const audit = join(folder, 'ada.audit.jsonl');
    const { head } = (await json('export', 'ada-1', '--out', audit)).data;
    expect((await json('erase', '--subject', 'ada')).data).toMatchObject({
      dryRun: true,
      runs: [{ id: 'ada-1' }],
      staying: [{ id: 'ada-2', because: 'open' }],
    });
    expect((await on('erase', '--subject', 'ada', '--yes')).code).toBe(8); // one has not ended
    expect((await on('cancel', 'ada-2')).code).toBe(0);
    expect((await on('erase', '--subject', 'ada', '--yes', '--reason', 'request 12')).code).toBe(0);
    expect(await idsThere()).toEqual(['bob-1']);
    const bytes = readFileSync(file).toString('latin1');
    expect(bytes).not.toContain('a secret that Ada told');
    expect(bytes).not.toMatch(/"ada"/);
    const left = join(folder, 'left.audit.jsonl');
    expect((await on('export', 'ada-1', '--out', left)).code).toBe(0);
    const verified = await on('verify', left, '--head', head);
    expect(verified.code, verified.error).toBe(0);
    expect(verified.out).toContain('without the content');
    expect((await on('verify', audit, '--head', head)).code).toBe(0); // a file from before fits the same chain
    expect((await on('export', 'ada-1', '--format', 'entries')).code).toBe(7);
    expect((await on('operations')).code).toBe(0);
    expect((await on('check')).code).toBe(0);
  });

  it('does not erase what is held', async () => {
    await run('echo', 'held', '--subject', 'ada');
    await on('hold', 'held', '--reason', 'case');
    expect((await on('erase', '--subject', 'ada', '--yes')).code).toBe(8);
    expect(await idsThere()).toEqual(['held']);
  });
});

describe('flyball bulk', () => {
  it('retries, resumes and cancels by filter, after a dry run [R8-OPS-BULK]', async () => {
    const engine = await sqliteEngine({ path: file });
    const owner = { id: 'o', host: 'h', bootId: 'b', pid: 1, startTime: '1' };
    const rest = async (id: string, agent: string, how: 'stalled' | 'paused', code: string) => {
      const first = { entries: [{ generation: 0, seq: 0, at: 1, activeMs: 0, body: '{"type":"note"}' }] };
      await engine.create({ id, agent, version: '1', tenant: 'default', subject: 's', createdAt: 1, first });
      const claim = await engine.claim(id, { owner, now: 1, leaseMs: 1, isGone: () => true });
      await engine.release(
        claim,
        how === 'stalled' ? { status: how, attention: 'look', code, now: 1 } : { status: how, now: 1 },
      );
    };
    for (const id of ['a', 'b']) await rest(id, 'desk', 'stalled', 'REPLAY_DIVERGED');
    await rest('c', 'desk', 'stalled', 'JOURNAL_CORRUPT');
    await rest('d', 'other', 'stalled', 'REPLAY_DIVERGED');
    await rest('e', 'desk', 'paused', '');
    const standing = async () => Object.fromEntries((await engine.list({})).runs.map(({ id, status }) => [id, status]));
    const filter = ['--agent', 'desk', '--code', 'REPLAY_DIVERGED'];
    const dry = await json('bulk', 'retry', ...filter);
    expect(dry.data.runs.map(({ id }: { id: string }) => id).sort()).toEqual(['a', 'b']);
    expect((await standing())['a']).toBe('stalled');
    expect((await json('bulk', 'retry', ...filter, '--yes')).data.done.sort()).toEqual(['a', 'b']);
    expect(await standing()).toEqual({ a: 'pending', b: 'pending', c: 'stalled', d: 'stalled', e: 'paused' });
    expect((await json('bulk', 'resume', '--older', '1h', '--yes')).data.done).toEqual(['e']);
    expect((await engine.due({ now: Date.now(), limit: 9, agents: ['desk'], isGone: () => false })).includes('e')).toBe(
      true,
    );
    expect((await json('bulk', 'cancel', '--status', 'stalled', '--yes', '--reason', 'over')).data.done.sort()).toEqual(
      ['c', 'd'],
    );
    expect((await engine.inbox('c', 0)).map(({ kind, body }) => [kind, body])).toEqual([['cancel', '{"why":"over"}']]);
    expect((await on('bulk', 'cancel', '--status', 'done')).code).toBe(2);
    await engine.close();
  });
});

describe('flyball owner gone', () => {
  it('lets the runs of a process go on that nobody can prove gone [R8-OPS-OWNER]', async () => {
    const engine = await sqliteEngine({ path: file });
    const first = { entries: [{ generation: 0, seq: 0, at: 1, activeMs: 0, body: '{"type":"note"}' }] };
    await engine.create({ id: 'a', agent: 'x', version: '1', tenant: 't', subject: 's', createdAt: 1, first });
    const owner = { id: 'container-7', host: 'elsewhere', bootId: 'b', pid: 1, startTime: '1' };
    await engine.claim('a', { owner, now: Date.now(), leaseMs: 3_600_000, isGone: () => false });
    expect((await json('owner', 'list')).data.owners).toMatchObject([
      { id: 'container-7', host: 'elsewhere', runs: ['a'], state: 'unknown' },
    ]);
    const due = () => engine.due({ now: Date.now(), limit: 9, agents: ['x'], isGone: () => false });
    expect(await due()).toEqual([]);
    expect((await json('owner', 'gone', 'container-7', '--reason', 'removed')).data).toMatchObject({ runs: ['a'] });
    expect(await due()).toEqual(['a']);
    const mistyped = await on('owner', 'gone', 'container-8');
    expect(mistyped).toMatchObject({ code: 2, error: expect.stringMatching(/container-8.*flyball owner list/) });
    expect((await on('owner', 'gone', 'container-7')).code).toBe(0); // said twice is said once more
    expect((await json('operations', 'container-8')).data.operations).toEqual([]);
    expect((await json('operations', 'container-7')).data.operations).toMatchObject([
      { action: 'owner-gone', why: 'removed' },
      { action: 'owner-gone' },
    ]);
    await engine.close();
  });

  it('wakes a run that waits for the deadline of an effect of an owner whose lease has ended [R8-REST-OWNER]', async () => {
    const engine = await sqliteEngine({ path: file });
    const [took, deadline] = [Date.now() - 60_000, Date.now() + 80_000];
    const lost = { id: 'container-7', host: 'elsewhere', bootId: 'b', pid: 1, startTime: '1' };
    const intent = { type: 'intent', id: '#0', name: 'pay', class: 'undoable', attempt: 1, key: 'k', deadline };
    const leave = async (id: string, rest: Partial<typeof intent> & { readonly asked?: true }) => {
      const { asked, ...about } = rest;
      const events: readonly object[] = [
        { type: 'note' },
        { type: 'attempt-start', attempt: 1, why: 'start', owner: lost },
        { ...intent, ...about },
        ...(asked === true ? [{ type: 'doubt', id: '#0', attempt: 1, name: 'pay', why: 'x' }] : []),
      ];
      const entries = events.map((event, seq) => ({
        generation: 0,
        seq,
        at: took,
        activeMs: 0,
        body: JSON.stringify(event),
      }));
      await engine.create({
        id,
        agent: 'x',
        version: '1',
        tenant: 't',
        subject: 's',
        createdAt: took,
        first: { entries },
      });
      const claim = await engine.claim(id, { owner: lost, now: took, leaseMs: 0, isGone: () => true });
      const how = asked === true ? { waiting: ['doubt:#0'] } : { waiting: [], wakeAt: deadline };
      await engine.release(claim, { status: 'suspended', now: took, ...how });
    };
    await leave('a', {});
    await leave('b', { asked: true });
    await leave('c', { class: 'idempotent' });
    await engine.create({
      id: 'd',
      agent: 'x',
      version: '1',
      tenant: 't',
      subject: 's',
      createdAt: took,
      first: {
        entries: [
          {
            generation: 0,
            seq: 0,
            at: took,
            activeMs: 0,
            body: JSON.stringify({ type: 'attempt-start', owner: { ...lost, id: 'own' } }),
          },
        ],
      },
    });
    await engine.claim('d', {
      owner: { ...lost, id: 'own' },
      now: took,
      leaseMs: deadline - took,
      isGone: () => false,
    });

    const listed = (await json('owner', 'list')).data.owners;
    expect(listed).toMatchObject([
      { id: 'own', runs: ['d'], since: took, leaseUntil: deadline, left: [] },
      {
        id: 'container-7',
        runs: [],
        left: [
          { run: 'b', asked: true },
          { run: 'a', asked: false, deadline },
        ],
        state: 'unknown',
      },
    ]);
    expect((await on('owner', 'list')).out).toMatch(
      /own {2}process 1 on elsewhere {2}not visible from here {2}1 run, since \d.*, lease until \d.*\ncontainer-7 .* 0 runs {2}left open: pay in b, pay in a/,
    );
    const due = () => engine.due({ now: Date.now(), limit: 9, agents: ['x'], isGone: () => false });
    expect(await due()).toEqual([]);
    const said = (await on('owner', 'gone', 'container-7')).out;
    expect(said).toContain(
      `pay in run a may have happened. The run is queued: if pay can be verified, that happens after`,
    );
    expect(said).toMatch(/pay in run b may have happened\. A person has already been asked: flyball inbox/);
    expect(await due()).toEqual(['a']);
    expect((await on('owner', 'list')).out).toContain('declared gone');
    await engine.close();
  });

  it('says so where there is nothing left to do [R8-REST-OWNER]', async () => {
    const engine = await sqliteEngine({ path: file });
    await engine.declareGone({ at: 1, by: 'me', action: 'owner-gone', of: 'container-7' });
    await engine.close();
    expect((await on('owner', 'list')).out).toBe('No process owns a run or has left an effect open.\n');
    expect((await on('owner', 'gone', 'container-7')).out).toBe(
      'container-7 is declared gone. It owns no run and left no effect open, so nothing else changes.\n',
    );
  });
});
