import { virtualClock } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { context, proposed, toolOf, undoable } from '../../../../../test/governance/context.js';
import { joinSeams } from '../../core/join-seams.js';
import type { Seams } from '../../core/seams.js';
import { autonomyBudget } from '../autonomy/autonomy-budget.js';
import { domainRules } from '../rules/domains.js';
import { pathRules } from '../rules/paths.js';
import { type GovernanceOptions, governance } from './governance.js';
import { canaryGuard } from './guards/canary-guard.js';
import { guardrails } from './guards/guardrails.js';
import { parsePolicy } from './policy/parse-policy.js';
import { policyCheck } from './policy/policy-check.js';
import { proposedCall } from './proposed-call.js';

const clock = virtualClock();
const denyAll = parsePolicy(
  {
    version: '7',
    reviewedBy: 'Ada',
    rules: [{ id: 'none', effect: 'deny', tools: '*', because: 'Nothing is allowed.' }],
  },
  { now: 0 },
);
const tool = toolOf({
  name: 'everything',
  effect: undoable,
  legs: ['private-data', 'untrusted-content', 'outbound'],
  touches: () => ({ commands: ['curl evil.com'], reads: ['/etc/passwd'], urls: ['https://evil.com/'] }),
});

/** Options under which each guard objects, with the one that lets it pass. */
const steps: readonly (readonly [guard: string, mended: Partial<GovernanceOptions>])[] = [
  ['rate-limit', { rateLimit: 'off' }],
  ['autonomy', { autonomy: 'autonomous' }],
  ['scopes', { scopesOf: () => ['tools:execute'] }],
  ['commands', { commands: { programs: { curl: {} } } }],
  ['paths', { paths: pathRules({ roots: [{ path: '/etc', write: false }] }) }],
  ['domains', { domains: domainRules({ allow: ['evil.com'] }) }],
  ['policy', { policy: parsePolicy({ version: '8', reviewedBy: 'Ada', default: 'allow', rules: [] }, { now: 0 }) }],
  ['trifecta', { trifecta: 'off' }],
];

describe('governance', () => {
  it('asks its guards in one order and stops at the first refusal [R3-GOV-ORDER]', async () => {
    const full = { perMinute: 1, burst: 1 };
    let options: GovernanceOptions = {
      clock,
      rateLimit: full,
      autonomy: 'read-only',
      scopesOf: () => [],
      commands: { programs: {} },
      paths: pathRules({ roots: [{ path: '/work', write: true }] }),
      domains: domainRules({ allow: ['example.com'] }),
      policy: denyAll,
      trifecta: 'deny',
    };
    const refusedBy: string[] = [];
    for (const [, mended] of steps) {
      const seams = governance(options);
      if (options.rateLimit === full) await proposed(seams, toolOf({ name: 'first' })); // uses the minute up
      const ctx = context();
      expect(await proposed(seams, tool, {}, ctx)).toMatchObject({ allow: false });
      refusedBy.push(ctx.decisions.find(({ verdict }) => verdict === 'denied')?.guard ?? '');
      options = { ...options, ...mended };
    }
    expect(refusedBy).toEqual(steps.map(([guard]) => guard));
    expect(await proposed(governance(options), tool)).toEqual({ allow: true, args: {} });
  });

  it('asks a person last: a later refusal wins over an earlier escalation [R3-GOV-ORDER] [R3-GOV-AUTONOMY]', async () => {
    const ctx = context();
    const seams = governance({ clock, autonomy: 'supervised', policy: denyAll });
    expect(await proposed(seams, tool, {}, ctx)).toMatchObject({ allow: false });
    expect(ctx.decisions.map(({ guard, verdict }) => `${guard} ${verdict}`)).toEqual([
      'autonomy escalated',
      'policy denied',
    ]);
  });

  it('joins all reasons for which a person has to agree, also those of seams inside', async () => {
    const inside = joinSeams(governance({ clock }), {
      'tool.pre': [
        () =>
          async ({ args }) => ({ allow: true, args, approval: 'Mine.' }),
      ],
    });
    expect(await proposed(inside, tool)).toMatchObject({
      allow: true,
      approval: expect.stringMatching(/supervised\..*a way out.*Mine\./),
    });
  });

  it('is supervised, limited and watched for the trifecta where nothing is said [R3-GOV-AUTONOMY] [R3-GOV-RATE]', async () => {
    const seams = governance({ clock });
    const pure = toolOf({ name: 'pure' });
    for (let call = 0; call < 10; call++) expect(await proposed(seams, pure)).toMatchObject({ allow: true });
    expect(await proposed(seams, pure)).toMatchObject({ allow: false, why: expect.stringContaining('60 a minute') });
  });

  it('refuses when a guard breaks: the operator reads why, the model that nothing was called', async () => {
    const ctx = context();
    const seams = governance({
      clock,
      scopesOf: () => {
        throw new Error('directory at 10.0.0.7 is down');
      },
    });
    expect(await proposed(seams, toolOf({ name: 'pure' }), {}, ctx)).toEqual({
      allow: false,
      why: 'Nothing was called: the check "scopes" could not be made. Somebody has to fix it first.',
    });
    expect(ctx.decisions).toEqual([
      { guard: 'scopes', verdict: 'denied', why: 'The guard scopes failed: directory at 10.0.0.7 is down' },
    ]);
  });

  it('refuses a call of which the tool cannot tell what it touches', async () => {
    const ctx = context();
    const broken = toolOf<{ path: string }>({ name: 'broken', touches: ({ path }) => ({ reads: [path.trim()] }) });
    expect(await proposed(governance({ clock }), broken, {}, ctx)).toMatchObject({ allow: false });
    expect(ctx.decisions).toMatchObject([{ guard: 'touches', verdict: 'denied' }]);
  });

  it('tells the decisions of a policy with rule and version, and the model none of its text [R3-GOV-POLICY]', async () => {
    const policy = parsePolicy(
      {
        version: '2',
        reviewedBy: 'Ada',
        rules: [
          { id: 'reads', effect: 'allow', tools: 'read', because: 'Reading is fine.' },
          {
            id: 'scan-first',
            effect: 'oblige',
            tools: 'send',
            because: 'Zebra clause.',
            obligation: { firstCall: 'scan' },
          },
          { id: 'person', effect: 'ask', tools: 'send', because: 'A person looks at it.' },
          { id: 'never', effect: 'deny', tools: 'drop', because: 'Zebra clause.' },
        ],
      },
      { now: 0 },
    );
    const seams = governance({ clock, autonomy: 'autonomous', policy });
    const ctx = context();
    const after = context({ calledTools: { scan: 1 } });
    const said = [
      await proposed(seams, toolOf({ name: 'read' }), {}, ctx),
      await proposed(seams, toolOf({ name: 'drop' }), {}, ctx),
      await proposed(seams, toolOf({ name: 'send' }), {}, ctx),
      await proposed(seams, toolOf({ name: 'send' }), {}, after),
    ];
    expect(said).toEqual([
      { allow: true, args: {} },
      { allow: false, why: expect.stringContaining('drop with these arguments is not permitted') },
      { allow: false, why: 'Call scan first, then send again.' },
      { allow: true, args: {}, approval: 'The policy asks for a person (rule person): A person looks at it.' },
    ]);
    expect(JSON.stringify(said)).not.toContain('Zebra');
    expect([...ctx.decisions, ...after.decisions]).toEqual([
      { guard: 'policy', verdict: 'allowed', rule: 'reads', why: 'Reading is fine.', policy: policy.label },
      { guard: 'policy', verdict: 'denied', rule: 'never', why: 'Zebra clause.', policy: policy.label },
      { guard: 'policy', verdict: 'obliged', rule: 'scan-first', why: 'Zebra clause.', policy: policy.label },
      { guard: 'policy', verdict: 'asked', rule: 'person', why: 'A person looks at it.', policy: policy.label },
    ]);
  });

  it('resolves relative paths of tools for the policy from where the path rules start', async () => {
    const policy = parsePolicy(
      {
        version: '1',
        reviewedBy: 'Ada',
        default: 'allow',
        rules: [{ id: 'keys', effect: 'deny', tools: '*', when: { paths: '/work/keys/**' }, because: 'Keys.' }],
      },
      { now: 0 },
    );
    const paths = pathRules({ roots: [{ path: '/work', write: true }] });
    const reads = (path: string) => toolOf({ name: 'read', touches: () => ({ reads: [path] }) });
    expect(await proposed(governance({ clock, paths, policy }), reads('src/../keys/a'))).toMatchObject({
      allow: false,
    });
    expect(await proposed(governance({ clock, paths, policy }), reads('src/a'))).toMatchObject({ allow: true });
  });

  it('leaves an odd path as odd as it is for the policy [R3-GOV-POLICY]', async () => {
    const rule = { id: 'all', effect: 'allow', tools: '*', when: { paths: '/work/**' }, because: 'Ours.' };
    const policy = parsePolicy({ version: '1', reviewedBy: 'Ada', default: 'deny', rules: [rule] }, { now: 0 });
    const paths = pathRules({ roots: [{ path: '/work', write: true }] });
    const guard = policyCheck({ policy, clock, levelOf: 'autonomous', root: paths.roots[0]?.path ?? '' });
    const read = (path: string) =>
      guard.check(proposedCall(toolOf({ name: 'read', touches: () => ({ reads: [path] }) }), {}), context());
    expect(await read('a')).toMatchObject({ verdict: 'pass' });
    for (const path of ['file:///etc/passwd', '~/keys']) expect(await read(path)).toMatchObject({ verdict: 'refuse' });
  });

  it('shows a policy another level than it holds itself where it is told one [R3-GOV-POLICY] [R3-GOV-AUTONOMY]', async () => {
    const when = { autonomy: 'read-only' };
    const policy = parsePolicy(
      {
        version: '1',
        reviewedBy: 'Ada',
        default: 'allow',
        rules: [{ id: 'low', effect: 'deny', tools: '*', when, because: 'Too low.' }],
      },
      { now: 0 },
    );
    const under = (more: Partial<GovernanceOptions>) =>
      proposed(governance({ clock, autonomy: 'autonomous', policy, ...more }), toolOf({ name: 'pure' }));
    expect(await under({})).toMatchObject({ allow: true });
    expect(await under({ policyAutonomy: 'read-only' })).toMatchObject({ allow: false });
    expect(await under({ policyAutonomy: () => 'read-only' })).toMatchObject({ allow: false });
    expect(() => governance({ clock, policyAutonomy: 'none' as 'read-only' })).toThrow(
      '"none" is not an autonomy level',
    );
  });
});

describe('arguments that middleware further in has changed', () => {
  const policy = parsePolicy(
    {
      version: '1',
      reviewedBy: 'Ada',
      default: 'allow',
      rules: [
        { id: 'evil', effect: 'deny', tools: '*', when: { args: [{ path: 'to', equals: 'evil' }] }, because: 'Evil.' },
        { id: 'boss', effect: 'ask', tools: '*', when: { args: [{ path: 'to', equals: 'boss' }] }, because: 'Boss.' },
      ],
    },
    { now: 0 },
  );
  const mail = toolOf({ name: 'mail' });
  const sendingTo = (to: string): Seams => ({
    'tool.pre': [(next) => (value, ctx) => next({ ...value, args: { to } }, ctx)],
  });
  const inPlace = (to: string): Seams => ({
    'tool.pre': [
      (next) => (value, ctx) => {
        Object.assign(value.args as object, { to });
        return next(value, ctx);
      },
    ],
  });

  it.each([
    ['exchanged', sendingTo],
    ['changed in place', inPlace],
  ])('are judged again when they were %s [R3-GOV-ORDER] [R3-GOV-POLICY]', async (_, changing) => {
    const guards = governance({ clock, policy });
    const to = (name: string, ctx = context()) => proposed(joinSeams(guards, changing(name)), mail, { to: 'bob' }, ctx);
    const ctx = context();
    expect(await to('evil', ctx)).toMatchObject({ allow: false, why: expect.stringContaining('is not permitted') });
    expect(ctx.decisions.map(({ verdict, rule }) => [verdict, rule])).toEqual([
      ['allowed', 'default'],
      ['denied', 'evil'],
    ]);
    expect(await to('boss')).toEqual({ allow: true, args: { to: 'boss' }, approval: expect.stringContaining('Boss.') });
    expect(await to('ann')).toEqual({ allow: true, args: { to: 'ann' } });
  });

  it('are not judged again when they are the same in another order, and count as one call [R3-GOV-RATE]', async () => {
    const seams = governance({ clock, policy, rateLimit: { perMinute: 2, burst: 2 } });
    const turned: Seams = { 'tool.pre': [(next) => (value, ctx) => next({ ...value, args: { b: 2, a: 1 } }, ctx)] };
    const ctx = context();
    expect(await proposed(joinSeams(seams, turned), mail, { a: 1, b: 2 }, ctx)).toMatchObject({ allow: true });
    expect(ctx.decisions).toHaveLength(1);
    expect(await proposed(joinSeams(seams, sendingTo('ann')), mail, { to: 'bob' })).toMatchObject({ allow: true });
    expect(await proposed(seams, mail, {})).toMatchObject({ allow: false }); // the third
  });

  it('are judged again by the autonomy budget and by guards of calls too [R3-GOV-ORDER] [R3-GOV-GUARDS]', async () => {
    const reading = toolOf<{ to: string }>({ name: 'read', touches: ({ to }) => ({ reads: [to] }) });
    const budget = autonomyBudget({ paths: pathRules({ roots: [{ path: '/work', write: true }] }) }).seam();
    const canary = guardrails({ preCall: [canaryGuard('preCall', { canaries: ['/etc/violet-harbor-42'] })] });
    for (const seams of [budget, canary]) {
      const sent = (to: string) => proposed(joinSeams(seams, sendingTo(to)), reading, { to: '/work/a' });
      expect(await sent('/work/b')).toMatchObject({ allow: true });
      expect(await sent('/etc/violet-harbor-42')).toMatchObject({ allow: false });
    }
  });
});
