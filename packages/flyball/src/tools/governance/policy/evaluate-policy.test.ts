import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluatePolicy } from './evaluate-policy.js';
import { parsePolicy } from './parse-policy.js';
import type { Policy, PolicyAction } from './policy.js';

const NOW = Date.parse('2026-11-15T12:00:00Z');

const policyOf = (rules: readonly object[], rest: object = {}): Policy =>
  parsePolicy(
    {
      version: '1',
      reviewedBy: 'Ada',
      rules: rules.map((rule, at) => ({ id: `r${at}`, because: `Reason ${at}.`, ...rule })),
      ...rest,
    },
    { now: NOW },
  );

const action = (over: Partial<PolicyAction> = {}): PolicyAction => ({
  tool: 'send_mail',
  args: {},
  class: 'irreversible',
  legs: ['outbound'],
  subject: 'ada',
  tenant: 'acme',
  autonomy: 'supervised',
  paths: [],
  urls: [],
  calledTools: {},
  now: NOW,
  ...over,
});

const allow = { effect: 'allow', tools: '*' };
const deny = { effect: 'deny', tools: '*' };
const askFirst = { effect: 'ask', tools: '*' };
const oblige = { effect: 'oblige', tools: '*', obligation: { firstCall: 'scan' } };

describe('of several rules', () => {
  it.each([
    ['deny over all others', [allow, askFirst, oblige, deny], 'deny', 'r3'],
    ['an obligation over ask and allow', [allow, askFirst, oblige], 'oblige', 'r2'],
    ['ask over allow', [allow, askFirst], 'ask', 'r1'],
    ['the first of equal ones', [{ ...deny, tools: 'other' }, deny, deny], 'deny', 'r1'],
    ['allow where it is alone', [allow], 'allow', 'r0'],
  ])('it takes %s [R3-GOV-POLICY]', (_, rules, verdict, rule) => {
    expect(evaluatePolicy(policyOf(rules), action())).toMatchObject({ verdict, rule });
  });

  it('every ask that matches has its say about who has to agree, and the first is named [R3-GOV-POLICY] [R4-PEOPLE-TWO]', () => {
    const large = { ...askFirst, tools: 'send_*', approval: { people: 2, scopes: ['cfo'], withinMinutes: 9 } };
    const late = { ...askFirst, approval: { scopes: ['ops'], withinMinutes: 1 } };
    const elsewhere = { ...askFirst, tools: 'other', approval: { people: 5 } };
    const both = { people: 2, scopes: ['cfo'], alsoScopes: [['ops']], timeoutMs: 60_000 };
    const decided = evaluatePolicy(policyOf([askFirst, large, late, elsewhere, allow]), action());
    expect(decided).toEqual({ verdict: 'ask', rule: 'r0', why: 'Reason 0.', approval: both });
    expect(evaluatePolicy(policyOf([askFirst, allow]), action())).not.toHaveProperty('approval');
    expect(evaluatePolicy(policyOf([large, oblige]), action())).not.toHaveProperty('approval'); // nobody is asked yet
  });

  it('an obligation is met once its tool was called in this run, and it is no permission [R3-GOV-POLICY]', () => {
    const policy = policyOf([oblige]);
    expect(evaluatePolicy(policy, action())).toMatchObject({ verdict: 'oblige', firstCall: 'scan' });
    expect(evaluatePolicy(policy, action({ calledTools: { scan: 1 } }))).toMatchObject({
      verdict: 'deny',
      rule: 'default',
    });
    expect(evaluatePolicy(policyOf([oblige, allow]), action({ calledTools: { scan: 1 } }))).toMatchObject({
      verdict: 'allow',
    });
    expect(evaluatePolicy(policyOf([oblige, allow]), action({ tool: 'scan' }))).toMatchObject({ verdict: 'allow' });
    const inherited = policyOf([{ ...oblige, obligation: { firstCall: 'toString' } }, allow]);
    expect(evaluatePolicy(inherited, action())).toMatchObject({ verdict: 'oblige' });
  });
});

describe('without a matching rule', () => {
  it.each([
    ['pure', [], 'allow'],
    ['pure', ['private-data'], 'allow'],
    ['pure', ['outbound'], 'deny'],
    ['idempotent', [], 'deny'],
    ['undoable', [], 'deny'],
    ['irreversible', [], 'deny'],
  ] as const)('a %s call with legs %j gets %s [R3-GOV-POLICY]', (kind, legs, verdict) => {
    expect(evaluatePolicy(policyOf([]), action({ class: kind, legs }))).toMatchObject({ verdict, rule: 'default' });
  });

  it('the default of the policy decides, where it has one [R3-GOV-POLICY]', () => {
    for (const verdict of ['allow', 'ask', 'deny'] as const) {
      const policy = policyOf([], { default: verdict });
      expect(evaluatePolicy(policy, action())).toMatchObject({ verdict, rule: 'default' });
      expect(evaluatePolicy(policy, action({ class: 'pure', legs: [] }))).toMatchObject({ verdict });
    }
  });
});

describe('a condition', () => {
  const holds = (when: object, over: Partial<PolicyAction>, effect: 'allow' | 'deny' = 'deny'): boolean =>
    evaluatePolicy(
      policyOf([{ effect, tools: '*', when }], { default: effect === 'deny' ? 'allow' : 'deny' }),
      action(over),
    ).verdict === effect;

  it.each([
    ['class', { class: ['undoable', 'irreversible'] }, {}, { class: 'pure' }],
    ['subject', { subject: 'a*' }, {}, { subject: 'bob' }],
    ['tenant', { tenant: ['acme', 'umbrella'] }, {}, { tenant: 'other' }],
    ['autonomy', { autonomy: 'supervised' }, {}, { autonomy: 'autonomous' }],
    ['legs', { legs: ['private-data', 'outbound'] }, {}, { legs: [] }],
    [
      'an equal argument',
      { args: [{ path: 'a.b', equals: 1 }] },
      { args: { a: { b: 1 } } },
      { args: { a: { b: '1' } } },
    ],
    [
      'an equal object',
      { args: [{ path: '$', equals: { a: 1, b: 2 } }] },
      { args: { b: 2, a: 1 } },
      { args: { a: 1 } },
    ],
    ['an argument in a list', { args: [{ path: 'x', in: [1, null, 'y'] }] }, { args: { x: null } }, { args: { x: 2 } }],
    [
      'a matching argument',
      { args: [{ path: 'to', matches: '*@evil.com' }] },
      { args: { to: 'a@evil.com' } },
      { args: { to: 'a@good.com' } },
    ],
    ['a matching number', { args: [{ path: 'n', matches: '4*' }] }, { args: { n: 42 } }, { args: { n: 24 } }],
    [
      'an element',
      { args: [{ path: "$.l[1]['a b']", equals: 1 }] },
      { args: { l: [0, { 'a b': 1 }] } },
      { args: { l: [{ 'a b': 1 }] } },
    ],
    ['a member that is there', { args: [{ path: 'x', equals: null }] }, { args: { x: null } }, { args: {} }],
    [
      'own members only',
      { args: [{ path: 'constructor.name', equals: 'Object' }] },
      { args: { constructor: { name: 'Object' } } },
      { args: {} },
    ],
  ])('on %s holds for what it names and for nothing else [R3-GOV-POLICY]', (_, when, yes, no) => {
    expect(holds(when, yes as Partial<PolicyAction>)).toBe(true);
    expect(holds(when, no as Partial<PolicyAction>)).toBe(false);
    expect(holds(when, yes as Partial<PolicyAction>, 'allow')).toBe(true);
    expect(holds(when, no as Partial<PolicyAction>, 'allow')).toBe(false);
  });

  it('has to hold together with all others of its rule', () => {
    const when = { subject: 'ada', tenant: 'other' };
    expect(holds(when, {})).toBe(false);
    expect(holds(when, { tenant: 'other' })).toBe(true);
  });

  it('on several values forbids at the first that matches and permits only when all do [R3-GOV-POLICY]', () => {
    const args = { to: ['a@good.com', 'b@evil.com'] };
    expect(holds({ args: [{ path: 'to[*]', matches: '*@evil.com' }] }, { args })).toBe(true);
    expect(holds({ args: [{ path: 'to[*]', matches: '*@good.com' }] }, { args }, 'allow')).toBe(false);
    expect(holds({ args: [{ path: 'to[*]', matches: '*' }] }, { args: { to: [] } }, 'allow')).toBe(false);
    const paths = ['/work/a.txt', '/etc/passwd'];
    expect(holds({ paths: '/etc/**' }, { paths })).toBe(true);
    expect(holds({ paths: '/work/**' }, { paths }, 'allow')).toBe(false);
    expect(holds({ paths: '/work/**' }, { paths: ['/work/a/b'] }, 'allow')).toBe(true);
    expect(holds({ paths: '/work/**' }, { paths: [] }, 'allow')).toBe(false);
  });

  it('reads a path and an address as they are used, not as they are written [R3-GOV-POLICY]', () => {
    expect(holds({ paths: '/etc/**' }, { paths: ['/work/../etc/passwd'] })).toBe(true);
    expect(holds({ urls: 'https://*.evil.com/**' }, { urls: ['https://user:pw@A.EVIL.com/x/../y'] })).toBe(true);
    expect(holds({ urls: 'https://evil.com/**' }, { urls: ['https://user@evil.com/x'] })).toBe(true);
    expect(holds({ urls: 'https://*.good.com/**' }, { urls: ['https://evil.com/.good.com/'] }, 'allow')).toBe(false);
    expect(holds({ urls: 'https://a.good.com/**' }, { urls: ['https://a.good.com@evil.com/'] }, 'allow')).toBe(false);
  });

  it('takes a place that nobody can read for the forbidden one, and never for a permitted one [R3-GOV-POLICY]', () => {
    expect(holds({ paths: 'secret/**' }, { paths: ['../elsewhere'] })).toBe(true);
    expect(holds({ paths: '**' }, { paths: ['../elsewhere'] }, 'allow')).toBe(false);
    expect(holds({ urls: 'https://evil.com/**' }, { urls: ['not an address'] })).toBe(true);
    expect(holds({ urls: '**' }, { urls: ['not an address'] }, 'allow')).toBe(false);
  });

  it.each(['https://evil.com./', 'https://EVIL.com../', 'https://user@evil.com.:443/'])(
    'is not gone around by a dot after the host: %s [R3-GOV-POLICY]',
    (url) => {
      expect(holds({ urls: 'https://evil.com/**' }, { urls: [url] })).toBe(true);
      expect(holds({ urls: 'https://*.evil.com/**' }, { urls: [url.replace(/evil/i, 'a.evil')] })).toBe(true);
      expect(holds({ urls: 'https://good.com/**' }, { urls: [url] }, 'allow')).toBe(false);
    },
  );

  it('refuses a pattern whose host ends with a dot: it would never match', () => {
    for (const urls of ['https://evil.com./**', 'https://evil.com.', 'https://evil.com.:8443/**'])
      expect(() => holds({ urls }, {}), urls).toThrow('ends with a dot');
    expect(() => holds({ urls: 'https://evil.com/a./**' }, {})).not.toThrow();
  });

  it.each([
    '/proc/self/root/etc/passwd',
    '/work/../proc/1/cwd/x',
    '/sys/kernel',
    '/dev/fd/3',
    'file:///etc/passwd',
    '~/keys',
    '/work/..%2fetc/passwd',
    '/etc\u200b/passwd',
    '/work/a\0',
    '',
  ])('takes the path %j, which may be another file, for the forbidden one [R3-GOV-POLICY]', (path) => {
    expect(holds({ paths: '/etc/**' }, { paths: [path] })).toBe(true);
    expect(holds({ paths: '/**' }, { paths: [path] }, 'allow')).toBe(false);
    expect(holds({ paths: '**' }, { paths: [path] }, 'allow')).toBe(false);
  });

  it('reads relative folders that are only called like those of the system', () => {
    expect(holds({ paths: 'dev/**' }, { paths: ['dev/a.ts'] }, 'allow')).toBe(true);
    expect(holds({ paths: '/etc/**' }, { paths: ['proc/a.ts'] })).toBe(false);
  });
});

describe('a waiver', () => {
  const waived = policyOf([deny, allow], {
    waivers: [
      { deny: 'r0', scope: { tools: 'send_*', subject: 'ada' }, authority: 'the board', expires: '2026-12-01' },
    ],
  });

  it('lifts its rule for its scope, and the decision says who waived it [R3-GOV-POLICY] [V7.5]', () => {
    expect(evaluatePolicy(waived, action())).toEqual({
      verdict: 'allow',
      rule: 'r1',
      why: 'Reason 1. (r0 is waived by the board)',
    });
    expect(evaluatePolicy(waived, action({ subject: 'bob' }))).toMatchObject({ verdict: 'deny', rule: 'r0' });
    expect(evaluatePolicy(waived, action({ tool: 'delete' }))).toMatchObject({ verdict: 'deny', rule: 'r0' });
  });

  it('ends while the policy is in force [R3-GOV-POLICY]', () => {
    const end = Date.parse('2026-12-01');
    expect(evaluatePolicy(waived, action({ now: end - 1 }))).toMatchObject({ verdict: 'allow' });
    expect(evaluatePolicy(waived, action({ now: end }))).toMatchObject({ verdict: 'deny', rule: 'r0' });
  });

  it('permits nothing by itself: another rule has to [R3-GOV-POLICY]', () => {
    const alone = policyOf([deny], {
      waivers: [{ deny: 'r0', scope: { subject: 'ada' }, authority: 'the board', expires: '2026-12-01' }],
    });
    expect(evaluatePolicy(alone, action())).toMatchObject({ verdict: 'deny', rule: 'default' });
  });
});

describe('every policy', () => {
  const words = fc.constantFrom('a', 'b', 'ab');
  const rules = fc.array(
    fc.record({
      effect: fc.constantFrom('allow', 'deny', 'ask', 'oblige'),
      tools: fc.constantFrom('*', 'a*', 'b', 'ab'),
      when: fc.record(
        {
          class: fc.constantFrom('pure', 'irreversible'),
          tenant: words,
          args: fc.array(fc.record({ path: fc.constantFrom('x', 'y[*]'), equals: words }), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
    }),
    { maxLength: 8 },
  );
  const actions = fc.record({
    tool: words,
    class: fc.constantFrom('pure', 'irreversible'),
    tenant: words,
    args: fc.record({ x: words, y: fc.array(words, { maxLength: 3 }) }, { requiredKeys: [] }),
    calledTools: fc.constantFrom({}, { scan: 1 }),
  });
  const complete = (list: readonly { effect: string }[]) =>
    list.map((rule) => (rule.effect === 'oblige' ? { ...rule, obligation: { firstCall: 'scan' } } : rule));

  it('decides the same about the same, changes nothing, and its order of rules changes no verdict [R3-GOV-POLICY] [V7.1]', () => {
    fc.assert(
      fc.property(rules, actions, (list, over) => {
        const given = Object.freeze(action(over as Partial<PolicyAction>));
        const before = JSON.stringify(given);
        const once = evaluatePolicy(policyOf(complete(list)), given);
        expect(evaluatePolicy(policyOf(complete(list)), given)).toEqual(once);
        expect(JSON.stringify(given)).toBe(before);
        const turned = complete(list)
          .map((rule, at) => ({ id: `r${at}`, ...rule }))
          .reverse();
        expect(evaluatePolicy(policyOf(turned), given).verdict).toBe(once.verdict);
      }),
    );
  });

  it('that denies still denies, whatever rules are added [R3-GOV-POLICY] [V7.5]', () => {
    fc.assert(
      fc.property(rules, rules, actions, (list, more, over) => {
        const given = action(over as Partial<PolicyAction>);
        const before = evaluatePolicy(policyOf(complete(list)), given);
        fc.pre(before.verdict === 'deny' && before.rule !== 'default');
        expect(evaluatePolicy(policyOf(complete([...more, ...list])), given).verdict).toBe('deny');
      }),
    );
  });
});

describe('a number in the arguments', () => {
  const large = policyOf([
    { effect: 'ask', tools: 'refund', when: { args: [{ path: '$.amount', above: 100 }] } },
    allow,
  ]);
  const small = policyOf([
    { effect: 'allow', tools: 'refund', when: { args: [{ path: '$.amount', below: 50 }] } },
    { ...deny, unless: { args: [{ path: '$.amount', below: 50 }] } },
  ]);
  const refund = (amount: unknown) => action({ tool: 'refund', args: { amount } });

  it.each([
    [100, 'allow'],
    [100.01, 'ask'],
    ['1', 'ask'],
    [null, 'ask'],
  ])('%s is compared, and what is no number counts as the forbidden side [R3-GOV-POLICY]', (amount, verdict) => {
    expect(evaluatePolicy(large, refund(amount))).toMatchObject({ verdict });
  });

  it.each([
    [49, 'allow'],
    [50, 'deny'],
    ['49', 'deny'],
  ])('%s permits only below the limit [R3-GOV-POLICY]', (amount, verdict) => {
    expect(evaluatePolicy(small, refund(amount))).toMatchObject({ verdict });
  });

  it('must be one in the file', () => {
    expect(() => policyOf([{ ...deny, when: { args: [{ path: '$.amount', above: 'much' }] } }])).toThrow(
      'above must be a number',
    );
  });
});

describe('an exception', () => {
  it('lets colleagues pass where everybody else is asked about [R3-GOV-POLICY]', () => {
    const policy = policyOf([{ ...askFirst, unless: { subject: '*@acme.example' } }, allow]);
    expect(evaluatePolicy(policy, action({ subject: 'bob@acme.example' }))).toMatchObject({ verdict: 'allow' });
    expect(evaluatePolicy(policy, action({ subject: 'eve@evil.example' }))).toMatchObject({ verdict: 'ask' });
  });

  it('from a prohibition covers every place that is touched; from a permission, any [R3-GOV-POLICY]', () => {
    const mixed = action({ paths: ['out/a.txt', 'etc/b.txt'] });
    const forbids = policyOf([{ ...deny, unless: { paths: 'out/**' } }, allow]);
    expect(evaluatePolicy(forbids, mixed)).toMatchObject({ verdict: 'deny' });
    expect(evaluatePolicy(forbids, action({ paths: ['out/a.txt'] }))).toMatchObject({ verdict: 'allow' });
    const permits = policyOf([{ ...allow, unless: { paths: 'etc/**' } }], { default: 'deny' });
    expect(evaluatePolicy(permits, mixed)).toMatchObject({ verdict: 'deny' });
    expect(evaluatePolicy(permits, action({ paths: ['out/a.txt'] }))).toMatchObject({ verdict: 'allow' });
  });

  it('that is empty is refused: the rule would never hold', () => {
    expect(() => policyOf([{ ...deny, unless: {} }])).toThrow('is empty');
  });
});
