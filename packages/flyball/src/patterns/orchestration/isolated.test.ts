import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, done, type Run } from 'flyball';
import { isolated, useOf } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { traceOf } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { root } from '../../../../../scripts/files.mjs';
import { ended, session } from '../../../../../test/patterns/bed.js';

interface Task {
  readonly file: string;
}
const slice = { share: 0.5 };
const brief = ({ file }: Task): string => `Count the exports of ${file}.`;
const FOLDER = join(root, 'packages/flyball/src/core');

describe('isolated', () => {
  it('shows a sub-task its brief and nothing of a parent that holds fifty files [O17.1] [O17.4] [O17.acceptance]', async () => {
    const files = readdirSync(FOLDER)
      .filter((name) => name.endsWith('.ts'))
      .slice(0, 50);
    expect(files).toHaveLength(50);
    const held = files.map((name) => readFileSync(join(FOLDER, name), 'utf8').slice(0, 400)).join('\n');
    const model = scriptedModel({ parent: ['I delegate.', 'It has 7.'], counter: 'RESULT 7' });
    const counter: Agent<string, string> = async (run, task) =>
      done((await run.ask(session(model, 'counter', { setup: 'You count.' }), task)).text);
    const parent: Agent<Task, string> = async (run, task) => {
      const first = await run.ask(session(model, 'parent', { setup: 'PARENT-SETUP' }), `CANARY ${held}`);
      const counted = await isolated(counter, { brief }, { slice })(run, task);
      if (counted.stop !== 'done') return counted;
      return done(
        (await run.ask(session(model, 'parent', { setup: 'PARENT-SETUP' }), `${first.text}\n${counted.value}`)).text,
      );
    };
    const { outcome } = await ended(parent, { file: 'run.ts' });
    expect(outcome).toMatchObject({ stop: 'done', value: 'It has 7.' });
    const [asked] = model.requestsOf('counter');
    expect(asked?.messages.map(({ content }) => content)).toEqual(['You count.', 'Count the exports of run.ts.']);
    expect(JSON.stringify(model.requestsOf('parent')[1]).includes('Count the exports')).toBe(false);
    expect(model.requestsOf('parent')[1]?.messages.at(-1)?.content).toBe('I delegate.\nRESULT 7');
  });

  it('has the tools of its agent and no other [O17.2]', async () => {
    const model = scriptedModel({ counter: '7', parent: 'ok' });
    const look = (name: string) =>
      tool({ name, description: 'Looks.', input: z.object({}), effect: 'pure', execute: async () => 'x' });
    const counter: Agent<string, string> = async (run, task) =>
      done((await run.ask(session(model, 'counter', { tools: [look('count')] }), task)).text);
    const parent: Agent<Task, string> = async (run, task) => {
      await run.ask(session(model, 'parent', { tools: [look('secret')] }), 'x');
      return isolated(counter, { brief }, { slice })(run, task);
    };
    await ended(parent, { file: 'run.ts' });
    expect(model.requestsOf('counter')[0]?.tools?.map(({ name }) => name)).toEqual(['count']);
  });

  it('has no handle on the state of its parent [O17.3]', async () => {
    const shared = { notes: ['a'] };
    const meddling: Agent<{ notes: string[] }, number> = async (run, given) => {
      given.notes.push('b');
      await run.board<string>('facts').post('mine');
      return done(run.board('facts').read().length);
    };
    const parent: Agent<Task, number> = async (run, task) => {
      await run.board<string>('facts').post('theirs');
      const ran = await isolated(meddling, { brief: () => shared }, { slice })(run, task);
      return ran.stop === 'done' ? done(ran.value * 10 + run.board('facts').read().length) : ran;
    };
    expect((await ended(parent, { file: 'x' })).outcome).toMatchObject({ stop: 'done', value: 11 });
    expect(shared.notes).toEqual(['a']);
  });

  it('cannot be spoken to after its end [O17.5]', async () => {
    const model = scriptedModel({ counter: ['7', '8'] });
    let kept: Run | undefined;
    const counter: Agent<string, string> = async (run, task) => {
      kept = run;
      return done((await run.ask(session(model, 'counter'), task)).text);
    };
    const parent: Agent<Task, string> = async (run, task) => {
      await isolated(counter, { brief }, { slice })(run, task);
      const late = await kept?.ask(session(model, 'counter'), 'again').then(
        () => 'answered',
        (error: Error) => `refused: ${error.message}`,
      );
      return done(late ?? '');
    };
    const { outcome } = await ended(parent, { file: 'x' });
    expect(outcome).toMatchObject({ value: expect.stringMatching(/^refused: /) });
    expect(model.requests).toHaveLength(1);
  });

  it('makes a result that breaks its contract an error [O17.6]', async () => {
    const prose: Agent<string, unknown> = async () => done('There are about seven.');
    const result = z.object({ exports: z.number() });
    const { outcome } = await ended(isolated<Task, string, unknown>(prose, { brief, result }, { slice }), {
      file: 'x',
    });
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'REPLY_INVALID' } });
    const right: Agent<string, unknown> = async () => done({ exports: 7 });
    const good = await ended(isolated<Task, string, unknown>(right, { brief, result }, { slice }), { file: 'x' });
    expect(good.outcome).toMatchObject({ stop: 'done', value: { exports: 7 } });
  });

  it('leaves what it did in the trace [O17.7]', async () => {
    const model = scriptedModel({ counter: 'RESULT 7' });
    const counter: Agent<string, string> = async (run, task) =>
      done((await run.ask(session(model, 'counter'), task)).text);
    const { entries } = await ended(isolated(counter, { brief }, { slice }), { file: 'run.ts' });
    expect(JSON.stringify(traceOf('run', entries))).toContain('counter');
    expect(JSON.stringify(entries)).toContain('RESULT 7');
  });

  it('denies the seventh of six, and a level more than one, with the reason [O17.8] [O17.acceptance]', async () => {
    const one: Agent<string, string> = async (_run, task) => done(task);
    const counter = isolated(one, { brief }, { slice: { share: 0.1 } });
    const many: Agent<number, string[]> = async (run, count) => {
      const ends: string[] = [];
      for (let n = 0; n < count; n++) {
        const ended = await counter(run, { file: String(n) });
        ends.push(ended.stop === 'blocked' ? ended.because : ended.stop);
      }
      return done(ends);
    };
    const { outcome } = await ended(many, 7);
    expect((outcome as { value: string[] }).value).toEqual([
      ...Array.from({ length: 6 }, () => 'done'),
      expect.stringContaining('6 sub-tasks were handed out'),
    ]);
    const deeper: Agent<string, string> = (run) => counter(run, { file: 'deep' });
    const nested = await ended(isolated(deeper, { brief }, { slice }), { file: 'x' });
    expect(nested.outcome).toMatchObject({ stop: 'bounded', bound: 'depth' });
    const allowed = await ended(isolated(deeper, { brief }, { slice: { ...slice, depth: 1 } }), { file: 'x' });
    expect(allowed.outcome).toMatchObject({ stop: 'done' });
  });

  it('refuses a brief that is too long or cannot be written [O17.acceptance]', async () => {
    const one: Agent<string, string> = async (_run, task) => done(task);
    const long = isolated(one, { brief: () => 'word '.repeat(5_000) }, { slice });
    expect((await ended(long, null)).outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'INPUT_INVALID', message: expect.stringContaining('maxBriefTokens is 5000') },
    });
    const none = isolated(one, { brief: () => undefined }, { slice });
    expect((await ended(none, null)).outcome).toMatchObject({ stop: 'blocked' });
    expect(useOf(long)).toMatchObject({ id: 'O17', params: { maxBriefTokens: 5_000, maxSpawns: 6 } });
  });
});
