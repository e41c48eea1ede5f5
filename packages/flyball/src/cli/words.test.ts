import { describe, expect, it } from 'vitest';
import type { Waiting } from '../core/outcome.js';
import { exampleOf, questionsOf } from './answers.js';
import { collectBudget } from './budget-option.js';
import { commandLineFor } from './command-line.js';

describe('commands to paste', () => {
  it('are quoted for a shell and name the database they need', () => {
    const command = commandLineFor('my runs.db');
    expect(command('signal', 'r1', "it's", '{"a":1}')).toBe(`flyball signal r1 'it'\\''s' '{"a":1}' --db 'my runs.db'`);
    expect(commandLineFor(undefined)('show', 'r1')).toBe('flyball show r1');
  });

  it('name each of several approvals and questions by its effect', () => {
    const gate = (n: number): Waiting => ({
      effect: `#${n}!gate`,
      kind: 'approval',
      name: `approve:#${n}`,
      token: `r1:0:#${n}!gate`,
    });
    const ask = (waiting: readonly Waiting[]) =>
      questionsOf({ runId: 'r1', waiting, entries: [], command: commandLineFor(undefined) }).map(
        ({ commands }) => commands[0],
      );
    expect(ask([gate(1)])).toEqual(['flyball approve r1']);
    expect(ask([gate(1), gate(2)])).toEqual([`flyball approve r1 '#1!gate'`, `flyball approve r1 '#2!gate'`]);
    const question = (n: number): Waiting => ({ ...gate(n), kind: 'question', effect: `#${n}!ask` });
    expect(ask([question(1), gate(2)])).toEqual(['flyball answer r1 null', 'flyball approve r1']);
    expect(ask([question(1), question(2)])).toEqual([
      `flyball answer r1 null '#1!ask'`,
      `flyball answer r1 null '#2!ask'`,
    ]);
  });

  it('come with what an approval rests on, and what is recommended instead [R8-PLANS-REQUESTS]', () => {
    const provenance = { by: { kind: 'code' }, sources: [], values: [{ path: '$.euros', sources: [] }] };
    const request = { action: 'pay', provenance, recommended: { euros: 5 } };
    const waiting: Waiting = { effect: '#1', kind: 'approval', name: 'review', token: 'r1:0:#1', request };
    expect(questionsOf({ runId: 'r1', waiting: [waiting], entries: [], command: commandLineFor(undefined) })).toEqual([
      {
        about: 'waits for approval of pay',
        grounds: [
          'Proposed by the code of the agent.',
          '$.euros: not found word for word in any source.',
          'Recommended instead: {"euros":5}',
        ],
        commands: ['flyball approve r1', 'flyball approve r1 --recommended', "flyball reject r1 --reason '…'"],
      },
    ]);
  });

  it('start from a value of the shape that a schema wants', () => {
    const schema = {
      type: 'object',
      required: ['name', 'kind', 'tags'],
      properties: {
        name: { type: 'string' },
        kind: { enum: ['a', 'b'] },
        tags: { type: 'array', items: { type: 'integer' } },
        rest: { type: 'boolean' },
      },
    };
    expect(exampleOf(schema)).toEqual({ name: '…', kind: 'a', tags: [0] });
    expect(exampleOf(true)).toBeNull();
  });
});

describe('--budget', () => {
  it('collects several axes, repeated or separated by commas', () => {
    expect(collectBudget('wallMs=5', collectBudget('costUsd=0.5,modelCalls=3'))).toEqual({
      costUsd: 0.5,
      modelCalls: 3,
      wallMs: 5,
    });
  });

  it('takes a deadline as a time', () => {
    expect(collectBudget('deadline=2030-01-31T12:00:00Z')).toEqual({ deadline: Date.UTC(2030, 0, 31, 12) });
  });

  it.each(['costUsd', 'costUsd=', 'costUsd=much', 'cost=1', 'costUsd=-1', 'deadline=soon', 'costUsd=Infinity'])(
    'refuses %s',
    (given) => {
      expect(() => collectBudget(given)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );
});
