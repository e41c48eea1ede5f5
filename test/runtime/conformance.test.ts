import { type Agent, budget, done, memoryEngine, type Run } from 'flyball';
import { conformance, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';

const child: Agent<string, string> = async (run, topic) =>
  done(await run.step('find', topic, (what) => `${what}!`, 'pure'));

describe('conformance', () => {
  it('finds the list of a parent that its children fill, and names the child after which it is lost [R11-N1-PROBE]', async () => {
    const agent = async (run: Run) => {
      const found: string[] = [];
      const filling: Agent<string, null> = async (at, topic) => {
        found.push(await at.step('find', topic, (what) => `${what}!`, 'pure'));
        return done(null);
      };
      await run.spawn(filling, 'a', { share: 0.3 });
      await run.spawn(filling, 'b', { share: 0.3 });
      return done(found.length);
    };
    const report = await conformance(agent, null, { engine: memoryEngine });
    expect(report).toMatchObject({ ok: false, way: 'replayed', at: 'end', after: '#0' });
    expect(report.ok ? '' : report.because).toContain('put it on a board');
  });

  it('is content with the same over what children return [R11-N1-PROBE]', async () => {
    const agent = async (run: Run) => {
      const found = [await run.spawn(child, 'a', { share: 0.3 }), await run.spawn(child, 'b', { share: 0.3 })];
      return done(found.map((outcome) => (outcome.stop === 'done' ? outcome.value : '')));
    };
    expect(await conformance(agent, null, { engine: memoryEngine })).toMatchObject({ ok: true, effects: 4 });
  });

  it('is content with children that come to their bound, which a fork with a budget of its own does not do again [R11-N1-PROBE]', async () => {
    const model = scriptedModel({ talker: () => 'more' });
    const talker: Agent<string, null> = async (run, topic) => {
      for (const turn of [1, 2, 3]) await run.ask({ name: 'talker', model, setup: '' }, `${topic} ${turn}`);
      return done(null);
    };
    const agent = async (run: Run) => {
      const talks = ['a', 'b', 'c'].map((topic) => (branch: Run) => branch.spawn(talker, topic, { modelCalls: 2 }));
      const ends = await run.all(talks, 2);
      return done(ends.map((end) => (end.ok ? end.value.stop : 'error')));
    };
    const counted = budget({ modelCalls: 20 });
    expect(await conformance(agent, null, { engine: memoryEngine, budget: counted })).toMatchObject({ ok: true });
  });

  it('finds what a module keeps where the agent is made anew for each life [R11-N1-PROBE]', async () => {
    const made = (): Agent<null, string> => {
      let client = 'none';
      const connect = () => {
        client = 'open';
      };
      return async (run) => {
        await run.step('connect', null, connect, 'pure');
        await run.sleep(1000);
        return done(await run.step('query', client, (with_) => with_, 'pure'));
      };
    };
    const agent = made();
    expect(await conformance(agent, null, { engine: memoryEngine })).toMatchObject({ ok: true }); // it is still there
    expect(await conformance(agent, null, { engine: memoryEngine, remade: made })).toMatchObject({
      ok: false,
      after: '#0',
    });
  });
});
