import type { StandardSchema } from 'flyball';
import { describe, expect, it } from 'vitest';
import { inRun } from '../../../../test/checks/stage-checks.js';
import { jsonSchemaStandard } from '../tools/json-schema-standard.js';
import { checkSchema, checkSchemaIn } from './schema-check.js';

const outputs = (text: string, name = 'answer') => ({ artefacts: [{ name, text }], reports: [] });

/** Wants `{ total: number }`. */
const total: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      typeof (value as { total?: unknown } | null)?.total === 'number'
        ? { value: { total: (value as { total: number }).total } }
        : { issues: [{ message: 'must be a number', path: ['total'] }] },
  },
};

describe('the schema level', () => {
  it.each(['{"total": 3}', '```json\n{"total": 3}\n```', '  ```\n{"total": 3}```  '])(
    'reads %j and gives what the schema made of it [R4-VERIFY-SCHEMA]',
    (text) => {
      expect(checkSchema(outputs(text), total)).toEqual({ ok: true, problems: [], value: { total: 3 } });
    },
  );

  it.each([
    ['{"total": "3"}', ['total: must be a number']],
    ['The total is 3.', [expect.stringMatching(/^it is not JSON/)]],
    ['Here you are:\n```json\n{"total": 3}\n```', [expect.stringMatching(/^it is not JSON/)]],
  ])('refuses %j and says why [R4-VERIFY-SCHEMA]', (text, problems) => {
    expect(checkSchema(outputs(text), total)).toEqual({ ok: false, problems });
  });

  it('checks the text as it is where it is asked to', () => {
    const short: StandardSchema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) => (String(value).length < 10 ? { value } : { issues: [{ message: 'too long' }] }),
      },
    };
    expect(checkSchema(outputs('a word'), short, 'text')).toEqual({ ok: true, problems: [], value: 'a word' });
    expect(checkSchema(outputs('a few words more'), short, 'text').problems).toEqual(['too long']);
  });

  it('takes the answer among several artefacts, and refuses where there is none', () => {
    const file = { name: 'notes.md', text: 'no JSON' };
    const both = { artefacts: [file, { name: 'answer', text: '{"total":1}' }], reports: [] };
    expect(checkSchema(both, total).ok).toBe(true);
    const none = { artefacts: [file, { name: 'b.md', text: '{"total":1}' }], reports: [] };
    expect(checkSchema(none, total).problems).toEqual(['there is no artefact called "answer" among the 2']);
  });

  it('is passed by everything where there is no schema', () => {
    expect(checkSchema(outputs('anything'))).toEqual({ ok: true, problems: [] });
  });

  it('waits for an asynchronous schema inside a run, and refuses to guess outside of one', async () => {
    const schema = jsonSchemaStandard({ type: 'object', required: ['total'] });
    expect(() => checkSchema(outputs('{}'), schema)).toThrow(/is asynchronous/);
    const [bad, good] = await inRun(async (run) => [
      await checkSchemaIn(run, outputs('{}'), schema),
      await checkSchemaIn(run, outputs('{"total":1}'), schema),
    ]);
    expect(bad).toMatchObject({ ok: false, problems: [expect.stringContaining('total')] });
    expect(good).toEqual({ ok: true, problems: [] });
  });
});
