import type { Run } from 'flyball';
import { describe, expect, it } from 'vitest';
import { ended, inRun } from '../../../../test/checks/stage-checks.js';
import { assembleBundle, type BundleCache, bundleText, furtherNeed, type Principal } from './bundle.js';
import { type BundleSpec, defineBundle, type FieldSpec } from './bundle-spec.js';

const CLERK: Principal = { roles: ['clerk'] };

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

const spec = (...fields: readonly FieldSpec[]): BundleSpec =>
  defineBundle({ workflow: 'refund', version: '1', fields });

function assembled(of: BundleSpec, more: { entity?: string; principal?: Principal; cache?: BundleCache } = {}) {
  const options = { entity: 'customer-7', principal: CLERK, ...more };
  return inRun((run: Run) => assembleBundle(run, of, options));
}

describe('a retrieval bundle', () => {
  it('assembles every field with its source, authority and age, stable ones first [R5-RET-BUNDLE]', async () => {
    const bundle = await assembled(
      spec(
        field('account'),
        field('terms', { shape: 'document', by: 'read', stable: true, fetch: async () => 'The terms.' }),
        field('neighbors', { shape: 'graph', by: 'walk', authority: 'contextual', fetch: async () => ['a', 'b'] }),
        field('notes', { shape: 'prose', by: 'search', authority: 'inferred', fetch: async () => 'Some notes.' }),
      ),
    );
    expect(bundle.fields.map(({ name }) => name)).toEqual(['terms', 'account', 'neighbors', 'notes']);
    const text = bundleText(bundle);
    expect(text).toMatch(
      /<field name="terms" source="terms register" authority="authoritative" since="[-\d]+T[:.\d]+Z" mark="\w+">\nThe terms\./,
    );
    expect(text).toContain('{"account":"customer-7"}');
    expect(text).toContain('authority="inferred"');
  });

  it.each([
    ['source', { source: ' ' }, 'no source'],
    ['shape', { shape: undefined }, 'no shape'],
    ['ttl', { ttlS: undefined }, 'no ttlS'],
    ['auth', { auth: undefined }, 'no auth'],
    ['ifMissing', { ifMissing: undefined }, 'no ifMissing'],
    ['fitting primitive', { by: 'search' }, 'a table is fetched by lookup, not by search'],
  ] as const)('refuses a specification without %s [R5-RET-BUNDLE]', (_what, more, said) => {
    expect(() => spec(field('account', more as Partial<FieldSpec>))).toThrow(said);
  });

  it('refuses two fields of one name', () => {
    expect(() => spec(field('a'), field('a'))).toThrow(/a is there twice/);
  });

  it('does not even fetch what the principal may not see, and says so [R5-RET-BUNDLE]', async () => {
    let fetched = 0;
    const salary = field('salary', { auth: ['manager'], fetch: async () => ++fetched });
    const bundle = await assembled(spec(field('account'), salary));
    expect(fetched).toBe(0);
    expect(bundleText(bundle)).toContain('[salary: not shown, the rights for it are missing]');
    const nobody = field('secret', { auth: [], fetch: async () => ++fetched });
    await assembled(spec(nobody), { principal: { roles: ['clerk', 'manager'] } });
    expect(fetched).toBe(0);
  });

  it('ends before any model is asked where a field it cannot do without is missing [R5-RET-BUNDLE]', async () => {
    const of = spec(field('account', { fetch: async () => undefined }));
    const outcome = await ended((run) => assembleBundle(run, of, { entity: 'x', principal: CLERK }));
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'EFFECT_FAILED' } });
    expect(JSON.stringify(outcome)).toContain('account register has no account');
  });

  it('puts a stand-in, or a mark, in the place of what is missing or whose source is down [R5-RET-BUNDLE]', async () => {
    const down = async (): Promise<never> => Promise.reject(new Error('connection refused'));
    const bundle = await assembled(
      spec(
        field('limit', { fetch: down, ifMissing: { action: 'substitute', value: 100 } }),
        field('history', { fetch: down, ifMissing: { action: 'flag' } }),
      ),
    );
    expect(bundle.fields[0]?.state).toMatchObject({ kind: 'there', value: 100, substituted: true });
    expect(bundleText(bundle)).toContain('age="a stand-in"');
    expect(bundleText(bundle)).toContain('[history: not known, history register failed: connection refused]');
  });

  it('uses a value within its time and fetches it again after that, each field by itself [R5-RET-BUNDLE]', async () => {
    const kept = new Map<string, { value: unknown; at: number }>();
    const cache: BundleCache = {
      get: (key) => kept.get(key),
      put: (key, value, at) => kept.set(key, { value, at }),
    };
    const counts = { long: 0, none: 0 };
    const of = spec(
      field('long', { ttlS: 3600, fetch: async () => ++counts.long }),
      field('none', { ttlS: 0, fetch: async () => ++counts.none }),
    );
    await assembled(of, { cache });
    await assembled(of, { cache });
    expect(counts).toEqual({ long: 1, none: 2 });
    for (const entry of kept.values()) entry.at -= 3_601_000;
    const bundle = await assembled(of, { cache });
    expect(counts).toEqual({ long: 2, none: 3 });
    expect(bundle.fields[0]?.state).toMatchObject({ value: 2 });
    await assembled(of, { cache, entity: 'customer-8' });
    expect(counts.long).toBe(3);
  });

  it('shows both of two values that differ, and which of them counts [R5-RET-BUNDLE]', async () => {
    const bundle = await assembled(
      spec(
        field('guess', { fact: 'address', authority: 'inferred', fetch: async () => 'Elm St' }),
        field('register', { fact: 'address', fetch: async () => 'Oak St' }),
        field('copy', { fact: 'address', authority: 'contextual', fetch: async () => 'Oak St' }),
      ),
    );
    expect(bundle.fields.map(({ overruledBy }) => overruledBy)).toEqual(['register', undefined, undefined]);
    expect(bundleText(bundle)).toContain('overruledBy="register"');
  });

  it('lets a task fetch nothing twice, and notes what the specification lacks [R5-RET-BUNDLE]', async () => {
    const needs = await inRun(async (run) => {
      const bundle = await assembleBundle(run, spec(field('account')), { entity: 'x', principal: CLERK });
      return [furtherNeed(run, bundle, 'account'), furtherNeed(run, bundle, 'weather')];
    });
    expect(needs).toEqual(['in-bundle', 'gap']);
  });
});
