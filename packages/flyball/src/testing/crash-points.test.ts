import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../adapters/engine-memory/memory-engine.js';
import type { Batch, Engine, NewRun } from '../ports/engine.js';
import { crashingEngine } from './crash-points.js';
import { turns } from './turns.js';

const owner = { id: 'o', host: 'h', bootId: 'b', pid: 1, startTime: '1' };
const by = { owner, now: 0, leaseMs: 1000, isGone: () => true };

function batch(seq: number, ...types: string[]): Batch {
  return {
    entries: types.map((type, index) => ({
      generation: 0,
      seq: seq + index,
      at: 0,
      activeMs: 0,
      body: JSON.stringify({ type }),
    })),
  };
}
const newRun = (id: string): NewRun => ({
  id,
  agent: 'a',
  version: '1',
  tenant: 't',
  subject: 's',
  createdAt: 0,
  first: batch(0, 'run-start'),
});

/** Four writes: create, claim, append, release. */
async function story(engine: Engine): Promise<void> {
  await engine.create(newRun('r'));
  const claim = await engine.claim('r', by);
  await engine.append(claim, batch(1, 'ask-start', 'note'));
  await engine.release(claim, { status: 'done', now: 1 });
}

const typesIn = async (engine: Engine) =>
  (await engine.read('r', { generation: 0 })).map(({ body }) => (JSON.parse(body) as { type: string }).type);

async function outcome(work: Promise<unknown>): Promise<'returned' | 'silent'> {
  let result: 'returned' | 'silent' = 'silent';
  const mark = () => {
    result = 'returned';
  };
  void work.then(mark, mark);
  await turns();
  return result;
}

describe('a run without a crash', () => {
  it('passes a named point before and after every write [R2-KIT-CRASH-POINTS]', async () => {
    const process = crashingEngine(memoryEngine(), () => false);
    await story(process.engine);
    expect(process.points.map(({ n, op, when }) => `${n} ${when} ${op}`)).toEqual([
      '1 before create',
      '1 after create',
      '2 before claim',
      '2 after claim',
      '3 before append',
      '3 after append',
      '4 before release',
      '4 after release',
    ]);
    expect(process.points[4]).toEqual({
      n: 3,
      op: 'append',
      when: 'before',
      runId: 'r',
      entries: ['ask-start', 'note'],
    });
    expect(process.isDead()).toBe(false);
  });

  it('hands errors of the inner engine on, after which nothing was written to die of', async () => {
    const process = crashingEngine(memoryEngine(), () => false);
    await expect(process.engine.claim('nobody', by)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(process.points.map(({ when }) => when)).toEqual(['before']);
  });
});

describe('a crash', () => {
  it('before a write leaves it out of the journal and returns to nobody [R2-KIT-CRASH-POINTS]', async () => {
    const inner = memoryEngine();
    const process = crashingEngine(inner, { at: 3, when: 'before' });
    expect(await outcome(story(process.engine))).toBe('silent');
    expect(await typesIn(inner)).toEqual(['run-start']);
  });

  it('after a write leaves it in the journal and returns to nobody [R2-KIT-CRASH-POINTS]', async () => {
    const inner = memoryEngine();
    const process = crashingEngine(inner, { at: 3, when: 'after' });
    expect(await outcome(story(process.engine))).toBe('silent');
    expect(await typesIn(inner)).toEqual(['run-start', 'ask-start', 'note']);
    expect((await inner.get('r'))?.status).toBe('running');
  });

  it('silences every later call, which no longer reaches the inner engine', async () => {
    const inner = memoryEngine();
    const { engine } = crashingEngine(inner, { at: 1, when: 'after' });
    void engine.create(newRun('r'));
    await turns();
    const calls = [
      engine.create(newRun('late')),
      engine.claim('r', by),
      engine.get('r'),
      engine.due({ now: 0, limit: 1, agents: [], isGone: () => false }),
      engine.close(),
    ];
    for (const call of calls) expect(await outcome(call)).toBe('silent');
    expect(await inner.get('late')).toBeUndefined();
    expect((await inner.get('r'))?.status).toBe('pending');
  });

  it('silences a call that was under way in the inner engine', async () => {
    const inner = memoryEngine();
    let open = () => {};
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    const slow: Engine = { ...inner, get: (runId) => held.then(() => inner.get(runId)) };
    const { engine } = crashingEngine(slow, { at: 1, when: 'before' });
    const underWay = engine.get('r');
    void engine.create(newRun('r'));
    open();
    expect(await outcome(underWay)).toBe('silent');
  });

  it('takes the listeners of the dead process off the inner engine', async () => {
    const inner = memoryEngine();
    await inner.create(newRun('r'));
    const { engine } = crashingEngine(inner, { at: 1, when: 'before' });
    let heard = 0;
    engine.watch(() => heard++);
    const message = { kind: 'signal', name: 'n', from: 'f', at: 0, body: '1' } as const;
    await inner.post('r', { ...message, id: '1' });
    const before = heard;
    void engine.post('r', { ...message, id: '2' });
    await inner.post('r', { ...message, id: '3' });
    expect([before > 0, heard]).toEqual([true, before]);
    expect(await inner.inbox('r', 0)).toHaveLength(2);
  });

  it('happens where the plan says so about a point, once, and is announced', async () => {
    const process = crashingEngine(
      memoryEngine(),
      ({ entries, when }) => when === 'after' && entries?.includes('note') === true,
    );
    const announced: number[] = [];
    process.onCrash(({ n }) => announced.push(n));
    void story(process.engine);
    expect(await process.crashed).toMatchObject({ n: 3, op: 'append', when: 'after' });
    process.onCrash(({ n }) => announced.push(n));
    expect(announced).toEqual([3, 3]);
  });

  it('keeps what stands for the world from happening afterwards', async () => {
    const process = crashingEngine(memoryEngine(), { at: 1, when: 'before' });
    const effects: string[] = [];
    await process.whileAlive(() => effects.push('alive'));
    void process.engine.create(newRun('r'));
    void process.whileAlive(() => effects.push('dead'));
    await turns();
    expect(effects).toEqual(['alive']);
  });

  it('at every point leaves the journal at a prefix of the story', async () => {
    const whole = crashingEngine(memoryEngine(), () => false);
    await story(whole.engine);
    for (const { n, when } of whole.points) {
      const inner = memoryEngine();
      const process = crashingEngine(inner, { at: n, when });
      expect(await outcome(story(process.engine))).toBe('silent');
      const written = (await typesIn(inner)).length;
      expect(written).toBe([0, 1, 1, 1, 1, 3, 3, 3][(n - 1) * 2 + (when === 'after' ? 1 : 0)]);
    }
  });
});
