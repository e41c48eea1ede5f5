import { done, type Outcome, type Run, type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { patternsIn, spansIn, timelineOf, traceOf, withoutPrivate } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { at, eventsOf, moving, RUN } from './stage.js';

const sessionOf = (): Session => ({ name: 'q', model: scriptedModel({ q: () => 'x' }), setup: '' });

/** Asks once, as a pattern that knows so. */
function zeroShot(session: Session) {
  return (run: Run, input: string): Promise<string> =>
    run.enter({ pattern: 'zeroShot', params: { input }, predicted: { min: 1, max: 1 } }, async (on) => {
      const { text } = await on.ask(session, input);
      on.learned({ length: text.length });
      return text;
    });
}

describe('a pattern that is entered', () => {
  it('has a path of its own in each use, also side by side [R11-N8-NUMBERED]', async () => {
    const stage = moving();
    const once = zeroShot(sessionOf());
    const agent = async (run: Run): Promise<Outcome<number>> => {
      await once(run, 'a');
      await once(run, 'b');
      await Promise.all([once(run, 'c'), once(run, 'd')]);
      return done(1);
    };
    expect((await stage.open(agent).start()).stop).toBe('done');
    const asks = (await stage.events('ask-start')).map(({ id }) => id);
    expect(asks).toEqual(['/zeroShot.0#0', '/zeroShot.1#0', '/zeroShot.2#0', '/zeroShot.3#0']);
    expect(await stage.events('scope-overlap')).toEqual([]);
  });

  it('is in the journal once, with what it was told and what it learned, through a crash at each of its writes [R11-N8-JOURNALED]', async () => {
    for (const [when, type] of [
      ['after', 'ask-start'],
      ['after', 'ask-end'],
      ['before', 'run-end'],
    ] as const) {
      const stage = moving();
      const once = zeroShot(sessionOf());
      const agent = async (run: Run): Promise<Outcome<string>> => done(await once(run, 'a'));
      await stage.crashed(agent, at(when, type));
      const { stop } = await stage.open(agent).resume();
      expect(stop).toBe('done');
      const entries = await stage.entries();
      expect(eventsOf(entries, 'scope-start')).toEqual([
        {
          type: 'scope-start',
          path: '/zeroShot.0',
          pattern: 'zeroShot',
          params: { input: 'a' },
          predicted: { min: 1, max: 1 },
        },
      ]);
      expect(eventsOf(entries, 'scope-end')).toEqual([
        { type: 'scope-end', path: '/zeroShot.0', how: 'returned', learned: { length: 1 } },
      ]);
      expect(patternsIn(entries)).toMatchObject([{ pattern: 'zeroShot', modelCalls: 1, how: 'returned' }]);
    }
  });

  it('says how it ended: with which outcome, or that it threw [R11-N8-JOURNALED]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.enter({ pattern: 'a' }, async () => ({ stop: 'blocked', because: 'no' }));
      await run
        .enter({ pattern: 'b' }, async () => Promise.reject(new Error('no')))
        .catch(() => run.note({ kind: 'caught' }));
      return done(null);
    };
    await stage.open(agent).start();
    expect((await stage.events('scope-end')).map(({ path, how }) => `${path} ${how}`)).toEqual([
      '/a.0 blocked',
      '/b.1 threw',
    ]);
  });

  it('is a span around its effects, which counts calls and shows figures only, and two lines in the timeline [R11-N8-VIEWS]', async () => {
    const stage = moving();
    const once = zeroShot(sessionOf());
    const agent = (run: Run): Promise<Outcome<string>> =>
      run.enter({ pattern: 'outer', params: { rounds: 2, words: 'secret' } }, async (on) => {
        await once(on, 'a');
        return done(await once(on, 'b'));
      });
    await stage.open(agent).start();
    const entries = await stage.entries();
    const spans = spansIn(traceOf(RUN, entries)).filter(({ kind }) => kind === 'pattern' || kind === 'ask');
    expect(spans.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'pattern pattern outer',
      'pattern pattern zeroShot',
      'ask chat model',
      'pattern pattern zeroShot',
      'ask chat model',
    ]);
    expect(spans[0]).toMatchObject({
      status: 'ok',
      children: [{ name: 'pattern zeroShot' }, { name: 'pattern zeroShot' }],
    });
    expect(spans[0]?.attributes).toMatchObject({
      'flyball.pattern': 'outer',
      'flyball.pattern.model_calls': 2,
      'flyball.params.rounds': 2,
    });
    expect(spans[1]?.attributes).toMatchObject({ 'flyball.pattern.predicted.max': 1, 'flyball.learned.length': 1 });
    expect(JSON.stringify(spans)).not.toContain('secret');
    const told = timelineOf(entries).map(({ text }) => text);
    expect(told).toContain('zeroShot begins, 1 model call predicted');
    expect(told).toContain('outer ended: done');
  });

  it('keeps what is private to itself, and refuses a name that is none [R11-N8-VIEWS]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await expect(run.enter({ pattern: 'a.1' }, async () => 1)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      await expect(run.enter({ pattern: 'a', predicted: { min: 2, max: 1 } }, async () => 1)).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
      });
      run.note({ kind: 'private' });
      await run.enter({ pattern: 'a', params: { words: 'secret' } }, async (on) => {
        on.best('secret');
        on.learned({ words: 'secret' });
      });
      return done(null);
    };
    expect((await stage.open(agent).start()).stop).toBe('done');
    expect(JSON.stringify(withoutPrivate(await stage.entries()))).not.toContain('secret');
  });

  it('ends once where a bound cut it off and was lifted [R11-N8-JOURNALED]', async () => {
    const stage = moving();
    const session = sessionOf();
    const agent = (run: Run): Promise<Outcome<string>> =>
      run.enter({ pattern: 'twice' }, async (on) => {
        await on.ask(session, 'a');
        return done((await on.ask(session, 'b')).text);
      });
    const life = stage.open(agent);
    expect((await life.start(null, { modelCalls: 1 })).stop).toBe('bounded');
    expect((await life.resume({ budget: { modelCalls: 2 } })).stop).toBe('done');
    const entries = await stage.entries();
    expect(eventsOf(entries, 'scope-start').length).toBe(1);
    expect(eventsOf(entries, 'scope-end').map(({ how }) => how)).toEqual(['threw', 'done']);
    expect(patternsIn(entries)).toMatchObject([{ how: 'done', modelCalls: 2 }]);
  });
});
