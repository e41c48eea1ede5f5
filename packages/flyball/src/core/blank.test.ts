import { describe, expect, it } from 'vitest';
import { jsonSchemaCheck } from '../adapters/schema-json/json-schema-check.js';
import {
  FIXED_VERDICT_JSON_SCHEMA,
  OVERRIDE_VERDICT_JSON_SCHEMA,
  VERDICT_JSON_SCHEMA,
  verdictProblem,
  withRecommended,
} from './approval.js';
import { isBlank, SEEN_PATTERN } from './blank.js';

const check = jsonSchemaCheck();

const UNSEEN = [
  '',
  ' \t\n',
  '\u00a0',
  '\u00ad',
  '\u200b',
  '\u2060',
  '\u3164',
  '\u2800',
  '\ufeff',
  '\u{e0020}',
  '\u200b\u2003\u2060',
];

describe('a reason that nobody can see', () => {
  it.each(UNSEEN)('is none: %j [R7-APPROVE-WORDS]', (reason) => {
    for (const verdict of ['reject', 'escalate'])
      expect(verdictProblem(VERDICT_JSON_SCHEMA, { verdict, reason })).toContain('requires a reason');
    expect(verdictProblem(OVERRIDE_VERDICT_JSON_SCHEMA, { verdict: 'approve', reason })).toContain('requires a reason');
  });

  it.each(['no', '否', '👎', '–', 'لا', '1'])('is not one that somebody can: %j [R7-APPROVE-WORDS]', (reason) => {
    expect(verdictProblem(VERDICT_JSON_SCHEMA, { verdict: 'reject', reason })).toBeUndefined();
  });
});

describe('a value', () => {
  it.each(['approve', 'reject', 'escalate'])(
    'goes with a modification only, not with %s [R7-APPROVE-VALUE]',
    (verdict) => {
      const problem = verdictProblem(VERDICT_JSON_SCHEMA, { verdict, reason: 'so', value: { to: 'me' } });
      expect(problem).toContain('modify');
      expect(verdictProblem(VERDICT_JSON_SCHEMA, { verdict, reason: 'so', value: null })).toBe(problem);
      expect(verdictProblem(VERDICT_JSON_SCHEMA, { verdict: 'modify', value: { to: 'me' } })).toBeUndefined();
    },
  );
});

describe('the JSON Schema of a verdict', () => {
  it.each(UNSEEN)('takes no reason that nobody can see: %j [R7-APPROVE-SCHEMA]', async (reason) => {
    for (const schema of [VERDICT_JSON_SCHEMA, FIXED_VERDICT_JSON_SCHEMA, OVERRIDE_VERDICT_JSON_SCHEMA])
      for (const verdict of ['reject', 'escalate'])
        expect(await check(schema, { verdict, reason }), verdict).toBeDefined();
    expect(await check(OVERRIDE_VERDICT_JSON_SCHEMA, { verdict: 'approve', reason })).toBeDefined();
  });

  it.each([
    { verdict: 'approve', value: 1 },
    { verdict: 'approve', value: null, reason: 'so' },
    { verdict: 'reject', value: 1, reason: 'so' },
    { verdict: 'escalate', value: 1, reason: 'so' },
    { verdict: 'approve', reask: true },
    { verdict: 'escalate', reason: 'so', reask: true },
    { verdict: 'modify', value: 1, reask: true },
    { verdict: 'modify' },
    { verdict: 'approve', reason: 'so', recommended: true },
    { verdict: 'modify', value: 1, recommended: true },
  ])('takes nothing that the inbox refuses: %j [R7-APPROVE-SCHEMA]', async (given) => {
    for (const schema of [VERDICT_JSON_SCHEMA, OVERRIDE_VERDICT_JSON_SCHEMA]) {
      expect(verdictProblem(schema, given)).toBeDefined();
      expect(await check(schema, given)).toBeDefined();
    }
  });

  it.each([
    { verdict: 'approve', reason: 'seen' },
    { verdict: 'reject', reason: 'no' },
    { verdict: 'reject', reason: '否', reask: true },
    { verdict: 'escalate', reason: '👎' },
    { verdict: 'modify', value: null },
  ])('takes what the inbox takes: %j [R7-APPROVE-SCHEMA]', async (given) => {
    for (const schema of [VERDICT_JSON_SCHEMA, OVERRIDE_VERDICT_JSON_SCHEMA])
      expect(await check(schema, given)).toBeUndefined();
  });

  it('takes a yes to what is recommended where something is, and with that one only [R7-APPROVE-SCHEMA]', async () => {
    for (const plain of [VERDICT_JSON_SCHEMA, OVERRIDE_VERDICT_JSON_SCHEMA]) {
      const schema = withRecommended(plain);
      expect(await check(schema, { verdict: 'approve', recommended: true })).toBeUndefined();
      expect(await check(schema, { verdict: 'approve', recommended: true, value: 1 })).toBeDefined();
      expect(await check(schema, { verdict: 'reject', reason: 'no', recommended: true })).toBeDefined();
    }
  });

  it('refuses no character that can be seen, and lets only marks and unassigned ones pass besides [R7-APPROVE-SCHEMA]', () => {
    const seen = new RegExp(SEEN_PATTERN, 'u');
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const text = String.fromCodePoint(code);
      if (isBlank(text) ? seen.test(text) && !/[\p{M}\p{C}]/u.test(text) : !seen.test(text))
        wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });
});
