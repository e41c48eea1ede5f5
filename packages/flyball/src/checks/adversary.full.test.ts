import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bridge, inRun, session } from '../../../../test/checks/stage-checks.js';
import { processorMs } from '../../../../test/patience.js';
import { processSandbox } from '../adapters/sandbox-process/index.js';
import { quickJsSandbox } from '../adapters/sandbox-quickjs/index.js';
import { type AdversaryParts, adversary } from './adversary.js';
import type { CaseRunner } from './case-runner.js';
import { commandCases } from './command-cases.js';
import type { Subject } from './contracts.js';
import { critic } from './critic.js';
import { javascriptCases } from './javascript-cases.js';

const MEAN = 'export function mean(values) {\n  return values.reduce((a, b) => a + b) / values.length;\n}\n';

function made(text: string, name = 'mean.js'): Subject {
  return bridge({ outputs: { artefacts: [{ name, text }], reports: [] } });
}

type Case = readonly [
  name: string,
  input: unknown,
  expected: { returns?: unknown; throws?: string },
  severity?: number,
];

function cases(...given: readonly Case[]): string {
  return JSON.stringify({
    cases: given.map(([name, input, { returns, throws }, severity = 0.7]) => ({
      name,
      input: JSON.stringify(input),
      expected: { returns: returns === undefined ? null : JSON.stringify(returns), throws: throws ?? null },
      dimension: 'correctness',
      severity,
    })),
  });
}

async function attacked(
  replies: string | readonly string[],
  subject: Subject,
  runner: CaseRunner,
  more: Partial<AdversaryParts> = {},
) {
  const model = scriptedModel({ adversary: replies });
  const attack = adversary({ session: session(model, 'adversary'), runner, ...more });
  return { attack: await inRun((run) => attack(run, subject)), model };
}

const meanCases = javascriptCases({ sandbox: quickJsSandbox(), artefact: 'mean.js', call: 'mean' });

describe('an adversary over JavaScript', () => {
  it('has its cases executed, and only what fails is a defect [R4-CRITIC-ADVERSARY]', async () => {
    const { attack, model } = await attacked(
      cases(
        ['two numbers', [[2, 4]], { returns: 3 }],
        ['no numbers', [[]], { returns: 0 }, 0.9],
        ['nothing at all', [null], { throws: 'TypeError' }],
        ['a text', [['a']], { throws: '' }],
        ['a number', [5], { throws: 'RangeError' }],
      ),
      made(MEAN),
      meanCases,
    );
    expect(attack).toMatchObject({ cases: 5, notRun: [] });
    expect(attack.defects).toMatchObject([
      {
        dimension: 'correctness',
        cause: 'logic-error',
        foundBy: 'adversary',
        severity: 0.9,
        location: { artefact: 'mean.js' },
        facts: {
          case: 'no numbers',
          input: [[]],
          expected: { returns: 0 },
          actual: expect.stringMatching(/^failed: TypeError/),
        },
      },
      { severity: 0.7, facts: { case: 'a text', actual: expect.stringMatching(/^returned/) } },
      { facts: { case: 'a number', actual: expect.stringMatching(/^failed: TypeError/) } },
    ]);
    expect(model.promptAt('adversary')).toContain('The function mean in mean.js is called.');
  });

  it('counts code that never ends as failed, even where an error is expected', async () => {
    const endless = 'const spin = () => { for (;;); };\nexport { spin };\n';
    const runner = javascriptCases({
      sandbox: quickJsSandbox(),
      artefact: 'spin.js',
      call: 'spin',
      limits: { wallMs: 200 },
    });
    const { attack } = await attacked(cases(['it ends', [], { throws: '' }]), made(endless, 'spin.js'), runner);
    expect(attack.defects).toMatchObject([{ facts: { actual: expect.stringContaining('wallMs') } }]);
  });

  it('takes the exports out of code in time that grows with the code [R8-TRIAL3-A16]', async () => {
    const code = `${MEAN}${'\n'.repeat(50_000)}/*${'\nexport {'.repeat(5_000)}*/\nexport { mean };\n`;
    const started = processorMs();
    const { attack } = await attacked(cases(['one', [[1]], { returns: 1 }]), made(code), meanCases);
    expect(attack).toMatchObject({ defects: [], notRun: [] });
    expect(processorMs() - started).toBeLessThan(2_000); // most of it starts the sandbox
  });

  it('says nothing about cases that cannot be executed', async () => {
    const twice = cases(['one', [[1]], { returns: 1 }], ['no list', { values: 1 }, { returns: 1 }]);
    const imported = await attacked(twice, made(`import fs from 'node:fs';\n${MEAN}`), meanCases);
    expect(imported.attack).toMatchObject({
      defects: [],
      notRun: [{ name: 'one', why: expect.stringContaining('imports') }, { name: 'no list' }],
    });
    const gone = await attacked(twice, made(MEAN, 'other.js'), meanCases);
    expect(gone.attack.notRun[0]?.why).toContain('no artefact called mean.js');
  });

  it('is bounded in the number of cases, and its replies are checked [R4-CRITIC-ADVERSARY]', async () => {
    const tooMany = cases(['a', [[1]], { returns: 1 }], ['b', [[1]], { returns: 1 }], ['c', [[1]], { returns: 1 }]);
    const both = cases(['a', [[1]], { returns: 1, throws: 'x' }]);
    const { attack, model } = await attacked(
      [tooMany, both, cases(['a', [[1]], { returns: 1 }])],
      made(MEAN),
      meanCases,
      { maxCases: 2 },
    );
    expect(attack).toMatchObject({ cases: 1, defects: [] });
    expect(model.requests[2]?.messages.at(-1)?.content).toContain('exactly one of returns and throws');
    expect(() => adversary({ session: session(model, 'adversary'), runner: meanCases, maxCases: 21 })).toThrow(
      /1 to 20/,
    );
  });

  it('adds its defects to the diagnosis, with a hint that holds the values [R4-CRITIC-ADVERSARY] [R4-REPAIR-HINTS]', async () => {
    const model = scriptedModel({ critic: '{"defects":[]}', adversary: cases(['none', [[]], { returns: 0 }, 0.9]) });
    const look = critic({
      session: session(model, 'critic'),
      adversary: { session: session(model, 'adversary'), runner: meanCases },
    });
    const verdict = { scores: { correctness: 1, completeness: 1, coherence: 1, safety: 1 }, defects: [] };
    const diagnosis = await inRun((run) => look(run, made(MEAN), verdict as never));
    expect(diagnosis).toMatchObject({ severity: 0.9, defects: [{ foundBy: 'adversary' }] });
    expect(diagnosis.hints[0]?.hint).toContain('For [[]] it failed: TypeError');
  });
});

describe('an adversary over a command', () => {
  function folder(source: string): string {
    const path = mkdtempSync(join(tmpdir(), 'flyball-cases-'));
    onTestFinished(() => rmSync(path, { recursive: true }));
    writeFileSync(join(path, 'upper.cjs'), source);
    return path;
  }
  const UPPER = `
    const text = require('node:fs').readFileSync(0, 'utf8');
    if (text === '') { console.error('nothing to read'); process.exit(3); }
    console.log(text.replace(/[a-z]/g, (letter) => letter.toUpperCase()));
  `;

  it('runs a real program for each case [R4-CRITIC-ADVERSARY]', async () => {
    const cwd = folder(UPPER);
    const runner = commandCases({ sandbox: processSandbox(), command: [process.execPath, 'upper.cjs'], cwd });
    const { attack } = await attacked(
      cases(
        ['plain', 'abc', { returns: 'ABC' }],
        ['umlaut', 'über', { returns: 'ÜBER' }],
        ['empty', '', { throws: 'nothing to read' }],
      ),
      made(UPPER, 'upper.cjs'),
      runner,
    );
    expect(attack).toMatchObject({ cases: 3, notRun: [] });
    expect(attack.defects).toMatchObject([{ facts: { case: 'umlaut', actual: 'returned "üBER"' } }]);
  });

  it('says nothing when the program is not there', async () => {
    const runner = commandCases({ sandbox: processSandbox(), command: ['/nowhere/program'], cwd: folder(UPPER) });
    const { attack } = await attacked(cases(['plain', 'abc', { returns: 'ABC' }]), made(UPPER), runner);
    expect(attack).toMatchObject({
      defects: [],
      notRun: [{ name: 'plain', why: expect.stringContaining('did not start') }],
    });
  });

  it('refuses relative folders', () => {
    expect(() => commandCases({ sandbox: processSandbox(), command: ['x'], cwd: 'here' })).toThrow(/absolute/);
  });
});
