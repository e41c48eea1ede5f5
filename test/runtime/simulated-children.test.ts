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

  it('is refused in any other world [R11-N9-NOTHING-OUT]', async () => {
    const agent = async (run: Run) => run.spawn(async () => done(1), null as never, { world: 'real' as never });
    expect(await moving().open(agent).start()).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID' } });
  });
});
