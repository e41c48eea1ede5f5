import { done, type Outcome, type Run, type Seams, type Tool, type ToolRef } from 'flyball';
import { confirmTool } from 'flyball/people';
import { actsOf, withoutPrivate } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { at, moving, RUN } from './stage.js';

interface Order {
  readonly order: string;
}

const refund: Tool<Order, string> = {
  name: 'refund',
  description: 'Pays back.',
  effect: 'idempotent',
  retry: { retries: 0 },
  execute: async ({ order }) => {
    if (order === 'broken') throw new Error('no such account');
    return `refunded ${order}`;
  },
};
const wire: Tool<Order, string> = { ...refund, name: 'wire', effect: { class: 'irreversible', why: 'money leaves' } };
const look: Tool<Order, string> = { ...refund, name: 'look', effect: 'pure' };

const noForbidden: Seams = {
  'tool.pre': [
    (next) => async (value, context) =>
      (value.args as Order).order === 'forbidden' ? { allow: false, why: 'not this one' } : next(value, context),
  ],
};

describe('the outcome of a run', () => {
  it('carries what took place and what did not, from the journal, whatever the agent says [F-T4]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.call(look, { order: 'A' });
      for (const order of ['A', 'broken', 'forbidden']) await run.call(refund, { order });
      await run.call(wire, { order: 'B' });
      await run.step('mail', { to: 'ann', body: 'x'.repeat(500) }, async () => null, 'idempotent');
      return done('Everything is refunded.');
    };
    const life = stage.open(agent, { seams: noForbidden });
    const waiting = await life.start();
    const token = waiting.stop === 'suspended' ? (waiting.waiting[0]?.token ?? '') : '';
    await life.runtime.signal(RUN, token, { verdict: 'reject', reason: 'too much' }, { from: 'ada' });
    const outcome = await life.resume();
    expect(outcome).toMatchObject({ stop: 'done', value: 'Everything is refunded.' });
    expect(outcome.acts).toEqual([
      { id: '#1', name: 'refund', of: 'call', class: 'idempotent', what: 'took-place', brief: 'order: "A"' },
      {
        id: '#2',
        name: 'refund',
        of: 'call',
        class: 'idempotent',
        what: 'failed',
        code: 'EFFECT_FAILED',
        brief: 'no such account',
      },
      {
        id: '#3',
        name: 'refund',
        of: 'call',
        class: 'idempotent',
        what: 'refused',
        code: 'DENIED',
        brief: 'not this one',
      },
      {
        id: '#4',
        name: 'wire',
        of: 'call',
        class: 'irreversible',
        what: 'refused',
        code: 'APPROVAL_REJECTED',
        brief: expect.stringContaining('too much'),
      },
      {
        id: '#5',
        name: 'mail',
        of: 'step',
        class: 'idempotent',
        what: 'took-place',
        brief: expect.stringMatching(/^to: "ann", body: "x{60}…"$/),
      },
    ]);
    expect(actsOf(await stage.entries())).toEqual({ acts: outcome.acts }); // one fold for kernel and views
  });

  it('says so where nothing took place [F-T4]', async () => {
    const outcome = await moving()
      .open(async (run: Run) => done((await run.call(look, { order: 'A' })).content))
      .start();
    expect(outcome.acts).toEqual([]);
  });

  it("leaves out steps that only keep Flyball's own books, in a child, a crash and a fork too [R8-REST-BOOKS]", async () => {
    const books = { class: 'idempotent', records: true } as const;
    const keeps = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('books', { page: 1 }, async () => null, { ...books, simulate: () => null });
      await run.step('torn books', { page: 2 }, () => Promise.reject(new Error('torn')), books).catch(() => null);
      return done((await run.call(refund, { order: 'A' })).ok);
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('start', null, () => 1, 'pure');
      await run.spawn(keeps, null, { share: 0.5 });
      await run.step('broken off', { page: 3 }, async () => null, { ...books, simulate: () => null });
      return keeps(run);
    };
    const stage = moving();
    await stage.crashed(agent as never, at('after', 'intent', 3));
    const life = stage.open(agent as never);
    const outcome = await life.resume();
    const names = (acts: readonly { readonly name: string }[] = []): readonly string[] => acts.map(({ name }) => name);
    expect(names(outcome.acts)).toEqual(['refund', 'refund']);
    expect(actsOf(await stage.entries())).toEqual({ acts: outcome.acts });
    const first = (await stage.entries()).find(({ event }) => event.type === 'complete')?.seq ?? 0;
    const fork = await (await life.runtime.fork(RUN, { at: first, id: 'fork' })).outcome();
    expect(names(fork.acts).filter((name) => name !== 'refund')).toEqual([]);
  });

  it("tells of a person's no [F-T4]", async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => done((await run.call(confirmTool(), { prompt: 'Pay?' })).content));
    const waiting = await life.start();
    const token = waiting.stop === 'suspended' ? (waiting.waiting[0]?.token ?? '') : '';
    await life.runtime.signal(RUN, token, false, { from: 'ada' });
    expect((await life.resume()).acts).toMatchObject([{ name: 'confirm', class: 'pure', what: 'refused' }]);
  });

  it('says what was taken back again [F-T4]', async () => {
    const booking = { class: 'undoable' as const, compensate: async () => undefined };
    const outcome = await moving()
      .open(async (run: Run) => {
        await run.step('book', { seat: 1 }, async () => 'booked', booking);
        throw new Error('no taxi');
      })
      .start();
    expect(outcome).toMatchObject({ stop: 'failed', acts: [{ name: 'book', what: 'took-place', undone: true }] });
  });

  it('knows the acts of earlier generations and of lives that crashed [F-T4]', async () => {
    const stage = moving();
    const agent = async (run: Run, n: number | null): Promise<Outcome<unknown>> => {
      await run.call(refund, { order: `O-${n ?? 0}` });
      await run.call(look, { order: 'x' });
      return (n ?? 0) < 2 ? run.continueWith((n ?? 0) + 1) : done('all');
    };
    await stage.crashed(agent as never, at('after', 'generation-start', 2));
    const outcome = await stage.open(agent as never).resume();
    expect(outcome.acts).toMatchObject([
      { id: '#0', brief: 'order: "O-0"' },
      { id: '#0', generation: 1, brief: 'order: "O-1"' },
      { id: '#0', generation: 2, brief: 'order: "O-2"' },
    ]);
  });

  it('lists fifty acts and counts the rest; what did not take place stays listed [F-T4]', async () => {
    const outcome = await moving()
      .open(async (run: Run) => {
        await run.call(refund, { order: 'broken' });
        for (let n = 0; n < 60; n++) await run.call(refund, { order: `O-${n}` });
        return done(null);
      })
      .start(null, { toolCalls: 100 });
    expect(outcome.acts).toHaveLength(50);
    expect(outcome.actsLeftOut).toBe(11);
    expect(outcome.acts?.[0]).toMatchObject({ what: 'failed' });
    expect(outcome.acts?.at(-1)).toMatchObject({ brief: 'order: "O-59"' });
  });

  it('tells a simulated act from one that took place [F-T4]', async () => {
    const stage = moving();
    const pretended: Tool<Order, string> = {
      ...refund,
      effect: { class: 'idempotent', simulate: () => 'would refund' },
    };
    const life = stage.open(async (run: Run) => {
      await run.call(look, { order: 'A' });
      return done((await run.call(pretended as ToolRef<string>, { order: 'A' })).content);
    });
    await life.start();
    const point = (await stage.entries()).find(({ event }) => event.type === 'complete')?.seq ?? 0;
    const fork = await life.runtime.fork(RUN, { at: point, id: 'fork' });
    expect((await fork.outcome()).acts).toMatchObject([{ name: 'refund', what: 'simulated' }]);
  });

  it('is not for an output guard to change, only to mask [F-T4]', async () => {
    const masking: Seams = {
      output: [
        (next) => async (value, context) => {
          const given = await next(value, context);
          const acts = (given.acts ?? []).map((act) => ({ ...act, name: 'harmless', brief: '***' }));
          return { ...given, acts: [...acts, ...acts] };
        },
      ],
    };
    const outcome = await moving()
      .open(async (run: Run) => done((await run.call(refund, { order: 'A' })).content), { seams: masking })
      .start();
    expect(outcome.acts).toMatchObject([{ name: 'refund', what: 'took-place', brief: '***' }]);
    expect(outcome.acts).toHaveLength(1);
  });

  it('shows no private arguments outside the house [F-T4]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      run.note({ kind: 'private', tools: ['refund'] });
      return done((await run.call(refund, { order: 'secret' })).ok);
    };
    await stage.open(agent).start();
    const shown = JSON.stringify(withoutPrivate(await stage.entries()));
    expect(shown).not.toContain('secret');
    expect(shown).toContain('"took-place"');
  });
});

describe('the outcome of a child', () => {
  const child = async (run: Run, order: string): Promise<Outcome<string>> => {
    await run.call(look, { order });
    await run.call(refund, { order });
    return { ...done('refunded'), acts: [] }; // whatever it says of itself
  };
  const acts = (outcome: Outcome<unknown>) => outcome.acts?.map(({ id, name, what }) => `${id} ${name}: ${what}`);

  it('carries what the child did, and nothing of its parent or its siblings [R8-TRUTH-CHILD]', async () => {
    const seen: (readonly string[] | undefined)[] = [];
    const middle = async (run: Run): Promise<Outcome<unknown>> => {
      const inner = await run.spawn(child, 'inner', { share: 0.5 });
      seen.push(acts(inner));
      await run.call(refund, { order: 'broken' });
      return inner;
    };
    const parent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.call(refund, { order: 'own' });
      seen.push(acts(await run.spawn(child, 'first', { share: 0.3 })));
      seen.push(acts(await run.spawn(middle, null, { share: 0.3 })));
      return done(null);
    };
    const outcome = await moving().open(parent).start();
    expect(seen).toEqual([
      ['/child.0#1 refund: took-place'],
      ['/middle.1/child.0#1 refund: took-place'],
      ['/middle.1/child.0#1 refund: took-place', '/middle.1#1 refund: failed'],
    ]);
    expect(outcome.acts).toHaveLength(4);
  });

  it('is the same after a crash in the child, from the journal [R8-TRUTH-CHILD]', async () => {
    const stage = moving();
    const waiting = async (run: Run): Promise<Outcome<null>> => {
      await run.call(refund, { order: 'before' });
      await run.wait({ name: 'go' });
      await run.call(refund, { order: 'after' });
      return done(null);
    };
    const parent = async (run: Run) => done(acts(await run.spawn(waiting, null, { share: 0.5 })));
    const life = stage.open(parent);
    await life.start();
    life.die();
    const second = stage.open(parent);
    await second.runtime.signal(RUN, 'go');
    const value = ['/waiting.0#0 refund: took-place', '/waiting.0#2 refund: took-place'];
    expect(await second.resume()).toMatchObject({ stop: 'done', value });
    expect(await stage.open(parent).runtime.handle(RUN).outcome()).toMatchObject({ value });
  });

  it('counts what it does not list for itself, and hides what is private [R8-TRUTH-CHILD]', async () => {
    const stage = moving();
    const busy = async (run: Run): Promise<Outcome<null>> => {
      for (let n = 0; n < 53; n++) await run.step('tick', n, async () => null, 'idempotent');
      return done(null);
    };
    const parent = async (run: Run): Promise<Outcome<unknown>> => {
      run.note({ kind: 'private', tools: ['refund'] });
      for (let n = 0; n < 60; n++) await run.step('own', n, async () => null, 'idempotent');
      const many = await run.spawn(busy, null, { share: 0.5 });
      await run.spawn(child, 'SECRET', { share: 0.5 });
      return done([many.acts?.length, many.actsLeftOut]);
    };
    expect(await stage.open(parent).start()).toMatchObject({ value: [50, 3] });
    const ends = (await stage.entries()).filter(({ event }) => event.type === 'spawn-end');
    expect(JSON.stringify(ends)).toContain('SECRET');
    const shown = withoutPrivate(await stage.entries()).filter(({ event }) => event.type === 'spawn-end');
    expect(JSON.stringify(shown)).not.toContain('SECRET');
  });
});
