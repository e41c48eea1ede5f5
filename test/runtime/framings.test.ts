import { type Agent, done, type Framing, type Run, type Session } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { at, moving, RUN } from './stage.js';

const warm = (temperature: number): Framing => ({
  id: `warm-${temperature}`,
  session: (session) => ({ ...session, sampling: { ...session.sampling, temperature } }),
});

const told = (id: string, text: string): Framing => ({
  id,
  session: (session) => ({ ...session, setup: `${session.setup}\n${text}` }),
});

function answering(model = scriptedModel({ q: () => 'a' })) {
  const session: Session = { name: 'q', model, setup: 'You answer.' };
  const agent: Agent<string, string> = async (run, question) => done((await run.ask(session, question)).text);
  return { model, session, agent };
}

describe('run.dressed', () => {
  it('changes the sessions of an agent that knows nothing of it, in children and branches too [R11-N3-INSIDE]', async () => {
    const { model, agent } = answering();
    const stage = moving();
    const outer = async (run: Run) => {
      const dressed = run.dressed(told('brief', 'Be brief.')).dressed(warm(0.8));
      await agent(dressed, 'one');
      await dressed.spawn(agent, 'two', { share: 0.5 });
      await dressed.all([(branch) => agent(branch.scope('deep'), 'three')], 1);
      await agent(run, 'bare');
      return done(null);
    };
    expect((await stage.open(outer).start()).stop).toBe('done');
    for (const request of model.requests.slice(0, 3)) {
      expect(request.messages[0]?.content).toBe('You answer.\nBe brief.');
      expect(request.sampling.temperature).toBe(0.8);
    }
    expect(model.requests[3]?.messages[0]?.content).toBe('You answer.');
    expect(model.requests[3]?.sampling.temperature).toBeUndefined();
    const both = ['brief', 'warm-0.8'];
    expect((await stage.events('ask-start')).map(({ framings }) => framings)).toEqual([both, both, both, undefined]);
  });

  it('gives the outermost framing the last word [R11-N3-STACK]', async () => {
    const { model, agent } = answering();
    const careful: Agent<string, string> = (run, input) => agent(run.dressed(warm(0)).dressed(told('in', 'in')), input);
    const outer = (run: Run) => careful(run.dressed(warm(1)).dressed(told('out', 'out')), 'x');
    expect((await moving().open(outer).start()).stop).toBe('done');
    expect(model.requests[0]?.sampling.temperature).toBe(1);
    expect(model.requests[0]?.messages[0]?.content).toBe('You answer.\nin\nout');
  });

  it('lets a framing swap the model before its budget is reserved and its price looked up [R11-N3-MODEL]', async () => {
    const dear = scriptedModel({ q: () => 'dear' }, { id: 'x/dear', price: { input: 1e6, output: 1e6 } });
    const cheap = scriptedModel({ q: () => 'cheap' }, { id: 'x/cheap' });
    const { agent } = answering(dear);
    const swap: Framing = { id: 'canary', session: (session) => ({ ...session, model: cheap }) };
    const stage = moving();
    const outcome = await stage.open((run: Run) => agent(run.dressed(swap), 'x')).start(null, { costUsd: 0.01 });
    expect(outcome).toMatchObject({ stop: 'done', value: 'cheap' });
    expect((await stage.events('ask-start'))[0]).toMatchObject({ model: 'x/cheap', framings: ['canary'] });
    expect(dear.requests).toHaveLength(0);
  });

  it('puts text from outside last in every prompt, once, and into no conversation [R11-N3-CLOSING]', async () => {
    const model = scriptedModel({
      boss: [{ toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }] }, 'answer', 'answer'],
      q: ['no number', '7', 'thanks'],
    });
    const look = { name: 'look', description: 'Looks.', effect: 'pure', execute: async () => 'seen' } as const;
    const loop = toolLoop({ session: { name: 'boss', model, setup: 'You work.' }, tools: [look] });
    const asks: Session<number> = { name: 'q', model, setup: 'You count.', output: z.number() };
    const last: Framing = {
      id: 'last',
      session: (session) => ({ ...session, closing: [{ content: 'Too short.', owner: 'notes', trust: 'outside' }] }),
    };
    const stage = moving();
    const agent = async (run: Run) => {
      const dressed = run.dressed(last);
      await loop(dressed, 'go');
      const { prompt } = await dressed.ask(asks, 'How many?'); // the first reply does not fit and is asked for again
      return done((await run.ask({ ...asks, output: z.any(), reads: 'text' }, prompt)).prompt.id);
    };
    expect((await stage.open(agent).start()).stop).toBe('done');
    expect(model.requests).toHaveLength(6);
    for (const { messages } of model.requests.slice(0, 5)) {
      expect(messages.at(-1)).toMatchObject({ role: 'user', content: 'Too short.' });
      expect(messages.filter(({ content }) => content === 'Too short.')).toHaveLength(1);
      expect(messages[0]?.content).not.toContain('Too short.');
    }
    expect(JSON.stringify(model.requests[5])).not.toContain('Too short.');
    const [asked] = await stage.events('ask-start');
    const sent = await stage.open(agent).runtime.prompt(RUN, asked?.tip ?? '');
    expect(sent?.segment).toMatchObject({ content: 'Too short.', owner: 'notes', trust: 'outside', band: 'tail' });
  });

  it('reaches every turn of a tool loop inside it, on one prompt chain [R11-N3-LOOP]', async () => {
    const model = scriptedModel({
      boss: [{ toolCalls: [{ id: 'c1', name: 'look', arguments: '{}' }] }, 'answer', 'answer'],
    });
    const look = { name: 'look', description: 'Looks.', effect: 'pure', execute: async () => 'seen' } as const;
    const loop = toolLoop({ session: { name: 'boss', model, setup: 'You work.' }, tools: [look] });
    const stage = moving();
    const outcome = await stage.open((run: Run) => loop(run.dressed(told('t', 'Slowly.')), 'go')).start();
    expect(outcome.stop).toBe('done');
    expect(model.requests.length).toBeGreaterThan(1);
    for (const { messages } of model.requests) {
      expect(messages[0]?.content).toContain('Slowly.');
      expect(messages.filter(({ role }) => role === 'system')).toHaveLength(1);
    }
  });

  it('asks the same again after a crash, and refuses to go on under other framings [R11-N3-REPLAY]', async () => {
    const { model, agent } = answering(scriptedModel({ q: ['1', '2'] }));
    const stage = moving();
    const under = (framing: Framing) => async (run: Run) => {
      await agent(run.dressed(framing), 'one');
      await run.step('between', null, () => 1, 'pure');
      return agent(run.dressed(framing), 'two');
    };
    await stage.crashed(under(warm(0.5)), at('after', 'ask-end'));
    await expect(stage.open(under(warm(0.6))).resume()).rejects.toMatchObject({ code: 'REPLAY_DIVERGED' });
    expect(await stage.open(under(warm(0.5))).resume()).toMatchObject({ stop: 'done', value: '2' });
    model.assertFinished();
  });

  it('refuses a framing that changes what whoever asks goes by [R11-N3-KEEPS]', async () => {
    const { agent } = answering();
    const renamed: Framing = { id: 'renamed', session: (session) => ({ ...session, name: 'other' }) };
    const outcome = await moving()
      .open((run: Run) => agent(run.dressed(renamed), 'x'))
      .start();
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID' } });
    expect(JSON.stringify(outcome)).toContain('changes \\"name\\"');
    const nameless = await moving()
      .open((run: Run) => agent(run.dressed({ ...renamed, id: 'a b' }), 'x'))
      .start();
    expect(nameless).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID' } });
  });
});
