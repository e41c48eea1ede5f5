import { type Agent, done, type Run } from 'flyball';
import { type FromBundleParts, fromBundle, useOf } from 'flyball/patterns';
import { type Bundle, type BundleSpec, furtherNeed } from 'flyball/retrieval';
import { type ScriptedModel, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { ended, session } from '../../../../../test/patterns/bed.js';
import type { BundleCache } from '../../retrieval/bundle.js';
import type { FieldSpec } from '../../retrieval/bundle-spec.js';

function field(name: string, more: Partial<FieldSpec> = {}): FieldSpec {
  return {
    name,
    source: `${name} register`,
    shape: 'table',
    by: 'lookup',
    fetch: async ({ entity }) => ({ [name]: entity }),
    ttlS: 0,
    auth: ['clerk'],
    authority: 'authoritative',
    ifMissing: { action: 'halt' },
    ...more,
  };
}

const spec = (...fields: readonly FieldSpec[]): BundleSpec => ({ workflow: 'refund', version: '1', fields });
const model = (): ScriptedModel => scriptedModel({ worker: () => 'Done.' });

async function worked(of: BundleSpec, more: Partial<FromBundleParts<string>> & { readonly entity?: string } = {}) {
  const { entity = 'customer-7', ...parts } = more;
  const asked = model();
  const agent = fromBundle({ spec: of, worker: session(asked, 'worker'), ...parts }, { roles: ['clerk'] });
  return { ...(await ended(agent, { entity })), model: asked };
}

/** Keeps what was fetched, and how often it was asked for. */
function kept(): BundleCache & { readonly age: (byMs: number) => void } {
  const values = new Map<string, { value: unknown; at: number }>();
  return {
    get: (key) => values.get(key),
    put: (key, value, at) => void values.set(key, { value, at }),
    age: (byMs) => {
      for (const value of values.values()) value.at -= byMs;
    },
  };
}

/** Four shapes of data, as a workflow over a repository needs them. */
const FOUR = spec(
  field('row', { source: 'penguins.csv' }),
  field('section', { shape: 'document', by: 'read', stable: true, ttlS: 3600, fetch: async () => 'Section 15.5.20.' }),
  field('neighbors', { shape: 'graph', by: 'walk', authority: 'contextual', fetch: async () => ['a', 'b'] }),
  field('passages', { shape: 'prose', by: 'search', authority: 'inferred', fetch: async () => 'Some passages.' }),
);

describe('fromBundle', () => {
  it('asks once, with every field labelled by source, authority and age, stable ones first [K13.5] [K13.acceptance]', async () => {
    const { outcome, model: asked, uses } = await worked(FOUR);
    expect(outcome).toMatchObject({ stop: 'done', value: 'Done.' });
    const prompt = asked.promptAt('worker');
    expect(prompt.match(/<field name="(\w+)"/g)).toEqual(
      ['section', 'row', 'neighbors', 'passages'].map((name) => `<field name="${name}"`),
    );
    expect(prompt).toMatch(/name="section" source="section register" authority="authoritative" since="[-\d]+T/);
    expect(prompt).toMatch(/name="row" source="penguins.csv" authority="authoritative" age="\d+ s"/);
    expect(prompt).toContain('authority="inferred"');
    expect(uses[0]).toMatchObject({ modelCalls: 1, predicted: { min: 1, max: 1 }, learned: { fields: 4, missing: 0 } });
  });

  it('gives five entities one prefix, which providers can cache [K13.acceptance]', async () => {
    const cache = kept();
    const prefixes = new Set<string>();
    for (const entity of ['a', 'b', 'c', 'd', 'e']) {
      const { model: asked } = await worked(FOUR, { entity, cache });
      const [request] = asked.requests;
      prefixes.add(JSON.stringify(request?.messages.slice(0, 2)));
      expect(JSON.stringify(request?.messages[2])).toContain(`About ${entity}:`);
    }
    expect(prefixes.size).toBe(1);
  });

  it.each([
    ['source', { source: ' ' }, 'no source'],
    ['shape', { shape: undefined }, 'no shape'],
    ['ttl', { ttlS: undefined }, 'no ttlS'],
    ['auth', { auth: undefined }, 'no auth'],
    ['ifMissing', { ifMissing: undefined }, 'no ifMissing'],
    ['fitting way to fetch it', { by: 'search' }, 'a table is fetched by lookup, not by search'],
  ] as const)('refuses a specification without a %s when it is built [K13.1] [K13.2]', (_what, more, said) => {
    const worker = session(model(), 'worker');
    const wrong = spec(field('account', more as Partial<FieldSpec>));
    expect(() => fromBundle({ spec: wrong, worker }, { roles: [] })).toThrow(said);
  });

  it('does not even fetch what its roles may not see, and says so [K13.3] [K13.acceptance]', async () => {
    let fetched = 0;
    const salary = field('salary', { auth: ['manager'], fetch: async () => ++fetched });
    const { model: asked } = await worked(spec(field('account'), salary));
    expect(fetched).toBe(0);
    expect(asked.promptAt('worker')).toContain('[salary: not shown, the rights for it are missing]');
  });

  it('uses a value within its time and fetches it again after that, each field by itself [K13.4] [K13.acceptance]', async () => {
    const counts = { long: 0, none: 0 };
    const of = spec(
      field('long', { ttlS: 3600, fetch: async () => ++counts.long }),
      field('none', { ttlS: 0, fetch: async () => ++counts.none }),
    );
    const cache = kept();
    await worked(of, { cache });
    await worked(of, { cache });
    expect(counts).toEqual({ long: 1, none: 2 });
    cache.age(3_601_000);
    const { model: asked } = await worked(of, { cache });
    expect(counts).toEqual({ long: 2, none: 3 });
    expect(asked.promptAt('worker')).toMatch(/name="long"[^>]*>\n2\n/);
  });

  it('shows nothing that the specification does not name [K13.6]', async () => {
    const { model: asked } = await worked(spec(field('account')));
    const user = asked.requests[0]?.messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(user).toEqual([
      expect.stringMatching(
        /^About customer-7:\n<field name="account"[^>]*>\n\{"account":"customer-7"\}\n<\/field[^>]*>$/,
      ),
    ]);
  });

  it('ends before any model is asked where a field it cannot do without is missing [K13.acceptance]', async () => {
    const { outcome, model: asked } = await worked(spec(field('account', { fetch: async () => undefined })));
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'EFFECT_FAILED' } });
    expect(asked.requests).toEqual([]);
  });

  it('leaves no field out in silence: a stand-in, or a line that says it is not known [K13.7]', async () => {
    const down = async (): Promise<never> => Promise.reject(new Error('connection refused'));
    const { model: asked, uses } = await worked(
      spec(
        field('limit', { fetch: down, ifMissing: { action: 'substitute', value: 100 } }),
        field('history', { fetch: down, ifMissing: { action: 'flag' } }),
      ),
    );
    expect(asked.promptAt('worker')).toContain('age="a stand-in"');
    expect(asked.promptAt('worker')).toContain('[history: not known, history register failed: connection refused]');
    expect(uses[0]?.learned).toMatchObject({ fields: 2, missing: 1 });
  });

  it('lets its worker fetch nothing twice, and notes what the specification lacks [K13.8]', async () => {
    const worker: Agent<Bundle, readonly string[]> = async (run: Run, bundle) =>
      done([furtherNeed(run, bundle, 'account'), furtherNeed(run, bundle, 'weather')]);
    const agent = fromBundle({ spec: spec(field('account')), worker }, { roles: ['clerk'] });
    const { outcome, entries } = await ended(agent, { entity: 'x' });
    expect(outcome).toMatchObject({ value: ['in-bundle', 'gap'] });
    expect(JSON.stringify(entries)).toContain('"bundle-gap"');
    expect(useOf(agent)).toMatchObject({ id: 'K13', params: { workflow: 'refund', version: '1' } });
  });
});
