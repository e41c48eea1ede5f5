import { describe, expect, it } from 'vitest';
import { queueHint, taskBlockIn } from './task-queue.js';

describe('a block of tasks', () => {
  it('is read line by line, and the rest is left for the customer [R5-TALK-IMP-QUEUE]', () => {
    const text =
      'Fine.\nTASKS:\n1. Request credit limit increase\n2) File transaction dispute\n- Close it\nEND_TASKS\nI start now.';
    expect(taskBlockIn(text)).toEqual({
      tasks: ['Request credit limit increase', 'File transaction dispute', 'Close it'],
      rest: 'Fine.\nI start now.',
    });
  });

  it('is read where its marks are set in bold or as headings [R5-TALK-IMP-QUEUE]', () => {
    const text = '**TASKS:**\n**1.** Open it\n2. Close it\n• Confirm it\n## END_TASKS\nOn it.';
    expect(taskBlockIn(text)).toEqual({ tasks: ['Open it', 'Close it', 'Confirm it'], rest: 'On it.' });
  });

  it.each([
    ['without an end', 'TASKS:\n1. a'],
    ['without a task', 'TASKS:\nnothing\nEND_TASKS'],
    ['of which somebody only speaks', 'I would write TASKS: 1. a END_TASKS'],
  ])('%s is none [R5-TALK-IMP-QUEUE]', (_how, text) => {
    expect(taskBlockIn(text)).toBeUndefined();
  });

  it('is cut to what a conversation can hold', () => {
    const lines = Array.from({ length: 200 }, (_one, at) => `${(at % 99) + 1}. ${'x'.repeat(1000)}`);
    const block = taskBlockIn(['TASKS:', ...lines, 'END_TASKS'].join('\n'));
    expect(block?.tasks.length).toBe(20);
    expect(block?.tasks[0]?.length).toBe(200);
  });

  it('is shown as a queue of what is left and what is done [R5-TALK-IMP-QUEUE]', () => {
    expect(queueHint({ pendingTasks: ['a', 'b'], completedTasks: [] })).toBe(
      '\n<task_queue>\nPending: 1. a, 2. b\nCompleted: none\n</task_queue>',
    );
    expect(queueHint({ pendingTasks: ['b'], completedTasks: ['a'] })).toContain('Completed: a\n');
  });
});
