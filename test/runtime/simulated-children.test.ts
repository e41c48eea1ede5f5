import { type Agent, done, type Run, type Tool } from 'flyball';
import { describe, expect, it } from 'vitest';
import { at, moving } from './stage.js';

describe('a child in a simulated world', () => {
  /** Every way in which an agent reaches outside, and its own children's. */
  function reaching(log: string[]) {
    const send: Tool<object, string> = {
      name: 'send',
      description: 'Sends.',
      effect: { class: 'idempotent', simulate: () => 'would be sent' },
      execute: async () => {
        log.push('sent');
        return 'sent';
      },
    };
    const wire: Tool<object> = {
      name: 'wire',
      description: 'Wires.',
      effect: { class: 'irreversible' },
      execute: async () => log.push('wired'),
    };
    const asking: Tool<object> = {
      name: 'asking',
      description: 'Asks.',
      effect: 'pure',
      asks: () => ({ widget: 'text', prompt: 'Well?' }) as never,
      execute: async () => null,
    };
    const look: Tool<object> = { name: 'look', description: 'Looks.', effect: 'pure', execute: async () => 'seen' };
    const inner: Agent<null, string> = async (run) =>
      run
        .step('write', null, () => void log.push('written'), 'idempotent')
        .then(
          () => done('wrote'),
          (error: { code: string }) => done(error.code),
        );
    const agent: Agent<null, unknown> = async (run) => {
      const sent = await run.call(send, {});
      const wired = await run.call(wire, {});
      const asked = await run.call(asking, {});
      const seen = await run.call(look, {});
      const waited = await run.wait({ name: 'go' }).catch((error: { code: string }) => error.code);
      const child = await run.spawn(inner, null, { share: 0.5 });
      const code = (result: typeof wired) => (result.ok ? result.content : result.failure.code);
      return done([sent.content, code(wired), code(asked), code(seen), waited, 'value' in child ? child.value : '']);
    };
    return agent;
  }

  const VALUE = ['would be sent', 'NOT_SIMULATED', 'NOT_SIMULATED', 'seen', 'NOT_SIMULATED', 'NOT_SIMULATED'];

  it('does everything and nothing goes out, its own children included [R11-N9-NOTHING-OUT]', async () => {
    const log: string[] = [];
    const stage = moving();
    const outcome = await stage
      .open(async (run: Run) => run.spawn(reaching(log), null, { share: 0.5, world: 'simulated' }))
      .start();
    expect(outcome).toMatchObject({ stop: 'done', value: VALUE });
    expect(log).toEqual([]);
    expect(await stage.events('intent')).toEqual([]);
    expect(await stage.events('wait-start')).toEqual([]);
    expect(await stage.events('spawn-start')).toMatchObject([{ world: 'simulated' }, {}]);
  });

  it('is simulated after a crash too, and its parent acts for real beside it [R11-N9-SHADOW]', async () => {
    const log: string[] = [];
    const shadowed = async (run: Run) => {
      const shadow = await run.spawn(reaching(log), null, { share: 0.5, world: 'simulated' });
      await run.step('real', null, () => void log.push('real'), 'idempotent');
      return done('value' in shadow ? shadow.value : shadow.stop);
    };
    for (const crash of [at('after', 'spawn-start'), at('after', 'complete'), at('after', 'spawn-end')]) {
      log.length = 0;
      const stage = moving();
      await stage.crashed(shadowed, crash);
      expect(await stage.open(shadowed).resume()).toMatchObject({ stop: 'done', value: VALUE });
      expect(log).toEqual(['real']);
    }
  });

  /** A child that posts where it was lent a board, and says what it reads there. */
  const posting: Agent<string, readonly unknown[]> = async (run, word) => {
    const board = run.board<string>('plan');
    const position = await board.post(word);
    return done([position, ...board.read().map(({ entry, position: at }) => `${at} ${entry}`)]);
  };
  const planning = async (run: Run) => {
    const board = run.board<string>('plan');
    await board.post('real');
    const lent = { share: 0.3, boards: ['plan'] } as const;
    const nested: Agent<string, unknown> = async (inside, word) => {
      const inner = await inside.spawn(posting, `${word}, deeper`, { ...lent, world: 'simulated' });
      const own = await posting(inside, word);
      return done(['value' in inner ? inner.value : inner.stop, 'value' in own ? own.value : own.stop]);
    };
    const seen = await run.spawn(nested, 'maybe', { ...lent, world: 'simulated' });
    const helped = await run.spawn(posting, 'for sure', lent);
    const given = (outcome: typeof seen | typeof helped): unknown => ('value' in outcome ? outcome.value : outcome);
    return done([given(seen), given(helped), board.read().map(({ entry, position }) => `${position} ${entry}`)]);
  };
  const PLAN = [
    [
      [1, '0 real', '1 maybe, deeper'],
      [1, '0 real', '1 maybe'],
    ],
    [1, '0 real', '1 for sure'],
    ['0 real', '1 for sure'],
  ];

  it('reads a board that it was lent, and what it posts there stays in its world [R11-N9-BOARDS]', async () => {
    expect(await moving().open(planning).start()).toMatchObject({ stop: 'done', value: PLAN });
  });

  it('posts nothing for real after a crash either [R11-N9-BOARDS]', async () => {
    let lived = false;
    for (let n = 1; !lived && n < 60; n++) {
      const stage = moving();
      const life = stage.open(planning, { crash: (point) => point.n === n && point.when === 'after' });
      lived = (await Promise.race([life.start(), life.crashed.then(() => undefined)])) !== undefined;
      life.die();
      const known = await stage.engine.get('run');
      if (known === undefined) continue;
      const next = stage.open(planning);
      const outcome = known.status === 'done' ? await next.runtime.handle('run').outcome() : await next.resume();
      expect(outcome, `crash ${n}`).toMatchObject({ stop: 'done', value: PLAN });
    }
    expect(lived).toBe(true);
  });

  it('is refused in any other world [R11-N9-NOTHING-OUT]', async () => {
    const agent = async (run: Run) => run.spawn(async () => done(1), null as never, { world: 'real' as never });
    expect(await moving().open(agent).start()).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID' } });
  });
});
