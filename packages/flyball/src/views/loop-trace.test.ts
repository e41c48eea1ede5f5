import { describe, expect, it } from 'vitest';
import { budget } from '../core/budget.js';
import { fingerprint } from '../core/codec.js';
import type { RunEvent } from '../core/events.js';
import type { ToolCall } from '../core/model.js';
import { newRunState } from '../core/run-state.js';
import {
  abort,
  askEnd,
  askStart,
  attemptStart,
  complete,
  intent,
  JournalBuilder,
  pure,
  runEnd,
  runStart,
  spawnStart,
} from './fixtures.test-data.js';
import { loopTraceOf } from './loop-trace.js';

const note = (kind: string, path: string, more: Readonly<Record<string, unknown>> = {}): RunEvent => ({
  type: 'note',
  path,
  event: { kind, loop: path, ...more },
});
const started = (path = '') => note('loop-start', path);
const iteration = (n: number, path = '') => note('iteration', path, { n });
const ended = (reason: string, path = '') => note('loop-end', path, { reason, iterations: 2, toolCalls: 1 });

function wants(id: string, ...toolCalls: readonly ToolCall[]): RunEvent {
  const reply = askEnd(id);
  if (reply.type !== 'ask-end' || reply.reply === undefined) throw new Error('no reply');
  return { ...reply, reply: { ...reply.reply, toolCalls, finish: 'tool_calls' } };
}

const proposal = (id: string, name: string, args: unknown): ToolCall => ({ id, name, arguments: JSON.stringify(args) });

/** A call of a pure tool as the run writes it: the fingerprint is all that the journal holds of the arguments. */
function called(id: string, name: string, args: unknown, result: unknown = 'ok'): RunEvent {
  return { ...pure(id, name, result, 'call'), fp: fingerprint('call', name, args) } as RunEvent;
}

describe('the trace of a loop', () => {
  it('has one step an iteration and one action a tool call [R3-OBS-TRACE]', () => {
    const journal = new JournalBuilder().add(runStart(), started(), iteration(1), askStart('#0')).after(100);
    journal.add(wants('#0', proposal('c1', 'search', { q: 'tea' }), proposal('c2', 'search', { q: 'cup' })));
    journal.after(10).add(called('#2', 'search', { q: 'cup' })); // parallel: the second came first
    journal.after(10).add(called('#1', 'search', { q: 'tea' }));
    journal.add(iteration(2), askStart('#3')).after(50).add(askEnd('#3'), intent('#4', 'pay'));
    journal.after(7).add(abort('#4', 'EFFECT_FAILED'), ended('completed'));
    const [trace, ...others] = loopTraceOf(journal.entries);
    expect(others).toEqual([]);
    const began = journal.entries[0]?.at ?? 0;
    expect(trace).toMatchObject({ id: '0:/@1', loop: '', status: 'completed', reason: 'completed', startedAt: began });
    expect(trace?.steps.map(({ iteration: n, session, model, tokens }) => ({ n, session, model, tokens }))).toEqual(
      [1, 2].map((n) => ({
        n,
        session: 'drafter',
        model: 'anthropic/claude-sonnet-4-5',
        tokens: { input: 120, output: 40 },
      })),
    );
    expect(trace?.steps.map(({ startedAt, endedAt }) => [startedAt - began, (endedAt ?? 0) - began])).toEqual([
      [0, 120],
      [120, 177],
    ]);
    expect(
      trace?.steps.map(({ actions }) => actions.map(({ id, tool, callId, ok, code }) => [id, tool, callId, ok, code])),
    ).toEqual([
      [
        ['#2', 'search', 'c2', true, undefined],
        ['#1', 'search', 'c1', true, undefined],
      ],
      [['#4', 'pay', undefined, false, 'EFFECT_FAILED']],
    ]);
    expect(trace?.failures.map(({ effect, code }) => [effect, code])).toEqual([['#4', 'EFFECT_FAILED']]);
  });

  it('shows arguments as a hash and the beginning of their text [R3-OBS-TRACE]', () => {
    const long = { text: 'x'.repeat(500) };
    const journal = new JournalBuilder().add(runStart(), started(), iteration(1), askStart('#0'));
    journal.add(wants('#0', proposal('c1', 'look', { b: 1, a: 2 }), proposal('c2', 'look', { a: 2, b: 1 })));
    journal.add(called('#1', 'look', { b: 1, a: 2 }), called('#2', 'look', { a: 2, b: 1 }));
    journal.add(intent('#3', 'write', { input: long }), complete('#3', 'ok'), pure('#4', 'unproposed', 1, 'call'));
    const [one, two, three, four] = loopTraceOf(journal.entries)[0]?.steps[0]?.actions ?? [];
    expect(one?.arguments).toEqual({ preview: '{"a":2,"b":1}', hash: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(two?.arguments?.hash).toBe(one?.arguments?.hash); // the order of members says nothing
    expect(three?.arguments?.preview).toHaveLength(121);
    expect(three?.arguments?.hash).not.toBe(one?.arguments?.hash);
    expect(four).not.toHaveProperty('arguments');
  });

  it('counts proposed calls that were never made, once the iteration is over [R3-OBS-TRACE]', () => {
    const journal = new JournalBuilder().add(runStart(), started(), iteration(1), askStart('#0'));
    const broken = { id: 'c2', name: 'search', arguments: '{"q":' };
    journal.add(wants('#0', proposal('c1', 'search', { q: 1 }), broken, proposal('c3', 'nowhere', {})));
    journal.add(called('#1', 'search', { q: 1 }));
    expect(loopTraceOf(journal.entries)[0]?.steps[0]?.actions).toHaveLength(1); // they may still come
    journal.add(iteration(2));
    const actions = loopTraceOf(journal.entries)[0]?.steps[0]?.actions;
    expect(actions?.map(({ id, made, ok }) => [id, made, ok])).toEqual([
      ['#1', true, true],
      ['#0~c2', false, false],
      ['#0~c3', false, false],
    ]);
    expect(actions?.[1]?.arguments?.preview).toBe('"{\\"q\\":"');
  });

  it('matches calls whose arguments were changed on the way by name', () => {
    const journal = new JournalBuilder().add(runStart(), started(), iteration(1), askStart('#0'));
    journal.add(wants('#0', proposal('c1', 'search', { q: ' tea ' })), called('#1', 'search', { q: 'tea' }));
    expect(loopTraceOf(journal.entries)[0]?.steps[0]?.actions[0]).toMatchObject({ callId: 'c1', made: true });
  });

  it('is one for each loop: a loop in a child is its own, and a child without one adds nothing [R3-OBS-TRACE]', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      started(),
      iteration(1),
      askStart('#0'),
      askEnd('#0'),
      spawnStart('#1', 'helper', '/helper.0'),
      started('/helper.0'),
      iteration(1, '/helper.0'),
      called('/helper.0/branch.1#0', 'inner', {}),
      ended('max_iterations', '/helper.0'),
      { type: 'spawn-end', id: '#1', outcome: { stop: 'done', value: 1 } },
      spawnStart('#2', 'plain', '/plain.0'),
      called('/plain.0#0', 'elsewhere', {}),
      { type: 'spawn-end', id: '#2', outcome: { stop: 'done', value: 1 } },
      called('#3', 'outer', {}),
      ended('completed'),
    );
    const traces = loopTraceOf(journal.entries);
    expect(
      traces.map(({ loop, status, reason, steps }) => [
        loop,
        status,
        reason,
        steps.flatMap(({ actions }) => actions.map(({ tool }) => tool)),
      ]),
    ).toEqual([
      ['', 'completed', 'completed', ['outer']],
      ['/helper.0', 'stopped', 'max_iterations', ['inner']],
    ]);
  });

  it('says how a loop that told no end has ended, and goes on with a run that does', () => {
    const journal = new JournalBuilder().add(runStart(), started(), iteration(1), askStart('#0'));
    const status = () => loopTraceOf(journal.entries).map((trace) => [trace.status, trace.reason]);
    expect(status()).toEqual([['running', undefined]]);
    journal.add(runEnd({ stop: 'bounded', bound: 'costUsd', limit: 1 }));
    expect(status()).toEqual([['stopped', 'bounded']]);
    journal.add({ type: 'run-resume', by: 'ann' }, attemptStart(2, 'resume'), iteration(2), ended('error'));
    expect(status()).toEqual([['failed', 'error']]);
    expect(loopTraceOf(journal.entries)[0]?.steps).toHaveLength(2);
  });

  it('ends with its child, and with its journal generation', () => {
    const failure = { code: 'EFFECT_FAILED', message: 'no', retryable: false } as const;
    const child = new JournalBuilder().add(runStart(), spawnStart('#0', 'c', '/c.0'), started('/c.0'));
    child.add({ type: 'spawn-end', id: '#0', outcome: { stop: 'failed', because: 'no', failure } });
    expect(loopTraceOf(child.entries)).toMatchObject([{ status: 'failed', reason: 'failed' }]);
    const journal = new JournalBuilder().add(runStart(), started(), iteration(1), { type: 'generation-end', undo: [] });
    const carried = { v: 1, input: 1, budget: budget(), state: newRunState('ada') };
    journal.nextGeneration().add({ type: 'generation-start', ...carried }, iteration(2), ended('completed'));
    expect(loopTraceOf(journal.entries).map(({ id, status, steps }) => [id, status, steps.length])).toEqual([
      ['0:/@1', 'stopped', 1],
      ['1:/@1', 'completed', 1],
    ]);
  });

  it('shows nothing of what is private [R3-OBS-PRIVATE]', () => {
    const journal = new JournalBuilder().add(runStart(), started(), iteration(1), askStart('#0'));
    journal.add(
      wants('#0', proposal('c1', 'diary', { page: 'my secret' })),
      called('#1', 'diary', { page: 'my secret' }),
    );
    journal.add(intent('#2', 'diary', { input: 'my secret' }), abort('#2', 'EFFECT_FAILED'));
    expect(JSON.stringify(loopTraceOf(journal.entries))).toContain('my secret');
    journal.add(note('private', '', { tools: ['diary'] }));
    const text = JSON.stringify(loopTraceOf(journal.entries));
    expect(text).not.toContain('my secret');
    expect(text).toContain('"tool":"diary"');
  });
});
