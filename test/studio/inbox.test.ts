import { describe, expect, it } from 'vitest';
import { FIXED_VERDICT_JSON_SCHEMA, VERDICT_JSON_SCHEMA } from '../../packages/flyball/src/core/approval.js';
import { nameInWords } from '../../packages/studio/src/inbox/readable-value.js';
import { approvalIn, type InboxItem, isHidden, mayModify } from '../../packages/studio/src/inbox/requests.js';
import { agreementWords, needsReason, saidWords, timeLeft } from '../../packages/studio/src/inbox/verdict-words.js';

const item: InboxItem = {
  id: '1~t',
  run: 'r1',
  agent: 'desk',
  kind: 'approval',
  name: 'approve:#1',
  about: 'refund',
  request: { action: 'refund', input: { amount: 5 } },
  scopes: [],
  notBy: [],
  askedAt: 0,
  status: 'open',
  overdue: false,
};

describe('a request in the inbox', () => {
  it('says who has to agree: how many, who did, to whom it went and which scope it takes [R6-STUDIO-INBOX]', () => {
    expect(agreementWords(item, undefined, undefined)).toBeUndefined();
    expect(agreementWords({ ...item, notBy: ['ada'] }, 2, undefined)).toBe(
      '2 people must approve. ada already approved; another person must approve too.',
    );
    const led = { ...item, scopes: ['money', 'lead'], alsoScopes: [['audit']] };
    expect(agreementWords(led, undefined, 'the lead')).toBe(
      'It was escalated to the lead. It requires the scope money or lead, and audit.',
    );
  });

  it('counts down to its deadline and on after it', () => {
    expect(timeLeft(65_000, 0)).toBe('1 min 5 s left');
    expect(timeLeft(0, 7_260_000)).toBe('2 h 1 min overdue');
  });

  it('offers to modify only what can be modified, and wants a reason for what refuses [R6-STUDIO-INBOX]', () => {
    expect(mayModify({ ...item, answer: VERDICT_JSON_SCHEMA })).toBe(true);
    expect(mayModify({ ...item, answer: FIXED_VERDICT_JSON_SCHEMA })).toBe(false);
    expect(mayModify(item)).toBe(false);
    expect(['approve', 'reject', 'modify', 'escalate'].map((kind) => needsReason(kind as 'approve'))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it('is told in words, and one that is private is not taken apart', () => {
    expect(saidWords({ by: 'ada', verdict: 'reject' })).toBe('ada rejected');
    expect(saidWords({ by: 'ada', value: 3 })).toBe('ada answered');
    expect(nameInWords('refundAmount')).toBe('refund amount');
    expect(nameInWords('due_date')).toBe('due date');
    expect(isHidden({ ...item, request: '[private]' })).toBe(true);
    expect(approvalIn({ ...item, request: '[private]' })).toEqual({});
  });
});
