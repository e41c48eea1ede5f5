import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, type Budget, type JsonSchema, type ModelRequest, memoryEngine } from 'flyball';
import { conformance, type Scenario } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { functionOf } from '../../packages/flyball/src/core/agent-function.js';
import type { AnyAgent } from '../../packages/flyball/src/core/agent-types.js';
import { priceLookup } from '../../packages/flyball/src/core/prices.js';
import { openRuntime } from '../../packages/flyball/src/runtime/open-runtime.js';
import { type Conformance, conformanceOf } from '../../packages/flyball/src/testing/conformance/conformance.js';
import { KnownResults } from '../../packages/flyball/src/testing/conformance/known-results.js';
import { root } from '../../scripts/files.mjs';

type Created = Parameters<typeof import('flyball').createRuntime>[0];
type Started = Parameters<ReturnType<typeof import('flyball').createRuntime>['start']>;
type Hook = (created: Created, started: Started) => Promise<void>;

const hook = vi.hoisted(() => ({ onStart: undefined as Hook | undefined }));

/** Examples are programs: what they start on a runtime is what they hand over. */
vi.mock('flyball', async (original) => {
  const flyball = await original<typeof import('flyball')>();
  return {
    ...flyball,
    createRuntime: (created: Created) => {
      const runtime = flyball.createRuntime(created);
      const start: typeof runtime.start = async (...started) => {
        await hook.onStart?.(created, started);
        return runtime.start(...started);
      };
      return Object.assign(Object.create(runtime) as typeof runtime, { start });
    },
  };
});

/** The examples of patterns stand over a model without replies: here it says what fits each request. */
vi.mock('flyball/testing', async (original) => {
  const testing = await original<typeof import('flyball/testing')>();
  return {
    ...testing,
    scriptedModel: (...[script, options]: Parameters<typeof testing.scriptedModel>) => {
      const any = new Proxy(script, { has: () => true, get: () => replyTo, getOwnPropertyDescriptor: () => ({}) });
      return testing.scriptedModel(Object.keys(script).length === 0 ? any : script, options);
    },
  };
});

function replyTo({ tools, messages, output }: ModelRequest) {
  const [tool] = tools;
  if (tool !== undefined && !messages.some(({ role }) => role === 'tool'))
    return { toolCalls: [{ id: 'a', name: tool.name, arguments: JSON.stringify(sampleOf(tool.input)) }] };
  return output === undefined ? '7' : JSON.stringify(sampleOf(output));
}

/** A value that fits a simple schema. */
function sampleOf(schema: JsonSchema): unknown {
  const { type, properties = {}, items = {}, anyOf, minItems = 1 } = schema as Record<string, never>;
  const options = (schema as { readonly enum?: readonly unknown[] }).enum;
  if (options !== undefined) return options[0];
  if (anyOf !== undefined) return sampleOf(anyOf[0] as JsonSchema);
  if (type === 'object')
    return Object.fromEntries(Object.entries(properties).map(([key, of]) => [key, sampleOf(of as JsonSchema)]));
  if (type === 'array') return Array.from({ length: minItems }, () => sampleOf(items));
  return type === 'string' ? 'some words' : type === 'boolean' ? true : type === 'null' ? null : 1;
}

/** What people answer: the name of the wait, or any approval. */
const ANSWERS: Readonly<Record<string, unknown>> = { amount: { euros: 40 }, message: { end: true } };
const people = ({ kind, name }: { readonly kind: string; readonly name: string }) => {
  const payload = kind === 'approval' ? { verdict: 'approve', reason: 'It is fine.' } : ANSWERS[name];
  return payload === undefined ? undefined : { payload, from: kind === 'approval' ? 'grace' : 'ada' };
};
const ROOMY: Partial<Budget> = { iterations: 400, modelCalls: 400, toolCalls: 400, costUsd: 100, wallMs: 1e9 };

/**
 * Not here: examples/studio (conformance.full.test.ts plays its agents), examples/demo (its agent pays through a process that
 * the demonstration starts and kills), and the YAML files of examples/desk and examples/mender (they need a provider's model;
 * the same definitions are among the shipped scenarios).
 */
/** These start no run of their own. */
const WITHOUT_RUNS: Readonly<Record<string, string>> = {
  'catalogue.js': 'it reads descriptions and runs nothing',
  'evals.js': 'its agents are played by the evaluation harness',
  'own-domain.js': 'its agents are played by the evaluation harness',
  'suites.js': 'its agents are played by the evaluation harness',
};
/** These cannot be played again and again, each for its reason. */
const NOT_PLAYED: Readonly<Record<string, string>> = {
  'commit-loop.js mender': 'it runs test programs, and virtual time runs out meanwhile; a shipped scenario has one',
  'governance.js clerk': 'its limit of calls a second counts over all plays',
  'guards.js agent': 'its limit of calls a second counts over all plays',
  'supervision.js watched': 'a person interrupts it in the middle of a call, which the example waits for',
};

// the first check of a JSON schema loads this, and virtual time would jump meanwhile
await import('@cfworker/json-schema');

class Enough extends Error {}

const folder = join(root, 'packages/flyball/dist-examples'); // where they find their files
/** Their contract tests would begin where they are loaded. */
const TESTS = ['own-engine.js', 'own-dispatcher.js'];
const files = readdirSync(folder).filter((name) => name.endsWith('.js') && !TESTS.includes(name));
let imports = 0;

/** Runs an example in a module of its own. Where `onStart` ends it early, what the example makes of that is not looked at. */
async function run(file: string, onStart: Hook): Promise<void> {
  const before = process.cwd();
  let isEnough = false;
  hook.onStart = (...given) =>
    onStart(...given).catch((error: unknown) => {
      isEnough ||= error instanceof Enough;
      throw error;
    });
  try {
    await import(`${join(folder, file)}?run=${++imports}`);
  } catch (error) {
    if (!isEnough) throw error;
  } finally {
    hook.onStart = undefined;
    process.chdir(before);
  }
}

/** As `conformance`, on a runtime that has all that the example gave its own. */
async function playedIn(created: Created, [agent, input, how]: Started): Promise<Conformance> {
  const { engine: _engine, clock: _clock, prices, ...given } = created;
  const results = new KnownResults();
  const scenario: Scenario = {
    name: agent,
    agent,
    input,
    people,
    ...(how?.budget === undefined ? {} : { budget: how.budget }),
    open: (life) =>
      openRuntime({
        ...given,
        ...life,
        prices: priceLookup(prices),
        options: { ...given.options, ...life.options },
        aroundBody: results.around,
      }),
  };
  return conformanceOf(scenario, memoryEngine, () => results.seal());
}

const said = (found: Conformance): string => (found.ok ? 'ok' : `${found.way}: ${found.because}`);

/** Which starts of an example are the first of an agent: by their number, with its name. */
async function firstStarts(file: string): Promise<readonly (readonly [nth: number, name: string])[]> {
  const seen = new Set<string>();
  const first: (readonly [number, string])[] = [];
  let starts = 0;
  await run(file, async ({ agents }, [name]) => {
    starts += 1;
    // by its code: a test of crashes makes the same agent again for every life
    const code = `${name} ${functionOf(agents[name] as AnyAgent)}`;
    if (!seen.has(code)) first.push([starts, name]);
    seen.add(code);
  });
  return first;
}

describe('conformance over the examples', () => {
  beforeAll(() => {
    vi.stubEnv('FLYBALL_DEMONSTRATION', '1');
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    expect(played).toBeGreaterThan(40);
  });
  let played = 0;

  it.each(files)('raises no alarm over the agents of %s [R11-N1-CONFORMANCE]', async (file) => {
    const first = await firstStarts(file);
    expect([file, first.length === 0]).toEqual([file, file in WITHOUT_RUNS]);
    for (const [nth, name] of first) {
      if (`${file} ${name}` in NOT_PLAYED) continue;
      let starts = 0;
      const seen: string[] = [];
      await run(file, async (created, start) => {
        if (++starts !== nth) return;
        seen.push(`${name} ${said(await playedIn(created, start))}`);
        throw new Enough();
      });
      expect(seen).toEqual([`${name} ok`]);
      played += 1;
    }
  });
});

const INPUTS: Readonly<Record<string, unknown>> = {
  mapReduce: 'diff --git a/one\n+1\ndiff --git b/two\n+2',
  isolated: { path: 'a.ts', text: 'export const a = 1;' },
  total: [
    { path: 'a.ts', text: 'export const a = 1;' },
    { path: 'b.ts', text: '' },
  ],
  fromBundle: { entity: 'A1' },
  directCall: { customer: 'ada', cents: 100 },
  probe: null,
  toolReview: null,
};
/** Functions that are parts of agents: judges, which another agent calls. */
const PARTS: readonly string[] = ['rubricJudge', 'pairJudge', 'runSuite', 'releaseGate'];

/** These make agents of parts that they are given. */
const BUILT_ELSEWHERE: Readonly<Record<string, string>> = {
  'research-agent.ts': 'test/patterns/compositions.test.ts gives it parts and holds it to the same',
  'support-desk.ts': 'test/patterns/compositions.test.ts gives it parts and holds it to the same',
  'coding-agent.ts': 'its tests are a real program, and virtual time runs out meanwhile',
};

describe('conformance over the examples of patterns', () => {
  const patterns = readdirSync(join(root, 'examples/patterns')).filter((name) => !(name in BUILT_ELSEWHERE));
  beforeAll(() => {
    vi.stubGlobal('fetch', async () => Response.json({ id: 'charge-1' }));
  });
  afterAll(() => {
    vi.unstubAllGlobals();
    expect(acting).toBeGreaterThan(20);
  });
  let acting = 0;

  it.each(patterns)('raises no alarm over the agents of %s [R11-N1-CONFORMANCE]', async (file) => {
    const module = (await import(join(root, 'examples/patterns', file))) as Record<string, Record<string, unknown>>;
    for (const [name, agent] of Object.entries({ ...module['examples'], ...module['agents'] })) {
      if (typeof agent !== 'function' || PARTS.includes(name)) continue;
      const input = name in INPUTS ? INPUTS[name] : 'How is a brake bled?';
      const found = await conformance(agent as Agent<unknown, unknown>, input, {
        engine: memoryEngine,
        people,
        budget: ROOMY,
      });
      expect(`${name} ${said(found)}`).toBe(`${name} ok`);
      if (found.ok && found.effects > 0) acting += 1;
    }
  });
});
