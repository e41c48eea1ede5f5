import type { Clock, Seams, Waiting } from 'flyball';
import {
  type Budget,
  createRuntime,
  done,
  failed,
  memoryStore,
  type Outcome,
  type Run,
  type Session,
  type Tool,
} from 'flyball';
import { toolLoop } from 'flyball/loops';
import { memory } from 'flyball/memory';
import { supervised } from 'flyball/patterns';
import { type Outside, type Scenario, scriptedModel } from 'flyball/testing';
import { governance, joinSeams } from 'flyball/tools';
import type { Heard } from '../../packages/flyball/src/core/run.js';
import type { PersonAnswer } from '../../packages/flyball/src/testing/scenarios/scenario.js';

/** What an agent does; the outermost feature makes an outcome of its value. */
export type Body = (run: Run, input: unknown) => Promise<unknown>;

/** One feature of the runtime, as something that goes around whatever an agent does otherwise. */
export interface Feature {
  readonly name: string;
  readonly around: (inner: Body, kit: Kit) => Body;
  /** Further out than others: it hands the run to a new generation, which no branch or child may do. */
  readonly isOutermost?: true;
  readonly seams?: (kit: Kit) => Seams;
  readonly budget?: Partial<Budget>;
  readonly larger?: readonly Partial<Budget>[];
  readonly people?: (waiting: Waiting) => PersonAnswer | undefined;
  readonly heedsInstructions?: true;
  readonly racesTime?: true;
  readonly changesInForks?: true;
  readonly ends?: 'failed';
  readonly says?: readonly string[];
  readonly never?: readonly string[];
  readonly secrets?: readonly string[];
}

const approve: PersonAnswer = { payload: { verdict: 'approve' } };

/** Tools that act on the world outside, under names of their own. */
export class Kit {
  readonly outside: Outside;
  readonly clock: Clock;

  constructor(outside: Outside, clock: Clock) {
    this.outside = outside;
    this.clock = clock;
  }

  idempotent(name: string, legs?: Tool['legs']): Tool {
    return {
      name,
      description: name,
      effect: { class: 'idempotent', simulate: () => `${name} done` },
      execute: async (_args, how) => {
        await this.outside.act(name, how);
        return `${name} done`;
      },
      ...(legs === undefined ? {} : { legs }),
    };
  }

  pure(name: string, text = `${name} seen`, legs?: Tool['legs']): Tool {
    return {
      name,
      description: name,
      effect: 'pure',
      execute: async () => text,
      ...(legs === undefined ? {} : { legs }),
    };
  }

  irreversible(name: string): Tool {
    return {
      name,
      description: name,
      effect: {
        class: 'irreversible',
        verify: async (_args, how) =>
          this.outside.has(how.key) ? { happened: 'yes', result: `${name} done` } : { happened: 'no' },
        simulate: () => `${name} done`,
      },
      execute: async (_args, how) => {
        await this.outside.act(name, how);
        return `${name} done`;
      },
    };
  }

  async book(run: Run, name: string): Promise<string> {
    return run.step(
      name,
      null,
      async (_input, how) => {
        await this.outside.act(name, how);
        return `${name} done`;
      },
      {
        class: 'undoable',
        compensate: async (_input, _result, how) => this.outside.undo(name, how),
        verify: async (_input, how) =>
          this.outside.has(how.key) ? { happened: 'yes', result: `${name} done` } : { happened: 'no' },
        simulate: () => `${name} done`,
      },
    );
  }

  /** A session whose replies depend on the request alone. */
  session(
    name: string,
    reply: (asked: readonly { readonly role: string; readonly content: unknown }[]) => unknown,
  ): Session {
    const model = scriptedModel({ [name]: (request) => reply(request.messages as never) as never });
    return { name, model, setup: 'You help.' };
  }
}

const HOUR = 3_600_000;

export const features: Readonly<Record<string, Feature>> = {
  all: {
    name: 'all',
    around: (inner, kit) => async (run, input) => {
      const side = kit.idempotent('side');
      const settled = await run.all([(on) => inner(on, input), async (on) => (await on.call(side, {})).content], 2);
      for (const result of settled) if (!result.ok) throw result.error;
      return settled.map((result) => (result.ok ? result.value : null));
    },
  },
  first: {
    name: 'first',
    racesTime: true,
    around: (inner, kit) => async (run, input) => {
      const slow = async (on: Run): Promise<unknown> => {
        await on.call(kit.pure('peek'), {});
        await on.sleep(30 * 24 * HOUR);
        return 'late';
      };
      return run.first([(on) => inner(on, input), slow]);
    },
  },
  'first lost by a child': {
    name: 'first lost by a child',
    around: (inner) => async (run, input) => {
      const won = await run.first<unknown>([
        async (on) => {
          await on.sleep(1_000);
          return 'won';
        },
        async (on) => on.spawn(async (child) => done(await child.wait({ name: 'never' })), null, { share: 0.3 }),
      ]);
      return [won, await inner(run, input)];
    },
  },
  child: {
    name: 'child',
    around: (inner) => async (run, input) => {
      const outcome = await run.spawn(async (child) => done(await inner(child, input)), null, { share: 0.5 });
      return outcome.stop === 'done' ? outcome.value : outcome.stop;
    },
  },
  'children in a row': {
    name: 'children in a row',
    around: (inner, kit) => async (run, input) => {
      const values: unknown[] = [];
      for (let n = 0; n < 2; n++) {
        const outcome = await run.spawn(
          async (child) => done((await child.call(kit.idempotent(`part-${n}`), {})).content),
          null,
          { share: 0.5 },
        );
        if (outcome.stop === 'bounded') throw Object.assign(new Error('a child was bounded'), { outcome });
        values.push(outcome.stop);
      }
      return [...values, await inner(run, input)];
    },
  },
  generations: {
    name: 'generations',
    isOutermost: true,
    around: (inner, kit) => async (run, input) => {
      const generation = (input as { readonly generation?: number } | null)?.generation ?? 0;
      await run.call(kit.idempotent(`generation-${generation}`), {});
      const value = await inner(run, { generation });
      if (generation < 1) return run.continueWith({ generation: generation + 1 });
      return [generation, value];
    },
  },
  saga: {
    name: 'saga',
    around: (inner, kit) => async (run, input) => [await kit.book(run, 'room'), await inner(run, input)],
  },
  'rolled back': {
    name: 'rolled back',
    ends: 'failed',
    around: (inner, kit) => async (run, input) => {
      await kit.book(run, 'flight');
      const value = await inner(run, input);
      await kit.book(run, 'car');
      if ((input as { readonly generation?: number } | null)?.generation === 0) return value; // the last one fails
      throw Object.assign(new Error('sold out'), { code: 'SOLD_OUT' });
    },
  },
  'rolled back, with more in forks': {
    name: 'rolled back, with more in forks',
    ends: 'failed',
    changesInForks: true,
    around: (inner, kit) => async (run, input) => {
      await kit.book(run, 'train');
      const value = await inner(run, input);
      const isFirst = (input as { readonly generation?: number } | null)?.generation === 0;
      // what a fork of the last generation books has the ids of what the first generation booked, and the run undid
      if (isFirst || run.id.startsWith('fork')) for (const name of ['ferry', 'bus']) await kit.book(run, name);
      if (isFirst) return value;
      throw Object.assign(new Error('sold out'), { code: 'SOLD_OUT' });
    },
  },
  approval: {
    name: 'approval',
    people: ({ request }) => (JSON.stringify(request ?? null).includes('wire') ? approve : undefined),
    around: (inner, kit) => async (run, input) => [
      (await run.call(kit.irreversible('wire'), { amount: 10 })).content,
      await inner(run, input),
    ],
  },
  question: {
    name: 'question',
    people: ({ name }) => (name === 'color' ? { payload: 'blue' } : undefined),
    around: (inner) => async (run, input) => [
      await run.wait({ name: 'color', request: 'Which color?' }),
      await inner(run, input),
    ],
  },
  'asked again': {
    name: 'asked again',
    says: ['boss'],
    racesTime: true,
    people: ({ request }) =>
      (request as { readonly level?: string })?.level === 'boss'
        ? { payload: { verdict: 'approve' }, from: 'bob', scopes: ['boss'] }
        : undefined,
    around: (inner) => async (run, input) => {
      for (const level of ['clerk', 'boss']) {
        const heard = await run.first<Heard<unknown> | string>([
          (on) => on.hear({ name: 'agreed', request: { level }, approval: { scopes: [level], notBy: [] } }),
          async (on) => {
            await on.sleep(HOUR);
            return 'nobody';
          },
        ]);
        if (typeof heard !== 'string') return [level, heard.from, await inner(run, input)];
      }
      return ['nobody', await inner(run, input)];
    },
  },
  bound: {
    name: 'bound',
    budget: { toolCalls: 1 },
    larger: [{ toolCalls: 3 }, { toolCalls: 60 }],
    around: (inner, kit) => async (run, input) => {
      const before = await run.call(kit.idempotent('before'), {});
      const value = await inner(run, input);
      const after = await run.call(kit.idempotent('after'), {});
      return [before.content, value, after.content];
    },
  },
  time: {
    name: 'time',
    around: (inner) => async (run, input) => {
      const began = run.now();
      const drawn = run.random();
      await run.sleep(5_000);
      const value = await inner(run, input);
      await run.sleep(5_000);
      return [run.now() - began >= 10_000, drawn === run.random(), value];
    },
  },
  'time of day': {
    name: 'time of day',
    says: ['in time'],
    around: (inner, kit) => {
      const look: Tool<{ readonly from: number }> = {
        name: 'look',
        description: 'Looks whether the time it is told is an old one.',
        effect: 'pure',
        execute: async ({ from }) => (kit.clock.now() - from < HOUR ? 'in time' : 'late'),
      };
      return async (run, input) => [(await run.call(look, { from: run.now() })).content, await inner(run, input)];
    },
  },
  'child deadline': {
    name: 'child deadline',
    racesTime: true,
    around: (inner, kit) => async (run, input) => {
      const outcome = await run.spawn(
        async (child) => done((await child.call(kit.irreversible('gift'), {})).content),
        null,
        { deadline: run.now() + HOUR },
      );
      return [outcome.stop, await inner(run, input)];
    },
    never: ['gift'],
  },
  'child in time': {
    name: 'child in time',
    racesTime: true, // a fork keeps the deadline that a child was given
    around: (inner, kit) => async (run, input) => {
      const outcome = await run.spawn(
        async (child) => {
          await child.sleep(1_000);
          return done((await child.call(kit.idempotent('part'), {})).content);
        },
        null,
        { deadline: run.now() + HOUR },
      );
      await run.sleep(2 * HOUR);
      return [outcome.stop, await inner(run, input)];
    },
  },
  ask: {
    name: 'ask',
    around: (inner, kit) => {
      const session = kit.session('talker', (messages) => `reply ${messages.length}`);
      return async (run, input) => [(await run.ask(session, 'How are you?')).text, await inner(run, input)];
    },
  },
  'tool loop': {
    name: 'tool loop',
    around: (inner, kit) => {
      const session = kit.session('looper', (messages) =>
        messages.some(({ role }) => role === 'tool')
          ? 'all done'
          : {
              toolCalls: [
                { id: 'a', name: 'look', arguments: '{}' },
                { id: 'b', name: 'send', arguments: '{}' },
              ],
            },
      );
      const loop = toolLoop({ session, tools: [kit.pure('look'), kit.idempotent('send')] });
      return async (run, input) => {
        const outcome = await loop(run.scope('loop'), 'Go.');
        return [outcome.stop, await inner(run, input)];
      };
    },
  },
  instructions: {
    name: 'instructions',
    heedsInstructions: true,
    around: (inner) => async (run, input) => {
      const before = run.instructions().map(({ text }) => text);
      await run.step('think', { before }, () => 'thought', 'pure');
      const value = await inner(run, input);
      const told = run.instructions().map(({ text }) => text);
      await run.step('think again', { told }, () => 'thought', 'pure');
      return value;
    },
  },
  private: {
    name: 'private',
    secrets: ['SECRET-OF-THE-VAULT'],
    around: (inner, kit) => async (run, input) => {
      run.note({ kind: 'private', tools: ['vault'] });
      const vault = kit.pure('vault', 'SECRET-OF-THE-VAULT');
      await run.call(vault, { n: 1 });
      const value = await inner(run, input);
      await run.call(vault, { n: 2 });
      return value;
    },
  },
  trifecta: {
    name: 'trifecta',
    never: ['post'],
    seams: ({ clock }) =>
      governance({
        clock,
        autonomy: 'autonomous',
        trifecta: 'deny',
        rateLimit: 'off',
        autonomyBudget: 'off',
        tools: legged,
      }),
    around: (inner, kit) => async (run, input) => {
      await run.call(kit.idempotent('read-mail', ['private-data']), {});
      await run.call(kit.pure('browse', 'a page', ['untrusted-content']), {});
      const value = await inner(run, input);
      await run.sleep(1_000);
      return [value, (await run.call(kit.idempotent('post', ['outbound']), {})).ok];
    },
  },
  supervision: {
    name: 'supervision',
    never: ['mail'],
    around: (inner, kit) => {
      // a later process comes with a wider scope, which must not widen the run's
      const scope = kit.outside.keep('scope', () => ({ isFixed: false }));
      const allow = scope.isFixed ? (['pure', 'idempotent'] as const) : (['pure'] as const);
      const agent = supervised(
        async (run: Run) => {
          await run.sleep(1_000);
          scope.isFixed = true;
          return done((await run.call(kit.idempotent('mail'), {})).ok);
        },
        { allow, baseline: { suite: 's', score: 1, minimum: 0.5, classes: ['pure', 'idempotent'] } },
      );
      return async (run, input) => {
        const outcome = await agent(run.scope('supervised'), null);
        return [outcome.stop === 'done' ? outcome.value : outcome.stop, await inner(run, input)];
      };
    },
  },
  memory: {
    name: 'memory',
    around: (inner, kit) => {
      const store = kit.outside.keep('store', () => memoryStore());
      const kept = memory({ store });
      return async (run, input) => {
        await kept.remember(run, 'episodic', { content: 'The sky is blue and wide.', trust: 'user' });
        return inner(run, input);
      };
    },
  },
  spending: {
    name: 'spending',
    around: (inner) => async (run, input) => {
      run.budget.take('iterations');
      const before = run.budget.remaining('iterations');
      await run.step('count', { before }, () => 'counted', 'pure');
      const value = await inner(run, input);
      run.budget.take('iterations');
      await run.step('count again', { after: run.budget.remaining('iterations') }, () => 'counted', 'pure');
      return value;
    },
  },
  identity: {
    name: 'identity',
    around: (inner) => async (run, input) => {
      const greeted = await run.step('greet', { who: run.subject }, ({ who }) => `hello ${who}`, 'pure');
      return [greeted, await inner(run, input)];
    },
  },
};

/** Governance looks the legs of earlier calls up by name. */
const legged: Tool[] = [
  { name: 'read-mail', description: '', effect: 'idempotent', legs: ['private-data'], execute: async () => '' },
  { name: 'browse', description: '', effect: 'pure', legs: ['untrusted-content'], execute: async () => '' },
  { name: 'post', description: '', effect: 'idempotent', legs: ['outbound'], execute: async () => '' },
];

/** An agent in which these features meet, the first of them outermost. */
export function meeting(names: readonly string[]): Scenario {
  const given = names.map((name) => {
    const feature = features[name];
    if (feature === undefined) throw new Error(`There is no feature ${name}.`);
    return feature;
  });
  const ordered = [...given].sort((a, b) => Number(b.isOutermost ?? false) - Number(a.isOutermost ?? false));
  const budget = Object.assign({}, ...given.map((feature) => feature.budget ?? {})) as Partial<Budget>;
  const larger = given.flatMap((feature) => feature.larger ?? []);
  return {
    name: ordered.map(({ name }) => name).join(' × '),
    budget,
    larger,
    people: (waiting) => {
      for (const feature of given) {
        const answer = feature.people?.(waiting);
        if (answer !== undefined) return answer;
      }
      return undefined;
    },
    // what is rolled back fails the run, or only the child or the branch around it
    ...(given.some((feature) => feature.ends === 'failed')
      ? {}
      : { ends: { stop: 'done' as const, says: given.flatMap((feature) => feature.says ?? []) } }),
    never: given.flatMap((feature) => feature.never ?? []),
    secrets: given.flatMap((feature) => feature.secrets ?? []),
    ...(given.some((feature) => feature.racesTime) ? { racesTime: true as const } : {}),
    ...(given.some((feature) => feature.changesInForks) ? { changesInForks: true as const } : {}),
    ...(given.some((feature) => feature.heedsInstructions) ? { heedsInstructions: true as const } : {}),
    open: (life, outside) => {
      const kit = new Kit(outside, life.clock);
      const work: Body = async (run) => (await run.call(kit.idempotent('work'), {})).content;
      const body = ordered.reduceRight((inner, feature) => feature.around(inner, kit), work);
      const agent = async (run: Run, input: unknown): Promise<Outcome<unknown>> => {
        try {
          return done(await body(run, input));
        } catch (error) {
          const { code, outcome } = error as { readonly code?: string; readonly outcome?: Outcome<unknown> };
          if (outcome !== undefined) return outcome; // of a child: the run stands where its child does
          if (code !== 'SOLD_OUT') throw error;
          return failed({ code: 'EFFECT_FAILED', message: 'sold out', retryable: false });
        }
      };
      const seams = given.map((feature) => feature.seams?.(kit)).filter((one) => one !== undefined);
      return createRuntime({
        ...life,
        agents: { agent },
        ...(seams.length === 0 ? {} : { seams: joinSeams(...seams) }),
      });
    },
  };
}
