import { describe, expect, it } from 'vitest';
import { OVERRIDE_VERDICT_JSON_SCHEMA, VERDICT_JSON_SCHEMA, verdictProblem } from './approval.js';

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
      expect(verdictProblem(VERDICT_JSON_SCHEMA, { verdict, reason })).toContain('needs a reason');
    expect(verdictProblem(OVERRIDE_VERDICT_JSON_SCHEMA, { verdict: 'approve', reason })).toContain('needs a reason');
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
