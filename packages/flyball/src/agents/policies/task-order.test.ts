import { describe, expect, it } from 'vitest';
import { bankingMachine } from '../../../../evals/src/tau2/policies/banking-machine.js';
import { orderTasks } from './task-order.js';

const rules = bankingMachine.precedence;

describe('the order of tasks', () => {
  it.each([
    ['credit limit before dispute', ['File a transaction dispute', 'Raise the credit limit'], [1, 0]],
    ['opening before closing', ['Close the Blue Account', 'Open a Green Account'], [1, 0]],
    ['transfer before closing', ['Closing of savings', 'Transfer the funds'], [1, 0]],
    ['replacement before closing', ['close my card', 'Replacement for the lost card'], [1, 0]],
    ['balance before closing', ['Closure of the card', 'Pay the balance'], [1, 0]],
  ] as const)('puts %s [R5-TALK-IMP-ORDER]', (_rule, tasks, order) => {
    expect(orderTasks(tasks, rules)).toEqual({ ordered: order.map((at) => tasks[at]), cyclic: [] });
  });

  it('has exactly the five rules of the paper for banking [R5-TALK-IMP-ORDER]', () => {
    expect(rules).toEqual([
      ['credit limit', 'dispute'],
      ['open', 'clos'],
      ['transfer', 'clos'],
      ['replacement', 'clos'],
      ['balance', 'clos'],
    ]);
  });

  it('leaves unrelated tasks where they are and takes each once, unlike the listing in the paper [R5-TALK-IMP-ORDER]', () => {
    const tasks = ['Change email', 'Close the account', 'Reset the PIN', 'Transfer the money', 'Send a statement'];
    const { ordered, cyclic } = orderTasks(tasks, rules);
    expect(ordered).toEqual([
      'Change email',
      'Reset the PIN',
      'Transfer the money',
      'Close the account',
      'Send a statement',
    ]);
    expect(cyclic).toEqual([]);
  });

  it('keeps two tasks of the same words: they are two requests [R5-TALK-IMP-ORDER]', () => {
    expect(orderTasks(['File a dispute', 'File a dispute'], rules).ordered).toEqual([
      'File a dispute',
      'File a dispute',
    ]);
  });

  it('keeps tasks on a cycle, and those behind it, in the order given, and says so [R5-TALK-IMP-ORDER]', () => {
    const both = ['Open A and close B', 'Close A and open B', 'Close C', 'Send a letter'];
    expect(orderTasks(both, rules)).toEqual({
      ordered: ['Send a letter', 'Open A and close B', 'Close A and open B', 'Close C'],
      cyclic: ['Open A and close B', 'Close A and open B', 'Close C'],
    });
  });

  it('holds for every list of up to six tasks: a permutation that breaks no rule outside a cycle [R5-TALK-IMP-ORDER]', () => {
    const words = ['open x', 'close y', 'credit limit', 'dispute z', 'transfer', 'letter'];
    for (let mask = 0; mask < 6 ** 4; mask++) {
      const tasks = [0, 1, 2, 3].map((place) => words[Math.floor(mask / 6 ** place) % 6] ?? '');
      const { ordered, cyclic } = orderTasks(tasks, rules);
      expect([...ordered].sort()).toEqual([...tasks].sort());
      expect(cyclic).toEqual([]);
      for (const [a, b] of rules) {
        const lastBefore = ordered.findLastIndex((task) => task.includes(a));
        const firstAfter = ordered.findIndex((task) => task.includes(b));
        if (firstAfter >= 0) expect(lastBefore).toBeLessThan(firstAfter);
      }
    }
  });
});
