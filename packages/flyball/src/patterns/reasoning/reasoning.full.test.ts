import { planAndSolve, reAct, selfConsistency, selfRefine } from 'flyball/patterns';
import { tool } from 'flyball/tools';
import { describe, it } from 'vitest';
import { z } from 'zod';
import { session } from '../../../../../test/patterns/bed.js';
import { sameAfterCrashes } from '../../../../../test/patterns/crashes.js';

const has = (request: unknown, text: string): boolean => JSON.stringify(request).includes(text);

describe('reasoning patterns', () => {
  it('selfConsistency ends the same after a crash at every write, with samples that act [R17.crash]', async () => {
    await sameAfterCrashes('selfConsistency', {
      script: { solver: () => '18' },
      agent: ({ acting }) => selfConsistency(acting('solver'), {}, { samples: 3 }),
      input: 'Eggs?',
      ends: { stop: 'done', says: ['18'] },
    });
  });

  it('selfRefine ends the same after a crash at every write, with a draft that acts [R8.crash]', async () => {
    const issues = JSON.stringify({ issues: [{ text: 'too long', severity: 'high' }] });
    await sameAfterCrashes('selfRefine', {
      script: {
        writer: () => 'a long draft',
        critic: (request) => (has(request, 'a short one') ? 'DONE' : issues),
        reviser: () => 'a short one',
      },
      agent: ({ model, acting }) =>
        selfRefine(acting('writer'), { critic: session(model, 'critic'), reviser: session(model, 'reviser') }),
      input: 'Write.',
      ends: { stop: 'done', says: ['a short one'] },
    });
  });

  it('reAct ends the same after a crash at every write, with a tool that acts [R4.crash]', async () => {
    await sameAfterCrashes('reAct', {
      script: {
        worker: (request) =>
          has(request, 'saved it')
            ? 'All is saved.'
            : { text: '', toolCalls: [{ id: 'c1', name: 'save', arguments: '{"what":"it"}' }] },
      },
      agent: ({ model, outside }) => {
        const save = tool({
          name: 'save',
          description: 'Saves something.',
          input: z.object({ what: z.string() }),
          effect: 'idempotent',
          execute: async ({ what }, how) => {
            await outside.act(`save ${what}`, how);
            return `saved ${what}`;
          },
        });
        return reAct({ worker: session(model, 'worker'), tools: [save] });
      },
      input: 'Save it.',
      ends: { stop: 'done', says: ['All is saved.'] },
    });
  });

  it('planAndSolve ends the same after a crash at every write, with steps that act [R3.crash]', async () => {
    const steps = [
      { id: 'one', description: 'Do one.', expectedOutcome: '' },
      { id: 'two', description: 'Do two.', expectedOutcome: '', dependsOn: ['one'] },
    ];
    await sameAfterCrashes('planAndSolve', {
      script: {
        planner: () => JSON.stringify({ goal: 'g', shape: 'ordered', steps }),
        worker: (request) => (has(request, 'Do one.') ? 'first' : 'second'),
        answerer: () => 'both done',
      },
      agent: ({ model, acting }) =>
        planAndSolve({
          planner: session(model, 'planner'),
          worker: acting('worker'),
          answerer: session(model, 'answerer'),
        }),
      input: 'Do both.',
      ends: { stop: 'done', says: ['both done'] },
    });
  });
});
