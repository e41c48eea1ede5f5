import { type Clock, type Run, systemClock } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { type DefinedTool, tool, toolRegistry } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import type { EventOf, RunEvent } from '../../packages/flyball/src/core/events.js';
import { governance } from '../../packages/flyball/src/tools/governance/index.js';
import {
  askEnd,
  askStart,
  attemptStart,
  complete,
  intent,
  JournalBuilder,
  runEnd,
  runStart,
} from '../../packages/flyball/src/views/fixtures.test-data.js';
import { TurnFold, turnsOf } from '../../packages/studio/src/conversation/fold-conversation.js';
import { type PromptSegment, segmentsWith } from '../../packages/studio/src/conversation/prompt-segments.js';
import type { Turn } from '../../packages/studio/src/conversation/turn.js';
import { call, proposes, proposesAll, runLoop } from '../loops/stage-loop.js';
import { Stage } from '../runtime/stage.js';

const named = (name: string, effect: 'pure' | 'irreversible', execute: (x: unknown) => Promise<string>) =>
  tool({
    name,
    description: `Does ${name}. Not for anything else.`,
    effect,
    input: { type: 'object', properties: { x: { type: 'string' } } },
    retry: { retries: 0 },
    execute: async ({ x }) => execute(x),
  }) as unknown as DefinedTool;

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const look = named('look', 'pure', async (x) => {
  await after(x === 'slow' ? 15 : 0); // the first one proposed ends last
  return `saw ${String(x)}`;
});
const fails = named('fails', 'pure', async () => {
  throw new Error('the disk is full');
});

const shape = ({ uses }: Turn) => uses.map(({ tool: name, status, result }) => [name, status, result ?? null]);

describe('the conversation of a run', () => {
  it('has every model call with tokens, cost, prompt and reply [R6-STUDIO-CONVERSATION]', async () => {
    const { stage } = await runLoop([{ ...proposes('look', { x: 'a' }), text: 'I will look.' }, 'I saw a.'], {
      tools: [look],
      config: { doubleConfirmation: false },
    });
    const entries = await stage.entries();
    const turns = turnsOf(entries);
    const starts = entries.flatMap(({ event }) => (event.type === 'ask-start' ? [event] : []));
    expect(turns).toMatchObject([
      { n: 1, session: 'worker', status: 'ok', text: 'I will look.', finish: 'tool_calls', tip: starts[0]?.tip },
      { n: 2, session: 'worker', text: 'I saw a.', tip: starts[1]?.tip, previousTip: starts[0]?.tip, uses: [] },
    ]);
    expect(turns.every(({ tokensIn, tokensOut }) => tokensIn > 0 && tokensOut > 0)).toBe(true);
    expect(turns[0]?.uses).toMatchObject([{ tool: 'look', args: { x: 'a' }, status: 'ok' }]);
    expect(JSON.stringify(turns[0]?.uses[0]?.result)).toContain('saw a');
  });

  it('joins each call to its own result where calls of one tool end in another order [R6-STUDIO-CONVERSATION]', async () => {
    const { stage } = await runLoop(
      [proposesAll(call('look', { x: 'slow' }, 'c1'), call('look', { x: 'fast' }, 'c2')), 'Both seen.'],
      { tools: [look], config: { doubleConfirmation: false } },
    );
    const [first] = turnsOf(await stage.entries());
    expect(first?.uses.map(({ callId, args, result }) => [callId, args, JSON.stringify(result)])).toEqual([
      ['c1', { x: 'slow' }, expect.stringContaining('saw slow')],
      ['c2', { x: 'fast' }, expect.stringContaining('saw fast')],
    ]);
  });

  it('tells a failed call and one that was never made from one that succeeded [R6-STUDIO-CONVERSATION]', async () => {
    const { stage } = await runLoop(
      [proposesAll(call('fails'), call('unheard_of'), call('look', { x: 'b' })), 'Enough.'],
      { tools: [look, fails], config: { doubleConfirmation: false } },
    );
    const [first] = turnsOf(await stage.entries());
    expect(first === undefined ? [] : shape(first)).toEqual([
      ['fails', 'failed', null],
      ['unheard_of', 'not-made', null],
      ['look', 'ok', expect.anything()],
    ]);
    expect(first?.uses[0]?.failure?.message).toContain('the disk is full');
  });

  it('shows a refusal with the guard that made it [R6-STUDIO-CONVERSATION] [R6-STUDIO-TIMELINE]', async () => {
    const burn = named('burn', 'irreversible', async () => 'gone');
    const seams = governance({ clock: systemClock(), tools: [burn], autonomy: 'read-only' });
    const { stage } = await runLoop([proposes('burn', { x: 'house' }), 'I may not.'], {
      tools: [burn],
      seams,
      config: { doubleConfirmation: false },
    });
    const [first] = turnsOf(await stage.entries());
    expect(first?.uses).toMatchObject([{ tool: 'burn', status: 'refused', args: { x: 'house' } }]);
    expect(first?.uses[0]?.decisions.map(({ verdict }) => verdict)).toContain('denied');
  });

  it('shows who approved a call and what was changed on the way [R6-STUDIO-CONVERSATION]', async () => {
    const burn = named('burn', 'irreversible', async (x) => `burnt ${String(x)}`);
    const { tools } = toolRegistry([burn]).toolset();
    const model = scriptedModel({ worker: [proposes('burn', { x: 'house' }), 'Done.'] });
    const agent = toolLoop({
      session: { name: 'worker', model, setup: 'Work.' },
      tools: [burn],
      config: { doubleConfirmation: false },
    });
    const stage = new Stage<Clock>(systemClock());
    const life = stage.open((run: Run) => agent(run, 'Burn it.'), {
      seams: governance({ clock: systemClock(), tools, autonomy: 'supervised' }),
      options: { suspendAfterMs: 1 },
    });
    for (const verdict of [
      { verdict: 'modify', value: { x: 'paper' }, reason: 'not the house' },
      { verdict: 'approve' },
    ] as const) {
      const asked = verdict.verdict === 'modify' ? await life.start() : await life.resume();
      const token = asked.stop === 'suspended' ? (asked.waiting[0]?.token ?? '') : '';
      expect(turnsOf(await stage.entries())[0]?.uses[0]?.approvals.at(-1)).toMatchObject({ status: 'waiting' });
      await life.runtime.signal('run', token, verdict, { from: 'ada', scopes: ['*'] });
    }
    await life.resume();
    const [first] = turnsOf(await stage.entries());
    expect(first?.uses[0]).toMatchObject({
      status: 'ok',
      args: { x: 'house' },
      calledWith: { x: 'paper' },
      approvals: [
        { status: 'modified', by: 'ada', reason: 'not the house', value: { x: 'paper' } },
        { status: 'approved', by: 'ada' },
      ],
    });
  });

  it('is what it was at every entry: calls are proposed, under way and done in turn [R6-STUDIO-CONVERSATION]', async () => {
    const { stage } = await runLoop([proposes('look', { x: 'a' }), 'I saw a.'], {
      tools: [look],
      config: { doubleConfirmation: false },
    });
    const entries = await stage.entries();
    const seen = entries.map((_, index) => turnsOf(entries.slice(0, index + 1)));
    const states = seen.map((turns) => `${turns.map(({ status }) => status)}/${turns[0]?.uses[0]?.status ?? '-'}`);
    expect([...new Set(states)]).toEqual(['/-', 'open/-', 'ok/proposed', 'ok/ok', 'ok,open/ok', 'ok,ok/ok']);
  });
});

describe('a conversation that is followed', () => {
  const replied = (id: string, ...calls: readonly string[]): RunEvent => {
    const end = askEnd(id) as EventOf<'ask-end'>;
    const toolCalls = calls.map((name) => ({ id: `c_${name}`, name, arguments: '{}' }));
    return end.reply === undefined ? end : { ...end, reply: { ...end.reply, toolCalls } };
  };
  const statuses = (turns: readonly Turn[]) => turns.map(({ uses }) => uses.map(({ status }) => status).join(' '));

  it('says at every entry what it would say if it were read from the start', async () => {
    const { stage } = await runLoop(
      [proposesAll(call('look', { x: 'slow' }, 'c1'), call('look', { x: 'fast' }, 'c2')), proposes('fails'), 'Done.'],
      { tools: [look, fails], config: { doubleConfirmation: false } },
    );
    const entries = await stage.entries();
    const fold = new TurnFold();
    for (const [index, entry] of entries.entries()) {
      fold.apply(entry);
      expect(fold.turns()).toEqual(turnsOf(entries.slice(0, index + 1)));
    }
  });

  it('goes on where the run goes on: what was not made at a bound is made after it', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      attemptStart(1),
      askStart('#0'),
      replied('#0', 'mail', 'post'),
    );
    const fold = new TurnFold();
    const heard = (...events: readonly RunEvent[]) => {
      const from = journal.entries.length;
      for (const entry of journal.add(...events).entries.slice(from)) fold.apply(entry);
      return statuses(fold.turns());
    };
    for (const entry of journal.entries) fold.apply(entry);
    expect(heard(intent('#1', 'mail'))).toEqual(['running proposed']);
    expect(heard(runEnd({ stop: 'bounded', bound: 'toolCalls', limit: 1 }))).toEqual(['running not-made']);
    expect(heard({ type: 'run-resume', by: 'ada' }, complete('#1', 'sent'))).toEqual(['ok proposed']);
    expect(heard(intent('#2', 'post'))).toEqual(['ok running']);
    expect(heard(askStart('#3'))).toEqual(['ok running', '']);
    expect(heard(complete('#2', 'posted'))).toEqual(['ok ok', '']); // its end is heard although the next call has begun
  });
});

describe('the segments of a prompt', () => {
  const segment = (id: string, cached = false): PromptSegment => ({
    ...{ id, role: 'user', band: 'log', trust: 'user', content: `text of ${id}`, cached },
  });

  it('are cached as far as the chain before it had the same links, and new from there [R6-STUDIO-CONVERSATION]', () => {
    const before = ['a', 'b', 'c'].map((id) => segment(id));
    const now = ['a', 'b', 'x', 'c'].map((id) => segment(id));
    expect(segmentsWith(now, before).map(({ id, cached }) => [id, cached])).toEqual([
      ['a', true],
      ['b', true],
      ['x', false],
      ['c', false], // the same words in another place are another link for the provider
    ]);
  });

  it('of which some are private are cached as the server says: their ids are only places', () => {
    const [before, now] = [
      [segment('#1'), segment('#2')],
      [segment('#1', true), segment('#2')],
    ];
    expect(segmentsWith(now, before).map(({ cached }) => cached)).toEqual([true, false]);
  });

  it('keep what the server knows to be cached where there is no call before it', () => {
    expect(segmentsWith([segment('a', true), segment('b')], undefined).map(({ cached }) => cached)).toEqual([
      true,
      false,
    ]);
  });
});
