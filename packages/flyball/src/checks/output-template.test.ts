import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { root } from '../../../../scripts/files.mjs';
import { ended, inRun, session } from '../../../../test/checks/stage-checks.js';
import { append } from '../core/prompt.js';
import { checkTemplateHash, type TemplateOptions, template } from './output-template.js';
import { exactly } from './reply-form.js';
import { repairAlarm, structured } from './structured.js';
import { filledSkeleton, readSkeleton } from './template-skeleton.js';

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string | null;
}
const SCHEMA = exactly({
  name: { type: 'string' },
  version: { type: 'string' },
  license: { type: ['string', 'null'] },
});
const of = (options: TemplateOptions<Package> = {}) => template<Package>(SCHEMA, options);
const input = append(undefined, { role: 'user', content: 'What is it?' });
const zod: Package = { name: 'zod', version: '4.0.0', license: 'MIT' };
const filled = (value: Package = zod): string => filledSkeleton(value, of().fields, of().hash);

function fill(replies: string | readonly string[], options: TemplateOptions<Package>, structuredOutput = true) {
  const model = scriptedModel({ reader: replies }, { capabilities: { structuredOutput } });
  const ask = async (run: Parameters<Parameters<typeof inRun>[0]>[0]) =>
    structured(run, { session: session(model, 'reader'), template: of(options), input });
  return { model, filled: () => inRun(ask), end: () => ended(ask) };
}

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

describe('an output template', () => {
  it('attaches the schema and shows no skeleton where the model can be held to it [S6]', async () => {
    const { model, filled: answer } = fill(JSON.stringify(zod), {});
    expect(await answer()).toEqual({ value: zod, prose: '', mode: 'native', repairs: 0 });
    expect(model.requests[0]?.output).toEqual(SCHEMA);
    expect(model.promptAt('reader')).not.toContain('[NAME]');
  });

  it('checks in native mode all the same, and asks again [S6]', async () => {
    const { model, filled: answer } = fill([JSON.stringify({ ...zod, more: 1 }), JSON.stringify(zod)], {});
    expect(await answer()).toMatchObject({ value: zod, mode: 'native', repairs: 1 });
    expect(model.requests).toHaveLength(2);
  });

  it('reads thirty manifests back from a filled-in form, a missing licence as null [S6]', () => {
    const all = manifests(30);
    expect(all).toHaveLength(30);
    for (const one of [...all, { ...zod, license: null }]) {
      const read = readSkeleton(filledSkeleton(one, of().fields, of().hash), of().fields, of());
      expect(read).toEqual({ ok: true, value: one, prose: '' });
    }
  });

  it('has an extra field repaired once, told what was wrong and the schema [S6]', async () => {
    const extra = filled().replace('LICENSE:', 'AUTHOR: me\nLICENSE:');
    const { model, filled: answer } = fill([extra, filled()], { mode: 'text' }, false);
    expect(await answer()).toMatchObject({ value: zod, mode: 'text', repairs: 1 });
    const last = model.requestsOf('reader')[1]?.messages ?? [];
    expect(last.at(-2)?.content).toBe(extra);
    expect(last.at(-1)?.content).toContain('AUTHOR is not a field');
    expect(last.at(-1)?.content).toContain('"additionalProperties":false');
  });

  it.each([
    ['an echoed placeholder', filled().replace('zod', '[NAME]'), /placeholder \[NAME\]/],
    ['a missing field', filled().replace('VERSION: 4.0.0\n', ''), /VERSION is missing/],
    ['another order', filled().replace(/(NAME: .*)\n(VERSION: .*)/, '$2\n$1'), /in this order/],
    ['text around it', `Here you are:\n${filled()}`, /text around/],
    ['no form at all', 'zod is great', /are missing/],
  ])('refuses %s with an error that has a type, never with part of the data [S6]', async (_what, reply, problem) => {
    const outcome = await fill([reply, reply], { mode: 'text' }).end();
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'REPLY_INVALID', message: expect.stringMatching(problem) },
    });
  });

  it('refuses an echoed placeholder and a wrong type in JSON too [S6]', async () => {
    const bad = [JSON.stringify({ ...zod, name: '[NAME]' }), JSON.stringify({ ...zod, version: 4 })];
    expect(await fill(bad, { maxReasks: 1 }, false).end()).toMatchObject({ stop: 'failed' });
    expect(await fill([...bad, JSON.stringify(zod)], { maxReasks: 2 }, false).filled()).toMatchObject({
      mode: 'json',
      repairs: 2,
    });
  });

  it('takes the form with prose around it where prose is wanted, whatever the model can do [S6]', async () => {
    const { model, filled: answer } = fill(`A parser.\n${filled()}\nThat is all.`, { narrative: true });
    expect(await answer()).toMatchObject({ value: zod, mode: 'text', prose: 'A parser.\nThat is all.' });
    expect(model.promptAt('reader')).toContain('NAME: [NAME]');
  });

  it('shows examples where it is told to [S6]', async () => {
    const { model, filled: answer } = fill(filled(), { mode: 'examples', examples: [zod, { ...zod, name: 'ajv' }] });
    await answer();
    expect(model.promptAt('reader').match(/For example:/g)).toHaveLength(2);
    expect(() => of({ mode: 'examples', examples: [zod] })).toThrow(/2 to 8/);
  });

  it('has one hash for schema, skeleton and parser, and refuses a prompt of another one [S6]', () => {
    expect(of().skeleton).toContain(of().hash.slice(0, 8));
    const other = template(exactly({ name: { type: 'string' } }));
    expect(() => checkTemplateHash(other.hash, of())).toThrow(/Make the prompt anew/);
    expect(() => checkTemplateHash(of().hash, of())).not.toThrow();
  });

  it('warns of fields that force an invention, and refuses too many or unclear ones [S6]', () => {
    expect(of().warnings.join()).toContain('name is required');
    expect(of().warnings.join()).not.toContain('license');
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`f${index}`, { type: 'string' }]));
    expect(() => template(exactly(many))).toThrow(/Split the task/);
    expect(() => template({ type: 'object', properties: { a: { type: 'string' } } })).toThrow(/what is required/);
    expect(() => template(exactly({ a: { type: 'array' } }), { mode: 'text' })).toThrow(/not a single value/);
  });

  it('raises an alarm when too many replies need a repair [S6]', () => {
    const replies = (bad: number) => Array.from({ length: 20 }, (_, index) => ({ repairs: index < bad ? 1 : 0 }));
    expect(repairAlarm(replies(1)).alarm).toBeUndefined();
    expect(repairAlarm(replies(2))).toEqual({ rate: 0.1, alarm: expect.stringContaining('fix the skeleton') });
  });
});
