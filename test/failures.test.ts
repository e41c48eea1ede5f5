import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Agent, createModels, done, type Outcome, type Run, type Seams } from 'flyball';
import { type ToolLoopResult, toolLoop } from 'flyball/loops';
import { type AutoClock, autoClock, modelServer, scriptedModel } from 'flyball/testing';
import { executeValidated, tool, toolset } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../packages/flyball/src/core/model.js';
import type { ServerScriptEntry } from '../packages/flyball/src/testing/model-server/server-script.js';
import { root } from '../scripts/files.mjs';
import { proposes } from './loops/stage-loop.js';
import { at, eventsOf, moving, RUN, Stage } from './runtime/stage.js';

/** docs/failures.md says which failure counts where: each row of its tables is tried. */

const page = readFileSync(join(root, 'docs/failures.md'), 'utf8');

function rows(section: string): readonly (readonly [string, readonly string[]])[] {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => {
    const [name = '', ...cells] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim());
    return [name, cells] as const;
  });
}

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');
const saying = (fields: object): Error => Object.assign(new Error('it failed'), fields);

interface ToolCase {
  readonly fails?: () => Promise<never>;
  readonly name?: string;
  readonly args?: unknown;
  readonly seams?: Seams;
  readonly rejects?: boolean;
  readonly approvalMs?: number;
  /** Opened by failures before: what the call itself then adds cannot be told apart. */
  readonly isOpen?: boolean;
}

const asked: Seams = {
  'tool.pre': [
    () =>
      async ({ args }) => ({ allow: true, args, approval: 'somebody looks' }),
  ],
};
const refused: Seams = { 'tool.pre': [() => async () => ({ allow: false, why: 'not here' })] };
const throws = (error: Error) => ({ fails: () => Promise.reject(error) });

const TOOL_CASES: Readonly<Record<string, ToolCase>> = {
  'no such tool': { name: 'nope' },
  'the arguments do not fit': { args: { city: 7 } },
  'a guard refused': { seams: refused },
  'a person rejected it': { seams: asked, rejects: true },
  'nobody approved it in time': { seams: asked, approvalMs: 1000 },
  'the tool threw an error': throws(new Error('it failed')),
  'the tool threw, with retryable: true': throws(saying({ retryable: true })),
  'the tool threw, with retryable: false': throws(saying({ retryable: false })),
  'the tool threw, with inDoubt: true': throws(saying({ inDoubt: true })),
  'the connection was refused (ECONNREFUSED)': throws(saying({ code: 'ECONNREFUSED' })),
  'the connection broke (ECONNRESET)': throws(saying({ code: 'ECONNRESET' })),
  'it timed out': { fails: () => new Promise<never>(() => undefined) },
  'the breaker is open': { ...throws(saying({ retryable: true })), isOpen: true },
};

interface Rules {
  readonly retries: number;
  readonly failures: number;
  readonly effect?: 'pure' | 'undoable';
}

function made(given: ToolCase, { retries, failures, effect = 'pure' }: Rules) {
  const count = { made: 0 };
  const weather = tool({
    name: 'weather',
    description: 'The weather in a city. Not for forecasts.',
    input: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    } as const,
    effect,
    timeoutMs: 50,
    ...(given.approvalMs === undefined ? {} : { approval: { timeoutMs: given.approvalMs } }),
    ...(effect === 'pure'
      ? { retry: { retries, baseDelayMs: 1, jitterMs: 1, breaker: { failures, openMs: 1e9 } } }
      : {}),
    execute: async () => {
      count.made++;
      return given.fails === undefined ? 'sun' : given.fails();
    },
    ...(effect === 'pure' ? {} : { compensate: async () => undefined }),
  } as Parameters<typeof tool>[0]);
  return { weather, count };
}

/** Runs it to its end; a person who is asked says no where the case wants one. */
async function ended<O>(agent: Agent<null, O>, given: ToolCase) {
  const stage = new Stage(autoClock());
  const seams = given.seams === undefined ? {} : { seams: given.seams };
  const options = given.rejects === true ? {} : { options: { suspendAfterMs: 1e12 } };
  const life = stage.open(agent, { ...seams, ...options });
  let outcome = await life.start();
  if (given.rejects === true && outcome.stop === 'suspended') {
    const token = outcome.waiting[0]?.token ?? '';
    await life.runtime.signal(RUN, token, { verdict: 'reject', reason: 'no' }, { from: 'ann' });
    outcome = await life.resume();
  }
  return { outcome: outcome as Outcome<O>, stage };
}

/** Calls it so often in one run, and tells how each ended. */
async function called(given: ToolCase, rules: Rules, times: number) {
  const { weather, count } = made(given, rules);
  const agent = async (run: Run) => {
    const codes: string[] = [];
    for (let n = 0; n < times; n++) {
      const result = await executeValidated(
        run,
        toolset([weather]),
        given.name ?? 'weather',
        given.args ?? { city: `${n}` },
      );
      codes.push(result.ok ? 'ok' : result.failure.code);
    }
    return done(codes);
  };
  const { outcome } = await ended(agent, given);
  const codes = outcome.stop === 'done' ? outcome.value : [];
  return { codes, made: count.made, spent: outcome.usage?.toolCalls };
}

async function isInDoubt(given: ToolCase): Promise<boolean> {
  const { weather } = made(given, { retries: 0, failures: 99, effect: 'undoable' });
  const stage = moving();
  const agent = async (run: Run) => done(await executeValidated(run, toolset([weather]), 'weather', { city: 'Oslo' }));
  const outcome = await stage.open(agent).start();
  return outcome.stop === 'suspended' && outcome.waiting[0]?.kind === 'doubt';
}

async function countsForLoop(given: ToolCase): Promise<boolean> {
  const { weather } = made(given, { retries: 0, failures: given.isOpen === true ? 1 : 99 });
  const call = proposes(given.name ?? 'weather', given.args ?? { city: 'Oslo' });
  const model = scriptedModel({ worker: [call, proposes('weather', { city: 'Bergen' }), 'Done.', 'Done.'] });
  const config = { maxConsecutiveErrors: given.isOpen === true ? 2 : 1, doubleConfirmation: false };
  const loop = toolLoop({ session: { name: 'worker', model, setup: 'You work.' }, tools: [weather], config });
  const { outcome } = await ended(async (run: Run) => loop(run, 'Go.'), given);
  const result = ('value' in outcome ? outcome.value : 'partial' in outcome ? outcome.partial : undefined) as
    | ToolLoopResult
    | undefined;
  return result?.termination === 'error';
}

describe('docs/failures.md, tool calls', () => {
  it('names every case once', () => {
    expect(rows('Tool calls').map(([name]) => name)).toEqual(Object.keys(TOOL_CASES));
  });

  it.each(rows('Tool calls'))('%s [F-W8]', async (name, documented) => {
    const given = TOOL_CASES[name] ?? {};
    const open = given.isOpen === true;
    const patient = await called(given, { retries: 1, failures: open ? 1 : 99 }, open ? 2 : 1);
    const strict = await called(given, { retries: 0, failures: 1 }, 2);
    const canDoubt = given.fails !== undefined && !open && given.seams === undefined;
    expect([
      patient.codes.at(-1),
      yesNo(patient.made > 1),
      yesNo(!open && strict.codes[1] === 'CIRCUIT_OPEN'),
      yesNo(canDoubt && (await isInDoubt(given))),
      yesNo(await countsForLoop(given)),
      String((patient.spent ?? 0) / (open ? 2 : 1)),
    ]).toEqual(documented);
  });

  it('opens after five failures in a row by default, and a success starts the count again [F-W8]', async () => {
    let n = 0;
    const flaky = tool({
      name: 'flaky',
      description: 'Fails, but for its fourth call. Not for real work.',
      input: { type: 'object', properties: {} },
      effect: 'pure',
      execute: async () => {
        n++;
        if (n !== 4) throw new Error('it failed');
        return 'fine';
      },
    });
    const agent = async (run: Run) => {
      const seen: string[] = [];
      for (let call = 0; call < 11; call++) {
        const result = await run.call(flaky, {});
        seen.push(result.ok ? 'ok' : result.failure.code);
      }
      return done(seen);
    };
    const stage = moving();
    const outcome = await stage.open(agent).start(null, { noProgress: 100 });
    const failed = (times: number) => Array<string>(times).fill('EFFECT_FAILED');
    expect(outcome).toMatchObject({ value: [...failed(3), 'ok', ...failed(5), 'CIRCUIT_OPEN', 'CIRCUIT_OPEN'] });
    expect(eventsOf(await stage.entries(), 'operator-alert')).toMatchObject([{ alert: 'circuit-open' }]);
  });
});

type Bad = ServerScriptEntry;
const MODEL_CASES: Readonly<Record<string, Bad>> = {
  '429, or a 429 with a short Retry-After': { misbehave: '429', retryAfter: 0 },
  '429 with a Retry-After above maxRetryAfterMs': { misbehave: '429', retryAfter: 3600 },
  'the provider answered 500': { misbehave: '500' },
  'the provider answered 503': { misbehave: '503' },
  'the connection was closed without an answer': { misbehave: 'drop' },
  'the answer broke off': { text: 'Oslo.', misbehave: 'cut' },
  'the answer was not JSON': { text: 'Oslo.', misbehave: 'malformed-json' },
  'the answer was an HTML page': { misbehave: 'wrong-content-type' },
  'it timed out': { misbehave: 'hang' },
  'the provider refused the request (400, 401, 403)': {},
  'the prompt is too long': { misbehave: 'context-length' },
  "the provider's breaker is open": { misbehave: '500' },
};

async function refusing() {
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"wrong key"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { baseUrl: () => `http://127.0.0.1:${port}/v1`, close: async () => void server.close() };
}

const REQUEST: ModelRequest = {
  session: 'any',
  model: 'down/small',
  messages: [{ role: 'user', content: 'The capital of Norway?' }],
  tools: [],
  toolChoice: 'auto',
  sampling: { maxOutputTokens: 50 },
};

/** One call of a model that always fails so, with another one behind it. */
async function callTo(name: string, breaker: number) {
  const bad = MODEL_CASES[name] ?? {};
  const isRefused = name.startsWith('the provider refused');
  const down = isRefused ? await refusing() : await modelServer({ replies: Array<Bad>(12).fill(bad) });
  const up = await modelServer({ replies: Array<string>(12).fill('Oslo.') });
  const events: { type: string; ok?: boolean; failure?: { code: string }; wasted?: unknown; model?: string }[] = [];
  const capabilities = { window: 32_000, maxOutputTokens: 100 };
  const price = { input: 1, output: 1 };
  const models = await createModels({
    env: { FLYBALL_MODEL: 'down/small,up/large' },
    config: {
      providers: { down: { baseUrl: down.baseUrl('openai-chat') }, up: { baseUrl: up.baseUrl('openai-chat') } },
      models: {
        'down/small': { price, capabilities },
        'up/large': { price, capabilities: { ...capabilities, window: 64_000 } },
      },
      retry: { retries: 1, baseDelayMs: 1, jitterMs: 1, maxPaidFailures: 5 },
      breaker: { failures: breaker, openMs: 60_000 },
      timeoutMs: 500,
    },
    observe: (event) => void events.push(event as never),
  });
  const model = models.forRole('any');
  const reply = () =>
    model.generate(REQUEST, {
      key: 'k',
      signal: new AbortController().signal,
    });
  return { events, reply, close: () => Promise.all([down.close(), up.close()]) };
}

describe('docs/failures.md, model calls', () => {
  it('names every case once', () => {
    expect(rows('Model calls').map(([name]) => name)).toEqual(Object.keys(MODEL_CASES));
  });

  it.each(rows('Model calls'))('%s [F-W8]', async (name, documented) => {
    const isOpen = name.includes('breaker is open');
    const patient = await callTo(name, isOpen ? 1 : 99);
    const strict = await callTo(name, 1);
    try {
      if (isOpen) await patient.reply();
      patient.events.length = isOpen ? 0 : patient.events.length;
      await patient.reply();
      const tries = patient.events.filter(({ type, model }) => type === 'attempt-end' && model === 'down/small');
      const because = patient.events.find(({ type }) => type === 'fallback-use') as
        | { because?: { code: string } }
        | undefined;
      if (!isOpen) await strict.reply();
      expect([
        because?.because?.code,
        yesNo(tries.length > 1),
        yesNo(!isOpen && strict.events.some(({ type }) => type === 'breaker-change')),
        yesNo(because !== undefined),
        yesNo(tries.some(({ wasted }) => wasted !== undefined)),
      ]).toEqual(documented);
    } finally {
      await patient.close();
      await strict.close();
    }
  });
});

interface RunCase {
  readonly does: (run: Run) => Promise<unknown>;
  readonly end: (stage: Stage<AutoClock>, agent: Agent<null, unknown>) => Promise<Outcome<unknown> | undefined>;
}

const waits = async (run: Run): Promise<unknown> => run.wait({ name: 'go' });

const RUN_CASES: Readonly<Record<string, RunCase>> = {
  'the code throws': {
    does: () => Promise.reject(new Error('no')),
    end: (stage, agent) => stage.open(agent).start(),
  },
  'a limit of the budget is reached': {
    does: (run) => run.call(made({}, { retries: 0, failures: 99 }).weather, { city: 'Oslo' }),
    end: (stage, agent) => stage.open(agent).start(null, { toolCalls: 0 }),
  },
  'it is cancelled': {
    does: waits,
    end: async (stage, agent) => {
      const { runtime, start, resume } = stage.open(agent);
      await start();
      await runtime.cancel(RUN, { by: 'ann', why: 'enough' });
      return resume();
    },
  },
  'it waits for a person': { does: waits, end: (stage, agent) => stage.open(agent).start() },
  'the runtime is closed': {
    does: waits,
    end: async (stage, agent) => {
      const { runtime, start } = stage.open(agent);
      await start();
      await runtime.close();
      return undefined;
    },
  },
  'the process is killed': {
    does: (run) => run.step('more', null, () => 1, 'idempotent'),
    end: async (stage, agent) => {
      await stage.crashed(agent, at('after', 'intent', 2));
      stage.open(agent, { options: { worker: true } });
      await expect.poll(() => stage.events('run-end')).toHaveLength(1); // another process took it over
      return undefined;
    },
  },
};

describe('docs/failures.md, runs', () => {
  it('names every case once', () => {
    expect(rows('Runs').map(([name]) => name)).toEqual(Object.keys(RUN_CASES));
  });

  it.each(rows('Runs'))('%s [F-W8]', async (name, documented) => {
    const { does, end } = RUN_CASES[name] ?? { does: waits, end: async () => undefined };
    const stage = new Stage(autoClock());
    let undone = false;
    const agent = async (run: Run) => {
      const compensate = async () => {
        undone = true;
      };
      await run.step('book', null, () => 'booked', { class: 'undoable', compensate });
      return done(await does(run));
    };
    const outcome = await end(stage, agent);
    const lives = await stage.events('attempt-start');
    const isOver = ['done', 'failed', 'cancelled', 'degraded', 'blocked'].includes(outcome?.stop ?? '');
    expect([
      outcome?.stop ?? 'none',
      yesNo(undone),
      yesNo(!isOver),
      yesNo(lives.some(({ why }) => why === 'takeover')),
    ]).toEqual(documented);
  });
});
