import { describe, expect, it } from 'vitest';
import { budget } from '../core/budget.js';
import { newRunState } from '../core/run-state.js';
import {
  abort,
  askEnd,
  askStart,
  attemptStart,
  complete,
  intent,
  JournalBuilder,
  phase,
  purchase,
  pure,
  runEnd,
  runStart,
  spawnStart,
} from './fixtures.test-data.js';
import { type Span, spansIn, traceOf } from './trace.js';

/** The tree as indented names. */
function drawn(span: Span, depth = 0): readonly string[] {
  return [`${'  '.repeat(depth)}${span.name}`, ...span.children.flatMap((child) => drawn(child, depth + 1))];
}

function named(root: Span, name: string): Span {
  const found = spansIn(root).find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name} in ${drawn(root).join('\n')}`);
  return found;
}

describe('trace', () => {
  it('is one tree: effects hang under their phase and their child agent [R2-VIEW-TRACE] [V14.3]', () => {
    expect(drawn(traceOf('r1', purchase()))).toEqual([
      'invoke_agent buyer',
      '  attempt 1',
      '  phase PLAN',
      '    chat claude-sonnet-4-5',
      '    step choose',
      '  phase ACT',
      '    invoke_agent researcher',
      '      chat gpt-5-mini',
      '      execute_tool search',
      '    wait approve:#3',
      '    execute_tool charge',
      '  attempt 2',
    ]);
  });

  it('hangs effects under a phase that is told around a pattern while the pattern runs, and under patterns that begin later', () => {
    const journal = new JournalBuilder();
    journal.add(runStart());
    journal.add({ type: 'scope-start', path: '/drafting.0', pattern: 'drafting' });
    journal.add(phase('ACT'));
    for (const id of ['/drafting.0/act-1#0', '/drafting.0/check.0#0']) {
      if (id.includes('check')) journal.add({ type: 'scope-start', path: '/drafting.0/check.0', pattern: 'check' });
      journal.add(intent(id, 'work', { of: 'step' }));
    }
    expect(drawn(traceOf('r1', journal.entries))).toEqual([
      'invoke_agent buyer',
      '  pattern drafting',
      '  phase ACT',
      '    step work',
      '    pattern check',
      '      step work',
    ]);
  });

  it('gives each effect exactly one span with an id of its own, crash or no crash [V14.2]', () => {
    for (const crash of [false, true]) {
      const spans = spansIn(traceOf('r1', purchase({ crash })));
      const effects = spans.filter(({ kind }) => !['run', 'attempt', 'phase'].includes(kind));
      expect(effects).toHaveLength(7);
      expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
    }
  });

  it('says what was asked of which model and what it took, in the names of the GenAI conventions [R2-VIEW-TRACE]', () => {
    const root = traceOf('r1', purchase());
    expect(root.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'buyer',
      'gen_ai.conversation.id': 'r1',
    });
    expect(named(root, 'chat claude-sonnet-4-5').attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.system': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.usage.input_tokens': 120,
      'gen_ai.usage.output_tokens': 40,
      'gen_ai.usage.cache_read.input_tokens': 20,
      'gen_ai.response.finish_reasons': ['stop'],
      'flyball.cost_usd': 0.0012,
      'flyball.session': 'drafter',
    });
    expect(named(root, 'execute_tool charge').attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'charge',
      'gen_ai.tool.call.id': '#3',
      'flyball.effect.class': 'irreversible',
      'flyball.effect.key': 'r1:0:#3',
    });
    expect(named(root, 'execute_tool search').attributes).toMatchObject({
      'gen_ai.tool.name': 'search',
      'flyball.effect.class': 'pure',
    });
    expect(named(root, 'wait approve:#3').attributes).toMatchObject({
      'flyball.effect.of': '#3',
      'flyball.wait.kind': 'approval',
    });
  });

  it('holds no attribute outside of the two namespaces and the error type [V14.4]', () => {
    const keys = spansIn(traceOf('r1', purchase({ crash: true }))).flatMap(({ attributes }) => Object.keys(attributes));
    expect(keys.filter((key) => !/^(gen_ai|flyball)\.|^error\.type$/.test(key))).toEqual([]);
  });

  it('holds no content: no prompt, argument, result, error text, subject or token [V14.5]', () => {
    const journal = new JournalBuilder().add(
      runStart({ input: { secret: 'CANARY' }, subject: 'CANARY' }),
      attemptStart(1),
    );
    journal.add(
      askStart('#0'),
      askEnd('#0', { text: 'CANARY' }),
      intent('#1', 'pay', { input: 'CANARY' }),
      complete('#1', 'CANARY'),
    );
    journal.add(
      abort('#2', 'EFFECT_FAILED', {
        of: 'call',
        name: 'x',
        failure: { code: 'EFFECT_FAILED', message: 'CANARY', retryable: false },
      }),
    );
    journal.add({
      type: 'wait-start',
      id: '#3',
      fp: 'f',
      kind: 'signal',
      name: 'go',
      token: 'CANARY',
      request: 'CANARY',
    });
    journal.add({ type: 'wait-end', id: '#3', from: 'bob', payload: 'CANARY' });
    journal.add(spawnStart('#4', 'child', '/c.0', 'CANARY'), {
      type: 'spawn-end',
      id: '#4',
      outcome: { stop: 'done', value: 'CANARY' },
    });
    journal.add(
      runEnd({
        stop: 'failed',
        because: 'CANARY',
        failure: { code: 'EFFECT_FAILED', message: 'CANARY', retryable: false },
      }),
    );
    const trace = traceOf('r1', journal.entries);
    expect(spansIn(trace)).toHaveLength(7);
    expect(JSON.stringify(trace)).not.toContain('CANARY');
  });

  it('takes start and end from the journal, a second attempt at an effect included', () => {
    const entries = purchase({ crash: true });
    const ask = named(traceOf('r1', entries), 'chat claude-sonnet-4-5');
    expect((ask.endMs ?? 0) - ask.startMs).toBe(31_000);
    expect(ask.attributes['flyball.effect.starts']).toBe(2);
    const root = traceOf('r1', entries);
    expect([root.startMs, root.endMs]).toEqual([entries[0]?.at, entries.at(-1)?.at]);
  });

  it('ends an attempt where its owner was last heard of, and calls it an error when it was taken over', () => {
    const attempts = spansIn(traceOf('r1', purchase({ crash: true }))).filter(({ kind }) => kind === 'attempt');
    expect(attempts.map(({ status }) => status)).toEqual(['error', 'ok', 'error', 'ok']);
    expect(attempts[0]?.endMs).toBe(attempts[0]?.startMs); // the 30 s until it was found are nobody's
  });

  it('marks failures with their code', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      attemptStart(1),
      abort('#0', 'EFFECT_TIMEOUT', { of: 'call', name: 'mail' }),
    );
    journal.add(runEnd({ stop: 'bounded', bound: 'costUsd', limit: 1 }));
    const root = traceOf('r1', journal.entries);
    expect(named(root, 'execute_tool mail')).toMatchObject({
      status: 'error',
      attributes: { 'error.type': 'EFFECT_TIMEOUT' },
    });
    expect(root).toMatchObject({
      status: 'error',
      attributes: { 'error.type': 'bounded', 'flyball.outcome': 'bounded' },
    });
  });

  it('leaves nothing open once the run has ended, but an INTENT that nobody settled', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      attemptStart(1),
      phase('ACT'),
      askStart('#0'),
      intent('#1', 'pay'),
    );
    expect(spansIn(traceOf('r1', journal.entries)).every(({ status }) => status === 'open')).toBe(true);
    journal
      .after(5)
      .add({ type: 'cancel', by: 'ann', why: 'enough' }, runEnd({ stop: 'cancelled', because: 'enough' }));
    const open = spansIn(traceOf('r1', journal.entries)).filter(({ status }) => status === 'open');
    expect(open.map(({ name }) => name)).toEqual(['execute_tool pay']);
    expect(named(traceOf('r1', journal.entries), 'chat claude-sonnet-4-5').attributes).toMatchObject({
      'flyball.effect.dropped': true,
    });
  });

  it('closes the phases of a child with the child, and hangs later effects where they belong', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      attemptStart(1),
      phase('OUTER'),
      spawnStart('#0', 'child', '/c.0'),
    );
    journal.add(phase('INNER', '/c.0'), pure('/c.0/deep#0', 'a', 1)).after(3);
    journal.add(
      { type: 'spawn-end', id: '#0', outcome: { stop: 'done', value: 1 } },
      pure('#1', 'b', 1),
      phase('LAST'),
      pure('/x#0', 'c', 1),
    );
    const root = traceOf('r1', journal.entries);
    expect(drawn(root)).toEqual([
      'invoke_agent buyer',
      '  attempt 1',
      '  phase OUTER',
      '    invoke_agent child',
      '      phase INNER',
      '        step a',
      '    step b',
      '  phase LAST',
      '    step c',
    ]);
    expect(named(root, 'phase INNER')).toMatchObject({ status: 'ok' });
  });

  it('ends all phases with their generation', () => {
    const journal = new JournalBuilder()
      .add(runStart(), attemptStart(1), phase('ACT'), { type: 'generation-end', undo: [] })
      .nextGeneration();
    const carried = { v: 1, input: 1, budget: budget(), state: newRunState('ada') };
    journal.add({ type: 'generation-start', ...carried }, pure('#0', 'a', 1));
    expect(drawn(traceOf('r1', journal.entries))).toEqual([
      'invoke_agent buyer',
      '  attempt 1',
      '  phase ACT',
      '  step a',
    ]);
    expect(named(traceOf('r1', journal.entries), 'phase ACT').status).toBe('ok');
  });

  it('counts the tokens of failed attempts too', () => {
    const journal = new JournalBuilder().add(runStart(), askStart('#0'));
    const reply = { text: '{}', finish: 'stop', usage: { input: 70, output: 9 }, costUsd: 0, ms: 1 } as const;
    journal.add({ type: 'ask-end', id: '#0', reply, spent: { modelCalls: 1, tokensIn: 120, tokensOut: 20 } });
    const { attributes } = named(traceOf('r1', journal.entries), 'chat claude-sonnet-4-5');
    expect(attributes).toMatchObject({
      'gen_ai.usage.input_tokens': 120,
      'gen_ai.usage.output_tokens': 20,
    });
  });

  it('keeps a bounded run in its phase when it goes on', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      attemptStart(1),
      phase('ACT'),
      runEnd({ stop: 'bounded', bound: 'costUsd', limit: 1 }),
    );
    journal.add({ type: 'run-resume', by: 'ann' }, attemptStart(2, 'resume'), pure('#0', 'a', 1));
    const root = traceOf('r1', journal.entries);
    expect(root.status).toBe('open');
    expect(named(root, 'phase ACT')).toMatchObject({ status: 'open', children: [{ name: 'step a' }] });
  });

  it('makes one root of an empty journal too', () => {
    expect(traceOf('r1', [])).toMatchObject({ kind: 'run', status: 'open', children: [] });
  });
});
