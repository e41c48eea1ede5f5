import { type Agent, createRuntime, memoryEngine } from 'flyball';
import { type Composition, composition, hostOf, lint } from 'flyball/catalogue';
import { reflexion, selfConsistency, selfRefine, untilApproved, useOf, withBudget, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { antiPatterns, patterns, relations, stacks } from '../../packages/flyball/src/catalogue/catalogue.js';
import { checks } from '../../packages/flyball/src/catalogue/checks.js';
import { closureOf } from '../../packages/flyball/src/catalogue/closure.js';
import type { Context } from '../../packages/flyball/src/catalogue/context.js';
import type { AntiPatternId } from '../../packages/flyball/src/catalogue/types.js';
import { type PatternId, partOf, type Use } from '../../packages/flyball/src/core/use.js';
import { session } from '../patterns/bed.js';
import { seat, stackOf, use } from './systems.js';

const stack = (outer: string, outerId: PatternId, inner: string, innerId: PatternId): Use =>
  use(outerId, outer, { parts: { agent: use(innerId, inner) } });
const loops = patterns.filter(({ isLoop }) => isLoop);
const model = scriptedModel({});
const rules = (subject: Composition, level = 'error') =>
  lint(subject)
    .filter((each) => each.level === level)
    .map(({ rule }) => rule);

describe('stacks', () => {
  const withFixture = stacks.filter(({ missing }) => missing !== undefined);

  it('has the nine that say what they leave out', () => {
    expect(withFixture.map(({ id }) => id)).toEqual(['X1', 'X1b', 'X2', 'X3', 'X4', 'X5', 'X6', 'X7', 'X8']);
  });

  it.each(withFixture.map((stack) => [stack.id, stack] as const))(
    '%s lacks exactly what its row says, and then exactly what the entries add [R17-STACKS]',
    (_id, { patterns: listed, missing = [], thenMissing = [] }) => {
      const b1 = relations.filter(({ table }) => table === 'B1');
      const first = closureOf(listed, b1, loops);
      expect([...first].sort()).toEqual([...missing].sort());
      expect([...closureOf([...listed, ...first], relations, loops)].sort()).toEqual([...thenMissing].sort());
    },
  );

  it.each(withFixture.map((stack) => [stack.id, stack] as const))(
    '%s: the linter reports exactly these, and nothing once they are added [R17-STACKS]',
    (_id, { patterns: listed, missing = [], thenMissing = [] }) => {
      const missingIn = (agents: Composition['agents']) =>
        lint({ agents, host: [] })
          .filter(({ rule, level }) => rule.includes(' requires ') && level === 'error')
          .map(({ patterns: [first] }) => first);
      expect(missingIn({ system: stackOf(listed) }).sort()).toEqual([...missing, ...thenMissing].sort());
      expect(missingIn({ system: stackOf([...listed, ...missing, ...thenMissing]) })).toEqual([]);
    },
  );
});

/** A bad composition for each anti-pattern, and the same without the fault. */
const loop = use('R4', 'reAct', { parts: { worker: seat('worker', 3) }, params: { maxIterations: 5 } });
const healthy = { agents: { bot: loop } };
const system = (given: Composition['system'], more: Partial<Composition> = {}): Composition => ({
  ...healthy,
  ...more,
  system: given ?? {},
});
const withUse = (
  id: Parameters<typeof use>[0],
  given: Composition['system'] = {},
  more: Partial<Composition> = {},
): Composition => ({ agents: { bot: use(id, id) }, system: given, ...more });

const seeded: Readonly<Partial<Record<AntiPatternId, readonly [bad: Composition, good: Composition]>>> = {
  A1: [
    system({ agents: { bot: { owner: 'a', instructionTokens: 9_000 } } }),
    system({ agents: { bot: { owner: 'a', instructionTokens: 900 } } }),
  ],
  A2: [
    { agents: { bot: use('R4', 'reAct', { parts: { worker: seat('w', 1) }, params: { maxIterations: 1 } }) } },
    healthy,
  ],
  A3: [
    { agents: { bot: use('R4', 'reAct', { parts: { worker: seat('w', 1) } }) }, host: ['V14'] },
    { agents: { bot: loop }, host: ['V14'] },
  ],
  A4: [system({ agents: { bot: {} } }), system({ agents: { bot: { owner: 'ann' } } })],
  A5: [system({ crossings: { input: false, output: true } }), system({ crossings: { input: true, output: true } })],
  A6: [
    system({ evals: { changedAt: 2, passedAt: 1, suites: [] } }),
    system({ evals: { changedAt: 1, passedAt: 2, suites: [] } }),
  ],
  A7: [
    {
      agents: {
        bot: use('R4', 'reAct', { parts: { worker: seat('w', 3), window: [] }, params: { maxIterations: 9 } }),
      },
    },
    {
      agents: {
        bot: use('R4', 'reAct', {
          parts: { worker: seat('w', 3), window: [use('K7', 'pruning')] },
          params: { maxIterations: 9 },
        }),
      },
    },
  ],
  A8: [
    system({ steps: [{ name: 'b', needs: [], after: 'a' }] }),
    system({ steps: [{ name: 'b', needs: ['a'], after: 'a' }] }),
  ],
  A9: [
    system({ agents: { bot: { owner: 'a', isPure: false } } }),
    system({ agents: { bot: { owner: 'a', isPure: true } } }),
  ],
  A10: [system({ tools: [{ name: 't', mapsErrors: false }] }), system({ tools: [{ name: 't', mapsErrors: true }] })],
  A11: [system({ foreignTypes: ['src/billing.ts'] }), system({ foreignTypes: [] })],
  A12: [
    { agents: { bot: use('R4', 'reAct', { parts: { worker: seat('w', 41) }, params: { maxIterations: 9 } }) } },
    healthy,
  ],
  A13: [
    system({ evals: { suites: [{ cases: 'synthetic' }] } }, { profile: ['production'] }),
    system({ evals: { suites: [{ cases: 'real' }] } }, { profile: ['production'] }),
  ],
  A14: [
    system({ edges: [{ from: 'a', to: 'b' }] }),
    system({ edges: [{ from: 'a', to: 'b', trust: 'internal', guards: ['V6'] }] }),
  ],
  A15: [
    { ...healthy, host: ['V9', 'V10', 'V12'] },
    { ...healthy, host: ['V9', 'V10', 'V12', 'V14'] },
  ],
  HA1: [
    system({ segments: [{ name: 'identity', varies: 'never', text: 'I feel so lonely when you leave.' }] }),
    system({ segments: [{ name: 'identity', varies: 'never', text: 'I am a careful librarian.' }] }),
  ],
  HA2: [
    withUse('H10'),
    withUse('H10', {
      relationship: { outputGuard: true, retention: true, depthLimit: true, consent: true, erasure: true },
    }),
  ],
  HA3: [withUse('H7'), { agents: { bot: stackOf(['H7', 'H1']) } }],
  HA4: [
    withUse('H5', { principles: { signer: 'model' } }),
    { agents: { bot: stackOf(['H5', 'V1']) }, system: { principles: { signer: 'person', needsVerdict: true } } },
  ],
  HA5: [withUse('H9'), withUse('H9', { trackRecord: { decays: true } })],
  IA1: [system({ servers: [{ name: 'github' }] }), system({ servers: [{ name: 'github', tokens: 4_000 }] })],
  IA2: [
    system({ tools: [{ name: 'sh', runs: 'shell-string' }] }),
    system({ tools: [{ name: 'sh', runs: 'arguments', sandboxed: true, lists: 'allowed' }] }),
  ],
  IA3: [
    { agents: { bot: use('R4', 'reAct', { parts: { worker: seat('w', 20) }, params: { maxIterations: 9 } }) } },
    healthy,
  ],
  IA4: [
    system({ delegates: [{ name: 'peer', url: 'https://peer' }] }),
    system({ delegates: [{ name: 'peer', url: 'https://peer', card: 'verified', cardTtlMs: 1 }] }),
  ],
  IA5: [
    system({ delegates: [{ name: 'peer' }] }),
    system({
      delegates: [{ name: 'peer', wallMs: 1, idleMs: 1, cancels: true, handlesEnd: true, maxDepth: 1, traced: true }],
    }),
  ],
  CE1: [
    withUse('S9', {}, { profile: ['safety-critical'] }),
    { agents: { bot: stackOf(['S9', 'V7']) }, profile: ['safety-critical'] },
  ],
  CE2: [
    system({ actions: { refund: { gate: 'V2', irreversible: true } } }),
    system({ actions: { refund: { gate: 'V1', irreversible: true } } }),
  ],
  CE3: [withUse('R5', { decidingEdges: ['E2'] }), withUse('R5', { decidingEdges: [] })],
  CE4: [
    withUse('O6', {
      agents: { p: { owner: 'a', role: 'planner', policy: '1' }, w: { owner: 'a', role: 'worker', policy: '1' } },
    }),
    withUse('O6', {
      agents: { p: { owner: 'a', role: 'planner', policy: '1' }, w: { owner: 'a', role: 'worker', policy: '2' } },
    }),
  ],
  CE5: [
    system({ agents: { w: { owner: 'a', readsParentHistory: true } } }),
    system({ agents: { w: { owner: 'a', readsParentHistory: false } } }),
  ],
  CE6: [
    withUse('H8', { selfTuning: { surface: true } }),
    withUse('H8', { selfTuning: { surface: true, gate: true, reviewer: true, wayBack: true, caps: true } }),
  ],
  CE7: [
    system({
      segments: [
        { name: 'user', varies: 'user' },
        { name: 'rules', varies: 'never' },
      ],
    }),
    system({
      segments: [
        { name: 'rules', varies: 'never' },
        { name: 'user', varies: 'user' },
      ],
    }),
  ],
  CE8: [
    system({ segments: [{ name: 'manual', varies: 'never', everyTurn: true, cached: false }] }),
    system({ segments: [{ name: 'manual', varies: 'never', everyTurn: true, cached: true }] }),
  ],
  CE9: [
    system({ segments: [{ name: 'menu', varies: 'call', decided: true }] }),
    system({ segments: [{ name: 'menu', varies: 'call' }] }),
  ],
};

describe('anti-patterns', () => {
  it.each(antiPatterns.map(({ id, name }) => [id, name] as const))(
    '%s (%s) is found where it was planted, and not where it is repaired [R17-ANTI-PATTERNS]',
    (id) => {
      const [bad, good] = seeded[id] ?? [healthy, healthy];
      const found = lint(bad).filter(({ rule }) => rule === id);
      expect(found.length).toBeGreaterThan(0);
      expect(found[0]).toMatchObject({
        at: expect.stringMatching(/./),
        why: expect.stringMatching(/\.$/),
        change: expect.stringMatching(/\.$/),
      });
      expect(lint(good).filter(({ rule }) => rule === id)).toEqual([]);
    },
  );
});

describe('relations', () => {
  it('reports a requirement that is missing, with place, reason and the smallest change [R17-FINDINGS]', () => {
    const bot = use('O6', 'orchestrator', {
      parts: {
        planner: seat('p'),
        workers: [use('R4', 'reAct', { parts: { worker: seat('w', 2) } })],
        editor: seat('e'),
      },
    });
    expect(lint({ agents: { bot } })).toContainEqual({
      rule: 'O6 requires O17',
      level: 'error',
      at: 'bot > orchestrator (O6)',
      why: "Workers that see each other's context lose what splitting gains.",
      change: 'Add isolated (O17).',
      patterns: ['O17'],
    });
    const isolated = use('O6', 'orchestrator', {
      parts: { workers: [use('O17', 'isolated', { parts: { agent: loop } })] },
    });
    expect(rules({ agents: { bot: isolated } })).not.toContain('O6 requires O17');
  });

  it('reports a conflict on one task, and not between routes that never meet', () => {
    const clash = use('R7', 'reflexion', { parts: { agent: use('O5', 'untilApproved') } });
    expect(rules({ agents: { clash } })).toContain('R7 conflicts with O5');
    const apart = use('O3', 'router', { parts: { to: [use('R7', 'reflexion'), use('O5', 'untilApproved')] } });
    expect(rules({ agents: { apart } }).filter((rule) => rule.includes('conflicts'))).toEqual([]);
  });

  it('reports what a profile forbids', () => {
    expect(rules({ agents: { bot: use('I4', 'shellTool') }, profile: ['no-shell'] })).toContain(
      'I4 conflicts with profile:no-shell',
    );
    expect(rules({ agents: { bot: use('I4', 'shellTool') } })).not.toContain('I4 conflicts with profile:no-shell');
  });

  it('asks for approval once a tool cannot be undone, and takes the answer of a person where no code knows [R17-CONDITIONS]', () => {
    const tools = [{ name: 'pay', effect: 'irreversible' as const }];
    expect(rules(system({ tools }))).toContain('*agent requires V1');
    expect(rules(healthy)).not.toContain('*agent requires V1');
    expect(rules({ ...healthy, decisions: { facts: { 'irreversible-action': true } } })).toContain(
      '*agent requires V1',
    );
    const chain = { agents: { bot: use('S4', 'procedure') } };
    expect(rules(chain, 'info')).not.toContain('S4 upgrades to O2');
    expect(rules({ ...chain, decisions: { questions: { 'steps-need-inspection': true } } }, 'info')).toContain(
      'S4 upgrades to O2',
    );
  });

  it('makes a tension a warning only where its check fails, and information otherwise [R17-TENSIONS]', () => {
    const both = stackOf(['H1', 'H7']);
    const rule = 'H1 in tension with H7';
    expect(rules({ agents: { both } }, 'warning')).not.toContain(rule);
    expect(rules({ agents: { both } }, 'info')).toContain(rule);
    expect(rules({ agents: { both }, system: { identityFields: [] } }, 'warning')).toContain(rule);
    const listed = lint({ agents: { both }, system: { identityFields: ['values'] } });
    expect(listed.map((each) => each.rule)).not.toContain(rule);
    for (const { resolvedBy } of relations)
      if (resolvedBy !== undefined) expect(checks[resolvedBy]).toBeTypeOf('function');
  });

  it.each([
    ['R17 in tension with *cache', use('R17', 'selfConsistency'), use('R17', 'vote')],
    ['S3 in tension with S5', stack('persona', 'S3', 'constraints', 'S5'), stack('persona', 'S3', 'rules', 'S5')],
    ['K8 in tension with R9', stack('treeOfThoughts', 'R9', 'withScratchpad', 'K8'), use('R9', 'treeOfThoughts')],
  ] as const)('%s is resolved by how it is built, and only then [R17-TENSIONS]', (rule, resolved, unknown) => {
    const told = (agent: Use) => lint({ agents: { agent } }).map((each) => each.rule);
    expect(told(resolved)).not.toContain(rule);
    if (unknown.id !== 'R9') expect(rules({ agents: { unknown } }, 'info')).toContain(rule);
    const shared = stack('withScratchpad', 'K8', 'treeOfThoughts', 'R9');
    if (unknown.id === 'R9') expect(rules({ agents: { shared } }, 'warning')).toContain(rule);
  });

  it('no check of a tension says the same about every composition [R17-TENSIONS]', () => {
    const empty = { subject: { agents: {} }, system: {}, placed: [], host: new Set(), profile: new Set() };
    const nothing = { ...empty, present: new Set(), fact: () => undefined } as unknown as Context;
    for (const [name, check] of Object.entries(checks)) expect([name, check(nothing)]).not.toEqual([name, true]);
  });

  it('leaves out what a person accepted, with a reason', () => {
    const [bad] = seeded['A4'] ?? [healthy];
    expect(rules({ ...bad, decisions: { accepted: { A4: 'a demonstration' } } })).not.toContain('A4');
  });
});

describe('uses', () => {
  it('holds the worst case against the budget [R17-WORST-CASE]', () => {
    const vote = selfConsistency(zeroShot(session(model, 'q')), {}, { samples: 9 });
    expect(lint({ agents: { vote }, budget: { modelCalls: 5 } })).toContainEqual(
      expect.objectContaining({ rule: 'WORST-CASE', level: 'error', at: 'vote > selfConsistency (R17)' }),
    );
    expect(rules({ agents: { vote }, budget: { modelCalls: 9 } })).not.toContain('WORST-CASE');
  });

  it('finds a judge with tools, one session in two seats, and numbers that are no pattern any more', () => {
    const judged = use('O5', 'untilApproved', { parts: { agent: seat('a'), test: seat('j', 2) } });
    expect(rules({ agents: { judged } })).toContain('SEAT-TOOLS');
    expect(
      rules({ agents: { same: use('O5', 'untilApproved', { parts: { agent: seat('a'), test: seat('a') } }) } }),
    ).toContain('SEAT-APART');
    expect(rules({ agents: { old: use('S7', 'vote') } })).toContain('RESERVED');
  });

  it('tells sessions apart by model and setup, whatever they are called [R17-SEATS]', () => {
    const writer = session(model, 'writer', { setup: 'You write and judge.' });
    const judge = session(model, 'writer', { setup: 'You judge.' });
    const told = (test: ReturnType<typeof session>) => {
      const parts = Object.fromEntries(
        Object.entries({ agent: writer, test }).map(([role, filled]) => [role, partOf(filled).part]),
      );
      return lint({ agents: { drafts: use('O5', 'untilApproved', { parts }) } }).filter(
        ({ rule }) => rule === 'SEAT-APART',
      );
    };
    expect(told({ ...writer, name: 'judge', sampling: { temperature: 0 } })).toMatchObject([
      { why: 'test and agent are not apart: "judge" and "writer" are one, with the same model and the same setup.' },
    ]);
    expect(told(judge)).toEqual([]);
    expect(told({ ...writer, model: scriptedModel({}, { id: 'other' }) })).toEqual([]);
    expect(told(writer)).toMatchObject([{ why: expect.stringContaining('"writer" is both') }]);
  });

  it('a pattern refuses one session in two roles under two names, and takes two under one [R17-SEATS]', () => {
    const writer = session(model, 'writer', { setup: 'You write.' });
    const judged = (judge: ReturnType<typeof session>) =>
      selfRefine(zeroShot(writer), { critic: judge, reviser: writer });
    expect(() => judged({ ...writer, name: 'judge' })).toThrow(
      'needs a critic that is not the session of its agent: "judge" and "writer" are one, with the same model and the same setup',
    );
    expect(() => judged({ ...writer, setup: 'You judge.' })).not.toThrow();
  });

  it('says once which agents nobody described', () => {
    const plain: Agent<string, string> = async (_run, input) => ({ stop: 'done', value: input });
    expect(lint({ agents: { plain, other: plain } }).filter(({ rule }) => rule === 'OPAQUE')).toEqual([
      expect.objectContaining({ level: 'warning', at: 'plain, other' }),
    ]);
  });
});

describe('createRuntime', () => {
  const clash = reflexion(untilApproved(zeroShot(session(model, 'a')), { test: () => ({ ok: true }) }), {
    test: () => ({ ok: true }),
    critic: session(model, 'c'),
  });

  it('refuses a composition with errors, and names the place, the rule and the change [R17-REFUSES]', () => {
    const create = () =>
      createRuntime({
        engine: memoryEngine(),
        agents: { clash: clash as Agent<unknown, unknown> },
        composition: composition(),
      });
    expect(create).toThrow(/clash > reflexion \(R7\) > agent > untilApproved \(O5\): .*R7 conflicts with O5/s);
  });

  it('accepts one without, and asks nothing where no check is given [R17-REFUSES]', async () => {
    const good = createRuntime({
      engine: memoryEngine(),
      agents: { a: zeroShot(session(model, 'a')) as Agent<unknown, unknown> },
      composition: composition(),
    });
    await good.close();
    const unchecked = createRuntime({ engine: memoryEngine(), agents: { clash: clash as Agent<unknown, unknown> } });
    await unchecked.close();
  });

  it('has bounds, checkpoints, replay and a journal by construction', () => {
    expect(hostOf()).toEqual(['V9', 'V10', 'V12', 'V14']);
  });
});

describe('budgets', () => {
  const one = () => zeroShot(session(model, 'q'));
  const found = (agent: unknown, budget: NonNullable<Composition['budget']>) =>
    lint({ agents: { bot: agent }, budget })
      .filter(({ rule }) => rule === 'WORST-CASE' || rule === 'WIDTH')
      .map(({ rule, level, why }) => [rule, level, why]);

  it('are held against what withBudget allows, and not against what its agent would like', () => {
    const vote = withBudget(selfConsistency(one(), {}, { samples: 9 }), { modelCalls: 4 });
    expect(useOf(vote)?.predicted).toEqual({ min: 4, max: 4 });
    expect(useOf(withBudget(one(), { modelCalls: 4 }))?.predicted).toEqual({ min: 1, max: 1 });
    expect(useOf(withBudget(selfConsistency(one()), { costUsd: 1 }))?.predicted).toEqual({ min: 10, max: 10 });
    expect(found(vote, { modelCalls: 4 })).toEqual([]);
    expect(found(vote, { modelCalls: 3 })).toMatchObject([['WORST-CASE', 'error', expect.any(String)]]);
  });

  it('are too small below a known minimum, whatever the most is', () => {
    const parts = { test: () => ({ ok: true }) as const, critic: session(model, 'critic') };
    const tried = reflexion(selfConsistency(one(), {}, { samples: 5 }), parts);
    expect(useOf(tried)?.predicted.max).toBe(Number.POSITIVE_INFINITY);
    expect(found(tried, { modelCalls: 3 })).toEqual([
      ['WORST-CASE', 'error', 'It makes at least 5 model calls, and the budget allows 3.'],
    ]);
    expect(found(tried, { modelCalls: 5 })).toEqual([]);
  });

  it('are too narrow for a vote with more samples than their width', () => {
    const vote = (samples: number) => selfConsistency(one(), {}, { samples });
    expect(found(vote(20), { modelCalls: 40 })).toMatchObject([
      ['WIDTH', 'warning', expect.stringContaining('the budget allows 16 branches (width) by default')],
    ]);
    expect(found(vote(20), { width: 19 })).toMatchObject([['WIDTH', 'error', expect.any(String)]]);
    expect(found(vote(20), { width: 20 })).toEqual([]);
    expect(found(vote(16), { modelCalls: 40 })).toEqual([]);
  });
});
