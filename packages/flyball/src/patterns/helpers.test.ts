import { type Agent, ConfigError, done, type Framing, type Run, type ToolSeams } from 'flyball';
import {
  adaptiveRag,
  checked,
  commandTest,
  compression,
  constraints,
  described,
  directCall,
  framed,
  guarded,
  isolated,
  lookupTool,
  mapReduce,
  pattern,
  planAndSolve,
  rag,
  reAct,
  selfConsistency,
  shaped,
  type Test,
  useFrom,
  useOf,
  validated,
  withQueryRewriting,
  zeroShot,
} from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { piece } from '../../../../test/checks/stage-checks.js';
import { ended, session } from '../../../../test/patterns/bed.js';
import type { Retriever } from '../ports/retriever.js';
import type { Sandbox, SandboxResult } from '../ports/sandbox.js';

const says = (text: string): Framing => ({
  id: `says:${text}`,
  session: (given) => ({ ...given, setup: `${given.setup} ${text}`.trim() }),
});

const noPrices = constraints(
  {
    items: [
      {
        id: 'price',
        forbid: 'A price.',
        instead: null,
        reason: 'It changes.',
        check: { kind: 'pattern', pattern: /\$/ },
      },
    ],
  },
  { version: '1' },
);

describe('framed', () => {
  it('puts framings on a session, and on every session inside an agent, the last one outermost [R11-PATTERN-HELPERS]', async () => {
    const model = scriptedModel({ clerk: () => 'x' });
    const clerk = session(model, 'clerk', { setup: 'A' });
    expect(framed(clerk, says('B'), says('C')).setup).toBe('A B C');
    const inner = pattern({ id: 'S1', name: 'once', parts: { clerk }, calls: 1 }, async (run, task: string) =>
      done((await run.ask(clerk, task)).text),
    );
    const agent = framed(inner, says('B'), says('C'));
    await ended(agent, 'Go.');
    expect(model.requests[0]?.messages[0]?.content).toBe('A B C');
    expect(useOf(agent)?.id).toBe('S1');
    expect(useOf(framed(inner, noPrices, says('B')))?.provides).toEqual(['S5']);
  });

  it('says of a pattern which constraints and shapes stand on its sessions [R11-PATTERN-HELPERS]', () => {
    const model = scriptedModel({});
    const shape = z.object({ label: z.string() });
    const clerk = session(model, 'clerk', { setup: 'You label messages.' });
    const both = shaped(framed(clerk, noPrices), shape);
    const other = framed(shaped(clerk, shape), says('B'), noPrices);
    expect(useOf(both)).toMatchObject({ id: 'S6', provides: ['S5'] });
    for (const answerer of [both, other]) {
      const agent = pattern({ id: 'R7', name: 'twice', parts: { answerer, again: [answerer] }, calls: 2 }, async () =>
        done(''),
      );
      expect(useOf(agent)?.provides.toSorted()).toEqual(['S5', 'S6']);
      expect(useOf(agent)?.parts['answerer']).toMatchObject({ provides: expect.arrayContaining(['S5', 'S6']) });
      expect(useOf(zeroShot(answerer))?.provides).toEqual(expect.arrayContaining(['S5', 'S6'])); // it seats a copy
    }
    const bare = useOf(reAct({ worker: clerk, tools: [] }));
    expect(bare?.parts['worker']).not.toHaveProperty('provides');
    expect(useOf(reAct({ worker: framed(clerk, noPrices), tools: [] }))?.provides).toEqual([
      ...(bare?.provides ?? []),
      'S5',
    ]);
  });
});

describe('guarded', () => {
  it('judges every call inside an agent, and says which guards it has [R11-PATTERN-HELPERS]', async () => {
    const pay = tool({ name: 'pay', description: 'Pays.', effect: 'idempotent', execute: async () => 'paid' });
    const agent: Agent<null, string> = async (run: Run) => {
      const result = await run.call(pay, {});
      return done(result.ok ? String(result.value) : (result.failure?.code ?? ''));
    };
    const denies: ToolSeams = { 'tool.pre': [() => async () => ({ allow: false, why: 'not today' })] };
    expect((await ended(agent, null)).outcome).toMatchObject({ value: 'paid' });
    expect((await ended(guarded(agent, denies), null)).outcome).toMatchObject({ value: 'DENIED' });
    const known = described(denies, useFrom({ id: 'V7', name: 'policyGuard', parts: {}, calls: 0 }));
    const named = described(agent, useFrom({ id: 'I1', name: 'pays', parts: {}, calls: 0 }));
    expect(useOf(guarded(named, known))).toMatchObject({ id: 'I1', provides: ['V7'] });
  });
});

describe('checked', () => {
  const short: Test<string, string> = (_run, value) =>
    value.length < 4 ? { ok: true } : { ok: false, because: `"${value}" is too long` };
  const writer = (...texts: readonly string[]): Agent<string, string> => {
    const drafter = session(scriptedModel({ writer: [...texts] }), 'writer');
    return async (run, task) => done((await run.ask(drafter, task)).text);
  };

  it('lets through what passes, makes again what does not, and is blocked in the end [R11-PATTERN-HELPERS]', async () => {
    const passes = await ended(checked(writer('too long', 'ok'), { test: short }), 'Go.');
    expect(passes.outcome).toMatchObject({ stop: 'done', value: 'ok' });
    const fails = await ended(checked(writer('too long', 'also long'), { test: short }), 'Go.');
    expect(fails.outcome).toMatchObject({
      stop: 'blocked',
      because: '"also long" is too long',
      partial: 'also long',
      reason: { code: 'exhausted', data: { tried: 2 } },
    });
    const otherwise: Agent<string, string> = async () => done('-');
    const left = await ended(checked(writer('too long'), { test: short, otherwise }, { maxRetries: 0 }), 'Go.');
    expect(left.outcome).toMatchObject({ stop: 'done', value: '-' });
  });
});

describe('commandTest', () => {
  const ends = (stdout: string, code: number): Sandbox =>
    ({
      name: 'fake',
      describe: () => ({ name: 'fake' }),
      run: async () =>
        ({
          end: { how: 'exit', code },
          stages: [{ how: 'exit', code }],
          stdout: { head: stdout, tail: '', bytes: stdout.length, lines: 4, elidedBytes: 0 },
          stderr: { head: '', tail: '', bytes: 0, lines: 0, elidedBytes: 0 },
          usage: { wallMs: 1 },
        }) as unknown as SandboxResult,
    }) as unknown as Sandbox;
  const run = (stdout: string, code: number) => {
    const test = commandTest({ sandbox: ends(stdout, code), command: ['npm', 'test'], cwd: '/repo', format: 'tap' });
    const agent: Agent<null, unknown> = async (within) => done(await test(within, null, null));
    return ended(agent, null);
  };

  it('passes where the command passes, and tells what failed where it does not [R11-PATTERN-HELPERS]', async () => {
    expect((await run('TAP version 13\n1..2\nok 1 - adds\nok 2 - subtracts\n', 0)).outcome).toMatchObject({
      value: { ok: true, score: 1 },
    });
    expect((await run('TAP version 13\n1..2\nok 1 - adds\nnot ok 2 - subtracts\n', 1)).outcome).toMatchObject({
      value: { ok: false, because: expect.stringContaining('subtracts'), score: 0.5 },
    });
  });
});

describe('lookupTool', () => {
  const shelf: Retriever = {
    name: 'shelf',
    retrieve: async (query) => (query === 'none' ? [] : [piece('a', `about ${query}`, { source: 'book' })]),
  };

  it('gives a model what a retriever, or an agent, finds: numbered, with its source [R11-PATTERN-HELPERS]', async () => {
    const asAgent: Agent<string, Awaited<ReturnType<Retriever['retrieve']>>> = async (_run, query) =>
      done(await shelf.retrieve(query, { limit: 1, signal: new AbortController().signal }));
    for (const lookup of [shelf, asAgent]) {
      const agent: Agent<string, string> = async (run, query) => {
        const result = await run.call(lookupTool(lookup), { query });
        return done(result.ok ? String(result.value) : (result.failure?.message ?? ''));
      };
      expect((await ended(agent, 'cats')).outcome).toMatchObject({
        value: expect.stringMatching(/^<document number="1" source="book"[^>]*>\nabout cats\n/),
      });
      expect((await ended(agent, 'none')).outcome).toMatchObject({ value: 'Nothing was found.' });
    }
  });
});

describe('a pattern that is built without one of its parts', () => {
  const none = {} as never;
  const made: Readonly<Record<string, () => unknown>> = {
    'zeroShot (S1) needs answerer': () => zeroShot(undefined as never),
    'rag (K1) needs embedder': () => rag(none),
    'withQueryRewriting (K2) needs lookup': () => withQueryRewriting(undefined as never, none, none),
    'adaptiveRag (K5) needs lookup': () => adaptiveRag(none),
    'compression (K6) needs summarizer': () => compression(none),
    'planAndSolve (R3) needs planner': () => planAndSolve(none),
    'reAct (R4) needs worker': () => reAct(none),
    'selfConsistency (R17) needs agent': () => selfConsistency(undefined as never),
    'mapReduce (O4) needs split': () => mapReduce(none, { maxWorkers: 3 }),
    'isolated (O17) needs brief': () => isolated(async () => done(1), none, none),
    'validated (V20) needs schema': () => validated(async () => done(1), none),
    'directCall (I1) needs input': () => directCall(none),
  };
  it.each(Object.keys(made))('says so at once: %s [R11-PATTERN-WIRING]', (says) => {
    expect(made[says]).toThrow(ConfigError);
    expect(made[says]).toThrow(says);
  });
});
