import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Agent,
  budget,
  createRuntime,
  type Input,
  type ModelRequest,
  memoryEngine,
  type Seams,
  type Session,
  systemClock,
} from 'flyball';
import { processSandbox } from 'flyball/adapters/sandbox-process';
import type { Rubric } from 'flyball/checks';
import { useOf, usesIn } from 'flyball/patterns';
import { hashEmbedder } from 'flyball/retrieval';
import { conformance, type Script, scriptedModel } from 'flyball/testing';
import { parsePolicy, tool } from 'flyball/tools';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import type { z } from 'zod';
import { z as schema } from 'zod';
import { type Applied, codingAgent, type Patch } from '../../examples/patterns/coding-agent.js';
import { type Fact, type Report, researchAgent } from '../../examples/patterns/research-agent.js';
import { type Answer, supportDesk } from '../../examples/patterns/support-desk.js';
import { expectSilent } from '../catalogue/silence.js';
import { ended } from './bed.js';

/** What is inferred, and not what somebody wrote beside it. */
type InOf<A> = A extends (run: never, input: infer I) => unknown ? I : never;
type OutOf<A> = A extends Agent<never, infer O> ? O : never;

const bed = (script: Script) => {
  const model = scriptedModel(script);
  const seat = (name: string): Session => ({ name, model, setup: `You are the ${name}.` });
  return { model, seat };
};
const call = (id: string, name: string, args: object) => ({
  toolCalls: [{ id, name, arguments: JSON.stringify(args) }],
});
const plan = (description: string) =>
  JSON.stringify({
    goal: 'the goal',
    shape: 'ordered',
    steps: [{ id: 'one', description, expectedOutcome: '' }],
  });
const lookedUp = (name: string) =>
  tool({
    name,
    description: 'Looks something up. Not for anything else.',
    input: schema.object({ what: schema.string() }),
    effect: 'pure',
    execute: async ({ what }) => `about ${what}`,
  });
const sawResult = ({ messages }: ModelRequest) => messages.some(({ role }) => role === 'tool');

describe('the research agent', () => {
  function made() {
    const { model, seat } = bed({
      small: 'hydraulic brake lever\nbleed a brake',
      strong: (request) =>
        sawResult(request)
          ? JSON.stringify({ claim: 'Bleed it when the lever feels soft.', source: 'brakes.md' })
          : call('a', 'look_up', { query: 'When is a brake bled?' }),
      planner: plan('Find out when a brake is bled.'),
      writer: JSON.stringify({ summary: 'Bleed soft brakes.', sources: ['brakes.md'] }),
    });
    const parts = researchAgent({
      embedder: hashEmbedder(),
      small: seat('small'),
      strong: seat('strong'),
      planner: seat('planner'),
      writer: seat('writer'),
      webFetch: lookedUp('web_fetch'),
    });
    expectSilent('the research agent', parts);
    return { model, ...parts };
  }

  it('infers every type as its comments say, and the linter is silent [R11-PATTERN-COMPOSITIONS] [R17-SILENT]', () => {
    const { reader, reporter, team, research } = made();
    expectTypeOf<InOf<typeof reader>>().toEqualTypeOf<Input>();
    expectTypeOf<OutOf<typeof reader>>().toEqualTypeOf<z.infer<typeof Fact>>();
    expectTypeOf(reporter).toExtend<Session<z.infer<typeof Report>>>();
    expectTypeOf<InOf<typeof team>>().toEqualTypeOf<string>();
    expectTypeOf<OutOf<typeof team>>().toEqualTypeOf<z.infer<typeof Report>>();
    expectTypeOf<InOf<typeof research>>().toEqualTypeOf<string>();
    expectTypeOf<OutOf<typeof research>>().toEqualTypeOf<z.infer<typeof Report>>();
    expect(usesIn(useOf(research) ?? expect.fail()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['withBudget', 'planAndSolve', 'reAct', 'pruning', 'compression']),
    );
  });

  it('plans, looks up, reads and reports [R11-PATTERN-COMPOSITIONS]', async () => {
    const { model, library, research } = made();
    await library.ingest([{ source: 'brakes.md', text: 'Bleed a hydraulic brake when the lever feels soft.' }]);
    const { outcome, uses } = await ended(research, 'When is a brake bled?');
    expect(outcome).toMatchObject({ stop: 'done', value: { summary: 'Bleed soft brakes.', sources: ['brakes.md'] } });
    expect(uses.map(({ pattern }) => pattern)).toEqual(
      expect.arrayContaining(['withBudget', 'planAndSolve', 'reAct', 'withQueryRewriting']),
    );
    const [, second] = model.requestsOf('strong');
    expect(JSON.stringify(second?.messages)).toContain('Bleed a hydraulic brake');
    expect(JSON.stringify(model.requestsOf('writer')[0]?.messages)).toContain('Bleed it when the lever feels soft.');
    expect(await conformance(research, 'When is a brake bled?', { engine: memoryEngine })).toMatchObject({ ok: true });
  });
});

describe('the support desk', () => {
  function made(topic: string, script: Script) {
    const { model, seat } = bed({ small: JSON.stringify({ label: topic }), ...script });
    const paid: number[] = [];
    const refund = tool({
      name: 'refund',
      description: 'Pays money back. Not for vouchers.',
      input: schema.object({ cents: schema.number() }),
      effect: 'idempotent',
      execute: async ({ cents }) => {
        paid.push(cents);
        return `${cents} cents are paid back`;
      },
    });
    const policy = parsePolicy(
      {
        version: '1',
        reviewedBy: 'mara',
        rules: [{ id: 'refunds', effect: 'allow', tools: 'refund', because: 'It is their work.' }],
      },
      { now: systemClock().now() },
    );
    const tools = {
      findOrder: lookedUp('find_order'),
      findInvoice: lookedUp('find_invoice'),
      searchManual: lookedUp('search_manual'),
    };
    const neverPromise = [
      {
        id: 'no-dates',
        forbid: 'Never promise a date.',
        instead: 'Say that it is on its way.',
        reason: 'Carriers decide.',
      },
    ];
    const parts = { mid: seat('mid'), small: seat('small'), tools, refund, neverPromise, policy };
    const made = supportDesk({ ...parts, clock: systemClock(), secret: 'at least sixteen characters' });
    expectSilent('the support desk', { refunds: made.refunds, desk: made.desk }, made.seams);
    return { model, paid, ...made };
  }
  const reply = JSON.stringify({ reply: 'It is on its way.' });

  it('infers every type as its comments say, and the linter is silent [R11-PATTERN-COMPOSITIONS] [R17-SILENT]', () => {
    const { clerk, refunds, desk, seams } = made('billing', { mid: [] });
    expectTypeOf<OutOf<ReturnType<typeof clerk>>>().toEqualTypeOf<z.infer<typeof Answer>>();
    expectTypeOf<InOf<typeof refunds>>().toEqualTypeOf<Input>();
    expectTypeOf<OutOf<typeof refunds>>().toEqualTypeOf<z.infer<typeof Answer>>();
    expectTypeOf<InOf<typeof desk>>().toEqualTypeOf<string>();
    expectTypeOf<OutOf<typeof desk>>().toEqualTypeOf<z.infer<typeof Answer>>();
    expectTypeOf(seams).toEqualTypeOf<Seams>();
    expect(useOf(refunds)?.provides).toEqual(expect.arrayContaining(['V1', 'V7']));
  });

  it('sorts a question to its clerk, who works under the constraints of the house [R11-PATTERN-COMPOSITIONS]', async () => {
    const { model, desk } = made('billing', { mid: [call('a', 'find_invoice', { what: 'R-7' }), reply] });
    const { outcome } = await ended(desk, 'Where is my invoice R-7?');
    expect(outcome).toMatchObject({ stop: 'done', value: { reply: 'It is on its way.' } });
    for (const { messages } of model.requestsOf('mid'))
      expect(messages[0]?.content).toContain('no-dates: Never promise a date.');
    const again = made('billing', { mid: [call('a', 'find_invoice', { what: 'R-7' }), reply] });
    const found = await conformance(again.desk, 'Where is my invoice R-7?', { engine: memoryEngine });
    expect(found).toMatchObject({ ok: true });
  });

  it('pays a small refund at once, and waits for a person before a large one [R11-PATTERN-COMPOSITIONS]', async () => {
    for (const [cents, status] of [
      [900, 'done'],
      [9_000, 'suspended'],
    ] as const) {
      const { paid, desk, seams } = made('refunds', { mid: [call('a', 'refund', { cents }), reply] });
      const runtime = createRuntime({ engine: memoryEngine(), agents: { desk }, seams });
      const handle = await runtime.start('desk', 'I want my money back.', { budget: budget() });
      expect((await handle.outcome()).stop).toBe(status);
      expect(paid).toEqual(status === 'done' ? [cents] : []);
      await runtime.close();
    }
  });
});

describe('the coding agent', () => {
  const GOOD = 'export const add = (a, b) => a + b;\n';
  const rubric: Rubric = {
    version: '1',
    threshold: 0.5,
    dimensions: [
      { name: 'correctness', weight: 0.5, minimum: 0.5, description: 'It does what was asked.' },
      { name: 'coherence', weight: 0.5, minimum: 0.5, description: 'It reads well.' },
    ],
  };
  const praise = { reasoning: 'Good.', score: 1 };

  function made() {
    const folder = mkdtempSync(join(tmpdir(), 'flyball-coding-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'add.mjs');
    const patch = JSON.stringify({ file, text: GOOD });
    const { model, seat } = bed({
      planner: [plan('Write docs/add.ts.'), plan('Write src/add.ts.')], // the first is sent back
      strong: [call('a', 'read_file', { what: 'add' }), patch, patch, patch],
      critic: 'The file was not there yet.',
      judge: JSON.stringify({ dimensions: { correctness: praise, coherence: praise }, missing: [], gaps: [] }),
    });
    // fails the first time, passes from then on: what the sandbox runs is real
    const script = join(folder, 'check.mjs');
    writeFileSync(
      script,
      `import { existsSync, writeFileSync } from 'node:fs';
       const again = existsSync(${JSON.stringify(join(folder, 'seen'))});
       writeFileSync(${JSON.stringify(join(folder, 'seen'))}, '');
       console.log('TAP version 13\\n1..1\\n' + (again ? 'ok' : 'not ok') + ' 1 - adds');
       process.exit(again ? 0 : 1);`,
    );
    const parts = codingAgent({
      strong: seat('strong'),
      planner: seat('planner'),
      critic: seat('critic'),
      otherModel: seat('judge'),
      rubric,
      readOnlyFiles: [lookedUp('read_file')],
      sandbox: processSandbox(),
      cwd: folder,
      command: [process.execPath, script],
      applyPatch: async ({ file: path, text }) => {
        writeFileSync(path, text);
        return { file: path, bytes: text.length };
      },
      effect: { class: 'undoable', compensate: async (patch) => rmSync(patch.file, { force: true }) },
    });
    expectSilent('the coding agent', parts);
    return { model, file, ...parts };
  }

  it('infers every type as its comments say, and the linter is silent [R11-PATTERN-COMPOSITIONS] [R17-SILENT]', () => {
    const { persistent, planned, tested, apply, engineer } = made();
    expectTypeOf<InOf<typeof persistent>>().toEqualTypeOf<Input>();
    expectTypeOf<OutOf<typeof persistent>>().toEqualTypeOf<Patch>();
    expectTypeOf<InOf<typeof planned>>().toEqualTypeOf<string>();
    expectTypeOf<OutOf<typeof planned>>().toEqualTypeOf<Patch>();
    expectTypeOf<OutOf<typeof tested>>().toEqualTypeOf<Patch>();
    expectTypeOf<InOf<typeof apply>>().toEqualTypeOf<Patch>();
    expectTypeOf<OutOf<typeof apply>>().toEqualTypeOf<Applied>();
    expectTypeOf<InOf<typeof engineer>>().toEqualTypeOf<string>();
    expectTypeOf<OutOf<typeof engineer>>().toEqualTypeOf<Applied>();
    expect(useOf(planned)?.name).toBe('planAndSolve');
  });

  it('plans inside its folder, tries until the tests pass, is judged and applies once [R11-PATTERN-COMPOSITIONS]', async () => {
    const { model, file, engineer } = made();
    const { outcome, uses } = await ended(engineer, 'Write a function that adds.');
    expect(outcome).toMatchObject({ stop: 'done', value: { file, bytes: GOOD.length } });
    expect(readFileSync(file, 'utf8')).toBe(GOOD);
    expect(uses.find(({ pattern }) => pattern === 'reflexion')?.learned).toMatchObject({ attempts: 2, critiques: 1 });
    expect(uses.find(({ pattern }) => pattern === 'planAndSolve')?.learned).toMatchObject({ plans: 2, reviews: 2 });
    expect(JSON.stringify(model.requestsOf('planner')[1]?.messages)).toContain('docs/add.ts is outside src/');
  });
});
