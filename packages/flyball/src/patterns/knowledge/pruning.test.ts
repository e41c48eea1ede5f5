import { pruning, useOf } from 'flyball/patterns';
import { describe, expect, it } from 'vitest';
import { expectPaired, Reader } from '../../../../../test/patterns/window-bed.js';
import { append, linksOf, type Prompt } from '../../core/prompt.js';
import { clearConsumed } from '../../loops/tool-loop/window-care.js';

const contents = (prompt: Prompt): readonly string[] => linksOf(prompt).map(({ segment }) => segment.content);
const call = (id: string) => ({ id, name: 'read', arguments: '{}' });

/** A file and a test log are read for a task that is over, and another task is given. */
function twoTasks(): Prompt {
  let tip = append(undefined, { role: 'system', content: 'You work.', protect: true });
  tip = append(tip, { role: 'user', content: 'Fix it.' });
  tip = append(tip, { role: 'assistant', content: 'Reading.', toolCalls: [call('a'), call('b')] });
  tip = append(tip, { role: 'tool', content: 'FILE '.repeat(700), toolCallId: 'a', name: 'read' });
  tip = append(tip, { role: 'tool', content: 'LOG '.repeat(900), toolCallId: 'b', name: 'test' });
  tip = append(tip, { role: 'assistant', content: 'Fixed.' });
  return append(tip, { role: 'user', content: 'Now say it in French.' });
}

describe('pruning', () => {
  it('makes stubs of what a finished task has read, and leaves the rest to the byte, without a call [K7.1] [K7.4] [K7.acceptance]', async () => {
    const before = twoTasks();
    const loop = new Reader({ window: [pruning({}, { at: 'subtask' })], replies: ['C’est réparé.'] });
    const { outcome } = await loop.run(before);
    expect(outcome.stop).toBe('done');
    const [request] = loop.model.requests;
    const sent = request?.messages.map(({ content }) => content) ?? [];
    expect(sent[3]).toMatch(
      /^\[cleared: result of read, 3500 characters\. recall_result with id "r_[\w-]+" gives it back\.\]$/,
    );
    expect(sent[4]).toMatch(/^\[cleared: result of test, 3600 characters\./);
    const rest = (all: readonly string[]) => all.filter((_, index) => index !== 3 && index !== 4);
    expect(rest(sent)).toEqual(rest(contents(before)));
    expect(loop.model.requests).toHaveLength(1);
    const size = (all: readonly string[]): number => all.reduce((sum, { length }) => sum + length, 0);
    expect(size(contents(before)) - size(sent)).toBe(7_100 - (sent[3]?.length ?? 0) - (sent[4]?.length ?? 0));
  });

  it('does nothing to a result that no model has seen, nor to a task that goes on [K7.2] [K7.acceptance]', async () => {
    let tip = append(undefined, { role: 'user', content: 'Fix it.' });
    tip = append(tip, { role: 'assistant', content: '', toolCalls: [call('a')] });
    tip = append(tip, { role: 'tool', content: 'FILE '.repeat(700), toolCallId: 'a', name: 'read' });
    const unseen = append(tip, { role: 'user', content: 'Go on.' });
    const loop = new Reader({ window: [pruning({}, { at: 'subtask' })], replies: ['Done.'] });
    await loop.run(unseen);
    expect(JSON.stringify(loop.model.requests)).not.toContain('[cleared:');
    const threshold = new Reader({ window: [pruning()], replies: ['Done.'] });
    await threshold.run(twoTasks());
    expect(JSON.stringify(threshold.model.requests)).not.toContain('[cleared:');
  });

  it('keeps every call with its result [K7.3]', async () => {
    const loop = new Reader({ window: [pruning({}, { keepRecent: 1 })], pages: 30 });
    const { outcome } = await loop.run('Read.');
    expect(outcome.stop).toBe('done');
    for (const { messages } of loop.model.requests) expectPaired(messages);
    expect(JSON.stringify(loop.model.requests.at(-1))).toContain('[cleared:');
  });

  it('changes nothing ahead of a protected end of a cached prefix [K7.5]', () => {
    const links = linksOf(twoTasks()).map(({ segment }) => segment);
    let tip: Prompt | undefined;
    for (const [index, segment] of links.entries())
      tip = append(tip, index === 5 ? { ...segment, protect: true, cache: true } : segment);
    tip = append(tip, { role: 'assistant', content: '', toolCalls: [call('c')] });
    tip = append(tip, { role: 'tool', content: 'NEW '.repeat(500), toolCallId: 'c', name: 'read' });
    tip = append(tip, { role: 'assistant', content: 'Read.' });
    const { prompt, from, originals } = clearConsumed(tip, 1);
    expect(originals.size).toBe(1);
    expect(contents(prompt).slice(0, from)).toEqual(contents(tip).slice(0, from));
    expect(from).toBe(8);
  });

  it('says from where on a provider’s cache is void [K7.6]', async () => {
    const loop = new Reader({ window: [pruning({}, { at: 'subtask' })], replies: ['Done.'] });
    const { notes } = await loop.run(twoTasks());
    expect(notes.find(({ kind }) => kind === 'context-cleared')).toMatchObject({ from: 3, results: 2 });
  });

  it('gives back what it took out, to the byte [K7.7] [K7.acceptance]', async () => {
    const loop = new Reader({
      window: [pruning({}, { at: 'subtask' })],
      replies: [
        (request) => {
          const id = /"(r_[\w-]+)"/.exec(request.messages[3]?.content ?? '')?.[1];
          return { text: '', toolCalls: [{ id: 'back', name: 'recall_result', arguments: JSON.stringify({ id }) }] };
        },
        'Done.',
      ],
    });
    await loop.run(twoTasks());
    expect(loop.model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'FILE '.repeat(700) });
  });

  it('changes nothing more when it is done again [K7.8]', () => {
    const once = clearConsumed(twoTasks(), 1).prompt;
    expect(clearConsumed(once, 1).prompt).toBe(once);
  });

  it('lets a stub be worded, and refuses settings that mean nothing', async () => {
    const window = [pruning({ stub: ({ name }) => `used output of ${name}` }, { at: 'subtask' })];
    const loop = new Reader({ window, replies: ['Done.'] });
    await loop.run(twoTasks());
    expect(loop.model.requests[0]?.messages[3]?.content).toMatch(
      /^\[cleared: used output of read\. recall_result with id/,
    );
    expect(() => pruning({}, { keepRecent: 0 })).toThrow('pruning (K7) needs keepRecent');
    expect(() => pruning({}, { trigger: 2 })).toThrow('pruning (K7) needs trigger to be above 0 and at most 1: got 2.');
    expect(useOf(pruning())).toMatchObject({ id: 'K7', predicted: { min: 0, max: 0 } });
  });
});
