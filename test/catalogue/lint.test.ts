import { type Agent, createRuntime, memoryEngine } from 'flyball';
import { type Composition, composition, hostOf, lint } from 'flyball/catalogue';
import { reflexion, selfConsistency, selfRefine, untilApproved, useOf, withBudget, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { antiPatterns, patterns, relations, stacks } from '../../packages/flyball/src/catalogue/catalogue.js';
import { checks } from '../../packages/flyball/src/catalogue/checks.js';
import { closureOf } from '../../packages/flyball/src/catalogue/closure.js';
import type { Context } from '../../packages/flyball/src/catalogue/context.js';
import { type PatternId, partOf, type Use } from '../../packages/flyball/src/core/use.js';
import { session } from '../patterns/bed.js';
import { healthy, planted } from './planted.js';
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

const loop = use('R4', 'reAct', { parts: { worker: seat('worker', 3) }, params: { maxIterations: 5 } });
const system = (given: Composition['system']): Composition => ({ ...healthy, system: given ?? {} });

describe('anti-patterns', () => {
  it('all 34 are planted [R17-ANTI-PATTERNS]', () => {
    expect([...new Set(planted.map(({ id }) => id))].sort()).toEqual(antiPatterns.map(({ id }) => id).sort());
  });

  it.each(planted.map((each) => [each.id, each.change, each] as const))(
    '%s is found where it was planted, and not after its change: %s [R17-ANTI-PATTERNS] [R17-CHANGES]',
    (id, change, { bad, changed }) => {
      const found = lint(bad).filter(({ rule }) => rule === id);
      expect(found.map((each) => each.change)).toEqual([change]);
      expect(found[0]).toMatchObject({ at: expect.stringMatching(/./), why: expect.stringMatching(/\.$/) });
      for (const pattern of found[0]?.patterns ?? []) expect(change).toContain(`(${pattern})`);
      expect(lint(changed).filter(({ rule }) => rule === id)).toEqual([]);
    },
  );

  it.each([
    ['H8', 'CE6'],
    ['H9', 'HA5'],
    ['H10', 'HA2'],
  ] as const)('%s: %s says what nobody has stated, and holds it against nobody [R17-UNKNOWN]', (pattern, id) => {
    expect(lint({ agents: { bot: use(pattern, pattern) } }).filter(({ rule }) => rule === id)).toMatchObject([
      {
        level: 'info',
        why: expect.stringContaining('nobody says whether it has'),
        change: expect.stringContaining('`system.'),
      },
    ]);
  });
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
    const bad = system({ agents: { bot: { traced: false } } });
    expect(rules(bad)).toContain('A4');
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
    const held = (modelCalls: number) => lint({ agents: { vote: withBudget(vote, { modelCalls }) } });
    expect(held(8)).toContainEqual(
      expect.objectContaining({ rule: 'WORST-CASE', why: 'It makes 9 model calls, and the budget allows 8.' }),
    );
    expect(held(9)).toEqual([]);
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

  it('refuses a composition whose worst case is over the budget, until the budget or an end of it fits [R17-REFUSES] [R17-WORST-CASE]', async () => {
    const asked = selfRefine(zeroShot(session(model, 'q')), {
      critic: session(model, 'c'),
      reviser: session(model, 'q'),
    });
    const { min, max } = useOf(asked)?.predicted ?? expect.fail();
    expect(max).toBeGreaterThan(min);
    expect(Number.isFinite(max)).toBe(true);
    const create = (agent: unknown, modelCalls: number) =>
      createRuntime({
        engine: memoryEngine(),
        agents: { agent: agent as Agent<unknown, unknown> },
        composition: composition({ budget: { modelCalls } }),
      });
    expect(() => create(asked, max - 1)).toThrow(
      `It makes ${min} to ${max} model calls, and the budget allows ${max - 1}. Allow ${max} model calls, or end it at ${max - 1}: withBudget (V9). [WORST-CASE]`,
    );
    await create(asked, max).close();
    await create(withBudget(asked, { modelCalls: max - 1 }), max - 1).close();
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
    const tooSmall = ['WORST-CASE', 'error', 'It makes 9 model calls, and the budget allows 4.'];
    expect(found(vote, { modelCalls: 4 })).toEqual([tooSmall]);
    expect(found(vote, { modelCalls: 3 })).toEqual([
      ['WORST-CASE', 'error', 'It makes 4 model calls, and the budget allows 3.'],
      tooSmall,
    ]);
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
