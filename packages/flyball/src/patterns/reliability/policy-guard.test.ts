import { type Agent, done, type Run, type Tool } from 'flyball';
import { policyGuard, useOf } from 'flyball/patterns';
import { type Policy, parsePolicy } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { moving } from '../../../../../test/runtime/stage.js';

const clock = { now: () => Date.parse('2026-11-01') };
const sent: unknown[] = [];
const mail: Tool<{ to: string; level: string }, string> = {
  name: 'send_email',
  description: 'Sends a mail. Not for drafts.',
  effect: 'idempotent',
  legs: ['outbound'],
  execute: async (args) => {
    sent.push(args);
    return 'sent';
  },
};
const scan: Tool<Record<string, never>, string> = {
  name: 'pii_scan',
  description: 'Looks for personal data. Not for pictures.',
  effect: 'pure',
  execute: async () => 'clean',
};

const policyOf = (rules: readonly unknown[], version = '1'): Policy =>
  parsePolicy({ version, reviewedBy: 'ada', rules }, { now: clock.now() });
const RULES = [
  {
    id: 'restricted',
    effect: 'deny',
    tools: 'send_email',
    when: { args: [{ path: 'level', equals: 'restricted' }] },
    because: 'SECRET-WORDS',
  },
  {
    id: 'scan-first',
    effect: 'oblige',
    tools: 'send_email',
    obligation: { firstCall: 'pii_scan' },
    because: 'the law',
  },
  { id: 'mail', effect: 'allow', tools: 'send_email', because: 'it is our work' },
];

/** Makes these calls one after the other under the guard, and tells how each ended. */
const calling =
  (
    seams: ReturnType<typeof policyGuard>,
    ...calls: readonly ((run: Run) => Promise<unknown>)[]
  ): Agent<null, unknown> =>
  async (run) => {
    const ends: unknown[] = [];
    for (const call of calls) ends.push(await call(run.guarded(seams)));
    return done(ends);
  };
const mailing = (level: string) => async (run: Run) => {
  const result = await run.call(mail, { to: 'eve', level });
  return result.ok ? 'sent' : result.content;
};
const scanning = async (run: Run) => (await run.call(scan, {})).content;
const started = async (agent: Agent<null, unknown>) => {
  const stage = moving();
  return { stage, outcome: await stage.open(agent as never).start() };
};

describe('policyGuard', () => {
  it('denies what is prohibited each time, and obliges before the rest [V7.5] [V7.acceptance]', async () => {
    sent.length = 0;
    const seams = policyGuard(policyOf(RULES), { clock });
    const { outcome, stage } = await started(
      calling(seams, mailing('restricted'), mailing('restricted'), mailing('open'), scanning, mailing('open')),
    );
    expect(outcome).toMatchObject({
      value: [
        expect.stringContaining('not permitted'),
        expect.stringContaining('not permitted'),
        expect.stringContaining('Call pii_scan first'),
        expect.any(String),
        'sent',
      ],
    });
    expect(sent).toEqual([{ to: 'eve', level: 'open' }]);
    expect(JSON.stringify(outcome)).not.toContain('SECRET-WORDS'); // no word of the policy reaches whoever reads results
    const decided = await stage.events('guard-decision');
    expect(decided.map(({ verdict, rule }) => `${verdict} ${rule}`)).toEqual([
      'denied restricted',
      'denied restricted',
      'obliged scan-first',
      expect.stringContaining('allowed'),
      'allowed mail',
    ]);
    for (const { policy } of decided) expect(policy).toMatch(/^1@[0-9a-f]{12}$/);
  });

  it('decides by the file that is in force now, without a restart [V7.acceptance]', async () => {
    let policy = policyOf(RULES);
    const seams = policyGuard({ current: async () => ({ policy }) }, { clock });
    const swap = async () => {
      policy = policyOf([{ id: 'nothing', effect: 'deny', tools: '*', because: 'closed' }], '2');
      return 'swapped';
    };
    const { outcome } = await started(calling(seams, scanning, mailing('open'), swap, mailing('open')));
    expect(outcome).toMatchObject({
      value: [expect.any(String), 'sent', 'swapped', expect.stringContaining('not permitted')],
    });
  });

  it('decides over steps that act too, and not over those that only look', async () => {
    const seams = policyGuard(policyOf([{ id: 'notes', effect: 'allow', tools: 'note_*', because: 'ours' }]), {
      clock,
    });
    const step = (name: string, effect: 'pure' | 'idempotent') => (run: Run) =>
      run.step(name, null, async () => 'did it', effect).catch((error: { readonly code: string }) => error.code);
    const { outcome } = await started(
      calling(seams, step('look', 'pure'), step('write', 'idempotent'), step('note_it', 'idempotent')),
    );
    expect(outcome).toMatchObject({ value: ['did it', 'DENIED', 'did it'] });
  });

  it('holds each role to its own rules', async () => {
    const rules = policyOf([
      { id: 'workers', effect: 'allow', tools: 'send_email', when: { role: 'worker' }, because: 'x' },
    ]);
    const ends = (role: string) => started(calling(policyGuard(rules, { clock, role }), mailing('open')));
    expect((await ends('worker')).outcome).toMatchObject({ value: ['sent'] });
    expect((await ends('planner')).outcome).toMatchObject({ value: [expect.stringContaining('not permitted')] });
    expect((await started(calling(policyGuard(rules, { clock }), mailing('open')))).outcome).toMatchObject({
      value: [expect.stringContaining('not permitted')],
    });
  });

  it('judges calls and steps that act, in children and branches too [V7.4]', async () => {
    sent.length = 0;
    const nothing = policyGuard(policyOf([{ id: 'nothing', effect: 'deny', tools: '*', because: 'closed' }]), {
      clock,
    });
    const acts = async (run: Run) => {
      const step = run.step('write', 'x', async () => void sent.push('step'), 'idempotent');
      return [await mailing('open')(run), await step.catch(({ code }: { readonly code: string }) => code)];
    };
    const agent: Agent<null, unknown> = async (run) => done(await acts(run));
    const { outcome } = await started(
      calling(
        nothing,
        acts,
        async (run) => {
          const child = await run.spawn(agent, null, { modelCalls: 1 });
          return child.stop === 'done' ? child.value : child.stop;
        },
        async (run) => (await run.all([acts], 1))[0],
      ),
    );
    const refused = [expect.stringContaining('not permitted'), 'DENIED'];
    expect(outcome).toMatchObject({ value: [refused, refused, { value: refused }] });
    expect(sent).toEqual([]);
  });

  it('says which policy it holds to, and makes no model call [V7.3]', () => {
    expect(useOf(policyGuard(policyOf(RULES), { clock, role: 'worker' }))).toMatchObject({
      id: 'V7',
      params: { policy: expect.stringMatching(/^1@/) as string, role: 'worker' },
      parts: {},
      predicted: { min: 0, max: 0 },
    });
  });
});
