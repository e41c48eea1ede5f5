import { FlyballError } from 'flyball';
import { type Script, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { bridge, complaint, ended, inRun, session } from '../../../../test/checks/stage-checks.js';
import type { Defect } from '../core/work.js';
import type { Subject, VerificationVerdict } from './contracts.js';
import { type CriticParts, critic, isCleanBill } from './critic.js';
import { claimDefects, gapDefect, requirementDefect, rubricDefect, schemaDefect } from './defects.js';
import { hintFor } from './repair-hints.js';
import { DEFAULT_RUBRIC } from './rubric.js';
import { testDefects } from './test-defects.js';

const SCORES = { correctness: 0.123, completeness: 0.9, coherence: 0.9, safety: 1 };

function verdict(defects: readonly Defect[] = []): VerificationVerdict {
  return {
    schemaOk: true,
    schemaProblems: [],
    semantic: 1,
    factual: 1,
    coherence: 0.9,
    composite: 1,
    claims: [],
    scores: SCORES,
    aggregate: 0.6,
    tests: [],
    testPassRate: 1,
    defects,
    gaps: [],
    skipped: [],
  };
}

const complaints = (...defects: readonly ReturnType<typeof complaint>[]): string => JSON.stringify({ defects });

async function diagnosed(
  script: Script,
  given: { readonly subject?: Subject; readonly found?: readonly Defect[]; readonly parts?: Partial<CriticParts> } = {},
) {
  const model = scriptedModel(script);
  const look = critic({ session: session(model, 'critic'), ...given.parts });
  const diagnosis = await inRun((run) => look(run, given.subject ?? bridge(), verdict(given.found)));
  return { diagnosis, model };
}

describe('a critic', () => {
  it('is given task, outputs, evidence and rubric, and nothing of how the outputs came about [R4-CRITIC-SEPARATE]', async () => {
    const subject = bridge();
    const secret = {
      ...subject,
      outputs: {
        ...subject.outputs,
        reports: [{ subTask: 'CANARY-SUBTASK', text: 'CANARY-REASONING' }],
        value: { note: 'CANARY-VALUE' },
        logProb: -0.777,
      },
      plan: { goal: 'CANARY-PLAN' }, // what a caller might hand along by mistake
    };
    const { model } = await diagnosed(
      { critic: complaints() },
      { subject: secret, found: [gapDefect('CANARY-QUERY')] },
    );
    const seen = JSON.stringify(model.requests);
    for (const shown of [
      'Describe the bridge.',
      'how long it is',
      'painted green',
      'Opened 1894.',
      'Every requirement of the task',
    ])
      expect(seen).toContain(shown);
    expect(seen).not.toMatch(/CANARY|0\.777|0\.123/);
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]?.messages[0]?.content).toContain('You are the critic.');
  });

  it('reports defects with place, severity, scope, cause, need of an expert and a hint [R4-REPAIR-HINTS]', async () => {
    const wrong = complaint('The length is wrong.', {
      severity: 0.8,
      artefact: 'answer',
      line: 2,
      endLine: 3,
      section: '214 metres',
      cause: 'factual-error',
      needsExpert: true,
    });
    const { diagnosis } = await diagnosed({
      critic: complaints(wrong, complaint('It is dull.', { dimension: 'coherence' })),
    });
    expect(diagnosis.defects).toMatchObject([
      {
        description: 'The length is wrong.',
        severity: 0.8,
        location: { artefact: 'answer', line: 2, endLine: 3, section: '214 metres' },
        scope: 'bounded',
        cause: 'factual-error',
        needsExpert: true,
        foundBy: 'critic',
      },
      { description: 'It is dull.', scope: 'global' }, // bounded, but nowhere
    ]);
    expect(diagnosis.severity).toBe(0.8);
    expect(diagnosis.scores).toEqual(SCORES);
    expect(diagnosis.hints).toEqual([
      { defect: diagnosis.defects[0]?.id, hint: 'Mend: The length is wrong.' },
      { defect: diagnosis.defects[1]?.id, hint: 'Mend: It is dull.' },
    ]);
  });

  it('cannot point at places that do not exist', async () => {
    const at = (place: Readonly<Record<string, unknown>>) =>
      complaint(JSON.stringify(place), { ...place, dimension: 'safety' });
    const { diagnosis } = await diagnosed({
      critic: complaints(
        at({ artefact: 'appendix', line: 1 }),
        at({ artefact: 'answer', line: 4, section: 'Chapter 9' }),
        at({ artefact: 'answer', line: 2, endLine: 9 }),
        at({ artefact: 'answer', line: 0, section: 'painted' }),
      ),
    });
    expect(diagnosis.defects.map(({ location }) => location)).toEqual([
      undefined,
      { artefact: 'answer' },
      { artefact: 'answer', line: 2 },
      { artefact: 'answer', section: 'painted' },
    ]);
  });

  it('gives a defect that moved down and is put in other words the same id', async () => {
    const found = async (text: string, line: number, words: string) => {
      const subject = bridge({ outputs: { artefacts: [{ name: 'answer', text }], reports: [] } });
      const said = complaint(words, { artefact: 'answer', line, cause: 'factual-error' });
      return (await diagnosed({ critic: complaints(said) }, { subject })).diagnosis.defects[0]?.id;
    };
    const first = await found('Title\nIt is 214 m long.', 2, 'Wrong length.');
    expect(await found('Title\n\nMore.\n  It is 214 m long.', 4, 'The length does not fit.')).toBe(first);
    expect(await found('Title\nIt is 215 m long.', 2, 'Wrong length.')).not.toBe(first);
  });

  it('merges what it finds with what the checks found: one defect, the severer opinion, both hints [O9.users]', async () => {
    const claim = {
      id: 'c',
      text: 'It is 214 metres long.',
      artefact: 'answer',
      line: 2,
      verdict: 'contradict',
      evidence: ['e2'],
      isSupported: false,
    } as const;
    const [known] = claimDefects([claim], bridge().evidence);
    const again = complaint('214 is a slip.', { severity: 1, artefact: 'answer', line: 2, needsExpert: true });
    const { diagnosis } = await diagnosed(
      { critic: complaints(again, complaint('Ugly.')) },
      { found: known === undefined ? [] : [known] },
    );
    expect(diagnosis.defects).toHaveLength(2);
    expect(diagnosis.defects[0]).toMatchObject({
      id: known?.id,
      foundBy: 'claim',
      severity: 1,
      needsExpert: true,
      facts: { critic: '214 is a slip.', claim: 'It is 214 metres long.' },
    });
    expect(diagnosis.hints).toHaveLength(2);
    expect(diagnosis.hints[0]?.hint).toMatch(/Evidence e2 says: Length: 241 m\. Mend: 214 is a slip\.$/);
  });

  it('makes one defect of two remarks about the same thing, and loses neither', async () => {
    const said = complaints(complaint('No summary.', { severity: 0.3 }), complaint('No outlook.', { severity: 0.5 }));
    const { diagnosis } = await diagnosed({ critic: said });
    expect(diagnosis.defects).toMatchObject([{ description: 'No summary. No outlook.', severity: 0.5 }]);
    expect(diagnosis.hints).toMatchObject([{ hint: 'Mend: No summary. Mend: No outlook.' }]);
  });

  it('keeps two findings of a check on one line apart', async () => {
    const claims = ['a', 'b'].map(
      (id) =>
        ({ id, text: id, artefact: 'answer', line: 1, verdict: 'neutral', evidence: [], isSupported: false }) as const,
    );
    const { diagnosis } = await diagnosed({ critic: complaints() }, { found: claimDefects(claims, bridge().evidence) });
    expect(diagnosis.defects).toHaveLength(2);
  });

  it('has to give a hint for each defect [R4-REPAIR-HINTS]', async () => {
    const { diagnosis, model } = await diagnosed({
      critic: [complaints(complaint('Bad.', { hint: '' })), complaints(complaint('Bad.', { hint: 'Make it good.' }))],
    });
    expect(diagnosis.hints).toMatchObject([{ hint: 'Make it good.' }]);
    model.assertFinished();
  });
});

describe('hints for what checks found', () => {
  const report = {
    level: 'unit',
    command: 'npm test',
    passed: 0,
    failed: 1,
    skipped: 0,
    failures: [{ test: 'adds', message: 'no', expected: '3', actual: '-1', stack: [] }],
    passing: [],
    known: [],
    regressions: [],
    ms: 1,
  } as const;
  const [test] = testDefects(bridge(), report);
  const [broken] = testDefects(bridge(), { ...report, problem: 'SyntaxError' });
  const [claim] = claimDefects(
    [{ id: 'c', text: 'long', artefact: 'answer', verdict: 'contradict', evidence: ['e2'], isSupported: false }],
    bridge().evidence,
  );
  const safety = DEFAULT_RUBRIC.dimensions.find(
    ({ name }) => name === 'safety',
  ) as (typeof DEFAULT_RUBRIC.dimensions)[number];

  it.each([
    [schemaDefect(bridge(), ['total: must be a number']), 'total: must be a number'],
    [test, 'adds (expected 3, got -1)'],
    [broken, 'SyntaxError'],
    [claim, 'Evidence e2 says: Length: 241 m.'],
    [requirementDefect('how long it is'), 'how long it is'],
    [gapDefect('who built it'), 'who built it'],
    [rubricDefect(safety, { score: 0.1, reasoning: 'It holds a key.' }), 'It holds a key.'],
  ])('say what is known about it [R4-REPAIR-HINTS]', (defect, known) => {
    expect(hintFor(defect as Defect)).toEqual({ defect: defect?.id, hint: expect.stringContaining(known) });
  });

  it('are there for every defect of the diagnosis [R4-REPAIR-HINTS]', async () => {
    const found = [schemaDefect(bridge(), ['x']), requirementDefect('a'), gapDefect('b')];
    const { diagnosis } = await diagnosed({ critic: complaints(complaint('c')) }, { found });
    expect(diagnosis.hints.map(({ defect }) => defect)).toEqual(diagnosis.defects.map(({ id }) => id));
    expect(diagnosis.hints.every(({ hint }) => hint.length > 0)).toBe(true);
  });
});

describe('several critics', () => {
  function through(model: ReturnType<typeof scriptedModel>, mandatory = false) {
    return ['security', 'style', 'facts'].map((name) => ({
      name,
      session: session(model, name),
      looksFor: `LENS-${name}`,
      ...(name === 'security' ? { dimensions: ['safety' as const], mandatory } : {}),
    }));
  }

  async function seenThrough(script: Script, mandatory = false) {
    const model = scriptedModel(script);
    const look = critic({ session: session(model, 'critic'), lenses: through(model, mandatory) });
    return { diagnosis: await inRun((run) => look(run, bridge(), verdict())), model };
  }

  it('look side by side, each through its own lens, and all are heard [R4-CRITIC-SEPARATE]', async () => {
    let open: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      open = resolve;
    });
    let asked = 0;
    const answer = (words: string, dimension: string) => () => {
      if (++asked === 3) open(); // nobody is answered before all have been asked
      return { text: complaints(complaint(words, { dimension })), gate: all };
    };
    const { diagnosis, model } = await seenThrough({
      security: answer('A key is shown.', 'safety'),
      style: answer('It is dull.', 'coherence'),
      facts: answer('Wrong year.', 'correctness'),
    });
    expect(diagnosis.defects.map(({ description, facts }) => [description, facts?.['lens']])).toEqual([
      ['A key is shown.', 'security'],
      ['It is dull.', 'style'],
      ['Wrong year.', 'facts'],
    ]);
    for (const name of ['security', 'style', 'facts']) {
      const others = ['security', 'style', 'facts'].filter((other) => other !== name);
      expect(model.promptAt(name)).toContain(`LENS-${name}`);
      expect(model.promptAt(name)).not.toMatch(new RegExp(`LENS-(${others.join('|')})|key is shown|dull|Wrong year`));
    }
    expect(model.requestsOf('critic')).toHaveLength(0);
  });

  it('mark what lies outside their lens', async () => {
    const { diagnosis } = await seenThrough({
      security: complaints(complaint('Typo.', { dimension: 'coherence' })),
      style: complaints(),
      facts: complaints(),
    });
    expect(diagnosis.defects).toMatchObject([{ facts: { lens: 'security', offLens: true } }]);
  });

  it('give no clean bill without the one that has to look [R4-CRITIC-SEPARATE]', async () => {
    const script = { security: ['?', '?', '?'], style: complaints(), facts: complaints() };
    const without = (await seenThrough(script, true)).diagnosis;
    expect(without).toMatchObject({ defects: [], missing: [{ critic: 'security', mandatory: true }] });
    expect(isCleanBill(without)).toBe(false);
    expect(isCleanBill((await seenThrough(script, false)).diagnosis)).toBe(true);
    expect(isCleanBill((await seenThrough({ ...script, security: complaints() }, true)).diagnosis)).toBe(true);
  });

  it('are missing, and not failed, when one of their models is away', async () => {
    const script = { security: new Error('away'), style: complaints(complaint('Dull.')), facts: complaints() };
    const { diagnosis } = await seenThrough(script);
    expect(diagnosis).toMatchObject({ defects: [{ description: 'Dull.' }], missing: [{ critic: 'security' }] });
  });

  it('fail together where all of them are away for now: they can be asked again', async () => {
    const model = scriptedModel({ critic: new FlyballError('MODEL_UNAVAILABLE', 'overloaded', { retryable: true }) });
    const look = critic({ session: session(model, 'critic') });
    const outcome = await ended((run) => look(run, bridge(), verdict()));
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'MODEL_UNAVAILABLE', retryable: true } });
  });

  it('cannot be more than five', () => {
    const model = scriptedModel({});
    const lenses = [...through(model), ...through(model)];
    expect(() => critic({ session: session(model, 'critic'), lenses })).toThrow(/More than 5/);
  });

  it('that cannot be read at all leave no clean bill', async () => {
    const { diagnosis } = await diagnosed({ critic: ['?', '?', '?'] });
    expect(diagnosis.missing).toMatchObject([
      { critic: 'critic', mandatory: true, why: expect.stringContaining('REPLY_INVALID') },
    ]);
    expect(isCleanBill(diagnosis)).toBe(false);
  });
});
