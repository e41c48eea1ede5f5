import { type Agent, createRuntime, done, memoryEngine, type Outcome, type Run } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { adaptiveRag, compression, fromBundle, pruning, rag, withQueryRewriting } from 'flyball/patterns';
import { type Bundle, hashEmbedder } from 'flyball/retrieval';
import { assertSame, exercise, type Outside, type Scenario, type ScriptedModel, scriptedModel } from 'flyball/testing';
import { type DefinedTool, tool } from 'flyball/tools';
import { describe, it } from 'vitest';
import { session } from '../../../../../test/patterns/bed.js';
import { ALOUD, SUMMARY } from '../../../../../test/patterns/window-bed.js';
import type { Evidence } from '../../core/work.js';

const { signal } = new AbortController();
const library = rag({ embedder: hashEmbedder(), answerer: session(scriptedModel({}), 'nobody') });
const DOCUMENTS = Array.from({ length: 30 }, (_, n) => ({
  source: `status-${400 + n}`,
  text: `Status code ${400 + n} tells the client what went wrong with the request.`,
}));
await library.ingest(DOCUMENTS);

/** Replies depend on what is asked alone: every play asks again. */
const REPLIES = {
  rewriter: () => 'What does status code 421 mean?\nWhat does status code 422 mean?',
  answerer: () => 'It was misdirected [1].',
  classifier: () => 'RETRIEVE',
  scorer: (request: unknown) => (JSON.stringify(request).includes('newspaper') ? 'PASS' : 'FAIL'),
  checker: () => 'UNSUPPORTED',
  worker: () => 'Refunded.',
};

type Made = (parts: { readonly model: ScriptedModel; readonly outside: Outside }) => Agent<never, unknown>;

function scenario(name: string, input: unknown, make: Made, says: readonly string[]): Scenario {
  return {
    name,
    open: (life, outside) => {
      const model = outside.keep('model', () =>
        scriptedModel(REPLIES, { capabilities: { window: 200_000, maxOutputTokens: 500 } }),
      );
      return createRuntime({ ...life, agents: { agent: make({ model, outside }) as Agent<unknown, unknown> } });
    },
    input,
    ends: { stop: 'done', says },
  };
}

const run = async (of: Scenario): Promise<void> => assertSame(await exercise(of, { engine: memoryEngine }));

/** A lookup that acts, and finds what `library` does. */
const acting =
  (outside: Outside, name = 'library'): Agent<string, readonly Evidence[]> =>
  async (within: Run, query) => {
    await within.step('log', query, (_, how) => outside.act(`log ${name} ${query}`, how), 'idempotent');
    const found = await library.retrieve(query, { limit: 3, signal });
    return done(found.map((piece) => ({ ...piece, source: `${name}/${piece.source}` })));
  };

/** Acts on what an agent answered. */
const thenActs =
  <I, O>(agent: Agent<I, O>, outside: Outside): Agent<I, O> =>
  async (within: Run, input): Promise<Outcome<O>> => {
    const outcome = await agent(within, input);
    await within.step('save', null, (_, how) => outside.act('save', how), 'idempotent');
    return outcome;
  };

describe('patterns of knowledge end the same after a crash at every write', () => {
  it('rag, before something that acts [K1.crash]', async () => {
    await run(
      scenario(
        'rag',
        'What does status code 421 mean?',
        ({ model, outside }) => {
          const answering = rag({ embedder: hashEmbedder(), answerer: session(model, 'answerer') });
          const agent: Agent<string, unknown> = async (within, question) => {
            await answering.ingest(DOCUMENTS);
            return answering.answer(within, question);
          };
          return thenActs(agent, outside);
        },
        ['misdirected'],
      ),
    );
  });

  it('withQueryRewriting, over a lookup that acts [K2.crash]', async () => {
    await run(
      scenario(
        'withQueryRewriting',
        'What do 421 and 422 mean?',
        ({ model, outside }) =>
          withQueryRewriting(acting(outside), { rewriter: session(model, 'rewriter') }, { how: 'multi' }),
        ['status-421', 'status-422'],
      ),
    );
  });

  it('adaptiveRag, over lookups that act [K5.crash]', async () => {
    await run(
      scenario(
        'adaptiveRag',
        'What do 421 and 422 mean?',
        ({ model, outside }) =>
          adaptiveRag({
            lookup: acting(outside),
            fallbacks: [acting(outside, 'newspaper')],
            classifier: session(model, 'classifier'),
            scorer: session(model, 'scorer'),
            checker: session(model, 'checker'),
            rewriter: session(model, 'rewriter'),
            answerer: session(model, 'answerer'),
          }),
        ['misdirected', 'newspaper'],
      ),
    );
  });

  it('fromBundle, with a worker that acts [K13.crash]', async () => {
    await run(
      scenario(
        'fromBundle',
        { entity: 'customer-7' },
        ({ model, outside }) => {
          const worker: Agent<Bundle, string> = async (within, bundle) => {
            const { text } = await within.ask(session(model, 'worker'), JSON.stringify(bundle.fields.length));
            await within.step('refund', null, (_, how) => outside.act('refund', how), 'idempotent');
            return done(text);
          };
          const field = (name: string) => ({
            name,
            source: 'register',
            shape: 'table' as const,
            by: 'lookup' as const,
            fetch: async () => name,
            ttlS: 0,
            auth: ['clerk'],
            authority: 'authoritative' as const,
            ifMissing: { action: 'halt' as const },
          });
          const spec = { workflow: 'refund', version: '1', fields: [field('account'), field('order')] };
          return fromBundle({ spec, worker }, { roles: ['clerk'] });
        },
        ['Refunded.'],
      ),
    );
  });

  it('pruning and compression, of a loop whose tool acts [K6.crash] [K7.crash]', async () => {
    const of: Scenario = {
      name: 'window',
      open: (life, outside) => {
        const pages = 14;
        const model = outside.keep('model', () =>
          scriptedModel(
            {
              worker: (request) => {
                const last = request.messages.findLast(({ role }) => role === 'tool')?.content ?? '';
                const n = Number(/Page (\d+)/.exec(last)?.[1] ?? -1) + 1;
                if (n >= pages) return 'Read.';
                return { text: ALOUD, toolCalls: [{ id: `p${n}`, name: 'page', arguments: JSON.stringify({ n }) }] };
              },
              'worker-summarizer': () => SUMMARY,
            },
            { capabilities: { window: 3_000, maxOutputTokens: 300 } },
          ),
        );
        const page = tool({
          name: 'page',
          description: 'Turns a page, and notes that it was read.',
          effect: 'idempotent',
          input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
          execute: async ({ n }, how) => {
            await outside.act(`page ${Number(n)}`, how);
            return `Page ${Number(n)}: ${`line ${Number(n)} `.repeat(90)}`;
          },
        }) as unknown as DefinedTool;
        const loop = toolLoop({
          session: session(model, 'worker', { setup: 'You read.' }),
          tools: [page],
          config: { maxIterations: 40, doubleConfirmation: false },
          window: [
            pruning({}, { keepRecent: 2 }),
            compression({ summarizer: session(model, 'small') }, { keepRecent: 2 }),
          ],
        });
        return createRuntime({ ...life, agents: { agent: loop as Agent<never, unknown> as Agent<unknown, unknown> } });
      },
      input: 'Read it all.',
      ends: { stop: 'done', says: ['Read.'] },
      compare: (value) => (value as { readonly output?: unknown }).output,
    };
    await run(of);
  });
});
