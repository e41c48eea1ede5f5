import { describe, expect, it } from 'vitest';
import { budget } from '../core/budget.js';
import type { Entry, RunEvent } from '../core/events.js';
import { newRunState } from '../core/run-state.js';
import { auditLines, verifyAudit } from './audit.js';
import {
  askEnd,
  askStart,
  complete,
  gate,
  intent,
  JournalBuilder,
  purchase,
  pure,
  runStart,
} from './fixtures.test-data.js';
import { BLANK } from './privacy.js';
import { provenanceOf } from './provenance.js';
import { traceOf } from './trace.js';
import { withoutPrivate } from './without-private.js';

const SECRET = 'hunter2';
const failure = { code: 'EFFECT_FAILED', message: SECRET, retryable: false, detail: { SECRET } } as const;
const report = {
  success: false,
  entries: [{ effect: '#3', generation: 0, name: 'pay', status: 'CANNOT_ROLLBACK', note: SECRET }],
} as const;

/** Every entry that can hold contents, with a secret wherever it can stand. */
const EVENTS: readonly RunEvent[] = [
  runStart({ input: SECRET }),
  askStart('#0', { fp: SECRET, tip: SECRET }),
  {
    type: 'ask-end',
    id: '#0',
    spent: {},
    reply: {
      text: SECRET,
      toolCalls: [{ id: 'c', name: 'pay', arguments: SECRET }],
      finish: 'stop',
      usage: { input: 1, output: 1 },
      reasoning: SECRET,
      opaqueReasoning: SECRET,
      logProbs: [{ token: SECRET, logProb: 0 }],
      costUsd: 0.5,
      value: SECRET,
      ms: 1,
    },
  },
  { type: 'redirect', by: 'ada', text: SECRET },
  askStart('#1', { fp: SECRET, tip: SECRET }),
  { type: 'ask-end', id: '#1', spent: {}, failure },
  { type: 'guard-refused', id: '#1!reask1', seam: 'model', why: SECRET },
  { type: 'guard-decision', id: '#3', guard: 'policy', verdict: 'warned', why: SECRET },
  {
    type: 'wait-start',
    id: '#3!gate',
    fp: SECRET,
    kind: 'approval',
    name: 'approve:#3',
    token: 't',
    request: { action: 'pay', input: SECRET },
    admitted: { args: SECRET },
  },
  { type: 'wait-end', id: '#3!gate', from: 'bob', payload: SECRET },
  intent('#3', 'pay', { fp: SECRET, input: SECRET }),
  { type: 'retry', id: '#3', name: 'pay', retry: 1, delayMs: 1, failure },
  { type: 'doubt', id: '#3', attempt: 1, name: 'pay', why: SECRET },
  complete('#3', SECRET),
  pure('#4', 'look', SECRET),
  { type: 'complete', id: '#5', fp: SECRET, of: 'step', name: 'look', result: null, failure },
  { type: 'abort', id: '#6', fp: SECRET, of: 'step', name: 'look', failure },
  {
    type: 'spawn-start',
    id: '#7',
    fp: SECRET,
    name: 'c',
    path: '/c.0',
    input: SECRET,
    slice: {},
    limits: budget(),
    carved: [],
  },
  { type: 'spawn-end', id: '#7', outcome: { stop: 'degraded', value: SECRET, because: SECRET } },
  { type: 'note', path: '', event: { kind: 'decision', content: SECRET, more: SECRET } },
  { type: 'signal-refused', signal: 's', name: 'go', token: 'r:0:#0', why: SECRET },
  { type: 'operator-alert', alert: 'compensation_failed', effect: '#3', why: SECRET },
  { type: 'rollback-start', scope: '', why: SECRET, entries: [] },
  intent('run:0:#3!undo', 'pay', { of: 'undo', fp: SECRET, input: SECRET }),
  { type: 'rollback-end', scope: '', report },
  { type: 'generation-start', v: 1, input: SECRET, budget: budget(), state: newRunState('ada') },
  { type: 'run-end', outcome: { stop: 'failed', because: SECRET, failure, rollback: report, partial: SECRET } },
];

const WHOLE: RunEvent = { type: 'note', path: '', event: { kind: 'private' } };

function left(...events: readonly RunEvent[]): readonly Entry[] {
  return withoutPrivate(new JournalBuilder().add(...events).entries);
}

describe('a journal without what is private', () => {
  it('is the same journal where nothing is', () => {
    const entries = purchase();
    expect(withoutPrivate(entries)).toBe(entries);
  });

  it('keeps every entry in its place and none of the contents of a private run [R3-OBS-PRIVATE]', () => {
    const { entries } = new JournalBuilder().add(...EVENTS, WHOLE);
    const told = withoutPrivate(entries);
    expect(told.map(({ seq, event }) => [seq, event.type])).toEqual(entries.map(({ seq, event }) => [seq, event.type]));
    for (const { event } of told) expect(JSON.stringify(event), event.type).not.toContain(SECRET);
    expect(told[2]?.event).toMatchObject({ reply: { text: BLANK, costUsd: 0.5, toolCalls: [{ name: 'pay' }] } });
  });

  it.each([
    { stop: 'done', value: SECRET },
    { stop: 'blocked', because: SECRET, partial: SECRET },
    { stop: 'cancelled', because: SECRET },
    { stop: 'bounded', bound: 'rounds', limit: 3, partial: SECRET },
    { stop: 'suspended', waiting: [{ effect: '#0', kind: 'signal', name: 'x', request: SECRET }] },
  ] as const)('tells of a private run that it ended $stop, and nothing more [R3-OBS-PRIVATE]', (outcome) => {
    const [, end] = left(WHOLE, { type: 'run-end', outcome });
    expect(end?.event).toMatchObject({ outcome: { stop: outcome.stop } });
    expect(JSON.stringify(end)).not.toContain(SECRET);
  });

  it('blanks a private child, what it was given and what it gave back, and nothing of its siblings', () => {
    const told = left(
      runStart({ input: 'open' }),
      {
        type: 'spawn-start',
        id: '#0',
        fp: 'f',
        name: 'c',
        path: '/c.0',
        input: SECRET,
        slice: {},
        limits: budget(),
        carved: [],
      },
      { type: 'note', path: '/c.0', event: { kind: 'private' } },
      pure('/c.0/deeper#0', 'look', SECRET),
      { type: 'spawn-end', id: '#0', outcome: { stop: 'done', value: SECRET } },
      pure('/c.01#0', 'look', 'open too'),
    );
    const text = JSON.stringify(told);
    expect(text).not.toContain(SECRET);
    expect(text).toContain('open too');
    expect(text).toContain('"input":"open"');
  });

  it('blanks all of a loop that is tagged private, and still tells whose loop it was [R3-OBS-PRIVATE]', () => {
    const event = { kind: 'loop-start', loop: '/l', agent: 'confessor', tags: ['private'] };
    const told = left(
      runStart(),
      { type: 'note', path: '/l', event },
      pure('/l#0', 'a', SECRET),
      pure('#0', 'b', 'open'),
    );
    expect(JSON.stringify(told)).not.toContain(SECRET);
    expect(told[1]?.event).toMatchObject({ event: { agent: 'confessor' } });
    expect(told[3]?.event).toMatchObject({ result: 'open' });
  });

  it('blanks a private tool with its gate, its undo and the arguments a model proposed [R3-OBS-PRIVATE]', () => {
    const reply = askEnd('#0', { text: 'I will look it up' });
    if (reply.type !== 'ask-end' || reply.reply === undefined) throw new Error('no reply');
    const toolCalls = [
      { id: 'a', name: 'diary', arguments: SECRET },
      { id: 'b', name: 'search', arguments: 'open' },
    ];
    const told = left(
      runStart(),
      { type: 'note', path: '', event: { kind: 'private', tools: ['diary'] } },
      askStart('#0'),
      { ...reply, reply: { ...reply.reply, toolCalls } },
      { ...gate('#1', 'diary'), request: { action: 'diary', input: SECRET } } as RunEvent,
      intent('#1', 'diary', { input: SECRET }),
      complete('#1', SECRET),
      intent('run:0:#1!undo', 'diary', { of: 'undo', input: SECRET }),
      {
        type: 'rollback-end',
        scope: '',
        report: {
          success: false,
          entries: [{ effect: '#1', generation: 0, name: 'diary', status: 'IN_DOUBT', note: SECRET }],
        },
      },
      pure('#2', 'search', 'open'),
    );
    expect(JSON.stringify(told)).not.toContain(SECRET);
    expect(told[3]?.event).toMatchObject({
      reply: { text: 'I will look it up', toolCalls: [{ arguments: BLANK }, { arguments: 'open' }] },
    });
    expect(told.at(-1)?.event).toMatchObject({ result: 'open' });
  });

  const LOOP_START: RunEvent = { type: 'note', path: '/l', event: { kind: 'loop-start', loop: '/l', agent: 'worker' } };
  const marked = (path: string, parts: object = {}): RunEvent => ({
    type: 'note',
    path,
    event: { kind: 'private', ...parts },
  });
  const REPEATED: readonly RunEvent[] = [
    pure('/l/lane-0#0', 'recall_result', SECRET, 'call'),
    askStart('/l#1', { session: 'worker-summarizer' }),
    askEnd('/l#1', { text: `in short: ${SECRET}` }),
  ];

  it.each([
    ['a tool of the loop', marked('/l', { tools: ['diary'] })],
    ['a session around it', marked('', { sessions: ['therapist'] })],
    ['a call beside it', marked('/l/lane-1', { tools: ['diary'] })],
    ['a child of the loop', marked('/l/c.0')],
  ])('blanks what a loop repeats where %s is private [R3-OBS-PRIVATE]', (_what, mark) => {
    expect(JSON.stringify(left(runStart(), LOOP_START, mark, ...REPEATED))).not.toContain(SECRET);
  });

  it.each([
    ['another loop', marked('/l2', { tools: ['diary'] })],
    ['nobody', marked('/l', { tools: [] })],
  ])('tells what a loop repeats where the mark is of %s [R3-OBS-PRIVATE]', (_what, mark) => {
    expect(JSON.stringify(left(runStart(), LOOP_START, mark, ...REPEATED)).split(SECRET)).toHaveLength(3);
  });

  it('blanks the id under which a private result is recalled: it is a hash of it [R3-OBS-PRIVATE]', () => {
    const end = askEnd('/l#0');
    if (end.type !== 'ask-end' || end.reply === undefined) throw new Error('no reply');
    const toolCalls = [{ id: 'a', name: 'recall_result', arguments: SECRET }];
    const asked: RunEvent = { ...end, reply: { ...end.reply, toolCalls } };
    const mark = marked('/l', { tools: ['diary'] });
    expect(JSON.stringify(left(runStart(), LOOP_START, mark, askStart('/l#0'), asked))).not.toContain(SECRET);
  });

  it('blanks what is asked about a call that has not begun, because it may be a private one [R3-OBS-PRIVATE]', () => {
    const asked = { ...gate('#1', 'diary'), request: { action: 'diary', input: SECRET } } as RunEvent;
    const warned = { type: 'guard-decision', id: '#1', guard: 'g', verdict: 'warned', why: SECRET } as const;
    const mark: RunEvent = { type: 'note', path: '/b', event: { kind: 'private', tools: ['diary'] } };
    expect(JSON.stringify(left(runStart(), mark, warned, asked))).toContain(SECRET); // another scope
    expect(JSON.stringify(left(runStart(), { ...mark, path: '' } as RunEvent, warned, asked))).not.toContain(SECRET);
  });

  it('keeps kind and type of a private observation and nothing else [R3-OBS-PRIVATE]', () => {
    const event = {
      kind: 'observation',
      type: 'decision',
      content: SECRET,
      metadata: { SECRET },
      tags: ['private', SECRET],
    };
    const [told] = left({ type: 'note', path: '', event });
    expect(told?.event).toEqual({
      type: 'note',
      path: '',
      event: { kind: 'observation', type: 'decision', content: BLANK, tags: ['private'] },
    });
  });

  it('still makes an audit that verifies, and a provenance', () => {
    const told = left(...EVENTS, WHOLE);
    const lines = auditLines('r1', told);
    expect(verifyAudit(lines)).toMatchObject({ ok: true, count: EVENTS.length + 1 });
    expect(lines.join('\n')).not.toContain(SECRET);
    expect(provenanceOf('r1', told).effects.length).toBeGreaterThan(3);
  });

  it('is what traces are made from: a private effect leaves no hash of its prompt in telemetry [R3-OBS-PRIVATE]', () => {
    const { entries } = new JournalBuilder().add(runStart(), askStart('#0', { tip: 'hash-of-prompt' }), askEnd('#0'));
    expect(JSON.stringify(traceOf('r1', entries))).toContain('hash-of-prompt');
    const marked = new JournalBuilder().add(runStart(), askStart('#0', { tip: 'hash-of-prompt' }), askEnd('#0'), WHOLE);
    expect(JSON.stringify(traceOf('r1', marked.entries))).not.toContain('hash-of-prompt');
    const all = new JournalBuilder().add(...EVENTS, WHOLE).entries;
    expect(JSON.stringify(traceOf('r1', all))).not.toContain(SECRET);
  });
});
