import { done, type Run, type Tool } from 'flyball';
import { governance } from 'flyball/tools';
import { auditLines, withoutPrivate } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { everyFork } from './fork-stage.js';
import { moving, RUN } from './stage.js';

const shell = (kind: 'pure' | 'irreversible'): Tool<{ readonly command: string }, string> => ({
  name: 'shell',
  description: 'Runs a command.',
  effect: kind === 'pure' ? 'pure' : { class: 'irreversible', why: 'it cannot be taken back' },
  execute: async () => 'ok',
});
const GIVEN = { command: 'ls /tmp' };

describe('the arguments of a call', () => {
  it('stand in the journal where it was pure [F-K10]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => done((await run.call(shell('pure'), GIVEN)).ok));
    expect(await life.start()).toMatchObject({ value: true });
    expect(await stage.events('complete')).toMatchObject([{ name: 'shell', input: GIVEN }]);
    expect(JSON.stringify(auditLines(RUN, await stage.entries()))).toContain('ls /tmp');
  });

  it('stand in the journal where a guard refused it [F-K10]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => done((await run.call(shell('pure'), GIVEN)).ok), {
      seams: governance({ clock: stage.clock, autonomy: 'autonomous', scopesOf: () => [] }),
    });
    expect(await life.start()).toMatchObject({ value: false });
    expect(await stage.events('abort')).toMatchObject([{ name: 'shell', input: GIVEN, failure: { code: 'DENIED' } }]);
  });

  it('stand in the journal where they do not fit the tool [F-K10]', async () => {
    const stage = moving();
    const picky = {
      ...shell('pure'),
      input: { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no' }] }) } },
    } as unknown as Tool<unknown, string>;
    const life = stage.open(async (run: Run) => done((await run.call(picky, GIVEN)).ok));
    expect(await life.start()).toMatchObject({ value: false });
    expect(await stage.events('abort')).toMatchObject([{ input: GIVEN, failure: { code: 'INPUT_INVALID' } }]);
  });

  it('stand in the end of a call that a person rejected [F-K10]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => done((await run.call(shell('irreversible'), GIVEN)).ok));
    const asked = await life.start();
    const token = 'waiting' in asked ? (asked.waiting[0]?.token ?? '') : '';
    await life.runtime.signal(RUN, token, { verdict: 'reject', reason: 'no' }, { from: 'ann', scopes: ['*'] });
    expect(await life.resume()).toMatchObject({ value: false });
    expect(await stage.events('abort')).toMatchObject([{ input: GIVEN, failure: { code: 'APPROVAL_REJECTED' } }]);
  });

  it('are those the code gave where what the schema made of them cannot be stored [F-K10]', async () => {
    const stage = moving();
    const dated = {
      ...shell('pure'),
      input: { '~standard': { version: 1, vendor: 'test', validate: () => ({ value: new Date(0) }) } },
    } as unknown as Tool<unknown, string>;
    const life = stage.open(async (run: Run) => done((await run.call(dated, '1970-01-01')).ok));
    expect(await life.start()).toMatchObject({ value: true });
    expect(await stage.events('complete')).toMatchObject([{ input: '1970-01-01' }]);
  });

  it('are private where the tool is [F-K10]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      run.note({ kind: 'private', tools: ['shell'] });
      return done((await run.call(shell('pure'), GIVEN)).ok);
    });
    await life.start();
    expect(JSON.stringify(withoutPrivate(await stage.entries()))).not.toContain('ls /tmp');
  });

  it('are known in every fork, also where the run before it made the call [R7-FORK-ARGUMENTS]', async () => {
    const stage = moving();
    const send: Tool<{ readonly command: string }, string> = { ...shell('pure'), name: 'send', effect: 'idempotent' };
    const life = stage.open(async (run: Run) => {
      await run.call(send, GIVEN);
      await run.step('after', null, () => 1, 'pure');
      return done(run.calls().map(({ args }) => args));
    });
    expect(await life.start()).toMatchObject({ value: [GIVEN] });
    for (const live of [true, false])
      for (const forked of await everyFork(stage, life, { run: RUN, generation: 0, live }))
        expect(forked, `at ${forked.at}`).toMatchObject({ value: [GIVEN] });
  });
});
