import { FlyballError } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import {
  defect,
  inputOf,
  PEARS,
  ROOM,
  repaired,
  type Scene,
  subject,
  textIn,
} from '../../../../../../test/loops/repair-bed.js';
import { repairSession } from './prompts.js';
import { type RepairMemory, textsOf } from './repair-memory.js';

/** An earlier round that began exactly like this one. */
function earlier(scene: Scene = {}, given: Partial<RepairMemory> = {}): RepairMemory {
  const { subject: of, diagnosis } = inputOf(scene);
  return {
    ...textsOf(of.outputs, diagnosis),
    tried: [],
    strategies: ['minimal-edit'],
    queries: [],
    stronger: false,
    ...given,
  };
}

const FIXED = { repairer: PEARS.text.replace('4', '3') };
const strong = (script: Record<string, string>) => {
  const model = scriptedModel(script);
  return { model, session: repairSession(model, 'strong') };
};

describe('a loop of repairs', () => {
  it('is left by another strategy first [R4-REPAIR-LOOP]', async () => {
    const { result, notes } = await repaired({ input: { history: [earlier()] }, script: FIXED });
    expect(result).toMatchObject({ wayOut: 1, entries: [{ strategy: 'section-rewrite' }] });
    expect(notes('repair-loop')).toEqual([{ kind: 'repair-loop', wayOut: 'switch-strategy', n: 1 }]);
  });

  it('is left the second time by another temperature and other words [R4-REPAIR-LOOP]', async () => {
    const plain = await repaired({ script: FIXED });
    const { result, model, asked, notes } = await repaired({
      input: { history: [earlier()], wayOut: 1 },
      script: FIXED,
    });
    expect(notes('repair-loop')).toMatchObject([{ wayOut: 'perturb', n: 2 }]);
    expect(result).toMatchObject({ wayOut: 2, entries: [{ strategy: 'minimal-edit' }] });
    expect(model.requests[0]?.sampling.temperature).toBeCloseTo(0.7);
    expect(plain.model.requests[0]?.sampling.temperature).toBeUndefined();
    expect(asked()).toContain('Earlier repairs led back to the same fault.');
    expect(asked().indexOf('# The part')).toBeLessThan(asked().indexOf('# What is wrong'));
    expect(plain.asked().indexOf('# The part')).toBeGreaterThan(plain.asked().indexOf('# What is wrong'));
  });

  it('is left the third time by fresh evidence [R4-REPAIR-LOOP] [R4-LOOP-GAP]', async () => {
    const { result, model } = await repaired({ input: { history: [earlier()], wayOut: 2 } });
    expect(result.kind).toBe('retrieval-gap');
    expect(result.queries).toContain('It says 4 where 3 is right.');
    expect(result).toMatchObject({ wayOut: 3, memory: { queries: result.queries } });
    expect(model.requests).toEqual([]);
  });

  it('is left by the stronger model where there is nothing new to ask for, and after that [R4-REPAIR-LOOP]', async () => {
    const { queries = [] } = (await repaired({ input: { history: [earlier()], wayOut: 2 } })).result;
    for (const [wayOut, asked] of [
      [2, queries],
      [3, []],
    ] as const) {
      const { model, session } = strong({ strong: FIXED.repairer });
      const scene = { input: { history: [earlier({}, { queries: asked })], wayOut }, parts: { stronger: session } };
      const { result } = await repaired(scene);
      expect(result).toMatchObject({ kind: 'repaired', wayOut: 4, memory: { stronger: true } });
      expect(textIn(result)).toBe(FIXED.repairer);
      model.assertFinished();
    }
  });

  it('is left by a person where there is no stronger model, or it was asked in vain [R4-REPAIR-LOOP] [R4-REPAIR-ESCALATE]', async () => {
    const alone = await repaired({ input: { history: [earlier()], wayOut: 3 } });
    expect(alone.result).toMatchObject({ kind: 'exhausted', escalation: 'human-review', wayOut: 4 });
    const { session } = strong({});
    const scene = { input: { history: [earlier({}, { stronger: true })], wayOut: 4 }, parts: { stronger: session } };
    expect((await repaired(scene)).result).toMatchObject({ kind: 'exhausted', escalation: 'human-review', wayOut: 5 });
  });

  it('is none where only the output or only the diagnosis is the same [R4-REPAIR-LOOP]', async () => {
    for (const other of [{ outputs: 'something else' }, { diagnosis: 'something else' }]) {
      const { result, notes } = await repaired({ input: { history: [earlier({}, other)] }, script: FIXED });
      expect(result.wayOut).toBe(0);
      expect(notes('repair-loop')).toEqual([]);
    }
  });

  it('is found in the last rounds only, by the threshold and the similarity that were given [R4-REPAIR-LOOP]', async () => {
    const others = Array.from({ length: 5 }, (_none, n) => earlier({}, { outputs: `o${n}` }));
    expect((await repaired({ input: { history: [earlier(), ...others] }, script: FIXED })).result.wayOut).toBe(0);
    const wide = { loop: { threshold: 0.95, window: 6 } };
    expect(
      (await repaired({ input: { history: [earlier(), ...others] }, parts: wide, script: FIXED })).result.wayOut,
    ).toBe(1);
    const near = { similarity: () => 0.95 };
    expect((await repaired({ input: { history: [earlier()] }, parts: near, script: FIXED })).result.wayOut).toBe(0);
    const same = { similarity: () => 0.96 };
    expect((await repaired({ input: { history: others }, parts: same, script: FIXED })).result.wayOut).toBe(1);
  });

  it('needs a diagnosis', async () => {
    const scene = { defects: [], input: { history: [earlier({ defects: [] })] } };
    expect((await repaired(scene)).result).toMatchObject({ kind: 'repaired', wayOut: 0 });
  });
});

describe('what did not help in an earlier round', () => {
  it('is not tried on the same defect again', async () => {
    const past = earlier({}, { outputs: 'other', tried: [{ defect: 'd1', strategy: 'minimal-edit' }] });
    expect((await repaired({ input: { history: [past] }, script: FIXED })).result.entries).toMatchObject([
      { strategy: 'section-rewrite' },
    ]);
    const stranger = earlier({}, { outputs: 'other', tried: [{ defect: 'd9', strategy: 'minimal-edit' }] });
    expect((await repaired({ input: { history: [stranger] }, script: FIXED })).result.entries).toMatchObject([
      { strategy: 'minimal-edit' },
    ]);
  });

  it('makes it a matter of capability when it was everything, for the stronger model [R4-REPAIR-CAUSES]', async () => {
    const tried = (['minimal-edit', 'section-rewrite', 'full-regeneration'] as const).map((strategy) => ({
      defect: 'd1',
      strategy,
    }));
    const history = [earlier({}, { outputs: 'other', tried })];
    const { session } = strong({ strong: FIXED.repairer });
    const { result } = await repaired({ input: { history }, parts: { stronger: session } });
    expect(result).toMatchObject({
      entries: [{ cause: 'capability-limit', resolved: true }],
      memory: { stronger: true },
    });
    const alone = await repaired({ input: { history }, script: FIXED });
    expect(alone.result).toMatchObject({ entries: [{ cause: 'capability-limit' }], memory: { stronger: false } });
  });
});

describe('a gap in the evidence', () => {
  const gap = defect({
    id: 'g',
    foundBy: 'gap',
    description: 'There is no evidence for: harvest',
    facts: { query: 'harvest' },
  });
  const evidence = { items: [], gaps: ['harvest'] };

  it('goes back to retrieval with expanded queries before anything is generated [R4-LOOP-GAP]', async () => {
    const { result, model } = await repaired({
      defects: [defect(), gap],
      input: { subject: subject([PEARS], { evidence }) },
    });
    expect(result.kind).toBe('retrieval-gap');
    expect(result.queries?.length).toBeGreaterThanOrEqual(2);
    expect(result.queries).not.toContain('harvest'); // that one found nothing
    expect(result.queries?.some((query) => query.includes('Count the pears'))).toBe(true);
    expect(model.requests).toEqual([]);
  });

  it('that nothing has filled is repaired with what there is [R4-LOOP-GAP]', async () => {
    const scene = { defects: [gap], input: { subject: subject([PEARS], { evidence }) } };
    const { queries = [] } = (await repaired(scene)).result;
    const history = [earlier({}, { outputs: 'other', queries })];
    const { result, asked } = await repaired({ ...scene, input: { ...scene.input, history }, script: FIXED });
    expect(result).toMatchObject({ kind: 'repaired', entries: [{ cause: 'retrieval-gap', resolved: true }] });
    expect(asked()).toContain('say what stays unknown');
  });
});

describe('gaps that nobody can fill', () => {
  const gaps = ['harvest', 'orchard', 'market', 'weather'].map((query) =>
    defect({ id: query, foundBy: 'gap', description: `There is no evidence for: ${query}`, facts: { query } }),
  );

  it('are repaired with what there is where there is nowhere to look, in the first round [R4-LOOP-GAP]', async () => {
    const { result, notes } = await repaired({ defects: gaps, input: { mayRetrieve: false }, script: FIXED });
    expect(result).toMatchObject({ kind: 'repaired', changed: true, remaining: [], wayOut: 0 });
    expect(result.queries).toBeUndefined();
    expect(result.entries.length).toBeGreaterThan(0);
    expect(notes('repair-loop')).toEqual([]);
    expect((await repaired({ defects: gaps, input: { mayRetrieve: true } })).result.kind).toBe('retrieval-gap');
  });

  it('lead to no way out of a loop while nothing was tried [R4-REPAIR-LOOP] [R4-LOOP-GAP]', async () => {
    const history: RepairMemory[] = [];
    for (let round = 1; ; round++) {
      const { result, notes } = await repaired({ defects: gaps, input: { history }, script: FIXED });
      expect(result.wayOut).toBe(0);
      expect(notes('repair-loop')).toEqual([]);
      history.push(result.memory);
      if (result.kind === 'retrieval-gap') continue; // nothing was found: the next round begins like this one
      expect(result).toMatchObject({ kind: 'repaired', remaining: [] });
      return expect(round).toBeGreaterThan(2);
    }
  });

  it('do not hide the rounds before them that tried something [R4-REPAIR-LOOP]', async () => {
    const idle = Array.from({ length: 6 }, () => earlier({}, { strategies: [], queries: ['q'] }));
    const { result } = await repaired({ input: { history: [earlier(), ...idle] }, script: FIXED });
    expect(result).toMatchObject({ wayOut: 1, entries: [{ strategy: 'section-rewrite' }] });
  });

  it('are no fresh evidence either: the loop is left by escalation [R4-REPAIR-LOOP]', async () => {
    const { result } = await repaired({ input: { history: [earlier()], wayOut: 2, mayRetrieve: false } });
    expect(result).toMatchObject({ kind: 'exhausted', escalation: 'human-review', wayOut: 4 });
  });
});

describe('what is too much at once', () => {
  it('is divided, without a repair [R4-REPAIR-ESCALATE]', async () => {
    const { result, model } = await repaired({ defects: [defect({ cause: 'complexity-exceeded' })] });
    expect(result).toMatchObject({ kind: 'complexity', escalation: 're-decompose' });
    expect(model.requests).toEqual([]);
  });

  it('is found out when the whole does not fit into a reply or a request [R4-REPAIR-ESCALATE]', async () => {
    const heavy = [defect({ severity: 1 })];
    const cut = await repaired({ defects: heavy, script: { repairer: { text: 'There', finish: 'length' } } });
    expect(cut.result).toMatchObject({
      kind: 'complexity',
      entries: [{ resolved: false }],
      outputs: { artefacts: [PEARS] },
    });
    const wide = new FlyballError('WINDOW_EXCEEDED', 'too long');
    const asked = await repaired({ defects: heavy, script: { repairer: wide } });
    expect(asked.result).toMatchObject({ kind: 'complexity', outputs: { artefacts: [PEARS] } });
  });

  it('as a window is tried as something else', async () => {
    const { result } = await repaired({ script: { repairer: [{ text: 'There', finish: 'length' }, FIXED.repairer] } });
    expect(result).toMatchObject({ kind: 'repaired', entries: [{ resolved: false }, { strategy: 'section-rewrite' }] });
  });
});

describe('an exhausted repair', () => {
  const spent = { ...ROOM };

  it.each([
    ['human-review', defect({ needsExpert: true })],
    ['re-decompose', defect({ facts: { finish: 'length' } })],
    ['partial-commit', defect()],
    ['human-review', defect({ dimension: 'safety' })],
    ['fail-with-diagnosis', defect({ foundBy: 'schema' })],
  ] as const)('escalates to %s [R4-REPAIR-ESCALATE]', async (escalation, of) => {
    expect((await repaired({ defects: [of], input: { spent } })).result).toMatchObject({
      kind: 'exhausted',
      escalation,
    });
  });

  it('escalates to a person where the scores say that it is unsafe [R4-REPAIR-ESCALATE]', async () => {
    const { diagnosis } = inputOf({});
    const unsafe = { ...diagnosis, scores: { ...diagnosis.scores, safety: 0.5 } };
    expect((await repaired({ input: { spent, diagnosis: unsafe } })).result).toMatchObject({
      kind: 'exhausted',
      escalation: 'human-review',
    });
  });

  it('escalates to the stronger model only while it was not asked [R4-REPAIR-ESCALATE]', async () => {
    const { session } = strong({});
    const scene = { defects: [defect({ cause: 'capability-limit' as const })], parts: { stronger: session } };
    const fresh = await repaired({ ...scene, input: { spent } });
    expect(fresh.result).toMatchObject({ escalation: 'model-upgrade' });
    const history = [earlier({}, { outputs: 'other', stronger: true })];
    expect((await repaired({ ...scene, input: { spent, history } })).result).toMatchObject({
      escalation: 'partial-commit',
    });
  });
});
