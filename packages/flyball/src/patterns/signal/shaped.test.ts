import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, done, type Session } from 'flyball';
import { repairAlarm, type ShapeOptions, shaped, useOf } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { root } from '../../../../../scripts/files.mjs';
import { ended, session } from '../../../../../test/patterns/bed.js';
import { fieldsOf, filledSkeleton, readSkeleton } from './skeleton.js';

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string | null;
}
const SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string' }, version: { type: 'string' }, license: { type: ['string', 'null'] } },
  required: ['name', 'version', 'license'],
  additionalProperties: false,
} as const;
const FIELDS = fieldsOf(SCHEMA) ?? [];
const zod: Package = { name: 'zod', version: '4.0.0', license: 'MIT' };
type Options = ShapeOptions<Package> & { readonly narrative?: boolean };

function bed(replies: string | readonly string[], options: Options = {}, structuredOutput = true) {
  const model = scriptedModel({ reader: replies }, { capabilities: { structuredOutput } });
  const reader = shaped<Package>(session(model, 'reader'), SCHEMA, options as ShapeOptions<Package>);
  const agent: Agent<string, Package> = async (run, input) => done((await run.ask(reader, input)).value);
  return { model, reader, filled: async () => ended(agent, 'What is it?') };
}
const hash = String(useOf(bed('').reader)?.params['hash']);
const form = (value: Package = zod): string => filledSkeleton(value, FIELDS, hash);

/** Manifests of what this repository depends on. */
function manifests(count: number): readonly Package[] {
  const folder = join(root, 'node_modules');
  const found = readdirSync(folder)
    .map((name) => join(folder, name, 'package.json'))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')) as Partial<Package>)
    .filter(({ name, version }) => name !== undefined && version !== undefined)
    .map(({ name = '', version = '', license }) => ({
      name,
      version,
      license: typeof license === 'string' ? license : null,
    }));
  return found.slice(0, count);
}

describe('shaped', () => {
  it('refuses fields inside a field that nobody asked for, whatever the schema is written in [S6.3]', async () => {
    const author = { type: 'object', properties: { first: { type: 'string' } }, required: ['first'] };
    const json = { type: 'object', properties: { by: { type: 'array', items: author } }, required: ['by'] };
    for (const schema of [json, z.object({ by: z.array(z.object({ first: z.string() })) })]) {
      const model = scriptedModel({ reader: ['{"by":[{"first":"Ada","pay":1}]}', '{"by":[{"first":"Ada"}]}'] });
      const reader = shaped<unknown>(session(model, 'reader'), schema, { mode: 'json' });
      const agent: Agent<string, unknown> = async (run, input) => done((await run.ask(reader, input)).value);
      expect((await ended(agent, 'Who?')).outcome).toMatchObject({ stop: 'done', value: { by: [{ first: 'Ada' }] } });
      expect(model.promptAt('reader', 2)).toContain('by.0.pay is not a field');
    }
  });

  it('has one hash for skeleton, schema and parser, and refuses what was made with another [S6.1]', () => {
    const text = bed('', { mode: 'text' }).reader;
    expect(text.setup).toContain(`BEGIN ${hash.slice(0, 8)}`);
    expect(useOf(text)?.params).toMatchObject({ hash, mode: 'text' });
    expect(useOf(bed('').reader)?.params).toMatchObject({ hash, mode: 'native' });
    expect(() => bed('', { hash: '0'.repeat(64) })).toThrow(/Make the prompt again/);
    expect(() => bed('', { hash })).not.toThrow();
  });

  it('is held by the provider where it can be, and is text where prose is mixed in [S6.2]', async () => {
    const native = bed(JSON.stringify(zod));
    expect((await native.filled()).outcome).toMatchObject({ stop: 'done', value: zod });
    expect(native.model.requests[0]?.output).toEqual(SCHEMA);
    expect(native.model.promptAt('reader')).not.toContain('[NAME]');
    expect(useOf(bed('', {}, false).reader)?.params).toMatchObject({ mode: 'json' });
    const prose = bed(`A parser.\n${form()}\nThat is all.`, { narrative: true });
    expect((await prose.filled()).outcome).toMatchObject({ value: { value: zod, prose: 'A parser.\nThat is all.' } });
    expect(prose.model.promptAt('reader')).toContain('NAME: [NAME]');
  });

  it.each([
    ['an unknown field', form().replace('LICENSE:', 'AUTHOR: me\nLICENSE:'), /AUTHOR is not a field/],
    ['an echoed placeholder', form().replace('zod', '[NAME]'), /placeholder \[NAME\]/],
    ['a missing field', form().replace('VERSION: 4.0.0\n', ''), /VERSION is missing/],
    ['another order', form().replace(/(NAME: .*)\n(VERSION: .*)/, '$2\n$1'), /in this order/],
    ['text around it', `Here you are:\n${form()}`, /text around/],
    ['no form at all', 'zod is great', /are missing/],
  ])('refuses %s with an error that has a type, never with part of the data [S6.3]', async (_what, reply, problem) => {
    const { outcome } = await bed([reply, reply], { mode: 'text' }).filled();
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'REPLY_INVALID', message: expect.stringMatching(problem) },
    });
    expect(outcome).not.toHaveProperty('partial');
  });

  it('refuses unknown, echoed and mistyped fields in JSON too [S6.3]', async () => {
    const bad = [
      { ...zod, more: 1 },
      { ...zod, name: '[NAME]' },
      { ...zod, version: 4 },
    ].map((one) => JSON.stringify(one));
    expect((await bed(bad, { maxRepairs: 2 }, false).filled()).outcome.stop).toBe('failed');
    const good = bed([...bad, JSON.stringify(zod)], { maxRepairs: 3 }, false);
    expect((await good.filled()).outcome).toMatchObject({ value: zod });
  });

  it('checks what the provider held to the schema all the same, and does not ask again [S6.4] [S6.6]', async () => {
    const { model, filled } = bed([JSON.stringify({ ...zod, more: 1 })]);
    expect((await filled()).outcome).toMatchObject({ stop: 'failed', failure: { code: 'REPLY_INVALID' } });
    expect(model.requests).toHaveLength(1);
  });

  it('wants to know what is required, and warns of what would be made up [S6.5]', async () => {
    const model = scriptedModel({});
    const of = (schema: object, options: object = {}) =>
      shaped(session(model, 'reader'), schema as typeof SCHEMA, options);
    expect(() => of({ type: 'object', properties: { a: { type: 'string' } } })).toThrow(/what is required/);
    const warnings = String(useOf(of(SCHEMA))?.params['warnings']);
    expect(warnings).toContain('name is required');
    expect(warnings).not.toContain('license');
    expect((await bed(form({ ...zod, license: null }), { mode: 'text' }).filled()).outcome).toMatchObject({
      value: { license: null },
    });
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`f${index}`, { type: 'string' }]));
    expect(() => of({ ...SCHEMA, properties: many, required: [] })).toThrow(/Split the task/);
    const deep = { ...SCHEMA, properties: { a: { type: 'array' } }, required: ['a'] };
    expect(() => of(deep, { mode: 'text' })).toThrow(/not a single value/);
  });

  it('has a reply repaired with the bad one, the schema and what is wrong at hand [S6.6]', async () => {
    const extra = form().replace('LICENSE:', 'AUTHOR: me\nLICENSE:');
    const { model, filled } = bed([extra, form()], { mode: 'text' }, false);
    expect((await filled()).outcome).toMatchObject({ value: zod });
    const last = model.requestsOf('reader')[1]?.messages ?? [];
    expect(last.at(-2)?.content).toBe(extra);
    expect(last.at(-1)?.content).toContain('AUTHOR is not a field');
    expect(last[0]?.content).toContain('"additionalProperties":false');
  });

  it('reads thirty manifests back, a missing license as null, and a fix after one repair [S6.acceptance]', () => {
    const all = manifests(30);
    expect(all).toHaveLength(30);
    for (const one of [...all, { ...zod, license: null }])
      expect(readSkeleton(form(one), FIELDS, { hash, narrative: false })).toEqual({ ok: true, value: one, prose: '' });
  });

  it('makes a session of the type of its schema, also from a library [S6.acceptance]', async () => {
    const model = scriptedModel({ reader: '{"name":"zod","license":null}' });
    const reader: Session<{ name: string; license: string | null }> = shaped(
      session(model, 'reader'),
      z.object({ name: z.string(), license: z.string().nullable() }),
    );
    const agent: Agent<string, string> = async (run, input) => done((await run.ask(reader, input)).value.name);
    expect((await ended(agent, 'Which?')).outcome).toMatchObject({ value: 'zod' });
    expect(() => shaped(reader as unknown as Session, SCHEMA)).toThrow(/has one already/);
  });

  it('shows examples where it is told to [S6.2]', () => {
    const { reader } = bed(form(), { mode: 'examples', examples: [zod, { ...zod, name: 'ajv' }] });
    expect(reader.setup.match(/For example:/g)).toHaveLength(2);
    expect(() => bed('', { mode: 'examples', examples: [zod] })).toThrow(/2 to 8/);
  });

  it('raises an alarm when too many replies need a repair [S6.acceptance]', async () => {
    const extra = form().replace('LICENSE:', 'AUTHOR: me\nLICENSE:');
    const repaired = await bed([extra, form()], { mode: 'text' }, false).filled();
    expect(repairAlarm(repaired.entries, 'reader')).toEqual({
      rate: 1,
      alarm: expect.stringContaining('fix the schema'),
    });
    const clean = await bed(form(), { mode: 'text' }).filled();
    expect(repairAlarm(clean.entries, 'reader')).toEqual({ rate: 0, alarm: undefined });
  });
});
