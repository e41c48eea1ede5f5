import { done, withoutValue } from 'flyball';
import { defineAgent } from 'flyball/agents';
import { isolated, mapReduce, withReviewers } from 'flyball/patterns';
import { tool } from 'flyball/tools';
import { describe, it } from 'vitest';
import { z } from 'zod';
import { session } from '../../../../../test/patterns/bed.js';
import { sameAfterCrashes } from '../../../../../test/patterns/crashes.js';

const has = (request: unknown, text: string): boolean => JSON.stringify(request).includes(text);

describe('orchestration patterns', () => {
  it('mapReduce ends the same after a crash at every write, with workers that act, and in forks with less to spend [O4.crash] [O4.fork]', async () => {
    await sameAfterCrashes('mapReduce', {
      script: { worker: (request) => (has(request, 'task a') ? 'did a' : 'did b') },
      agent: ({ acting }) =>
        mapReduce(
          {
            split: (input: string) => [`${input} a`, `${input} b`],
            worker: acting('worker'),
            join: (slots) => slots.map(({ value }) => value).join(' and '),
          },
          { maxWorkers: 3 },
        ),
      input: 'task',
      ends: { stop: 'done', says: ['did a and did b'] },
    });
  });

  it('isolated ends the same after a crash at every write, with a sub-task that acts [O17.crash]', async () => {
    await sameAfterCrashes('isolated', {
      script: { worker: () => 'counted 7' },
      agent: ({ acting }) =>
        isolated(acting('worker'), { brief: (file: string) => `Count ${file}.` }, { slice: { share: 0.5 } }),
      input: 'run.ts',
      ends: { stop: 'done', says: ['counted 7'] },
    });
  });

  it('withReviewers ends the same after a crash at every write, with a draft that acts [O9.crash]', async () => {
    const brief = { ranked: ['style-1'], contradictions: [], dismissed: [], brief: 'Shorten it.' };
    await sameAfterCrashes('withReviewers', {
      script: {
        writer: () => 'a long draft',
        style: (request) => JSON.stringify({ issues: has(request, 'a long draft') ? [{ text: 'Long.' }] : [] }),
        facts: () => JSON.stringify({ issues: [] }),
        editor: (request) =>
          has(request, 'style-1')
            ? JSON.stringify({ verdict: 'FAIL', ...brief })
            : JSON.stringify({ verdict: 'PASS', ...brief, ranked: [] }),
        reviser: () => 'a short one',
      },
      agent: ({ model, acting }) => {
        const seat = (name: string) => session(model, name);
        return withReviewers(
          acting('writer'),
          {
            reviewers: { facts: seat('facts'), style: seat('style') },
            editor: seat('editor'),
            reviser: seat('reviser'),
          },
          { precedence: ['facts', 'style'] },
        );
      },
      input: 'Write.',
      ends: { stop: 'done', says: ['a short one'] },
    });
  });

  it('defineAgent ends the same after a crash at every write, with a tool that acts [O1.crash]', async () => {
    await sameAfterCrashes('defineAgent', {
      script: {
        clerk: (request) =>
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
        const clerk = defineAgent({
          name: 'clerk',
          description: 'Saves.',
          model,
          tools: [save],
          outputs: { answer: {} },
        });
        return async (run, input: string) => {
          const ended = await clerk.agent(run, input as never);
          return ended.stop === 'done' ? done(ended.value.output) : withoutValue(ended);
        };
      },
      input: 'Save it.',
      ends: { stop: 'done', says: ['All is saved.'] },
    });
  });
});
