import { done, FlyballError, type Outcome, type Run, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import {
  cardNumbersGuard,
  guardrails,
  type PreCallGuard,
  secretsGuard,
  sizeGuard,
} from '../../packages/flyball/src/tools/governance/index.js';
import { moving } from '../runtime/stage.js';
import { toolOf } from './context.js';

const ownTenant: PreCallGuard = {
  at: 'preCall',
  name: 'own-tenant',
  check: ({ args }, { tenant }) =>
    (args as { tenant?: string }).tenant === tenant
      ? { verdict: 'allow', ruleId: 'tenant.own', evidence: '' }
      : { verdict: 'deny', ruleId: 'tenant.foreign', evidence: 'it is about another tenant' },
};

describe('guards at the four points', () => {
  it('deny a call across tenants, keep a poisoned row from the prompt, and redact the answer, each with its rule [R3-GOV-GUARDS] [V5.acceptance]', async () => {
    const stage = moving();
    const deleted: unknown[] = [];
    const remove: Tool<{ tenant: string }, string> = toolOf({
      name: 'delete',
      effect: 'idempotent',
      execute: async ({ tenant }) => String(deleted.push(tenant)),
    }) as Tool<{ tenant: string }, string>;
    const key = `ghp_${'x'.repeat(36)}`;
    const row = toolOf({ name: 'row', execute: async () => ({ name: 'Ada', note: `token ${key}` }) });
    const model = scriptedModel({ talker: 'Paid with 4111 1111 1111 1111.' });
    const agent = async (run: Run, input: { task: string }): Promise<Outcome<unknown>> => {
      const refused = await run.call(remove, { tenant: 'B' });
      const seen = await run.call(row, { tenant: run.tenant });
      const reply = await run.ask(
        { name: 'talker', model, setup: 'Work.' },
        `${input.task}\n${refused.content}\n${seen.content}`,
      );
      return done({ answer: reply.text, note: seen.ok ? seen.value : null });
    };
    const seams = guardrails({
      input: [sizeGuard('input', { maxCharacters: 1000 }), cardNumbersGuard('input')],
      preCall: [ownTenant],
      response: [secretsGuard('response')],
      output: [cardNumbersGuard('output')],
    });
    const outcome = await stage.open(agent, { seams }).start({ task: 'Refund 5500 0000 0000 0004.' });

    expect(deleted).toEqual([]);
    expect(outcome).toMatchObject({
      stop: 'done',
      value: {
        answer: 'Paid with [card number removed].',
        note: { name: 'Ada', note: 'token [github-token removed]' },
      },
    });
    expect(model.promptAt('talker')).toContain('Refund [card number removed].');
    expect(model.promptAt('talker')).toContain('it is about another tenant');
    expect(JSON.stringify(model.requests)).not.toContain(key);
    expect(JSON.stringify(await stage.entries())).not.toContain(key); // not in the journal either
    expect(
      (await stage.events('guard-decision')).map(({ id, guard, verdict, rule }) => [id, guard, verdict, rule]),
    ).toEqual([
      ['#0', 'own-tenant', 'denied', 'tenant.foreign'],
      ['#1', 'secrets', 'warned', 'secrets.github-token'],
      ['', 'card-numbers', 'warned', 'card-numbers.luhn'], // of the input, told with the end
      ['', 'card-numbers', 'warned', 'card-numbers.luhn'],
    ]);
  });

  it('keep what a failure must not say from the prompt and the journal [R3-GOV-GUARDS]', async () => {
    const stage = moving();
    const key = `ghp_${'x'.repeat(36)}`;
    const failing = toolOf({
      name: 'row',
      retry: { retries: 0 },
      execute: async () => {
        throw new FlyballError('SANDBOX_LIMIT', `no row for ${key}`, { detail: { asked: key, rows: 0 } });
      },
    });
    const model = scriptedModel({ talker: 'Sorry.' });
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const seen = await run.call(failing, {});
      await run.ask({ name: 'talker', model, setup: 'Work.' }, seen.content);
      return done(seen);
    };
    const outcome = await stage.open(agent, { seams: guardrails({ response: [secretsGuard('response')] }) }).start();
    expect(outcome).toMatchObject({
      value: {
        ok: false,
        failure: { code: 'SANDBOX_LIMIT', message: 'no row for [github-token removed]', retryable: false },
      },
    });
    expect(model.promptAt('talker')).toContain('no row for [github-token removed]');
    expect(JSON.stringify([model.requests, await stage.entries()])).not.toContain(key);
    expect(await stage.events('guard-decision')).toMatchObject([
      { guard: 'secrets', verdict: 'warned', rule: 'secrets.github-token' },
    ]);
  });

  it('withhold what a broken guard could not judge, and the run goes on [R3-GOV-GUARDS]', async () => {
    const stage = moving();
    const broken = () => {
      throw new Error('down');
    };
    const seams = guardrails({ response: [{ at: 'response', name: 'classifier', check: broken }] });
    const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.call(toolOf({ name: 'page' }), {}));
    expect(await stage.open(agent, { seams }).start()).toMatchObject({
      stop: 'done',
      value: { ok: false, failure: { code: 'DENIED' }, content: expect.stringContaining('could not judge it') },
    });
    expect(JSON.stringify(await stage.events('complete'))).not.toContain('page was executed');
  });

  it('end a run whose answer may not leave as blocked [R3-GOV-GUARDS]', async () => {
    const stage = moving();
    const seams = guardrails({
      preCall: [ownTenant],
      output: [
        { at: 'output', name: 'never', check: () => ({ verdict: 'block', ruleId: 'x', evidence: 'not today' }) },
      ],
    });
    expect(await stage.open(async () => done('secret answer'), { seams }).start()).toMatchObject({
      stop: 'blocked',
      because: 'The output was withheld. never: not today',
    });
    expect(JSON.stringify(await stage.entries())).not.toContain('secret answer');
  });
});
