import { describe, expect, it } from 'vitest';
import {
  abort,
  askEnd,
  askStart,
  complete,
  intent,
  JournalBuilder,
  pure,
  runEnd,
  runStart,
  spawnStart,
} from './fixtures.test-data.js';
import { type Observation, observationsOf } from './observations.js';

const note = (event: { readonly kind: string; readonly [key: string]: unknown }, path = '') =>
  ({ type: 'note', path, event }) as const;

function told(journal: JournalBuilder, include: 'public' | 'all' = 'public'): readonly Observation[] {
  return observationsOf(journal.entries, { runId: 'r1', include });
}

describe('observations', () => {
  it('are one for each model reply, tool call, decision and failure, in order [R3-OBS-CAPTURE]', () => {
    const journal = new JournalBuilder().add(runStart(), askStart('#0')).after(5).add(askEnd('#0'));
    journal.add(pure('#1', 'search', { text: 'three teas' }, 'call'), pure('#2', 'count', 3));
    journal.add(
      intent('#3', 'pay'),
      abort('#3', 'EFFECT_TIMEOUT'),
      abort('#4', 'EFFECT_FAILED', { of: 'step', name: 'x' }),
    );
    journal.add(note({ kind: 'decision', content: 'green, not black', why: 'taste' }));
    journal.add({ type: 'guard-decision', id: '#5', guard: 'policy', verdict: 'denied', why: 'no mail', rule: 'r7' });
    const found = told(journal);
    expect(found.map(({ type, content }) => [type, content])).toEqual([
      ['llm_response', 'buy green tea'],
      ['tool_call', 'three teas'],
      ['tool_call', 'it went wrong: EFFECT_TIMEOUT'],
      ['error', 'it went wrong: EFFECT_FAILED'],
      ['decision', 'green, not black'],
      ['decision', 'no mail'],
    ]);
    expect(found[0]).toEqual({
      id: 'r1:0:2',
      type: 'llm_response',
      session: 'r1',
      agent: 'buyer',
      content: 'buy green tea',
      metadata: {
        effect: '#0',
        role: 'drafter',
        model: 'anthropic/claude-sonnet-4-5',
        finish: 'stop',
        tokens: { input: 120, output: 40 },
      },
      tags: [],
      at: journal.entries[2]?.at,
    });
    expect(found.slice(1).map(({ metadata }) => metadata)).toEqual([
      { effect: '#1', tool: 'search', ok: true },
      { effect: '#3', tool: 'pay', ok: false, code: 'EFFECT_TIMEOUT' },
      { effect: '#4', code: 'EFFECT_FAILED', category: 'runtime', severity: 'medium' },
      { why: 'taste' },
      { effect: '#5', guard: 'policy', verdict: 'denied', rule: 'r7' },
    ]);
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
  });

  it('carry session, agent and tags of the loop or child around them [R3-OBS-CAPTURE]', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      note({ kind: 'loop-start', agent: 'clerk', session: 'chat-7', tags: ['billing'], loop: '/loop' }, '/loop'),
      pure('/loop#0', 'search', 'x', 'call'),
      spawnStart('/loop#1', 'researcher', '/loop/researcher.0'),
      pure('/loop/researcher.0#0', 'search', 'y', 'call'),
      pure('#0', 'search', 'z', 'call'),
    );
    expect(told(journal).map(({ content, session, agent, tags }) => [content, session, agent, tags])).toEqual([
      ['x', 'chat-7', 'clerk', ['billing']],
      ['y', 'chat-7', 'researcher', ['billing']],
      ['z', 'r1', 'buyer', []],
    ]);
    const nameless = new JournalBuilder().add(
      runStart(),
      note({ kind: 'loop-start' }),
      pure('#0', 'search', 'x', 'call'),
    );
    expect(told(nameless)[0]).toMatchObject({ agent: 'buyer', session: 'r1' });
  });

  it('are those the agent made itself, too [R3-OBS-CAPTURE]', () => {
    const own = { kind: 'observation', type: 'error', content: 'odd', metadata: { n: 1 }, tags: ['later'] };
    const [found] = told(new JournalBuilder().add(runStart(), note(own), note({ kind: 'plan', steps: [] })));
    expect(found).toMatchObject({ type: 'error', content: 'odd', metadata: { n: 1 }, tags: ['later'] });
  });

  it('leave out what is private: tagged notes, and effects of private scopes, sessions and tools [R3-OBS-PRIVATE]', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      askStart('#0', { session: 'therapist' }),
      askEnd('#0', { text: 'secret 1' }),
      pure('#1', 'diary', 'secret 2', 'call'),
      pure('#2', 'search', 'open', 'call'),
      note({ kind: 'private', sessions: ['therapist'], tools: ['diary'] }), // holds for what came before it
      note({ kind: 'observation', type: 'decision', content: 'secret 3', tags: ['private'] }),
      spawnStart('#3', 'confessor', '/confessor.0'),
      note({ kind: 'private' }, '/confessor.0'),
      pure('/confessor.0#0', 'search', 'secret 4', 'call'),
      note({ kind: 'decision', content: 'secret 5' }, '/confessor.0'),
      abort('/confessor.0#1', 'EFFECT_FAILED', { of: 'step', name: 'secret 6' }),
    );
    expect(told(journal).map(({ content }) => content)).toEqual(['open']);
    const all = told(journal, 'all');
    expect(all).toHaveLength(7);
    expect(all.filter(({ tags }) => tags.includes('private'))).toHaveLength(6);
  });

  it('tell of a run that failed, and not of one that was bounded by its own choice', () => {
    const failure = { code: 'FOREIGN_AWAIT', message: 'stuck', retryable: false } as const;
    const [found] = told(new JournalBuilder().add(runStart(), runEnd({ stop: 'failed', because: 'stuck', failure })));
    expect(found).toMatchObject({ type: 'error', content: 'stuck', metadata: { severity: 'high' } });
    expect(told(new JournalBuilder().add(runStart(), runEnd({ stop: 'bounded', bound: 'rounds', limit: 1 })))).toEqual(
      [],
    );
  });

  it('show a tool result without text as JSON', () => {
    const [found] = told(new JournalBuilder().add(runStart(), intent('#0', 'pay'), complete('#0', { receipt: 1 })));
    expect(found?.content).toBe('{"receipt":1}');
  });
});
