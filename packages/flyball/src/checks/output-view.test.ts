import { pairJudge, rubricJudge } from 'flyball/patterns';
import { type Script, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { AT_COMMIT, bridge, claimed, complaint, inRun, scores, session } from '../../../../test/checks/stage-checks.js';
import type { Artefact, Defect } from '../core/work.js';
import { adversary } from './adversary.js';
import { artefactView, sizeOf } from './artefact-view.js';
import { extractClaims } from './claims.js';
import type { Subject, VerificationVerdict } from './contracts.js';
import { critic } from './critic.js';
import { outputView, shownTo } from './output-view.js';
import { DEFAULT_RUBRIC } from './rubric.js';
import { verification } from './verification.js';
import { verifyDefect } from './verify-defect.js';

const WINDOW = 8000;
const COUNT = 6000;
const line = (number: number): string => `const value${number} = '${'x'.repeat(30)}';`;
const HUGE = Array.from({ length: COUNT }, (_none, index) => line(index + 1)).join('\n');
const artefact: Artefact = { name: 'src/huge.js', text: HUGE };
const huge = (): Subject => bridge({ outputs: { artefacts: [artefact], reports: [] } });
const small = (script: Script) => scriptedModel(script, { capabilities: { window: WINDOW } });
const at = (number: number): Defect => ({
  id: `at-${number}`,
  dimension: 'correctness',
  description: 'It is wrong.',
  severity: 0.5,
  location: { artefact: artefact.name, line: number },
  scope: 'bounded',
  foundBy: 'critic',
});

/** Numbers of the lines that a prompt shows. */
const shownIn = (prompt: string): readonly number[] =>
  [...prompt.matchAll(/^(\d+)\| const value(\d+) = /gm)].map(([, number, value]) => {
    expect(number).toBe(value); // the number is that of the line in the artefact
    return Number(number);
  });

describe('an artefact that is larger than the window', () => {
  const cases: readonly [string, Script, (model: ReturnType<typeof small>) => Promise<unknown>][] = [
    [
      'judge',
      { judge: scores() },
      (model) =>
        inRun((run) => rubricJudge({ judge: session(model, 'judge'), rubric: DEFAULT_RUBRIC }).verdict(run, huge())),
    ],
    [
      'claims',
      { claims: claimed() },
      (model) => inRun((run) => extractClaims({ session: session(model, 'claims') })(run, huge())),
    ],
    [
      'critic',
      { critic: JSON.stringify({ defects: [complaint('Bad.')] }) },
      (model) => inRun((run) => critic({ session: session(model, 'critic') })(run, huge(), { defects: [] } as never)),
    ],
    [
      'adversary',
      { adversary: JSON.stringify({ cases: [] }) },
      (model) => {
        const runner = { describe: 'Calls it.', runCase: () => Promise.reject(new Error('no case')) };
        return inRun((run) => adversary({ session: session(model, 'adversary'), runner })(run, huge()));
      },
    ],
  ];

  it.each(cases)(
    'is cut for the %s, who is told which lines are missing [R4-VERIFY-RUBRIC]',
    async (name, script, ask) => {
      expect(sizeOf(HUGE)).toBeGreaterThan(280_000);
      const model = small(script);
      await ask(model);
      const prompt = model.promptAt(name);
      const shown = shownIn(prompt);
      expect(prompt.length).toBeLessThan(WINDOW * 3);
      expect(shown.length).toBeGreaterThan(100);
      expect([shown[0], shown.at(-1)]).toEqual([1, COUNT]);
      const last = shown.findLast((number, index) => number === index + 1) ?? 0;
      expect(prompt).toContain(`[lines ${last + 1} to ${(shown[last] ?? 0) - 1} are left out]`);
      expect(prompt).toContain(`${COUNT - shown.length} of ${COUNT} lines of src/huge.js are not shown in full`);
      expect(prompt).toContain('do not take them for missing');
    },
  );

  it('is shown whole, without a remark, to whoever has room for it', async () => {
    const model = scriptedModel({ judge: scores() }, { capabilities: { window: 1_000_000 } });
    await inRun((run) => rubricJudge({ judge: session(model, 'judge'), rubric: DEFAULT_RUBRIC }).verdict(run, huge()));
    expect(shownIn(model.promptAt('judge'))).toHaveLength(COUNT);
    expect(model.promptAt('judge')).not.toContain('left out');
  });

  it('is shown around the defects that are known, to critic and judge alike', async () => {
    const model = small({ critic: JSON.stringify({ defects: [] }), judge: '{"reasoning":"Looked.","yes":true}' });
    const verdict = { defects: [at(3000), at(4500)] } as unknown as VerificationVerdict;
    await inRun((run) => critic({ session: session(model, 'critic') })(run, huge(), verdict));
    const shown = shownIn(model.promptAt('critic'));
    for (const around of [2990, 3000, 3010, 4490, 4500, 4510]) expect(shown).toContain(around);
    expect(shown).not.toContain(3700);
    const again = verifyDefect({ judge: { session: session(model, 'judge') } });
    await inRun((run) => again(run, huge(), at(3000), AT_COMMIT));
    expect(shownIn(model.promptAt('judge'))).toContain(3000);
  });

  it('is judged at the place where a test failed, and the verdict says that not all of it was', async () => {
    const model = small({ judge: scores() });
    const failure = { test: 't', message: 'm', stack: [{ file: artefact.name, line: 3210 }] };
    const report = { level: 'unit', command: 'test', passed: 1, failed: 1, skipped: 0, failures: [failure] } as const;
    const tests = [
      {
        level: 'unit',
        command: 'test',
        runTests: async () => ({ ...report, passing: [], known: ['t'], regressions: [], ms: 1 }),
      },
    ] as const;
    const verify = verification({ judge: { session: session(model, 'judge') }, tests });
    const verdict = await inRun((run) => verify(run, huge(), AT_COMMIT));
    expect(shownIn(model.promptAt('judge'))).toContain(3210);
    expect(verdict.skipped).toContainEqual({ level: 'outputs', why: expect.stringContaining('src/huge.js') });
  });

  it('is compared with another in half the room each', async () => {
    const reply = JSON.stringify({
      dimensions: Object.fromEntries(
        DEFAULT_RUBRIC.dimensions.map(({ name }) => [name, { reasoning: 'Looked.', first: 0.9, second: 0.9 }]),
      ),
    });
    const model = small({ judge: [reply, reply] });
    const compare = pairJudge({ judge: session(model, 'judge'), rubric: DEFAULT_RUBRIC });
    await inRun((run) => compare(run, huge(), huge().outputs));
    expect(model.promptAt('judge').length).toBeLessThan(WINDOW * 3);
    expect(model.promptAt('judge')).toContain('are left out]');
  });
});

describe('what is shown', () => {
  it('never takes more than its room, whatever the lines are like', () => {
    const texts = [
      HUGE,
      'y'.repeat(300_000),
      '桥'.repeat(100_000),
      `${'😀'.repeat(50_000)}\n`.repeat(2),
      '\n'.repeat(99_999),
    ];
    for (const text of texts) {
      const { text: shown, leftOut } = artefactView({ name: 'a', text }, 5000, [{ artefact: 'a', line: 2 }]);
      expect(sizeOf(shown)).toBeLessThanOrEqual(5000 + 200);
      expect(sizeOf(shown)).toBeGreaterThan(1000);
      expect(leftOut).toBeGreaterThan(0);
      expect(shown).toContain('left out]');
      expect(Buffer.from(shown).toString()).toBe(shown); // no character is torn
    }
  });

  it('leaves short artefacts whole and cuts the long ones', () => {
    const artefacts = [artefact, { name: 'short.js', text: 'let a;\nlet b;' }, { ...artefact, name: 'other.js' }];
    const view = outputView({ artefacts }, { room: 9000 });
    expect(view.artefacts.map(({ name }) => name)).toEqual(['src/huge.js', 'short.js', 'other.js']);
    expect(view.artefacts[1]?.text).toBe('1| let a;\n2| let b;');
    const sizes = view.artefacts.map(({ text }) => sizeOf(text));
    expect(sizes[0]).toBeGreaterThan(4000);
    expect(sizes[2]).toBeGreaterThan(4000);
    expect(view.leftOut).toContain('src/huge.js');
    expect(view.leftOut).not.toContain('short.js');
  });

  it('names artefacts that there is no room for, and keeps those with defects', () => {
    const artefacts = Array.from({ length: 500 }, (_none, index) => ({ name: `f${index}.js`, text: 'let a;' }));
    const view = outputView({ artefacts }, { room: 4000, focus: [{ artefact: 'f499.js' }] });
    expect(view.artefacts).toHaveLength(10);
    expect(view.artefacts.at(-1)?.name).toBe('f499.js');
    expect(view.leftOut).toMatch(/^490 further artefacts are not shown: f9\.js, .* and 470 more$/);
  });

  it('shows the line that names a section where no line is known', () => {
    const view = artefactView(artefact, 2000, [{ artefact: artefact.name, section: 'value4321 ' }]);
    expect(view.text).toContain('4321| const');
  });

  it('follows the window of the session, and is never next to nothing', () => {
    const room = (window: number) => shownTo(session(scriptedModel({}, { capabilities: { window } }), 's')).room;
    expect(room(100_000)).toBe(120_000);
    expect(room(8000)).toBe(9600);
    expect(room(500)).toBe(4000);
  });
});
