import { done, type GuardContext, type Outcome, type Seams } from 'flyball';
import { describe, expect, it } from 'vitest';
import { context, proposed, toolOf } from '../../../../../../test/governance/context.js';
import { FlyballError, failureOf } from '../../../core/errors.js';
import { through } from '../../../core/join-seams.js';
import { cardNumbersGuard } from './card-numbers-guard.js';
import type { GuardResult, InputGuard, OutputGuard, PreCallGuard, ResponseGuard } from './guard-points.js';
import { guardrails } from './guardrails.js';

const said = <V extends string>(verdict: V): GuardResult<V> => ({ verdict, ruleId: 'r1', evidence: 'because' });
const throwing = (): never => {
  throw new Error('classifier down at /srv/models');
};
const input = (check: InputGuard['check'], more: Partial<InputGuard> = {}): InputGuard => ({
  at: 'input',
  name: 'in',
  check,
  ...more,
});
const preCall = (check: PreCallGuard['check']): PreCallGuard => ({ at: 'preCall', name: 'pre', check });
const response = (check: ResponseGuard['check'], more: Partial<ResponseGuard> = {}): ResponseGuard => ({
  at: 'response',
  name: 'res',
  check,
  ...more,
});
const output = (check: OutputGuard['check'], more: Partial<OutputGuard> = {}): OutputGuard => ({
  at: 'output',
  name: 'out',
  check,
  ...more,
});
const star = (text: string): string => text.replaceAll('bad', '***');

const tool = toolOf({ name: 'read' });
const enter = (seams: Seams, value: unknown) =>
  through(seams, 'input', async (given) => given)(value, { runId: 'run', tenant: 'acme', subject: 'ada', at: '' });
const respond = (seams: Seams, value: unknown, ctx: GuardContext = context()) =>
  through(seams, 'tool.post', async (seen) => ({ value: seen.value, text: seen.text }))(
    { tool, args: {}, value, text: String(value) },
    ctx,
  );
const leave = (seams: Seams, outcome: Outcome<unknown>, ctx: GuardContext = context()) =>
  through(seams, 'output', async (given) => given)(outcome, ctx);

describe('guardrails', () => {
  it('are refused without a guard, at the output alone, and with one guard at two points [R3-GOV-GUARDS] [V5.4] [V5.5]', () => {
    expect(() => guardrails({})).toThrow('at least one guard');
    expect(() => guardrails({ output: [cardNumbersGuard('output')] })).toThrow('at the output alone');
    const shared = input(() => said('pass'));
    expect(() => guardrails({ input: [shared, shared] })).toThrow('in is used at input and at input');
    const twice = { ...shared, at: 'output' } as unknown as OutputGuard;
    expect(() => guardrails({ input: [shared], output: [shared as unknown as OutputGuard] })).toThrow(
      'is used at input and at output',
    );
    expect(() => guardrails({ input: [shared], output: [twice] })).toThrow('is used at input and at output'); // the same code in another coat
    expect(() => guardrails({ input: [cardNumbersGuard('output') as unknown as InputGuard] })).toThrow(
      'made for output but used at input',
    );
    expect(() =>
      guardrails({ input: [cardNumbersGuard('input')], output: [cardNumbersGuard('output')] }),
    ).not.toThrow();
  });

  it('let a guard pass when it breaks only at the input, and only with an owner [R3-GOV-GUARDS]', () => {
    const open = { whenBroken: { passOwner: 'Ada' } };
    expect(() => guardrails({ input: [input(() => said('pass'), open)] })).not.toThrow();
    expect(() => guardrails({ input: [input(() => said('pass'), { whenBroken: { passOwner: ' ' } })] })).toThrow(
      'name who answers',
    );
    const call = { ...preCall(() => said('allow')), ...open } as PreCallGuard;
    expect(() => guardrails({ preCall: [call] })).toThrow('only an input guard may let pass');
  });

  it('give guards frozen copies, and nothing to act with [R3-GOV-GUARDS] [V5.2]', async () => {
    const seen: unknown[] = [];
    const args = { list: [{ a: 1 }] };
    const seams = guardrails({
      preCall: [
        preCall((call, ctx) => {
          seen.push(Object.keys(call), Object.keys(ctx));
          (call.args as typeof args).list.push({ a: 2 });
          return said('allow');
        }),
      ],
    });
    expect(await proposed(seams, tool, args)).toMatchObject({ allow: false }); // the write threw: the guard broke
    expect(args).toEqual({ list: [{ a: 1 }] });
    expect(seen).toEqual([
      ['tool', 'class', 'legs', 'args'],
      ['runId', 'tenant', 'subject', 'at'],
    ]);
    expect(Object.isFrozen(args)).toBe(false); // the tool may still use its own arguments as it likes
  });
});

describe('at the input', () => {
  it('a guard blocks, with its rule [R3-GOV-GUARDS]', async () => {
    const seams = guardrails({ input: [input(() => said('block'))] });
    await expect(enter(seams, 'x')).rejects.toMatchObject({
      code: 'DENIED',
      message: 'The input was refused. in: because',
      detail: { rule: 'r1' },
    });
  });

  it('a guard redacts, the next one sees what is left, and it is told with the end of the run [R3-GOV-GUARDS]', async () => {
    const seen: unknown[] = [];
    const seams = guardrails({
      input: [
        input(() => said('redact'), { redact: star }),
        input((value) => {
          seen.push(value);
          return said('pass');
        }),
      ],
    });
    expect(await enter(seams, { q: 'bad idea' })).toEqual({ q: '*** idea' });
    expect(seen).toEqual([{ q: '*** idea' }]);
    const ctx = context();
    await leave(seams, done(1), ctx);
    await leave(seams, done(1), ctx);
    expect(ctx.decisions).toEqual([{ guard: 'in', verdict: 'warned', rule: 'r1', why: 'because' }]);
  });

  it('a broken guard blocks without saying what broke, or passes in the name of its owner [R3-GOV-GUARDS] [V5.8]', async () => {
    await expect(enter(guardrails({ input: [input(throwing)] }), 'x')).rejects.toThrow(/could not judge it(?!.*srv)/);
    const seams = guardrails({ input: [input(throwing, { whenBroken: { passOwner: 'Ada' } })] });
    expect(await enter(seams, 'x')).toBe('x');
    const ctx = context();
    await leave(seams, done(1), ctx);
    expect(ctx.decisions).toEqual([
      {
        guard: 'in',
        verdict: 'warned',
        rule: 'in.broken',
        why: 'It failed: classifier down at /srv/models Ada answers for letting it pass.',
      },
    ]);
  });
});

describe('before a call', () => {
  it.each([
    [said('allow'), { allow: true, args: { a: 1 } }, []],
    [said('deny'), { allow: false, why: 'read was refused. pre: because' }, ['denied']],
    [said('ask'), { allow: true, args: { a: 1 }, approval: 'pre: because' }, ['asked']],
    [said('maybe'), { allow: false, why: expect.stringContaining('could not judge it') }, ['denied']],
  ])('a guard that says %j is heeded [R3-GOV-GUARDS]', async (verdict, expected, told) => {
    const ctx = context();
    const seams = guardrails({ preCall: [preCall(() => verdict as GuardResult<'allow'>)] });
    expect(await proposed(seams, tool, { a: 1 }, ctx)).toEqual(expected);
    expect(ctx.decisions.map((decision) => decision.verdict)).toEqual(told);
  });

  it('a broken guard denies: the operator learns why, the model does not [R3-GOV-GUARDS] [V5.8]', async () => {
    const ctx = context();
    const verdict = await proposed(guardrails({ preCall: [preCall(throwing)] }), tool, {}, ctx);
    expect(verdict).toEqual({
      allow: false,
      why: 'read was refused. The guard pre could not judge it, so it is not let through.',
    });
    expect(ctx.decisions).toEqual([
      { guard: 'pre', verdict: 'denied', rule: 'pre.broken', why: 'It failed: classifier down at /srv/models' },
    ]);
  });

  it('two reasons to ask a person are both shown', async () => {
    const two = guardrails({
      preCall: [preCall(() => said('ask')), preCall(() => ({ ...said('ask'), evidence: 'more' }))],
    });
    expect(await proposed(two, tool)).toMatchObject({ approval: 'pre: because pre: more' });
  });
});

describe('after a call', () => {
  it('a guard redacts text and value alike [R3-GOV-GUARDS]', async () => {
    const ctx = context();
    const seams = guardrails({ response: [response(() => said('redact'), { redact: star })] });
    expect(await respond(seams, 'a bad row', ctx)).toEqual({ value: 'a *** row', text: 'a *** row' });
    expect(ctx.decisions).toEqual([{ guard: 'res', verdict: 'warned', rule: 'r1', why: 'because' }]);
  });

  it.each([
    ['blocks', response(() => said('block')), 'res: because'],
    ['breaks', response(throwing), 'could not judge it'],
    ['wants to redact and cannot', response(() => said('redact')), 'could not judge it'],
    ['breaks while redacting', response(() => said('redact'), { redact: throwing }), 'could not judge it'],
  ])('a guard that %s withholds the result [R3-GOV-GUARDS]', async (_, guard, why) => {
    const ctx = context();
    await expect(respond(guardrails({ response: [guard] }), 'row', ctx)).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining(why),
    });
    expect(ctx.decisions).toMatchObject([{ guard: 'res', verdict: 'blocked' }]);
  });
});

describe('at the output', () => {
  const withInput = (guard: OutputGuard): Seams => guardrails({ input: [input(() => said('pass'))], output: [guard] });

  it('a guard redacts every text of the outcome and nothing else [R3-GOV-GUARDS]', async () => {
    const seams = withInput(output(() => said('redact'), { redact: star }));
    expect(await leave(seams, done({ 'bad key': ['bad', 7], usage: 1 }))).toEqual(
      done({ '*** key': ['***', 7], usage: 1 }),
    );
    const failure = { code: 'EFFECT_FAILED', message: 'bad', retryable: false, detail: { a: 'bad' } } as const;
    expect(await leave(seams, { stop: 'failed', because: 'bad', failure, partial: 'bad' })).toEqual({
      stop: 'failed',
      because: '***',
      failure: { ...failure, message: '***', detail: { a: '***' } },
      partial: '***',
    });
  });

  it.each([
    ['blocks', output(() => said('block'))],
    ['breaks', output(throwing)],
  ])('a guard that %s lets nothing out, and an end stays the end it is [R3-GOV-GUARDS]', async (_, guard) => {
    const seams = withInput(guard);
    const ctx = context();
    expect(await leave(seams, done('secret'), ctx)).toEqual({
      stop: 'blocked',
      because: expect.stringContaining('The output was withheld'),
    });
    expect(ctx.decisions).toMatchObject([{ guard: 'out', verdict: 'blocked' }]);
    expect(await leave(seams, { stop: 'bounded', bound: 'toolCalls', limit: 3, partial: 'secret' })).toEqual({
      stop: 'bounded',
      bound: 'toolCalls',
      limit: 3,
    });
    const rollback = {
      success: false,
      entries: [{ effect: '#0', generation: 0, name: 'x', status: 'CANNOT_ROLLBACK', note: 'secret' }],
    } as const;
    const cancelled = await leave(seams, { stop: 'cancelled', because: 'secret', rollback, partial: 'secret' });
    expect(cancelled).toMatchObject({ stop: 'cancelled', rollback: { entries: [{ status: 'CANNOT_ROLLBACK' }] } });
    const failure = { code: 'EFFECT_FAILED', message: 'secret', retryable: true, detail: 'secret' } as const;
    const failed = await leave(seams, { stop: 'failed', because: 'secret', failure });
    expect(failed).toMatchObject({ stop: 'failed', failure: { code: 'EFFECT_FAILED', retryable: true } });
    expect(JSON.stringify([cancelled, failed])).not.toContain('secret');
  });
});

describe('of a failure', () => {
  const fail = (seams: Seams, error: unknown, ctx: GuardContext = context()) =>
    through(seams, 'tool.exec', async () => {
      throw error;
    })({ tool, args: {}, key: 'k' }, ctx);

  it('a guard redacts the words, the detail and the tool’s own code, and it stays that failure [R3-GOV-GUARDS]', async () => {
    const guard = response(() => said('redact'), { redact: star });
    const seams = guardrails({ response: [guard] });
    const limit = new FlyballError('SANDBOX_LIMIT', 'bad luck', { retryable: true, detail: { at: 'a bad place' } });
    const ctx = context();
    const thrown: unknown = await fail(seams, limit, ctx).catch((error: unknown) => error);
    expect(failureOf(thrown)).toEqual({
      code: 'SANDBOX_LIMIT',
      message: '*** luck',
      retryable: true,
      detail: { at: 'a *** place' },
    });
    expect((thrown as Error).cause).toBeUndefined(); // printing the error would print it
    expect(ctx.decisions).toEqual([{ guard: 'res', verdict: 'warned', rule: 'r1', why: 'because' }]);
    const plain = Object.assign(new Error('bad luck'), { code: 'Ebad', retryable: true });
    expect(failureOf(await fail(seams, plain).catch((error: unknown) => error))).toEqual({
      code: 'EFFECT_FAILED',
      message: '*** luck',
      retryable: true,
      originalCode: 'E***',
    });
  });

  it('a guard that blocks or breaks withholds the words and nothing else [R3-GOV-GUARDS]', async () => {
    const limit = new FlyballError('SANDBOX_LIMIT', 'bad luck', { retryable: true, detail: { at: 'a bad place' } });
    for (const [check, why] of [
      [() => said('block'), 'res: because'],
      [throwing, 'The guard res could not judge it, so it is not let through.'],
    ] as const) {
      const ctx = context();
      const thrown: unknown = await fail(guardrails({ response: [response(check)] }), limit, ctx).catch(
        (e: unknown) => e,
      );
      expect(failureOf(thrown)).toEqual({
        code: 'SANDBOX_LIMIT',
        message: `The failure of read was withheld. ${why}`,
        retryable: true,
      });
      expect(ctx.decisions).toMatchObject([{ guard: 'res', verdict: 'blocked' }]);
    }
  });

  it('a guard sees that it is one, and what it lets pass is thrown as it was [R3-GOV-GUARDS]', async () => {
    const seen: unknown[] = [];
    const seams = guardrails({
      response: [
        response((given) => {
          seen.push(given);
          return said('pass');
        }),
      ],
    });
    const error = new Error('no luck');
    await expect(fail(seams, error)).rejects.toBe(error);
    expect(seen).toMatchObject([{ tool: 'read', text: 'no luck', value: {}, failed: true }]);
  });
});
