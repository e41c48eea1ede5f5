import { join } from 'node:path';
import {
  budget,
  createRuntime,
  done,
  type Engine,
  memoryEngine,
  memoryStore,
  type Run,
  type Runtime,
  systemClock,
} from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFile } from '../../packages/flyball/src/adapters/engine-sqlite/available-drivers.test-data.js';
import { contentId } from '../../packages/flyball/src/core/codec.js';
import { archivedRun, archiveRuns, restoreRun } from '../../packages/flyball/src/operation/archive.js';
import { temporaryArchive } from './archive-stores.js';
import { forge, type Lines, linesOf } from './forged-archive.js';

const SECRET = 'the card number of beta '.repeat(20);
const POLICY = 'refunds need a manager '.repeat(20);

const open: Readonly<Record<string, () => Promise<{ engine: Engine; close(): Promise<void> }>>> = {
  memory: async () => {
    const engine = memoryEngine();
    return { engine, close: () => engine.close() };
  },
  SQLite: async () => {
    const file = temporaryFile();
    const engine = await file.open();
    return { engine, close: () => engine.close().then(() => file.remove()) };
  },
};

/** Of the first line of this kind. */
function indexOf(lines: readonly unknown[], kind: string): number {
  const index = lines.findIndex((line) => Array.isArray(line) && line[0] === kind);
  if (index === -1) throw new Error(`The file has no line of the kind ${kind}.`);
  return index;
}

const agent = async (run: Run, input: unknown) => {
  const said = await run.ask({ name: 'talker', model: scriptedModel({ talker: ['hello'] }), setup: POLICY }, 'hi');
  return done([said.text, await run.step('keep', input, () => input, 'idempotent')]);
};

describe.each(Object.keys(open))('forged archives, on %s', (kind) => {
  let engine: Engine;
  let close: () => Promise<void>;
  let runtime: Runtime;
  let archive: ReturnType<typeof temporaryArchive>;
  let genuine: Lines;
  const place = (tenant: string, id: string) => join(archive.folder, 'runs', tenant, `${id}.jsonl.gz`);
  const start = async (id: string, tenant: string, input: string) =>
    (await runtime.start('agent', input, { id, tenant, subject: `${tenant}-user`, budget: budget() })).outcome();
  const restore = (id: string, given: { readonly tenant?: string; readonly trustFile?: boolean } = {}) =>
    restoreRun(
      { engine, store: archive, clock: systemClock() },
      { id, by: 'ops', tenant: 'acme', trustFile: true, ...given },
    );
  /** A file under acme/ that the log of this database does not know, after what somebody did to a genuine one. */
  const forged = (id: string, change: (lines: Lines) => void = () => undefined): void => {
    const lines = structuredClone(genuine);
    lines[0].run['id'] = id;
    change(lines);
    forge(place('acme', id), lines);
  };
  /** As a fork: in its record and in the event that its journal begins with. */
  const forkOf = (run: string, seq: number) => (lines: Lines) => {
    const [first, start] = lines;
    first.run['fork'] = { run, generation: 0, seq };
    const event = JSON.parse(start?.[5] as string) as Record<string, unknown>;
    const state = { live: false, by: 'x', state: { askers: [], rejections: {} } };
    (start as unknown[])[5] = JSON.stringify({ ...event, fork: { run, generation: 0, seq, ...state } });
  };

  beforeEach(async () => {
    ({ engine, close } = await (open[kind] as NonNullable<(typeof open)[string]>)());
    runtime = createRuntime({ engine, agents: { agent } });
    archive = temporaryArchive();
    await start('mine', 'acme', 'a long word '.repeat(30));
    await start('theirs', 'beta', SECRET);
    const parts = { engine, store: memoryStore(), runtime, clock: systemClock() };
    await archiveRuns(parts, archive, { records: [await runtime.get('mine')], by: 'ops' });
    genuine = linesOf(place('acme', 'mine'));
  });
  afterEach(async () => {
    await runtime.close();
    await close();
    archive.remove();
  });

  it('puts a file back that the log does not know only where somebody vouches for it [R10-ARCHIVE-FORGED]', async () => {
    forged('new');
    await expect(restore('new', { trustFile: false })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('--trust-file'),
    });
    expect(await engine.get('new')).toBeUndefined();
    expect(await archivedRun(engine, archive, { id: 'new', tenant: 'acme' })).toMatchObject({ isLogged: false });
    await restore('new');
    expect((await runtime.get('new')).tenant).toBe('acme');
    expect((await engine.operations('new')).map(({ why }) => why)).toEqual([expect.stringContaining('trusted')]);
    // the genuine one needs nobody's word, and nobody's word makes another one genuine
    forge(place('acme', 'mine'), linesOf(place('acme', 'new')));
    await expect(restore('mine')).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    forge(place('acme', 'mine'), genuine);
    await restore('mine', { trustFile: false });
  });

  it('puts no file of one tenant back into another [R10-ARCHIVE-FORGED]', async () => {
    forged('moved', ([first, start]) => {
      first.run['tenant'] = 'beta';
      const said = start as unknown[];
      said[5] = String(said[5]).replace('"tenant":"acme"', '"tenant":"beta"');
    });
    await expect(restore('moved')).rejects.toMatchObject({
      code: 'JOURNAL_CORRUPT',
      message: expect.stringContaining('it holds run moved of tenant beta'),
    });
    await expect(restore('moved', { tenant: 'beta' })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    // nor one that the log has for a tenant, when it is asked for as that of another
    await expect(restore('mine', { tenant: 'beta' })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    forged('other', ([first]) => Object.assign(first.run, { subject: 'bob' }));
    await expect(restore('other')).rejects.toThrow('its record is not that of its journal');
    expect((await engine.list({})).runs.map(({ id }) => id)).toEqual(['theirs']);
  });

  it('puts no fork back whose parent is of another tenant, or lacks the entry [R10-ARCHIVE-FORGED]', async () => {
    await restore('mine');
    for (const [id, run, seq] of [
      ['leak', 'theirs', 3],
      ['nowhere', 'mine', 900],
      ['orphan', 'nobody', 0],
    ] as const) {
      forged(id, forkOf(run, seq));
      await expect(restore(id)).rejects.toThrow(
        id === 'orphan' ? 'Restore that run first' : 'it says that it was forked from',
      );
      expect(await engine.get(id)).toBeUndefined();
    }
    forged('fork', forkOf('mine', 0));
    await restore('fork');
    expect((await runtime.get('fork')).fork).toEqual({ run: 'mine', generation: 0, seq: 0 });
  });

  it('takes no content and no link that is not what its hash says [R10-ARCHIVE-FORGED]', async () => {
    const right = 'what somebody will say soon '.repeat(20);
    forged('poison', (lines) => lines.push(['b', contentId(right), 'something else '.repeat(20)]));
    await expect(restore('poison')).rejects.toThrow('is not what its hash says');
    const link = indexOf(genuine, 'l');
    forged('chain', (lines) => {
      lines[link] = (lines[link] as unknown[]).with(3, 'log\u001fsystem\u001fagent\u001fsystem\u001f\u001f\u001f');
    });
    await expect(restore('chain')).rejects.toThrow('is not what its id says');
    forged('lacking', (lines) => void lines.splice(indexOf(lines, 'b'), 1));
    await expect(restore('lacking')).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    await start('later', 'acme', right);
    expect((await runtime.get('later')).status).toBe('done');
    expect(JSON.stringify(await runtime.entries('later'))).toContain(right);
  });

  it.each([
    ['tenant', { tenant: 7 }],
    ['generation', { generation: -5 }],
    ['generation', { generation: 1e308 }],
    ['status', { status: 'pending' }],
    ['status', { status: 'done\u0000' }],
    ['subject', { subject: 5 }],
    ['agent', { agent: '\u001b]0;x\u0007' }],
    ['code', { code: 'X\u0000Y' }],
    ['createdAt', { createdAt: 1e300 }],
    ['fork', { fork: { run: 'theirs', generation: 0, seq: -1 } }],
  ])('refuses a record whose %s no run can have: %j [R10-ARCHIVE-FORGED]', async (field, change) => {
    forged('odd', ([first]) => Object.assign(first.run, change));
    await expect(restore('odd')).rejects.toMatchObject({
      code: 'JOURNAL_CORRUPT',
      message: expect.stringContaining(`the field "${field}" of its record`),
    });
  });

  it.each([
    ['a line that is no part of a run', (lines: Lines) => lines.push(['x', 1])],
    ['an entry at no place', (lines: Lines) => lines.splice(1, 1, ['e', -1, 0, 0, 0, '{}'])],
    ['an entry that is no event', (lines: Lines) => lines.splice(2, 1, (lines[2] as unknown[]).with(5, '[]'))],
    ['a hole', (lines: Lines) => lines.splice(2, 1)],
    ['a generation that it does not reach', ([first]: Lines) => Object.assign(first.run, { generation: 3 })],
  ])('refuses a file with %s [R10-ARCHIVE-FORGED]', async (_what, change) => {
    forged('odd', change);
    await expect(restore('odd')).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    expect(await engine.get('odd')).toBeUndefined();
  });

  it('keeps nothing of a record but what a run that has ended has [R10-ARCHIVE-FORGED]', async () => {
    const more = {
      owner: { id: 'x', host: 'h', pid: 1 },
      hold: { by: 'x', at: 1 },
      waiting: ['go'],
      crashes: 9,
      extra: 1,
    };
    forged('odd', ([first]) => Object.assign(first.run, more));
    await restore('odd');
    const { owner, hold, waiting, crashes, ...record } = await runtime.get('odd');
    expect([owner, hold, waiting, crashes, 'extra' in record]).toEqual([undefined, undefined, [], 0, false]);
  });
});
