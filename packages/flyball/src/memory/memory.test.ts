import { done, failed, type RecordKey, type Run, type Store } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { ANN, grounds, inMemory, inRun } from '../../../../test/memory/grounds.js';
import { moving, still } from '../../../../test/runtime/stage.js';
import { hashEmbedder } from '../retrieval/hash-embedder.js';
import { memory, withWorkingMemory } from './memory.js';

const fact = (content: string, over = {}) => ({
  about: 'customer.city',
  content,
  source: 'turn 3',
  confidence: 0.9,
  trust: 'user' as const,
  ...over,
});

async function newer(store: Store, at: RecordKey, now: number): Promise<void> {
  const current = await store.get(at);
  const value = { ...(current?.value as object), at: now, content: 'Nice', by: 'another' };
  await store.propose(at, { id: 'newer', over: current?.version ?? 0, value, now });
  await store.commit(at, 'newer', now);
}

describe.each(await grounds())('memory over the %s store', (_name, open) => {
  it('keeps all five kinds, each in the form of its kind [R3-MEM-KINDS]', async () => {
    const ground = await open();
    const m = memory({ store: ground.store, embedder: hashEmbedder() });
    const found = await inRun(ground, async (run) => {
      await m.remember(run, 'working', { content: 'draft half done', trust: 'model' });
      await m.remember(run, 'session', { session: 's1', content: 'prefers short answers', trust: 'user' });
      await m.remember(run, 'episodic', {
        content: 'search found nothing',
        trust: 'outside',
        session: 's1',
        agent: 'clerk',
      });
      await m.remember(run, 'semantic', fact('Lyon'));
      await m.remember(run, 'procedural', { name: 'refund', content: '1. check\n2. pay back', trust: 'system' });
      const lists = [];
      for (const kind of ['working', 'session', 'episodic', 'semantic', 'procedural'] as const)
        lists.push(await m.list(run, kind));
      const read = [];
      for (const { items } of lists) read.push(await m.read(run, items[0]?.id ?? ''));
      return read;
    });
    expect(found).toMatchObject([
      { kind: 'working', content: 'draft half done', trust: 'model', version: 1 },
      { kind: 'session', id: expect.stringMatching(/^session\/s1\//), content: 'prefers short answers', session: 's1' },
      { kind: 'episodic', content: 'search found nothing', trust: 'outside', session: 's1', agent: 'clerk' },
      { kind: 'semantic', id: 'semantic/customer.city', source: 'turn 3', confidence: 0.9, content: 'Lyon' },
      { kind: 'procedural', id: 'procedural/refund', title: '1. check 2. pay back', content: '1. check\n2. pay back' },
    ]);
    for (const item of found) expect(item).not.toHaveProperty('vector');
  });

  it('lets the latest fact count and keeps those before it [R3-MEM-KINDS]', async () => {
    const ground = await open();
    const m = memory({ store: ground.store });
    await inRun(ground, async (run) => {
      expect(await m.remember(run, 'semantic', fact('Paris'))).toEqual({
        id: 'semantic/customer.city',
        version: 1,
        changed: true,
      });
      expect(await m.remember(run, 'semantic', fact('Lyon'))).toMatchObject({ version: 2, changed: true });
      const { items } = await m.recall(run, { query: 'customer city', level: 'full' });
      expect(items.map(({ content }) => content)).toEqual(['Lyon']);
      const versions = await m.history(run, 'semantic/customer.city');
      expect(versions.map(({ content, version }) => [content, version])).toEqual([
        ['Paris', 1],
        ['Lyon', 2],
      ]);
    });
  });

  it('keeps the later of two facts, whichever arrives last', async () => {
    const ground = await open();
    const m = memory({ store: ground.store });
    await inRun(ground, async (run) => {
      await m.remember(run, 'semantic', fact('Paris'));
      const at = { tenant: 'acme', owner: 'ann', collection: 'memory.semantic', key: 'customer.city' };
      const now = run.now() + 5000;
      await run.step('another process says so later', null, () => newer(ground.store, at, now), 'idempotent');
      expect(await m.remember(run, 'semantic', fact('Lyon'))).toMatchObject({ version: 2, changed: false });
      expect(await m.read(run, 'semantic/customer.city')).toMatchObject({ content: 'Nice' });
    });
  });

  it('writes an event once, whoever tells it [R3-MEM-KINDS]', async () => {
    const ground = await open();
    const m = memory({ store: ground.store });
    await inRun(ground, async (run) => {
      const event = { id: 'e1', content: 'it rained', trust: 'outside' as const, at: 5 };
      const first = await m.remember(run, 'episodic', event);
      expect(await m.remember(run, 'episodic', { ...event, content: 'it snowed' })).toEqual({
        ...first,
        changed: false,
      });
      expect(await m.read(run, first.id)).toMatchObject({ content: 'it rained', at: 5, version: 1 });
      const [a, b] = [
        await m.remember(run, 'episodic', { content: 'x', trust: 'model' }),
        await m.remember(run, 'episodic', { content: 'x', trust: 'model' }),
      ];
      expect(a.id).not.toBe(b.id); // without an id, two events are two
    });
  });

  it('shows an owner nothing of another subject or tenant, and lets several share a memory on purpose [R3-MEM-KINDS]', async () => {
    const ground = await open();
    const own = memory({ store: ground.store });
    const shared = memory({ store: ground.store, shared: 'team' });
    await inRun(ground, async (run) => {
      await own.remember(run, 'semantic', fact('Lyon'));
      await shared.remember(run, 'semantic', fact('Nice'));
    });
    const seen = (who: { readonly subject?: string; readonly tenant?: string }) =>
      inRun(
        ground,
        async (run) => {
          const contents = [];
          for (const m of [own, shared]) contents.push((await m.read(run, 'semantic/customer.city'))?.content ?? '-');
          return contents.join(' ');
        },
        who,
      );
    expect(await seen({})).toBe('Lyon Nice');
    expect(await seen({ subject: 'bob' })).toBe('- Nice');
    expect(await seen({ tenant: 'other' })).toBe('- -');
    await expect(seen({ subject: 'shared:team' })).rejects.toThrow(/that name is for shared ones/);
  });

  it('forgets an item with all its versions [R3-MEM-KINDS]', async () => {
    const ground = await open();
    const m = memory({ store: ground.store, embedder: hashEmbedder() });
    await inRun(ground, async (run) => {
      await m.remember(run, 'semantic', fact('Paris'));
      const { id } = await m.remember(run, 'semantic', fact('Lyon'));
      await m.forget(run, id);
      expect(await m.read(run, id)).toBeUndefined();
      expect(await m.history(run, id)).toEqual([]);
      expect((await m.recall(run, { query: 'Lyon' })).items).toEqual([]);
      expect(await m.remember(run, 'semantic', fact('Nice'))).toMatchObject({ version: 3 });
      expect((await m.history(run, id)).map(({ content }) => content)).toEqual(['Nice']);
    });
    const at = { tenant: 'acme', owner: 'ann', collection: 'memory.semantic', key: 'customer.city' };
    expect((await ground.store.history(at)).slice(0, 2).map(({ value }) => value)).toEqual([undefined, undefined]);
  });

  it('bounds working memory, keeps it from other runs and drops it at the end [R3-MEM-KINDS]', async () => {
    const ground = await open();
    const m = memory({ store: ground.store, workingLimit: 3 });
    const left = () =>
      ground.store.query({ tenant: 'acme', owner: 'ann', collection: 'memory.working' }).then(({ records }) => records);
    const agent = withWorkingMemory(m, async (run: Run, _input: null) => {
      for (const n of [1, 2, 3, 4, 5]) await m.remember(run, 'working', { content: `note ${n}`, trust: 'model' });
      const { items } = await m.recall(run, { kinds: ['working'], level: 'full' });
      return done(items.map(({ content }) => content));
    });
    await inRun(ground, async (run) => {
      const other = await m.remember(run, 'working', { key: 'k', content: 'of another run', trust: 'model' });
      const outcome = await agent(run, null);
      expect(outcome).toMatchObject({ stop: 'done', value: ['note 5', 'note 4', 'note 3'] });
      expect(await m.read(run, other.id)).toBeUndefined(); // the same run: dropped with the rest
    });
    expect(await left()).toEqual([]);
    await inRun(ground, (run) => m.remember(run, 'working', { key: 'k', content: 'secret', trust: 'model' }), {
      id: 'one',
    });
    await inRun(
      ground,
      async (run) => {
        expect(await m.read(run, 'working/one/k')).toBeUndefined();
        expect((await m.recall(run, { query: 'secret' })).items).toEqual([]);
        expect((await m.list(run, 'working')).items).toEqual([]);
      },
      { id: 'one/k' },
    );
  });

  it('undoes what a failed run remembered, and puts the fact before it back', async () => {
    const ground = await open();
    const m = memory({ store: ground.store });
    await inRun(ground, (run) => m.remember(run, 'semantic', fact('Paris')));
    const stage = still(ground.engine);
    const life = stage.open(async (run: Run) => {
      await m.remember(run, 'semantic', fact('Lyon'));
      await m.remember(run, 'procedural', { name: 'new', content: 'steps', trust: 'model' });
      await m.remember(run, 'working', { content: 'at hand', trust: 'model' });
      return failed({ code: 'EFFECT_FAILED', message: 'no', retryable: false });
    });
    const handle = await life.runtime.start('agent', null, ANN);
    expect(await handle.outcome()).toMatchObject({ stop: 'failed', rollback: { success: true } });
    const at = (kind: string, key: string) => ({ tenant: 'acme', owner: 'ann', collection: `memory.${kind}`, key });
    expect((await ground.store.get(at('semantic', 'customer.city')))?.value).toMatchObject({ content: 'Paris' });
    expect(await ground.store.get(at('procedural', 'new'))).toBeUndefined();
    expect((await ground.store.query(at('working', ''))).records).toEqual([]);
  });

  it('leaves alone what somebody else wrote over it when it is undone', async () => {
    const ground = await open();
    const m = memory({ store: ground.store });
    const stage = moving(ground.engine);
    const life = stage.open(async (run: Run) => {
      await m.remember(run, 'semantic', fact('Lyon'));
      await run.wait({ name: 'go' });
      return failed({ code: 'EFFECT_FAILED', message: 'no', retryable: false });
    });
    const handle = await life.runtime.start('agent', null, { id: 'slow', ...ANN });
    await handle.outcome();
    await inRun(ground, (run) => m.remember(run, 'semantic', fact('Nice')));
    await life.runtime.signal('slow', 'go');
    const resumed = await life.runtime.resume('slow');
    expect(await resumed.outcome()).toMatchObject({ stop: 'failed', rollback: { success: true } });
    const value = await inRun(ground, (run) => m.read(run, 'semantic/customer.city'));
    expect(value).toMatchObject({ content: 'Nice' });
  });
});

describe('memory', () => {
  it.each([
    ['a private item', { tags: ['private'] }, /observe\(run/],
    ['nothing', { content: ' \n' }, /empty/],
    ['a confidence of 2', { confidence: 2 }, /from 0 to 1/],
    ['a confidence that is no number', { confidence: Number.NaN }, /from 0 to 1/],
  ])('refuses %s before anything of it is journaled [R3-OBS-PRIVATE]', async (_what, over, why) => {
    const ground = inMemory();
    const m = memory({ store: ground.store });
    await inRun(
      ground,
      async (run) => {
        await expect(m.remember(run, 'semantic', fact('hunter2', over))).rejects.toThrow(why);
      },
      { id: 'r' },
    );
    const entries = await still(ground.engine).entries('r');
    expect(JSON.stringify(entries)).not.toContain('hunter2');
    expect(entries.some(({ event }) => event.type === 'intent')).toBe(false);
  });

  it('does not bring the process down with a failure that nobody awaits at that moment', async () => {
    const ground = inMemory();
    const m = memory({ store: ground.store });
    const problems: unknown[] = [];
    const listener = (problem: unknown) => void problems.push(problem);
    process.on('unhandledRejection', listener);
    await inRun(ground, async (run) => {
      const late = m.remember(run, 'semantic', fact('', {}));
      await run.step('meanwhile', null, () => turns(3), 'pure');
      await expect(late).rejects.toThrow(/empty/);
    });
    process.off('unhandledRejection', listener);
    expect(problems).toEqual([]);
  });

  it('refuses an id that names no kind', async () => {
    const ground = inMemory();
    const m = memory({ store: ground.store });
    await inRun(ground, async (run) => {
      await expect(m.read(run, 'fact/x')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
      await expect(m.forget(run, 'nonsense')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    });
  });
});
