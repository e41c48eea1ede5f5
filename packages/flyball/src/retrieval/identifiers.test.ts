import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../test/patience.js';
import { identifiersIn, lostIdentifiers } from './identifiers.js';
import { splitRequest } from './split-request.js';

describe('identifiers', () => {
  it('are numbers, quoted names and words that nobody invents twice', () => {
    const text = 'Close "Light Blue" with close_account_12 for $1,250.50 by ana@x.org, RFC9110 or camelCase (30%).';
    expect(identifiersIn(text)).toEqual([
      'Light Blue',
      'close_account_12',
      '$1,250.50',
      'ana@x.org',
      'RFC9110',
      'camelCase',
      '30%',
    ]);
    expect(identifiersIn('She said "I want to close it now." and left')).toEqual([]);
  });

  it('are found again whatever their case and separators', () => {
    expect(lostIdentifiers('Is $1,250 due on RFC9110?', 'rfc9110: $1250')).toEqual([]);
    expect(lostIdentifiers('421 or 422', 'about 421')).toEqual(['422']);
  });
});

describe('decomposition without a model', () => {
  it('cuts at sentences, list items and further wishes [R5-RET-TRANSFORM]', () => {
    const request =
      'I want to close my card, and I also want a refund. What is the fee?\n- Order a new debit card\n2. Yes.';
    expect(splitRequest(request)).toEqual([
      'I want to close my card',
      'I also want a refund.',
      'What is the fee?',
      'Order a new debit card',
    ]);
  });

  it('leaves one wish as it is, drops repeats, and gives no more than it may', () => {
    expect(splitRequest('Fees?')).toEqual(['Fees?']);
    expect(splitRequest(' \n')).toEqual([]);
    expect(splitRequest('Close my card. Close my card. Open my account.', { most: 1 })).toEqual(['Close my card.']);
    expect(splitRequest('I paid $2.50 for the No. 5 card.')).toHaveLength(1);
  });

  it('takes time that grows with the question, and so does looking for identifiers [R8-TRIAL3-A16]', () => {
    const blanks = ' '.repeat(100_000);
    const started = processorMs();
    expect(splitRequest(`where${blanks}is it`)).toEqual([`where${blanks}is it`]);
    expect(splitRequest(`Close my card,${blanks}and${blanks}I want it`)).toEqual(['Close my card', 'I want it']);
    expect(identifiersIn(`a${'.'.repeat(100_000)}a`)).toEqual([]);
    expect(processorMs() - started).toBeLessThan(500);
  });
});
