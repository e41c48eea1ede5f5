import { type Agent, done, type Session } from 'flyball';
import { defineAgent } from 'flyball/agents';
import {
  described,
  framed,
  guarded,
  reflexion,
  selfConsistency,
  untilApproved,
  useFrom,
  zeroShot,
} from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { delegateTo, delegateTool, tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ended, session } from '../../../../test/patterns/bed.js';

const VOTES = { samples: 3 } as const;
const look = tool({
  name: 'look',
  description: 'Looks.',
  effect: 'pure',
  input: z.object({}),
  execute: async () => 'seen',
});
const looks = { text: '', toolCalls: [{ id: '1', name: 'look', arguments: '{}' }] };

function clerkOf(replies: Parameters<typeof scriptedModel>[0][string], more: object = {}) {
  const model = scriptedModel({ clerk: replies });
  const loop = { doubleConfirmation: false };
  return { model, clerk: defineAgent({ name: 'clerk', description: 'A clerk.', model, loop, ...more }) };
}

const patterns = (uses: readonly { readonly pattern: string }[]) => uses.map(({ pattern }) => pattern);

// each test is held against the formulas of all patterns in its journal: see test/patterns/predicted-calls.ts
describe('a part of a pattern', () => {
  it('that defineAgent made says what it is, and its calls are not those of the pattern [R11-N8-PARTS]', async () => {
    const { clerk } = clerkOf(() => 'yes');
    const { uses } = await ended(selfConsistency(clerk.agent, {}, VOTES), 'Well?');
    expect(patterns(uses)).toEqual(['selfConsistency', 'defineAgent', 'defineAgent', 'defineAgent']);
    expect(uses[0]).toMatchObject({ modelCalls: 3 });
    expect(uses[1]).toMatchObject({ params: { id: 'O1', agent: 'clerk' }, modelCalls: 1, learned: { turns: 1 } });

    const once = clerkOf((_request: unknown, n: number) => (n === 1 ? '' : 'yes'));
    const asked = await ended(untilApproved(once.clerk.invoke, { test: () => ({ ok: true }) }), 'Well?');
    expect(asked.uses[1]).toMatchObject({ pattern: 'defineAgent', modelCalls: 2, learned: { turns: 2 } });
  });

  it('that defineAgent made opens no scope where it is the whole run [R11-N8-PARTS]', async () => {
    const { clerk } = clerkOf([looks, 'yes'], { tools: [look] });
    expect((await ended(clerk.agent, 'Well?')).uses).toEqual([]);
  });

  it('stays what it is under guards and framings [R11-N8-PARTS]', async () => {
    const { clerk, model: asked } = clerkOf((_request: unknown, n: number) => (n % 2 === 1 ? looks : 'yes'), {
      tools: [look],
    });
    const careful = {
      id: 'careful',
      session: <T>(given: Session<T>) => ({ ...given, setup: `${given.setup}\n\nBe careful.` }),
    };
    const denies = { 'tool.pre': [() => async () => ({ allow: false, why: 'not today' }) as const] };
    const wrapped = guarded(framed(clerk.agent, careful), denies);
    const { uses, entries } = await ended(
      reflexion(wrapped, { test: () => ({ ok: true }), critic: () => 'no' }),
      'Well?',
    );
    expect(patterns(uses).slice(0, 2)).toEqual(['reflexion', 'defineAgent']);
    expect(uses[1]).toMatchObject({ modelCalls: 2, learned: { turns: 2 } });
    expect(JSON.stringify(entries)).toContain('not today');
    expect(asked.promptAt('clerk')).toContain('Be careful.');

    const model = scriptedModel({ answerer: () => 'yes' });
    const pattern = guarded(framed(zeroShot(session(model, 'answerer'))), denies);
    const voted = await ended(selfConsistency(pattern, {}, VOTES), 'Well?');
    expect(patterns(voted.uses)).toEqual(['selfConsistency', 'zeroShot', 'zeroShot', 'zeroShot']);
  });

  it('that is only described, or not at all, gets a scope from the pattern [R11-N8-PARTS]', async () => {
    const model = scriptedModel({ clerk: () => 'yes' });
    const plain: Agent<string, string> = async (run, task) => done((await run.ask(session(model, 'clerk'), task)).text);
    const parts = { answerer: session(model, 'clerk') };
    const known = described(
      async (run: Parameters<typeof plain>[0], task: string) => plain(run, task),
      useFrom({ id: 'S1', name: 'once', parts, calls: { part: 'answerer' } }),
    );
    for (const agent of [plain, known]) {
      const { uses } = await ended(selfConsistency(agent, {}, VOTES), 'Well?');
      expect(patterns(uses)).toEqual(['selfConsistency', 'part', 'part', 'part']);
    }
    const judged = described(
      async (run: Parameters<typeof plain>[0], value: string) =>
        ({ ok: (await plain(run, value)).stop === 'done' }) as never,
      useFrom({ id: 'V15', name: 'judge', parts: { judge: session(model, 'judge') }, calls: { part: 'judge' } }),
    );
    const { uses } = await ended(untilApproved(plain, { test: judged }), 'Well?');
    expect(patterns(uses)).toEqual(['untilApproved', 'part', 'test']);
  });

  it('predicts no most where a tool of defineAgent hands its work to an agent [R11-FORMULA-PREDICTED]', async () => {
    const model = scriptedModel({ finder: () => 'high' });
    const finder = selfConsistency(zeroShot(session(model, 'finder')), {}, VOTES);
    const research = delegateTool({
      name: 'research',
      description: 'Researches a topic. Not for sums.',
      input: z.object({ topic: z.string() }),
      delegates: ({ topic }) => delegateTo(finder, topic, { modelCalls: 10 }),
    });
    const calls = { text: '', toolCalls: [{ id: '1', name: 'research', arguments: '{"topic":"tides"}' }] };
    const { clerk } = clerkOf([calls, 'yes'], {
      tools: [research],
      loop: { doubleConfirmation: false, maxIterations: 2 },
    });
    const { uses } = await ended(untilApproved(clerk.agent, { test: () => ({ ok: true }) }), 'Well?');
    expect(uses[1]).toMatchObject({ pattern: 'defineAgent', modelCalls: 5, learned: { turns: 2 } });
  });
});
