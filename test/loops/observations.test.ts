import { memoryStore, type Store } from 'flyball';
import { capture } from 'flyball/memory';
import { loopTraceOf, observationsOf } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { RUN } from '../runtime/stage.js';
import { smallTools } from './small-tools.js';
import { call, proposes, proposesAll, runLoop } from './stage-loop.js';

const ONCE = { doubleConfirmation: false };

describe('observations', () => {
  const SAID = [
    { text: 'I look.', ...proposesAll(call('next', {}, 'a'), call('add_one', { x: 1 }, 'b')) },
    { text: 'It fails.', ...proposesAll(call('fail', {}, 'c'), call('nobody', {}, 'd')) },
    'Done.',
  ];

  it('are there for each reply of the model and each tool call [R3-CASE-17]', async () => {
    const { stage } = await runLoop(SAID, { tools: smallTools().all, config: ONCE });
    const seen = observationsOf(await stage.entries(), { runId: RUN });
    expect(seen.map(({ type, agent, session }) => [type, agent, session])).toEqual([
      ['llm_response', 'worker', RUN],
      ['tool_call', 'worker', RUN],
      ['tool_call', 'worker', RUN],
      ['llm_response', 'worker', RUN],
      ['tool_call', 'worker', RUN],
      ['llm_response', 'worker', RUN],
    ]);
  });

  it('are carried into memory by a capture, in one step an iteration [R3-CASE-17] [R3-OBS-CAPTURE]', async () => {
    const store = memoryStore();
    const { stage, result } = await runLoop(SAID, {
      tools: smallTools().all,
      config: ONCE,
      capture: capture({ store, session: 'chat-7', agent: 'clerk', tags: ['tea'] }),
    });
    const kept = await episodes(store);
    expect(kept.map(({ metadata, content }) => [(metadata as { type: string }).type, content]).sort()).toEqual(
      [
        ['llm_response', 'I look.'],
        ['tool_call', '1'],
        ['tool_call', '2'],
        ['llm_response', 'It fails.'],
        ['tool_call', 'it broke'],
        ['tool_call', 'there is no tool "nobody". The tools are: add_one, next, write, fail.'],
        ['llm_response', 'Done.'],
      ].sort(),
    );
    for (const item of kept) expect(item).toMatchObject({ session: 'chat-7', agent: 'clerk', tags: ['tea'] });
    const steps = (await stage.events('intent')).filter(({ name }) => name === 'memory.capture');
    expect(steps).toHaveLength(result.iterations);
  });

  it('of a failing model are kept as errors, also when they end the loop [R3-OBS-CAPTURE]', async () => {
    const store = memoryStore();
    const away = Object.assign(new Error('The model is away.'), { retryable: true });
    await runLoop([away, away, away], { capture: capture({ store, session: 's', agent: 'a' }) });
    const kept = await episodes(store);
    expect(kept.map(({ metadata }) => (metadata as { type: string }).type)).toEqual(['error', 'error', 'error']);
  });

  it('of calls that were not executed are kept as well [R3-OBS-CAPTURE]', async () => {
    const store = memoryStore();
    const three = proposesAll(...['a', 'b', 'c'].map((id) => call('next', {}, id)));
    await runLoop([three, 'Done.'], {
      tools: smallTools().all,
      config: { ...ONCE, maxToolCallsPerIteration: 2 },
      capture: capture({ store, session: 's', agent: 'a' }),
    });
    const calls = (await episodes(store)).filter(({ metadata }) => (metadata as { type: string }).type === 'tool_call');
    expect(calls.map(({ metadata }) => (metadata as { ok: boolean }).ok).sort()).toEqual([false, true, true]);
  });

  it('of what a capture holds private stay out of memory, and of what is exported [R3-OBS-PRIVATE]', async () => {
    const store = memoryStore();
    const { stage } = await runLoop(SAID, {
      tools: smallTools().all,
      config: ONCE,
      capture: capture({ store, session: 's', agent: 'a', private: { tools: ['add_one'] } }),
    });
    expect((await episodes(store)).map(({ content }) => content)).not.toContain('2');
    const shown = observationsOf(await stage.entries(), { runId: RUN });
    expect(shown.map(({ metadata }) => metadata['tool'])).not.toContain('add_one');
    const all = observationsOf(await stage.entries(), { runId: RUN, include: 'all' });
    expect(all.map(({ metadata }) => metadata['tool'])).toContain('add_one');
  });

  it('cost nothing where nobody asks for them', async () => {
    const { stage } = await runLoop(SAID, { tools: smallTools().all, config: ONCE });
    expect(await stage.events('intent')).toEqual([]);
  });
});

async function episodes(store: Store): Promise<readonly Record<string, unknown>[]> {
  const { records } = await store.query({ tenant: 'default', owner: 'anonymous', collection: 'memory.episodic' });
  return records.map(({ value }) => value as Record<string, unknown>);
}

describe('the trace', () => {
  it('has a step for each iteration and an action for each tool call [R3-CASE-18] [R3-OBS-TRACE]', async () => {
    const { stage } = await runLoop(
      [
        proposesAll(call('next', {}, 'a'), call('add_one', { x: 1 }, 'b'), call('nobody', {}, 'c')),
        proposes('write', { text: 'x' }, 'd'),
        'Done.',
        'Done, checked.',
      ],
      { tools: smallTools().all },
    );
    const [trace, ...others] = loopTraceOf(await stage.entries());
    expect(others).toEqual([]);
    expect(trace).toMatchObject({ loop: '', status: 'completed', reason: 'completed' });
    expect(
      trace?.steps.map(({ iteration, actions }) => [
        iteration,
        actions.map(({ tool, callId, ok, made }) => [tool, callId, ok, made]),
      ]),
    ).toEqual([
      [
        1,
        [
          ['next', 'a', true, true],
          ['add_one', 'b', true, true],
          ['nobody', 'c', false, false],
        ],
      ],
      [2, [['write', 'd', true, true]]],
      [3, []],
      [4, []],
    ]);
  });
});
