import { type Agent, append, done, memoryEngine, type Run, type Store, type Tool } from 'flyball';
import { crashingEngine, type ScriptedModel, scriptedModel } from 'flyball/testing';
import { loopTraceOf, observationsOf, withoutPrivate } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { ANN, type Ground, grounds, inMemory, inRun } from '../../../../test/memory/grounds.js';
import { at, moving, RUN } from '../../../../test/runtime/stage.js';
import type { StoreRecord } from '../ports/store.js';
import { hashEmbedder } from '../retrieval/hash-embedder.js';
import { type CaptureOptions, capture } from './capture.js';
import { memory } from './memory.js';
import { callObservation, markPrivate, type ObservationDraft, observe, replyObservation } from './observe.js';

const search: Tool<{ q: string }, string> = {
  name: 'search',
  description: 'finds things',
  effect: 'pure',
  execute: async ({ q }) => `found ${q}`,
};

/** A small tool loop: asks, calls what was proposed, and hands what it saw to a capture after each iteration. */
function loop(model: ScriptedModel, options: CaptureOptions): Agent<null, string> {
  return async (run) => {
    const taking = capture(options);
    taking.begin(run);
    run.note({ kind: 'loop-start', loop: run.path, agent: options.agent, session: options.session });
    let prompt = append(undefined, { role: 'user', content: 'find tea' });
    for (let n = 1; n <= 5; n++) {
      run.note({ kind: 'iteration', n, loop: run.path });
      const reply = await run.ask({ name: 'clerk', model, setup: 'You find things.', tools: [search] }, prompt);
      const seen: ObservationDraft[] = [replyObservation('clerk', reply)];
      prompt = reply.prompt;
      for (const { id, name, arguments: text } of reply.toolCalls) {
        const result = await run.call(search, JSON.parse(text));
        seen.push(callObservation(name, result, { callId: id }));
        prompt = append(prompt, { role: 'tool', content: result.content, toolCallId: id, name });
      }
      await taking.flush(run, seen);
      if (reply.toolCalls.length === 0) return done(reply.text);
    }
    return done('out of iterations');
  };
}

const script = () =>
  scriptedModel(
    {
      clerk: [
        { text: 'I will look', toolCalls: [{ id: 'c1', name: 'search', arguments: '{"q":"green tea"}' }] },
        { text: '', toolCalls: [{ id: 'c2', name: 'search', arguments: '{"q":"black tea"}' }] },
        'green tea is there',
      ],
    },
    { repeatedKey: 'same-reply' },
  );

const about = { session: 'chat-7', agent: 'clerk', tags: ['tea'] };

async function episodes(store: Store): Promise<readonly Record<string, unknown>[]> {
  const { records } = await store.query({ tenant: 'default', owner: 'anonymous', collection: 'memory.episodic' });
  return records.map(({ value }) => value as Record<string, unknown>);
}

describe.each(await grounds())('capture over the %s store', (_name, open) => {
  it('writes what a loop observes, with session, agent and tags, in one step an iteration [R3-OBS-CAPTURE]', async () => {
    const { engine, store } = await open();
    const stage = moving(engine);
    const model = script();
    const life = stage.open(loop(model, { store, embedder: hashEmbedder(), ...about }));
    expect(await life.start()).toMatchObject({ stop: 'done', value: 'green tea is there' });
    model.assertFinished();
    const seen = await episodes(store);
    expect(seen.map(({ content }) => content).sort()).toEqual([
      'I will look',
      'found black tea', // the reply beside it said nothing, and nothing is not remembered
      'found green tea',
      'green tea is there',
    ]);
    for (const item of seen) expect(item).toMatchObject({ session: 'chat-7', agent: 'clerk', tags: ['tea'] });
    const call = seen.find(({ content }) => content === 'found green tea');
    expect(call).toMatchObject({
      trust: 'outside',
      title: 'search: found green tea',
      metadata: { type: 'tool_call', tool: 'search', callId: 'c1', ok: true },
    });
    expect(seen.find(({ content }) => content === 'I will look')).toMatchObject({ trust: 'model' });
    const intents = await stage.events('intent');
    expect(intents.map(({ name }) => name)).toEqual(['memory.capture', 'memory.capture', 'memory.capture']);
  });

  it('says in memory what the journal says, and nothing else [R3-OBS-CAPTURE]', async () => {
    const { engine, store } = await open();
    const stage = moving(engine);
    await stage.open(loop(script(), { store, ...about })).start();
    const viewed = observationsOf(await stage.entries(), { runId: RUN });
    expect(viewed.map(({ type, session, agent }) => `${type} ${session} ${agent}`)).toEqual([
      'llm_response chat-7 clerk',
      'tool_call chat-7 clerk',
      'llm_response chat-7 clerk',
      'tool_call chat-7 clerk',
      'llm_response chat-7 clerk',
    ]);
    const said = viewed.map(({ content }) => content).filter((content) => content !== '');
    expect((await episodes(store)).map(({ content }) => content).sort()).toEqual(said.sort());
  });

  it('leaves a journal whose trace has a step an iteration and an action a call, with its arguments [R3-OBS-TRACE]', async () => {
    const { engine, store } = await open();
    const stage = moving(engine);
    const agent = loop(script(), { store, ...about });
    await stage.crashed(agent, at('before', 'complete', 2));
    await stage.open(agent).resume();
    const [trace, ...others] = loopTraceOf(await stage.entries());
    expect(others).toEqual([]);
    expect(trace).toMatchObject({ status: 'completed', failures: [] });
    expect(
      trace?.steps.map(({ iteration, session, model, actions }) => [
        iteration,
        session,
        model,
        actions.map(({ tool, callId, ok, arguments: given }) => [tool, callId, ok, given?.preview]),
      ]),
    ).toEqual([
      [1, 'clerk', 'scripted/model', [['search', 'c1', true, '{"q":"green tea"}']]],
      [2, 'clerk', 'scripted/model', [['search', 'c2', true, '{"q":"black tea"}']]],
      [3, 'clerk', 'scripted/model', []],
    ]);
  });

  it('writes nothing twice, wherever the process dies', async () => {
    const crashing = crashingEngine(memoryEngine(), () => false);
    await moving(crashing.engine)
      .open(loop(script(), { store: inMemory().store, ...about }))
      .start();
    const points = crashing.points.filter(({ op }) => op === 'append');
    expect(points.length).toBeGreaterThan(10);
    for (const { n, when } of points) {
      const ground = await open();
      const stage = moving(ground.engine);
      const agent = loop(script(), { store: ground.store, ...about });
      const life = stage.open(agent, { crash: { at: n, when } });
      await Promise.race([life.crashed, life.start()]);
      life.die();
      const outcome = await stage.open(agent).resume();
      expect(outcome, `${n} ${when}`).toMatchObject({ stop: 'done', value: 'green tea is there' });
      const contents = (await episodes(ground.store)).map(({ content }) => content);
      expect(contents, `${n} ${when}`).toHaveLength(4);
      expect(new Set(contents).size).toBe(4);
    }
  });
});

describe('a write of the memory', () => {
  it.each([
    ['semantic', { about: 'x', content: 'y', source: 's', confidence: 1, trust: 'user' }],
    ['episodic', { content: 'y', trust: 'user' }],
  ] as const)('that was made (%s) when the process died is not made again [R3-MEM-KINDS]', async (kind, item) => {
    const ground = inMemory();
    const stage = moving(ground.engine);
    const m = memory({ store: ground.store });
    const agent = async (run: Run) => done(await m.remember(run, kind, item as never));
    await stage.crashed(agent, at('before', 'complete')); // the record is written, and the journal does not say so
    const versions = async () => {
      const { records } = await ground.store.query({
        tenant: 'default',
        owner: 'anonymous',
        collection: `memory.${kind}`,
      });
      return records.map(({ version }) => version);
    };
    expect(await versions()).toEqual([1]);
    expect(await stage.open(agent).resume()).toMatchObject({ value: { version: 1, changed: true } });
    expect(await versions()).toEqual([1]);
  });

  it('begins again when somebody was faster, a bounded number of times', async () => {
    const ground = inMemory();
    let rivals = 0;
    const contested = (upTo: number): Store => ({
      ...ground.store,
      async propose(at, change) {
        const answer = await ground.store.propose(at, change);
        if (rivals < upTo) {
          const id = `rival-${++rivals}`;
          await ground.store.propose(at, { ...change, id });
          await ground.store.commit(at, id, change.now);
        }
        return answer;
      },
    });
    const fact = { about: 'x', content: 'mine', source: 's', confidence: 1, trust: 'user' as const };
    const won = await inRun(ground, (run) => memory({ store: contested(3) }).remember(run, 'semantic', fact));
    expect(won).toMatchObject({ version: 4, changed: true });
    await inRun(ground, async (run) => {
      await expect(memory({ store: contested(99) }).remember(run, 'semantic', fact)).rejects.toMatchObject({
        code: 'RECORD_CONFLICT',
        retryable: true,
      });
    });
    expect(rivals).toBe(3 + 5);
  });

  it('lets two runs that write at the same time both be heard', async () => {
    const ground = inMemory();
    const m = memory({ store: ground.store });
    const say = (content: string) =>
      inRun(ground, (run) => m.remember(run, 'procedural', { name: 'x', content, trust: 'user' }));
    const versions = await Promise.all(['a', 'b', 'c'].map(say));
    expect(versions.map(({ version }) => version).sort()).toEqual([1, 2, 3]);
  });

  it('is answered from the journal on replay, as is a recall', async () => {
    const ground = inMemory();
    const stage = moving(ground.engine);
    const m = memory({ store: ground.store, embedder: hashEmbedder() });
    const calls: string[] = [];
    const store = new Proxy(ground.store, {
      get: (target, name) => {
        calls.push(String(name));
        return Reflect.get(target, name) as unknown;
      },
    });
    const agent = async (run: Run) => {
      const watched = memory({ store, embedder: hashEmbedder() });
      await watched.remember(run, 'procedural', { name: 'tea', content: 'boil water', trust: 'user' });
      const { items } = await watched.recall(run, { query: 'boil water' });
      await run.wait({ name: 'go' });
      return done(items.map(({ id }) => id));
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    expect(calls.length).toBeGreaterThan(0);
    calls.length = 0;
    await inRun(ground, (run) => m.forget(run, 'procedural/tea'));
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ value: ['procedural/tea'] });
    expect(calls).toEqual([]);
  });

  it('is stood in for in a fork that is not live', async () => {
    const ground = inMemory();
    const stage = moving(ground.engine);
    const taking = capture({ store: ground.store, ...about });
    const life = stage.open(async (run: Run) => {
      await run.step('first', null, () => 1, 'pure');
      const [id] = await taking.flush(run, [{ type: 'decision', content: 'fork me' }]);
      await memory({ store: ground.store }).dropWorking(run);
      return done(id);
    });
    await life.start();
    const before = await episodes(ground.store);
    const seq = (await stage.entries()).find(({ event }) => event.type === 'complete')?.seq ?? 0;
    const fork = await life.runtime.fork(RUN, { at: seq, budget: ANN.budget });
    expect(await fork.outcome()).toMatchObject({ stop: 'done', value: 'episodic/simulated-0' });
    expect(await episodes(ground.store)).toEqual(before);
  });
});

describe('what is private', () => {
  const secret = 'hunter2';
  const everywhere = async (ground: Ground): Promise<string> => {
    const records: StoreRecord[] = [];
    for (const kind of ['working', 'session', 'episodic', 'semantic', 'procedural'])
      records.push(
        ...(await ground.store.query({ tenant: 'acme', owner: 'ann', collection: `memory.${kind}` })).records,
      );
    return JSON.stringify(records);
  };

  it('is in the journal and in no memory, recall or export [R3-OBS-PRIVATE]', async () => {
    const ground = inMemory();
    const m = memory({ store: ground.store, embedder: hashEmbedder() });
    const taking = capture({
      store: ground.store,
      session: 's',
      agent: 'a',
      private: { tools: ['diary'], sessions: ['therapist'] },
    });
    const usage = { input: 1, output: 1 };
    const diary: Tool<{ day: string }, string> = { ...search, name: 'diary', execute: async () => secret } as never;
    const recalled = await inRun(
      ground,
      async (run) => {
        taking.begin(run);
        observe(run, { type: 'decision', content: `the word is ${secret}`, tags: ['private'] });
        const read = await run.call(diary, { day: secret });
        await taking.flush(run, [
          callObservation('diary', read),
          replyObservation('therapist', { text: secret, toolCalls: [], finish: 'stop', usage }),
          replyObservation('clerk-summarizer', { text: secret, toolCalls: [], finish: 'stop', usage }),
          { type: 'decision', content: secret, tags: ['private'] },
          { type: 'decision', content: 'drink tea' },
        ]);
        return m.recall(run, { query: 'the word is tea', level: 'full' });
      },
      { id: 'p' },
    );
    expect(recalled.items.map(({ content }) => content)).toEqual(['drink tea']);
    expect(await everywhere(ground)).not.toContain(secret);
    const entries = await moving(ground.engine).entries('p');
    expect(JSON.stringify(entries)).toContain(secret); // a replay needs it
    expect(JSON.stringify(withoutPrivate(entries))).not.toContain(secret);
    expect(JSON.stringify(observationsOf(entries, { runId: 'p' }))).not.toContain(secret);
  });

  it('is everything of a capture tagged private, which takes no step at all [R3-OBS-PRIVATE]', async () => {
    const ground = inMemory();
    const taking = capture({ store: ground.store, session: 's', agent: 'a', tags: ['private'] });
    await inRun(
      ground,
      async (run) => {
        const inner = run.scope('inner');
        taking.begin(inner);
        await inner.call(search, { q: secret });
        expect(await taking.flush(inner, [{ type: 'tool_call', content: secret }])).toEqual([]);
        await run.call(search, { q: 'open' });
      },
      { id: 'p' },
    );
    const entries = await moving(ground.engine).entries('p');
    expect(entries.some(({ event }) => event.type === 'intent')).toBe(false);
    expect(await everywhere(ground)).toBe('[]');
    expect(observationsOf(entries, { runId: 'p' }).map(({ content }) => content)).toEqual(['found open']);
    expect(JSON.stringify(withoutPrivate(entries))).not.toContain(secret);
  });

  it('is the agent’s own mark as well, also in the middle of its work', async () => {
    const ground = inMemory();
    await inRun(
      ground,
      async (run) => {
        await run.call(search, { q: secret });
        markPrivate(run, { tools: ['search'] });
      },
      { id: 'p' },
    );
    const entries = await moving(ground.engine).entries('p');
    expect(observationsOf(entries, { runId: 'p' })).toEqual([]);
    expect(JSON.stringify(withoutPrivate(entries))).not.toContain(secret);
  });
});

describe('capture', () => {
  it('takes no step where there is nothing to write', async () => {
    const ground = inMemory();
    const taking = capture({ store: ground.store, ...about });
    expect(await inRun(ground, (run) => taking.flush(run, []), { id: 'n' })).toEqual([]);
    expect((await moving(ground.engine).entries('n')).some(({ event }) => event.type === 'intent')).toBe(false);
  });

  it('writes an observation whose id is known once, whichever run tells it [R3-OBS-CAPTURE]', async () => {
    const ground = inMemory();
    const taking = capture({ store: ground.store, ...about });
    const [first] = await inRun(ground, (run) =>
      taking.flush(run, [{ id: 'r:0:4', type: 'error', content: 'no route' }]),
    );
    const again = await inRun(ground, (run) =>
      taking.flush(run, [{ id: 'r:0:4', type: 'error', content: 'no route' }]),
    );
    expect(again).toEqual([first]);
  });

  it('cuts what is long, and says so', async () => {
    const ground = inMemory();
    const taking = capture({ store: ground.store, ...about, maxContent: 100 });
    const item = await inRun(ground, async (run) => {
      const [id = ''] = await taking.flush(run, [
        { type: 'tool_call', content: 'x'.repeat(5000), metadata: { tool: 't' } },
      ]);
      return memory({ store: ground.store }).read(run, id);
    });
    expect(item?.content).toHaveLength(101);
    expect(item?.metadata).toMatchObject({ cutFrom: 5000 });
    expect(() => capture({ store: ground.store, ...about, maxContent: 5 })).toThrow(/at least 100/);
  });

  it('refuses a type there is not', async () => {
    const ground = inMemory();
    const taking = capture({ store: ground.store, ...about });
    await inRun(ground, async (run) => {
      const drafts = [{ type: 'thought', content: 'x' } as unknown as ObservationDraft];
      await expect(taking.flush(run, drafts)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    });
  });

  it('keeps what was seen when the run that saw it is rolled back', async () => {
    const ground = inMemory();
    const stage = moving(ground.engine);
    const taking = capture({ store: ground.store, ...about });
    const life = stage.open(async (run: Run) => {
      await taking.flush(run, [{ type: 'error', content: 'the shop was closed' }]);
      throw new Error('no');
    });
    expect(await life.start()).toMatchObject({ stop: 'failed', rollback: { success: true } });
    expect(await episodes(ground.store)).toHaveLength(1);
  });
});
