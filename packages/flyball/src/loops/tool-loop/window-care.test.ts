import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversations } from '../../../../../test/loops/conversations.js';
import { append, linksOf, type Prompt, type Segment } from '../../core/prompt.js';
import { clearConsumed, compactable } from './window-care.js';

const segmentsOf = (prompt: Prompt): readonly Segment[] => linksOf(prompt).map(({ segment }) => segment);
const keepRecents = fc.integer({ min: 1, max: 8 });

/** Where the last `keep` turns begin: each is an assistant's message and all up to the next. */
function recentFrom(segments: readonly Segment[], keep: number): number {
  const starts = segments.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  return starts[Math.max(0, starts.length - keep)] ?? segments.length;
}

/** Every call has its results right behind it, in order, and no result stands without its call. */
function expectPaired(segments: readonly Segment[]): void {
  let open: string[] = [];
  for (const { role, toolCalls = [], toolCallId } of segments) {
    if (role === 'tool') expect(open.shift(), 'the result belongs to the next open call').toBe(toolCallId);
    else expect(open, 'calls without a result').toEqual([]);
    if (role === 'assistant') open = toolCalls.map(({ id }) => id);
  }
  expect(open, 'calls without a result').toEqual([]);
}

/** The task: the last thing that somebody other than the loop said, beside what is kept anyway. */
function taskOf(segments: readonly Segment[]): number {
  return segments.findLastIndex(({ role, owner, protect }) => role === 'user' && owner !== 'loop' && !protect);
}

describe('clearing consumed results', () => {
  it('leaves everything else byte-identical and in its place [R3-LOOP-CLEAR]', () => {
    fc.assert(
      fc.property(conversations, keepRecents, (prompt, keep) => {
        const before = segmentsOf(prompt);
        const { prompt: cleared, originals, from } = clearConsumed(prompt, keep);
        const after = segmentsOf(cleared);
        expect(after).toHaveLength(before.length);
        const recent = recentFrom(before, keep);
        const changed = after.flatMap((segment, index) => (segment.content === before[index]?.content ? [] : [index]));
        for (const [index, segment] of after.entries()) {
          if (!changed.includes(index)) expect(segment).toEqual(before[index]);
          else expect({ ...segment, content: '', owner: '' }).toEqual({ ...before[index], content: '', owner: '' });
        }
        for (const index of changed) {
          expect(index).toBeLessThan(recent);
          expect(before[index]?.protect).toBe(false);
          expect(index).not.toBe(taskOf(before));
          expect(after[index]?.content.length).toBeLessThan(before[index]?.content.length ?? 0);
        }
        expect(originals.size).toBe(new Set(changed.map((index) => linksOf(prompt)[index]?.id)).size);
        if (changed.length > 0) expect(from).toBe(changed[0]);
        else expect(cleared).toBe(prompt);
        expectPaired(after);
      }),
    );
  });

  it('is undone by what the stubs name, to the byte [R3-LOOP-CLEAR]', () => {
    fc.assert(
      fc.property(conversations, keepRecents, (prompt, keep) => {
        const { prompt: cleared, originals } = clearConsumed(prompt, keep);
        const restored = segmentsOf(cleared).map(({ content, owner }) => {
          const id =
            owner === 'loop' ? /^\[cleared: .*recall_result with id "(r_[\w-]{10})"/.exec(content)?.[1] : undefined;
          return id === undefined ? content : originals.get(id);
        });
        expect(restored).toEqual(segmentsOf(prompt).map(({ content }) => content));
      }),
    );
  });

  it('changes nothing more when it is done again [R3-LOOP-CLEAR]', () => {
    fc.assert(
      fc.property(conversations, keepRecents, (prompt, keep) => {
        const once = clearConsumed(prompt, keep).prompt;
        expect(clearConsumed(once, keep).prompt).toBe(once);
      }),
    );
  });

  it('makes the prompt smaller by exactly what it took out [R3-LOOP-CLEAR]', () => {
    fc.assert(
      fc.property(conversations, keepRecents, (prompt, keep) => {
        const { prompt: cleared } = clearConsumed(prompt, keep);
        const sizes = (of: Prompt) => segmentsOf(of).reduce((sum, { content }) => sum + content.length, 0);
        expect(prompt.size - cleared.size).toBe(sizes(prompt) - sizes(cleared));
        if (cleared !== prompt) expect(cleared.size).toBeLessThan(prompt.size);
      }),
    );
  });

  it('does nothing to a result that no model has seen yet [R3-LOOP-CLEAR]', () => {
    let tip = append(undefined, { role: 'user', content: 'Read it.' });
    tip = append(tip, { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'read', arguments: '{}' }] });
    tip = append(tip, { role: 'tool', content: 'x'.repeat(5000), toolCallId: 'a', name: 'read' });
    expect(clearConsumed(tip, 1).prompt).toBe(tip);
    const seen = append(tip, { role: 'assistant', content: 'I have read it.' });
    expect(clearConsumed(seen, 1).prompt.size).toBeLessThan(300);
  });

  it('is not put off by a result that looks like a stub [R3-LOOP-CLEAR]', () => {
    let tip = append(undefined, { role: 'user', content: 'Read it.' });
    tip = append(tip, { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'read', arguments: '{}' }] });
    const content = `[cleared: ${'by somebody else '.repeat(100)}`;
    tip = append(tip, { role: 'tool', content, toolCallId: 'a', name: 'read', owner: 'read' });
    tip = append(tip, { role: 'assistant', content: 'Hm.' });
    expect(clearConsumed(tip, 1).originals.size).toBe(1);
  });
});

describe('compacting old turns', () => {
  it('never touches setup, task, protected or recent segments, nor their order [R3-LOOP-COMPACT]', () => {
    fc.assert(
      fc.property(conversations, keepRecents, (prompt, keep) => {
        const span = compactable(prompt, keep);
        if (span === undefined) return;
        const before = linksOf(prompt).map(({ segment }) => segment);
        const after = segmentsOf(span.with('What happened.'));
        const kept = after.filter(({ content }) => !content.endsWith('which it replaces]\nWhat happened.'));
        expect(after.length - kept.length).toBe(1);
        // what is kept is what was there, in order, without the span
        expect(kept).toEqual(before.filter((segment) => !span.segments.includes(segment)));
        const recent = recentFrom(before, keep);
        for (const [index, segment] of before.entries()) {
          const isSafe = index >= recent || index === taskOf(before) || segment.protect || segment.band !== 'log';
          if (isSafe) expect(kept).toContainEqual(segment);
        }
      }),
    );
  });

  it('keeps the task of a later turn when a person throws something in behind it [R3-LOOP-COMPACT]', () => {
    const said = ['first task', 'done', 'second task', 'working', 'thrown in', 'more', 'and more'];
    let prompt = append(undefined, { role: 'system', content: 'You work.', protect: true });
    for (const content of said) {
      const role = content.includes('task') || content === 'thrown in' ? 'user' : 'assistant';
      prompt = append(prompt, { role, content, protect: content === 'thrown in' });
    }
    expect(compactable(prompt, 1)?.segments.map(({ content }) => content)).toEqual(['more']);
  });

  it('never splits a call from its result [R3-LOOP-COMPACT]', () => {
    fc.assert(
      fc.property(conversations, keepRecents, (prompt, keep) => {
        const span = compactable(prompt, keep);
        if (span !== undefined) expectPaired(segmentsOf(span.with('What happened.')));
      }),
    );
  });

  it('makes the prompt smaller by what the summary is shorter [R3-LOOP-COMPACT]', () => {
    fc.assert(
      fc.property(conversations, keepRecents, (prompt, keep) => {
        const span = compactable(prompt, keep);
        if (span === undefined || span.fresh < 200) return;
        expect(span.with('short').size).toBeLessThan(prompt.size);
      }),
    );
  });

  it('leaves nothing to do when it is done again [R3-LOOP-COMPACT]', () => {
    fc.assert(
      fc.property(conversations, keepRecents, (prompt, keep) => {
        const span = compactable(prompt, keep);
        if (span !== undefined) expect(compactable(span.with('What happened.'), keep)).toBeUndefined();
      }),
    );
  });

  it('takes an earlier summary into the next one, so that summaries do not pile up [R3-LOOP-COMPACT]', () => {
    let tip = append(undefined, { role: 'user', content: 'Work.' });
    const work = (n: number): void => {
      for (let turn = 0; turn < n; turn++) tip = append(tip, { role: 'assistant', content: `step ${turn}`.repeat(30) });
    };
    work(5);
    tip = compactable(tip, 1)?.with('First summary.') as Prompt;
    work(5);
    const span = compactable(tip, 1);
    expect(span?.segments.map(({ content }) => content)).toContainEqual(
      expect.stringMatching(
        /^\[Summary of 4 earlier messages, [\w-]{10} to [\w-]{10}, which it replaces\]\nFirst summary\.$/,
      ),
    );
    const again = segmentsOf(span?.with('Second summary.') as Prompt);
    expect(again.map(({ content }) => content).filter((content) => content.startsWith('[Summary'))).toEqual([
      expect.stringMatching(
        /^\[Summary of 6 earlier messages, [\w-]{10} to [\w-]{10}, which it replaces\]\nSecond summary\.$/,
      ),
    ]);
  });

  it('labels its summary as text from outside: it may repeat some [R3-LOOP-COMPACT]', () => {
    let tip = append(undefined, { role: 'user', content: 'Work.' });
    for (let turn = 0; turn < 3; turn++) tip = append(tip, { role: 'assistant', content: 'words' });
    const summary = segmentsOf(compactable(tip, 1)?.with('Done.') as Prompt)[1];
    expect(summary).toMatchObject({ role: 'user', owner: 'loop', trust: 'outside', protect: false });
  });

  it('has nothing to do in a short conversation [R3-LOOP-COMPACT]', () => {
    const tip = append(undefined, { role: 'user', content: 'Hello.' });
    expect(compactable(tip, 1)).toBeUndefined();
    expect(compactable(append(tip, { role: 'assistant', content: 'Hi.' }), 1)).toBeUndefined();
  });
});
