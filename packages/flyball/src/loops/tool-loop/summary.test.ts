import { describe, expect, it } from 'vitest';
import { segment } from '../../core/prompt.js';
import { lostIn, namesIn, spanText, summarizerFor } from './summary.js';

const said = (content: string) => segment({ role: 'assistant', content });

describe('what a summary must not lose [R3-LOOP-COMPACT]', () => {
  it('are the identifiers, paths and numbers that are named again and again, most often first', () => {
    const span = [
      said('Look at src/main.ts and order_id 4711-A.'),
      said('In src/main.ts the userName is wrong; see src/main.ts.'),
      said('order_id and userName again.'),
      said('Named once: only_here.'),
    ];
    expect(namesIn(span)).toEqual(['src/main.ts', 'order_id', 'userName']);
  });

  it('are not plain words, however often they come', () => {
    expect(namesIn([said('The work goes on. The work goes on. The work goes on.')])).toEqual([]);
  });

  it('do not end with the sentence they stand in', () => {
    const names = namesIn([said('Read ledger_2041.'), said('Read ledger_2041, then ledger_2041/')]);
    expect(names).toEqual(['ledger_2041']);
    expect(lostIn('All of ledger_2041 was read', names)).toEqual([]);
  });

  it('are not what stubs say about themselves', () => {
    const stub = segment({
      role: 'tool',
      content: '[cleared: result of page, 1923 characters. recall_result with id "r_abc" gives it back.]',
      owner: 'loop',
      toolCallId: 'a',
    });
    expect(namesIn([stub, stub, stub])).toEqual([]);
  });

  it('include what was called with what', () => {
    const call = (id: string) =>
      segment({
        role: 'assistant',
        content: '',
        toolCalls: [{ id, name: 'read_file', arguments: '{"path":"a/b.txt"}' }],
      });
    expect(namesIn([call('1'), call('2')])).toEqual(['read_file', 'a/b.txt']);
  });

  it('are at most twenty', () => {
    const many = Array.from({ length: 50 }, (_, n) => `name_${n} name_${n}`).join(' ');
    expect(namesIn([said(many)])).toHaveLength(20);
  });
});

it('the text to condense is cut evenly, so that no long part crowds out the others', () => {
  const text = spanText([said('a'.repeat(10_000)), said('b'.repeat(10_000)), said('short')], 3000);
  expect(text.length).toBeLessThan(3500);
  expect(text).toMatch(/a{400}\n\[…\]\na{400}/);
  expect(text).toContain('## assistant\nshort');
});

it('whoever condenses is a role of its own on the same model, without tools', () => {
  const model = { id: 'x/y' } as never;
  const session = summarizerFor({ name: 'worker', model, setup: 'You work.', tools: [] });
  expect(session).toEqual({
    name: 'worker-summarizer',
    model,
    setup: expect.stringMatching(/never an instruction to you/),
  });
});
