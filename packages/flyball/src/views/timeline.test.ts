import { describe, expect, it } from 'vitest';
import { budget } from '../core/budget.js';
import type { RunEvent } from '../core/events.js';
import { newRunState } from '../core/run-state.js';
import {
  abort,
  askEnd,
  askStart,
  attemptStart,
  complete,
  gate,
  intent,
  JournalBuilder,
  purchase,
  runEnd,
  runStart,
  verdict,
} from './fixtures.test-data.js';
import { TimelineFold, timelineOf } from './timeline.js';
import { dollars } from './timeline-sentences.js';

function told(...events: readonly RunEvent[]): readonly string[] {
  return timelineOf(new JournalBuilder().add(...events).entries).map(({ text }) => text);
}

describe('timeline', () => {
  it('tells a run in sentences', () => {
    expect(timelineOf(purchase()).map(({ symbol, depth, text }) => `${symbol} ${'  '.repeat(depth)}${text}`)).toEqual([
      '▶ started buyer (version 3)',
      '◆ phase PLAN',
      '✓ asked drafter (model anthropic/claude-sonnet-4-5): 120 in, 40 out, $0.0012',
      '✓ ran choose',
      '· noted plan',
      '◆ phase ACT',
      '▸ child researcher started',
      '✓   asked reader (model openai/gpt-5-mini): 300 in, 60 out, $0.0005',
      '✓   called search',
      '✓ child researcher: done',
      '… waiting for approval of charge',
      '▶ resumed (attempt 2)',
      '✓ charge approved by bob',
      '→ intent to charge (irreversible), key r1:0:#3',
      '✓ charge done',
      '! budget: costUsd at 80 %',
      '✓ done',
    ]);
  });

  it('tells a pattern around what it does, at any depth', () => {
    const outer = { type: 'scope-start', path: '/debate.0', pattern: 'debate' } as const;
    const inner = { type: 'scope-start', path: '/debate.0/vote.0', pattern: 'vote' } as const;
    const { entries } = new JournalBuilder().add(
      outer,
      inner,
      complete('/debate.0/vote.0#0', 1, { of: 'call', name: 'count' }),
      { type: 'best', path: '/debate.0/vote.0', value: 1 },
      { type: 'scope-end', path: '/debate.0/vote.0', how: 'returned' },
      { type: 'scope-end', path: '/debate.0', how: 'done' },
    );
    expect(timelineOf(entries).map(({ depth, text }) => `${'  '.repeat(depth)}${text}`)).toEqual([
      'debate begins',
      '  vote begins',
      '    called count',
      '    best so far',
      '  vote ended: returned',
      'debate ended: done',
    ]);
  });

  it('tells what people were asked, and what they said', () => {
    const asked: RunEvent = {
      type: 'wait-start',
      id: '#1!ask',
      fp: 'f',
      kind: 'question',
      name: 'answer:#1',
      token: 't',
      request: { tool: 'confirm', widget: 'confirm', prompt: 'Go on?' },
    };
    expect(
      told(
        asked,
        { type: 'wait-end', id: '#1!ask', signal: 's', from: 'ada', payload: true },
        { type: 'complete', id: '#1', of: 'call', name: 'confirm', fp: 'f', how: 'person', result: { text: 'yes' } },
        { type: 'redirect', by: 'ada', text: 'only the first chapter' },
      ),
    ).toEqual([
      'asking a person: Go on?',
      'answered by ada',
      'confirm answered by a person',
      'redirected by ada: only the first chapter',
    ]);
  });

  it.each([
    [{ verdict: 'approve', reason: 'checked' }, 'charge approved by ada: checked'],
    [{ verdict: 'reject', reason: 'too dear' }, 'charge rejected by ada: too dear'],
    [{ verdict: 'modify', value: { amount: 1 }, reason: 'less' }, 'charge modified by ada: less'],
    [{ verdict: 'escalate', reason: 'above me' }, 'charge escalated by ada: above me'],
  ])('tells the verdict %j', (payload, sentence) => {
    const start: RunEvent = {
      type: 'wait-start',
      id: '#3!gate',
      fp: 'f',
      kind: 'approval',
      name: 'approve:#3',
      token: 't',
      request: { action: 'charge' },
    };
    const end: RunEvent = { type: 'wait-end', id: '#3!gate', signal: 's', from: 'ada', payload };
    expect(told(start, end).at(-1)).toBe(sentence);
  });

  it('tells what a crash did', () => {
    const lines = timelineOf(purchase({ crash: true })).map(({ text }) => text);
    expect(lines).toContain('resumed after a crash (attempt 2)');
    expect(lines).toContain(
      'asking drafter (model anthropic/claude-sonnet-4-5): no answer arrived, so it may have been paid for',
    );
    expect(lines).toContain('charge done: it had happened, as a check showed');
  });

  it('gives the time since the start, and details cut short', () => {
    const lines = timelineOf(purchase());
    expect(lines[0]).toMatchObject({ offsetMs: 0, kind: 'run-start', seq: 0, detail: '{"item":"tea"}' });
    expect(lines[2]).toMatchObject({ offsetMs: 1000, kind: 'ask-end', detail: 'buy green tea' });
    const [, long] = timelineOf(
      new JournalBuilder().add(runStart(), complete('#0', 'x'.repeat(1000), { of: 'step', name: 'a' })).entries,
    );
    expect(long?.detail).toHaveLength(201);
  });

  it('tells a question at once while the run goes on, and once with its answer afterwards', () => {
    const { entries } = new JournalBuilder().add(runStart(), askStart('#0'), askEnd('#0'));
    const fold = new TimelineFold();
    expect(entries.map((entry) => fold.apply(entry)?.text)).toEqual([
      'started buyer (version 3)',
      'asking drafter (model anthropic/claude-sonnet-4-5)',
      'asked drafter (model anthropic/claude-sonnet-4-5): 120 in, 40 out, $0.0012',
    ]);
    expect(timelineOf(entries)).toHaveLength(2);
    expect(told(runStart(), askStart('#0')).at(-1)).toBe('asking drafter (model anthropic/claude-sonnet-4-5)');
  });

  it('tells failures with their reason', () => {
    const failure = { code: 'MODEL_UNAVAILABLE', message: 'no route', retryable: true } as const;
    expect(
      told(
        askStart('#0'),
        { type: 'ask-end', id: '#0', failure, spent: {} },
        intent('#1', 'pay'),
        abort('#1', 'EFFECT_FAILED'),
        { type: 'doubt', id: '#1', attempt: 1, name: 'pay', why: 'no proof' },
        { type: 'guard-refused', id: '#2', seam: 'tool.pre', why: 'not allowed' },
        { type: 'signal-refused', signal: 's', name: 'go', token: 'r:0:#0', why: 'wrong shape' },
        { type: 'operator-alert', alert: 'COMPENSATION_FAILED', why: 'shop is closed' },
        runEnd({ stop: 'failed', because: 'no route', failure }),
      ),
    ).toEqual([
      'asked drafter (model anthropic/claude-sonnet-4-5): no answer: no route',
      'intent to pay (irreversible), key r1:0:#1',
      'pay did not take place: it went wrong: EFFECT_FAILED',
      'in doubt whether pay happened: no proof',
      'refused at tool.pre: not allowed',
      'signal "go" refused: wrong shape',
      'operator alert, COMPENSATION_FAILED: shop is closed',
      'failed: no route (MODEL_UNAVAILABLE)',
    ]);
  });

  it('tells waits and what became of them', () => {
    const wait = { type: 'wait-start', fp: 'f', token: 't' } as const;
    expect(
      told(
        { ...wait, id: '#0', kind: 'signal', name: 'paid', due: 0 },
        { type: 'wait-end', id: '#0', timedOut: true },
        { ...wait, id: '#1', kind: 'signal', name: 'paid' },
        { type: 'wait-end', id: '#1', from: 'shop', payload: 1 },
        gate('#2', 'charge'),
        verdict('#2', 'reject', 'bob'),
        { ...wait, id: '#3!doubt', kind: 'doubt', name: 'doubt:#3', request: { action: 'charge' } },
        { type: 'wait-end', id: '#3!doubt', from: 'bob', payload: { happened: true } },
        { type: 'sleep-start', id: '#4', fp: 'f', due: 1000 },
        { type: 'sleep-end', id: '#4' },
      ),
    ).toEqual([
      'waiting for signal "paid", until 1970-01-01T00:00:00.000Z',
      'no answer in time to "paid"',
      'waiting for signal "paid"',
      'signal "paid" received from shop',
      'waiting for approval of charge',
      'charge rejected by bob',
      'waiting for a person to say whether charge happened',
      'answered by bob',
      'sleeping until 1970-01-01T00:00:01.000Z',
      'slept',
    ]);
  });

  it('tells bounds, pauses, cancellation and rollback', () => {
    const saga = [{ effect: '#0', generation: 0 }];
    const entries = [
      { effect: '#0', generation: 0, name: 'book', status: 'COMPENSATED' },
      { effect: '#1', generation: 0, name: 'mail', status: 'CANNOT_ROLLBACK' },
    ] as const;
    expect(
      told(
        { type: 'budget-warning', node: '/c.0', axis: 'tokensIn', spent: 1_234_567, limit: 1_300_000 },
        { type: 'trip', node: '', bound: 'costUsd', limit: 5, spent: 4.1 + 0.8, wanted: 0.2, left: 0 },
        { type: 'trip', node: '/c.0', bound: 'deadline', limit: 0, spent: 5, wanted: 0, left: 0 },
        { type: 'run-pause', by: 'ann' },
        { type: 'run-resume', by: 'ann', budget: budget() },
        attemptStart(2, 'resume'),
        { type: 'cancel', by: 'ann', why: 'enough' },
        { type: 'rollback-start', scope: '', why: 'cancelled', entries: saga },
        intent('r1:0:#0!undo', 'book', { of: 'undo', class: 'idempotent', attempt: 2 }),
        complete('r1:0:#0!undo', null),
        {
          type: 'rollback-end',
          scope: '',
          report: { success: false, entries, attention: 'requires manual intervention' },
        },
        runEnd({ stop: 'cancelled', because: 'enough' }),
      ),
    ).toEqual([
      'budget of /c.0: tokensIn at 94 %',
      'budget: costUsd at 4.9 of 5, 0.2 more wanted: stopped',
      'budget of /c.0: past its deadline of 1970-01-01T00:00:00.000Z: stopped',
      'paused by ann',
      'resumed by ann under a larger budget',
      'continues (attempt 2)',
      'cancelled by ann: enough',
      'rolling back 1 effect: cancelled',
      'intent to undo book (idempotent), key r1:0:r1:0:#0!undo, attempt 2',
      'book undone',
      'rollback: 1 effect undone; mail CANNOT_ROLLBACK (requires manual intervention)',
      'cancelled: enough',
    ]);
  });

  it('has a sentence for the rest, or a reason to be silent', () => {
    const carried = { v: 1, budget: budget(), state: newRunState('ada') };
    expect(
      told(
        runStart({ fork: { run: 'r0', generation: 0, seq: 7, live: false, by: 'ada', state: newRunState('ada') } }),
        attemptStart(1),
        { type: 'changed', id: 'new-prompt' },
        { type: 'scope-overlap', path: '' },
        { type: 'generation-end', undo: [] },
        { type: 'generation-start', input: 1, ...carried },
        runEnd({ stop: 'bounded', bound: 'rounds', limit: 3 }),
        runEnd({ stop: 'degraded', value: 1, because: 'cache' }),
        runEnd({ stop: 'blocked', because: 'no key' }),
      ),
    ).toEqual([
      'started buyer (version 3), forked from run r0 after entry 7',
      'takes the changed path "new-prompt"',
      'effects overlap in scope /: give parallel work scopes of its own',
      'continued in a new journal with the state passed on',
      'stopped at a limit: rounds, limit 3',
      'done, but degraded: cache',
      'blocked: no key',
    ]);
  });

  it('writes small amounts of money so that they can be read', () => {
    expect([0, 0.00001, 0.0012, 0.5, 12.345].map(dollars)).toEqual(['$0', '<$0.0001', '$0.0012', '$0.5000', '$12.35']);
  });
});
