import { describe, expect, it } from 'vitest';
import { ids } from '../../packages/evals/src/tau2/banking-knowledge/ids.js';
import { type Counter, counter, type Records } from './bank-counter.js';

const card = { account_id: 'k1', user_id: 'ann', current_balance: '$500.00', credit_limit: '$5,000.00' };
const checking = { account_id: 'a1', user_id: 'ann', class: 'checking', status: 'OPEN', current_holdings: '1,000.00' };

function bank(records: Records = {}): Counter {
  return counter({ accounts: { a1: checking }, credit_card_accounts: { k1: card }, ...records });
}

describe('a payment from checking', () => {
  const pay = (at: Counter, amount: number | string, more = {}): string =>
    at.run('pay_credit_card_from_checking_9182', {
      user_id: 'ann',
      checking_account_id: 'a1',
      credit_card_account_id: 'k1',
      amount,
      ...more,
    });

  it('writes the two balances in their two ways [R5-DOMAIN-BANKING-TOOLS]', () => {
    const at = bank();
    expect(pay(at, '120.125')).toContain('$120.12'); // the exact binary value, ties to even
    expect(at.row('accounts', 'a1')?.['current_holdings']).toBe('879.88');
    expect(at.row('credit_card_accounts', 'k1')?.['current_balance']).toBe('$379.88');
  });

  it.each([
    ['more than is owed', { amount: 500.01 }, /\$500\.01.*\$500\.00/],
    ['more than there is', { amount: 1000.5 }, /\$1000\.00.*\$1000\.50/],
    ['nothing', { amount: 0 }, /above zero/],
    ['no number', { amount: 'ten' }, /number/],
    ['from an account of somebody else', { user_id: 'bob' }, /'a1'.*'bob'/],
    ['from no account', { checking_account_id: 'a2' }, /'a2'/],
    ['to no card', { credit_card_account_id: 'k2' }, /'k2'/],
  ])('refuses %s and changes nothing', (_what, more, reason) => {
    const at = bank();
    const before = at.hash();
    expect(pay(at, 10, more)).toMatch(/^Error: /);
    expect(pay(at, 10, more)).toMatch(reason);
    expect(at.hash()).toBe(before);
  });
});

describe('a statement credit', () => {
  const credit = (at: Counter, amount: number | bigint | string): string =>
    at.run('apply_statement_credit_8472', {
      user_id: 'ann',
      credit_card_account_id: 'k1',
      amount,
      reason: 'other',
    });

  it('is a transaction of a negative amount, once for each user, reason and amount [R5-DOMAIN-BANKING-TOOLS]', () => {
    const at = bank();
    expect(credit(at, 25)).toContain('$25.00');
    const [id = ''] = at.rows('credit_card_transaction_history');
    expect(at.row('credit_card_transaction_history', id)).toMatchObject({
      transaction_amount: '-$25.00',
      credit_reason: 'other',
      status: 'COMPLETED',
    });
    expect(credit(at, 25n)).toBe(`Error: the credit was not applied: transaction ID '${id}' may already be on record.`);
  });

  it('raises where a text stands for the amount, as the reference does', () => {
    const at = bank();
    const args = { user_id: 'ann', credit_card_account_id: 'k1', amount: '25', reason: 'other' };
    const raised = at.raised('apply_statement_credit_8472', args);
    expect([raised.kind, raised.message]).toEqual([
      'TypeError',
      "'<=' not supported between instances of 'str' and 'int'",
    ]);
  });
});

describe('a higher credit limit', () => {
  const approve = (at: Counter): string =>
    at.run('approve_credit_limit_increase_5847', {
      credit_card_account_id: 'k1',
      user_id: 'ann',
      new_credit_limit: 7500,
    });

  it('is set and recorded with the difference', () => {
    const at = bank();
    expect(approve(at)).toContain('$2500.00');
    expect(at.row('credit_card_accounts', 'k1')?.['credit_limit']).toBe('$7500.00');
    const [id = ''] = at.rows('credit_limit_increase_requests');
    expect(at.row('credit_limit_increase_requests', id)).toMatchObject({
      status: 'APPROVED',
      previous_limit: '$5000.00',
    });
  });

  it.each([
    ['a dispute is open', { transaction_disputes: { d: { user_id: 'ann', status: 'UNDER_REVIEW' } } }],
    ['a card is on its way', { credit_card_orders: { o: { credit_card_account_id: 'k1', status: 'SHIPPED' } } }],
    ['the account is behind', { credit_card_accounts: { k1: { ...card, account_status: 'past_due' } } }],
  ])('is refused without a reason where %s', (_what, records) => {
    const at = bank(records);
    const before = at.hash();
    expect(approve(at)).toBe('Error: this increase of the credit limit cannot be approved at this time.');
    expect(at.hash()).toBe(before);
  });

  it('is not held up by disputes that are settled or of others, nor by orders of other cards', () => {
    const at = bank({
      transaction_disputes: { d: { user_id: 'ann', status: 'RESOLVED' }, e: { user_id: 'bob', status: 'PENDING' } },
      credit_card_orders: { o: { credit_card_account_id: 'k2', status: 'SHIPPED' } },
    });
    expect(approve(at)).not.toMatch(/^Error/);
  });

  it('is asked for in whole dollars and kept as a whole number', () => {
    const at = bank();
    const ask = (amount: number | string): string =>
      at.run('submit_credit_limit_increase_request_7392', {
        credit_card_account_id: 'k1',
        user_id: 'ann',
        requested_increase_amount: amount,
      });
    expect(ask(2500.5)).toMatch(/^Error: .*whole/);
    expect(ask('2500')).toContain('$2,500');
    const [id = ''] = at.rows('credit_limit_increase_requests');
    expect(at.row('credit_limit_increase_requests', id)?.['requested_increase_amount']).toBe(2500n);
    expect(ask(2500)).toMatch(/^Error: /); // the same request
  });

  it('is denied once for an account; a second denial keeps the first', () => {
    const at = bank();
    const deny = (reason: string): string =>
      at.run('deny_credit_limit_increase_5848', {
        credit_card_account_id: 'k1',
        user_id: 'ann',
        denial_reason: reason,
      });
    expect(deny('other')).toContain('other');
    expect(at.rows('credit_limit_increase_requests')).toEqual([ids.limitRequest('k1', 'ann', '0.00')]);
    const after = at.hash();
    expect(deny('high_utilization')).toContain('high_utilization');
    expect(at.hash()).toBe(after);
  });
});

describe('replacing and closing a card', () => {
  const order = (at: Counter, account: string): string =>
    at.run('order_replacement_credit_card_7291', {
      credit_card_account_id: account,
      user_id: 'ann',
      shipping_address: '1 Main St',
      reason: 'lost',
      expedited_shipping: true,
    });

  it('finds the account by its field but closes it by its id', () => {
    const at = bank({ credit_card_accounts: { k1: card, other: { ...card, account_id: 'k9' } } });
    expect(order(at, 'k1')).toMatch(/2-3 business days/);
    expect(at.row('credit_card_accounts', 'k1')).toMatchObject({ status: 'CLOSED', closed_date: '11/14/2025' });
    expect(order(at, 'k9')).toMatch(/ordered/);
    expect(at.row('credit_card_accounts', 'other')?.['status']).toBeUndefined();
    expect(order(at, 'other')).toMatch(/^Error: .*'other'/);
  });

  it('takes a filter that is no JSON for an account that exists, as the reference does', () => {
    const at = bank();
    expect(order(at, 'a"b')).toMatch(/ordered/);
    expect(at.rows('credit_card_orders')).toHaveLength(1);
  });

  it('keeps the first reason for closing and says nothing of the second', () => {
    const at = bank();
    const log = (closure_reason: string): string =>
      at.run('log_credit_card_closure_reason_4521', { credit_card_account_id: 'k1', user_id: 'ann', closure_reason });
    log('annual_fee');
    const after = at.hash();
    expect(log('other')).toContain("'other'");
    expect(at.hash()).toBe(after);
    expect(log('bored')).toMatch(/^Error: .*'annual_fee'/);
  });
});

describe('a dispute of a card transaction', () => {
  const args = {
    transaction_id: 't1',
    card_action: 'keep_active',
    card_last_4_digits: '1234',
    full_name: 'Ann Bell',
    user_id: 'ann',
    phone: '1',
    email: 'a@b.c',
    address: 'x',
    contacted_merchant: true,
    purchase_date: '11/01/2025',
    issue_noticed_date: '11/02/2025',
    dispute_reason: 'duplicate_charge',
    resolution_requested: 'partial_refund',
    eligible_for_provisional_credit: true,
    partial_refund_amount: 12.5,
  };
  const file = (at: Counter, more = {}): string =>
    at.run('file_credit_card_transaction_dispute_4829', { ...args, ...more });

  it('is filed once for each user and transaction', () => {
    const at = bank();
    const said = file(at);
    const [id = ''] = at.rows('transaction_disputes');
    expect(said).toContain(id);
    expect(said).toMatch(/\$12\.50[\s\S]*ELIGIBLE/);
    expect(at.row('transaction_disputes', id)).toMatchObject({ status: 'SUBMITTED', provisional_credit_given: true });
    expect(file(at)).toMatch(/^Error: /);
  });

  it('needs an amount for a part, and known codes', () => {
    const at = bank();
    expect(file(at, { partial_refund_amount: null })).toMatch(/^Error: partial_refund_amount/);
    expect(file(at, { card_action: 'burn' })).toMatch(/^Error: card_action.*'cancel_and_reissue'/);
    expect(file(at, { dispute_reason: 'whim' })).toMatch(/^Error: dispute_reason/);
    expect(file(at, { resolution_requested: 'gold' })).toMatch(/^Error: resolution_requested/);
    expect(at.rows('transaction_disputes')).toEqual([]);
  });

  it('stays filed where its answer cannot be printed', () => {
    const at = bank();
    const raised = at.raised('file_credit_card_transaction_dispute_4829', { ...args, partial_refund_amount: '5' });
    expect(raised.message).toBe("Unknown format code 'f' for object of type 'str'");
    expect(at.rows('transaction_disputes')).toHaveLength(1);
  });
});

it('sorts payments by the text of their dates and counts those on time from the newest [R5-DOMAIN-BANKING-TOOLS]', () => {
  const pay = (payment_date: string | null, status: string): Record<string, unknown> => ({
    credit_card_account_id: 'k1',
    payment_date,
    amount: '$5',
    status,
  });
  const at = bank({
    payment_history: { a: pay('11/01/2025', 'LATE'), b: pay('12/15/2024', 'ON_TIME'), c: pay(null, 'ON_TIME') },
  });
  const read = (months: number | string): string =>
    at.run('get_payment_history_6183', { credit_card_account_id: 'k1', months });
  expect(read(2.9)).toBe(
    [
      "Payment history for account 'k1' (last 2 months):",
      'Consecutive on-time payments: 1',
      '\n  - Payment Date: 12/15/2024\n    Amount: $5\n    Status: ON_TIME',
      '\n  - Payment Date: 11/01/2025\n    Amount: $5\n    Status: LATE',
    ].join('\n'),
  );
  expect(read('3')).toMatch(/Payment Date: None/);
  expect(read(0)).toMatch(/^Error: months/);
  expect(read('3.0')).toMatch(/^Error: months/);
});
