import {
  budget,
  type DomainEvent,
  done,
  type GuardContext,
  memoryEngine,
  type Outcome,
  type Run,
  type Seams,
  type Session,
} from 'flyball';
import { autoClock, type ScriptedModel, scriptedModel, testHost } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GuardDecision } from '../core/events.js';
import type { SeamMiddleware } from '../core/seams.js';
import { openRuntime } from '../runtime/open-runtime.js';
import { loadTools, type Toolset, toolBudget, toolBudgetSeam, toolRegistry, type toolset } from './index.js';
import { resolveCall } from './resolve-call.js';
import { LABELLED, SIXTY } from './sixty-tools.test-data.js';
import { toolUse } from './tool-use.js';

const WINDOW = 100_000;
const registry = toolRegistry(SIXTY);

interface Told {
  readonly outcome: Outcome<unknown>;
  readonly decisions: readonly GuardDecision[];
  readonly notes: readonly DomainEvent[];
}

/** Runs an agent to its end, as often as asked, and reads the journals. */
async function ride(agent: (run: Run) => Promise<Outcome<unknown>>, seams: Seams = {}, runs = 1): Promise<Told> {
  const parts = { engine: memoryEngine(), clock: autoClock(), host: testHost('life') };
  const runtime = openRuntime({ ...parts, agents: { agent }, seams });
  onTestFinished(() => runtime.abandon());
  const decisions: GuardDecision[] = [];
  const notes: DomainEvent[] = [];
  let outcome: Outcome<unknown> | undefined;
  for (let n = 0; n < runs; n++) {
    const handle = await runtime.start('agent', null, { budget: budget({ modelCalls: 50 }) });
    outcome = await handle.outcome();
    for (const { event } of await runtime.entries(handle.id)) {
      if (event.type === 'guard-decision') decisions.push(event);
      if (event.type === 'note') notes.push(event.event);
    }
  }
  return { outcome: outcome as Outcome<unknown>, decisions, notes };
}

const sessionOf = (model: ScriptedModel, view: Toolset): Session => ({
  name: 'worker',
  model,
  setup: 'Work.',
  tools: view.tools,
});

const asking =
  (session: Session, times: number) =>
  async (run: Run): Promise<Outcome<unknown>> => {
    for (let n = 0; n < times; n++) await run.ask(session, `turn ${n}`);
    return done('asked');
  };
const loaded =
  (...tools: Parameters<typeof toolset>[0]): SeamMiddleware<'tools.load'> =>
  () =>
  async () =>
    tools;

describe('on the way to a model', () => {
  const replies = (n: number) => scriptedModel({ worker: Array.from({ length: n }, () => 'fine') });

  it('sixty tools are refused before anything is sent, and the decision is in the journal [R3-TOOL-BUDGET] [V13.2]', async () => {
    const model = scriptedModel({});
    const seams: Seams = { 'tools.load': [toolBudgetSeam({ window: WINDOW })] };
    const { outcome, decisions } = await ride(asking(sessionOf(model, registry.toolset()), 1), seams);
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID' } });
    expect(JSON.stringify(outcome)).toContain('Tool budget: 60 tools, and at most 40 are allowed.');
    expect(model.requests).toHaveLength(0);
    expect(decisions.map(({ verdict }) => verdict)).toEqual(['warned', 'warned', 'blocked']);
  });

  it('sixteen tools warn once a run, however often the model is asked [R3-TOOL-BUDGET] [I2.acceptance]', async () => {
    const view = registry.toolset({ include: registry.names().slice(0, 16) });
    const seams: Seams = { 'tools.load': [toolBudgetSeam({ window: WINDOW })] };
    const model = replies(6);
    const { decisions } = await ride(asking(sessionOf(model, view), 3), seams, 2);
    expect(model.requests).toHaveLength(6);
    expect(decisions).toMatchObject([
      { guard: 'tool-budget', verdict: 'warned', why: expect.stringContaining('16 tools, more than 15') },
      { guard: 'tool-budget', verdict: 'warned' },
    ]);
  });

  it('another set of schemas in the same run is warned about again', async () => {
    const seams: Seams = { 'tools.load': [toolBudgetSeam({ window: WINDOW })] };
    const model = replies(2);
    const first = sessionOf(model, registry.toolset({ include: registry.names().slice(0, 16) }));
    const second = sessionOf(model, registry.toolset({ include: registry.names().slice(0, 17) }));
    const { decisions } = await ride(async (run) => {
      await run.ask(first, 'one');
      await run.ask(second, 'two');
      return done(null);
    }, seams);
    expect(decisions.map(({ why }) => why.slice(0, 8))).toEqual(['16 tools', '17 tools']);
  });

  it('what counts is what the middleware after it has made of the list [R3-TOOL-TOKENS] [V13.3]', async () => {
    const model = replies(1);
    const guard = toolBudgetSeam({ window: WINDOW });
    const session = sessionOf(model, registry.toolset());
    const narrowed = await ride(asking(session, 1), { 'tools.load': [guard, loaded(...SIXTY.slice(0, 3))] });
    expect(narrowed).toMatchObject({ outcome: { stop: 'done' }, decisions: [] });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(SIXTY.slice(0, 3).map(({ name }) => name));
    const widened = await ride(asking({ ...session, tools: [] }, 1), { 'tools.load': [guard, loaded(...SIXTY)] });
    expect(widened.outcome).toMatchObject({ stop: 'failed' });
  });

  it('schemas beyond a tenth of the window are refused, few as they are [R3-TOOL-SHARE] [V13.4] [I2.acceptance]', async () => {
    const view = registry.toolset({ include: registry.names().slice(0, 10) });
    const run = (window: number, model: ScriptedModel) =>
      ride(asking(sessionOf(model, view), 1), { 'tools.load': [toolBudgetSeam({ window })] });
    const refused = await run(8000, scriptedModel({}));
    expect(JSON.stringify(refused.outcome)).toContain('of the window, and at most 10.0 % are allowed');
    const warned = await run(12_000, replies(1));
    expect(warned).toMatchObject({ outcome: { stop: 'done' }, decisions: [{ verdict: 'warned' }] });
  });

  it('a limit that was raised on purpose lets them pass, and the reason is told', async () => {
    const raised = toolBudget({ refuseAbove: 60, because: 'a benchmark of selection' });
    const model = replies(1);
    const { outcome, decisions } = await ride(asking(sessionOf(model, registry.toolset()), 1), {
      'tools.load': [toolBudgetSeam({ window: WINDOW, budget: raised })],
    });
    expect(outcome.stop).toBe('done');
    expect(decisions[0]?.why).toContain('Accepted because: a benchmark of selection');
  });

  it('what was told is remembered for the latest runs only, so that a process can live for ever', async () => {
    const view = registry.toolset({ include: registry.names().slice(0, 16) });
    const load = toolBudgetSeam({ window: WINDOW })(async (tools) => tools);
    const told: string[] = [];
    const ask = (runId: string) =>
      load(view.tools, { runId, decide: () => void told.push(runId) } as Partial<GuardContext> as GuardContext);
    for (let n = 0; n < 4097; n++) await ask(`run-${n}`);
    await ask('run-4096');
    expect(told).toHaveLength(4097);
    await ask('run-0');
    expect(told.at(-1)).toBe('run-0');
  });

  it('a window that is none is refused when the guard is made', () => {
    expect(() => toolBudgetSeam({ window: 0 })).toThrow('no share of it can be taken');
  });
});

describe('sixty registered tools', () => {
  it('as they are, are blocked [R3-TOOL-BUDGET] [V13.acceptance]', () => {
    expect(loadTools({ toolset: registry.toolset(), window: WINDOW })).toMatchObject({
      ok: false,
      why: expect.stringContaining('60 tools, and at most 40 are allowed'),
    });
  });

  it('chosen for each task stay within 15 and a tenth of the window in every request, needed tool included [R3-TOOL-BUDGET] [R3-TOOL-SHARE] [V13.1] [V13.6] [V13.acceptance]', async () => {
    const window = 20_000;
    const model = scriptedModel({
      worker: LABELLED.map(([, needed], n) => ({ toolCalls: [{ id: `c${n}`, name: needed, arguments: '{}' }] })),
    });
    const whole = registry.toolset();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const resolved: boolean[] = [];
      for (const [task] of LABELLED) {
        const chosen = loadTools({ toolset: whole, window, strategy: 'dynamic', task });
        const { toolCalls } = await run.ask(sessionOf(model, chosen.toolset), task);
        resolved.push(toolCalls.every((call) => resolveCall(chosen.toolset, call).ok));
      }
      return done(resolved);
    };
    const { outcome } = await ride(agent, { 'tools.load': [toolBudgetSeam({ window })] });
    expect(outcome).toMatchObject({ stop: 'done', value: LABELLED.map(() => true) });
    expect(model.requests).toHaveLength(LABELLED.length);
    for (const [n, { tools }] of model.requests.entries()) {
      expect(tools.length).toBeLessThanOrEqual(15);
      expect(Buffer.byteLength(JSON.stringify(tools)) / 4).toBeLessThan(0.1 * window);
      expect(tools.map(({ name }) => name)).toContain(LABELLED[n]?.[1]);
    }
  });

  it('and a call to one that was not chosen is refused and noted as a miss [R3-TOOL-TOOLSET] [V13.acceptance] [V13.7]', async () => {
    const task = 'Scale the web deployment to five replicas';
    const model = scriptedModel({
      worker: {
        toolCalls: [
          { id: 'a', name: 'kubernetes_scale_deployment', arguments: '{"namespace":"web"}' },
          { id: 'b', name: 'mail_send', arguments: '{"to":"everyone"}' },
          { id: 'c', name: 'kubernetes_invent', arguments: '{}' },
        ],
      },
    });
    const { outcome, notes } = await ride(async (run) => {
      const view = loadTools({ toolset: registry.toolset(), window: WINDOW, strategy: 'dynamic', task }).toolset;
      const { toolCalls } = await run.ask(sessionOf(model, view), task);
      const told: string[] = [];
      for (const call of toolCalls) {
        const resolved = resolveCall(view, call);
        if (!resolved.ok && resolved.miss !== undefined) run.note(resolved.miss);
        told.push((resolved.ok ? await run.call(resolved.tool, resolved.args) : resolved.observation).content);
      }
      run.note(
        toolUse(
          view,
          toolCalls.map(({ name }) => name),
        ),
      );
      return done(told);
    });
    expect(outcome).toMatchObject({
      value: [
        'kubernetes_scale_deployment {"namespace":"web"}',
        expect.stringContaining('there is no tool "mail_send"'),
        expect.stringContaining('there is no tool "kubernetes_invent"'),
      ],
    });
    expect(notes).toMatchObject([
      { kind: 'tool-missed', tool: 'mail_send' },
      {
        kind: 'tool-use',
        called: { kubernetes_scale_deployment: 1 },
        missed: ['mail_send'],
        unused: expect.arrayContaining(['kubernetes_restart_deployment']),
      },
    ]);
  });
});
