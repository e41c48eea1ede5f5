import { describe, expect, it } from 'vitest';
import { ids } from '../../packages/evals/src/tau2/banking-knowledge/ids.js';
import { counter } from './bank-counter.js';

const given = (tool_name: string): { user_discoverable_tools: Record<string, Record<string, unknown>> } => ({
  user_discoverable_tools: { g: { tool_name, status: 'GIVEN' } },
});

describe('what a user does alone', () => {
  it.each([
    ['Silver Rewards Card', 'Travel', 12.99, '51 points', '4.0%'],
    ['Silver Rewards Card', 'Dining', 12.99, '12 points', '1.0%'],
    ['Business Platinum Rewards Card', 'Media', 10, '40 points', '4.0%'],
    ['Business Platinum Rewards Card', 'toString', 10, '15 points', '1.5%'],
    ['EcoCard', 'Green', 3, '15 points', '5.0%'],
    ['Gold Rewards Card', 'Green', 3n, '7 points', '2.5%'],
  ])('earns on the %s for %s what its table says', (credit_card_type, category, amount, points, rate) => {
    const at = counter({});
    const args = { user_id: 'ann', credit_card_type, merchant_name: 'Shop', amount, category };
    const said = at.run('submit_transaction', args);
    expect(said).toContain(points);
    expect(said).toContain(rate);
    const [id = ''] = at.rows('credit_card_transaction_history');
    expect(at.row('credit_card_transaction_history', id)?.['rewards_earned']).toBe(points);
    expect(at.run('submit_transaction', args)).toBe(`Failed: the record ID '${id}' may already be taken.`);
  });

  it('raises for a transaction that cannot be computed, and keeps none of it [R5-DOMAIN-BANKING-TOOLS]', () => {
    const at = counter({});
    const args = { user_id: 'ann', credit_card_type: 'EcoCard', merchant_name: 'Shop', amount: 1, category: 'Green' };
    const messages = [
      { amount: '12' },
      { amount: null },
      { amount: Number.POSITIVE_INFINITY },
      { amount: Number.NaN },
      { merchant_name: 5n },
      { credit_card_type: ['EcoCard'] },
      { user_id: '\ud800' },
    ].map((more) => at.raised('submit_transaction', { ...args, ...more }).message);
    expect(messages).toEqual([
      "Unknown format code 'f' for object of type 'str'",
      'unsupported format string passed to NoneType.__format__',
      'cannot convert float infinity to integer',
      'cannot convert float NaN to integer',
      'sequence item 3: expected str instance, int found',
      "unhashable type: 'list'",
      "'utf-8' codec can't encode character '\\ud800' in position 12: surrogates not allowed",
    ]);
    expect(at.rows('credit_card_transaction_history')).toEqual([]);
    expect(at.run('submit_transaction', { ...args, credit_card_type: 'Tin Card' })).toMatch(/^Error: .*'EcoCard'/);
  });

  it('applies once for a card, whatever the income is written like', () => {
    const at = counter({});
    const apply = (annual_income: number | bigint | string, card_type = 'EcoCard'): string =>
      at.run('apply_for_credit_card', { card_type, customer_name: 'Ann', annual_income, rho_bank_subscription: false });
    expect(apply(90_000n)).toMatch(/5-7 business days/);
    const [id = ''] = at.rows('credit_card_applications');
    expect(at.row('credit_card_applications', id)).toMatchObject({ annual_income: 90_000, status: 'PENDING' });
    expect(apply('9e4')).toMatch(/^Failed: /);
    expect(apply('much')).toMatch(/^Error: annual_income/);
    expect(apply(1, 'Tin Card')).toMatch(/^Error: card_type 'Tin Card'/);
  });

  it('counts requests for a person by the words of their listing', () => {
    const at = counter({ human_transfer_requests: { x: { request_id: 'transfer_request_1', note: 'request_id' } } });
    expect(at.run('request_human_agent_transfer', {})).toContain('#3');
    expect(at.row('human_transfer_requests', 'transfer_request_3')?.['request_number']).toBe(3n);
  });
});

describe('what the agent gives to a user', () => {
  it('does nothing before it is given', () => {
    const at = counter({ accounts: { a1: { status: 'OPEN', current_holdings: '5' } } });
    const before = at.hash();
    expect(at.run('deposit_check_3847', { account_id: 'a1', check_amount: 5 })).toMatch(
      /^Error: .*'deposit_check_3847'.*`give_discoverable_user_tool`/,
    );
    expect(at.hash()).toBe(before);
  });

  it('is logged with its arguments before it looks at them', () => {
    const at = counter({ accounts: { a1: { status: 'OPEN', current_holdings: '5' } }, ...given('deposit_check_3847') });
    const deposit = (account_id: string, check_amount: number | string): string =>
      at.run('deposit_check_3847', { account_id, check_amount });
    expect(deposit('a1', 'ten')).toBe("Error: check_amount 'ten' is not a number.");
    expect(deposit('a2', 10)).toBe("Error: there is no account 'a2'.");
    expect(deposit('a1', 10)).toContain('$15.00');
    expect(at.row('accounts', 'a1')?.['current_holdings']).toBe('$15.00');
    expect(at.rows('user_discoverable_tool_calls')).toEqual(
      [
        '{"account_id": "a1", "check_amount": "ten"}',
        '{"account_id": "a2", "check_amount": 10.0}',
        '{"account_id": "a1", "check_amount": 10.0}',
      ].map((json) => ids.toolCall('deposit_check_3847', json)),
    );
  });

  it('settles a dispute at once where the task says so', () => {
    const tool = 'submit_cash_back_dispute_0589';
    const args = { user_id: 'ann', transaction_id: 't1' };
    const open = counter(given(tool));
    expect(open.run(tool, args)).toContain('SUBMITTED');
    expect(open.run(tool, args)).toMatch(/already/);
    const config = { task_config: { dispute_settings: { auto_resolve_disputes: true } } };
    const settled = counter({ ...given(tool), ...config });
    expect(settled.run(tool, args)).toContain('RESOLVED');
    const [id = ''] = settled.rows('cash_back_disputes');
    expect(settled.row('cash_back_disputes', id)).toMatchObject({ status: 'RESOLVED', resolution: 'APPROVED' });
  });

  it('reads the last digits of a card out of its hash, and makes links', () => {
    const at = counter({ credit_card_accounts: { k1: { account_id: 'k1' } }, ...given('get_card_last_4_digits') });
    expect(at.run('get_card_last_4_digits', { credit_card_account_id: 'k1' })).toMatch(/: \d{4}\.$/);
    expect(at.run('get_card_last_4_digits', { credit_card_account_id: 'k2' })).toMatch(/^Error: .*'k2'/);
    const link = counter(given('get_referral_link'));
    const said = link.run('get_referral_link', { user_id: 'ann', card_name: 'EcoCard' });
    const [id = ''] = link.rows('referrals');
    expect(said).toContain(`https://rhobank.com/refer/${id}`);
  });
});

describe('what an agent can do without unlocking', () => {
  const users = { u1: { user_id: 'u1', name: 'Ann', email: 'a@b.c' }, u2: { user_id: 'u2', name: 'Bob' } };

  it('pastes ids into its filters as they come', () => {
    const at = counter({ users });
    const look = (user_id: string): string => at.run('get_user_information_by_id', { user_id });
    expect(look('u1')).toBe(
      "Found 1 record(s) in 'users':\n\n1. Record ID: u1\n   user_id: u1\n   name: Ann\n   email: a@b.c\n",
    );
    expect(look('u3')).toBe("No records found in 'users'.");
    expect(look('u3", "user_id": "u2')).toContain('Record ID: u2');
    expect(look('"')).toBe("Error: Invalid JSON: Expecting ',' delimiter: line 1 column 15 (char 14)");
  });

  it('logs one verification for a user and a moment', () => {
    const at = counter({ users });
    const who = { name: 'Ann', user_id: 'u1', address: 'x', email: 'y', phone_number: '1', date_of_birth: 'z' };
    const time = { time_verified: '2025-11-14 03:40:00 EST' };
    expect(at.run('log_verification', { ...who, ...time })).toContain('2025-11-14 03:40:00 EST');
    expect(at.rows('verification_history')).toEqual(['u1_20251114_034000_EST']);
    expect(at.run('log_verification', { ...who, ...time, name: 'Bob' })).toMatch(/^Failed: /);
    expect(at.raised('log_verification', { ...who, time_verified: 7n }).message).toBe(
      "'int' object has no attribute 'replace'",
    );
  });

  it('changes an email address and hands over only for a known reason', () => {
    const at = counter({ users });
    expect(at.run('change_user_email', { user_id: 'u2', new_email: 'n@b.c' })).toContain('n@b.c');
    expect(at.row('users', 'u2')?.['email']).toBe('n@b.c');
    expect(at.run('change_user_email', { user_id: 'u3', new_email: 'n@b.c' })).toMatch(/^Error: .*'u3'/);
    expect(at.run('transfer_to_human_agents', { summary: '', reason: 'other' })).toContain('other');
    expect(at.run('transfer_to_human_agents', { summary: '', reason: 'boredom' })).toMatch(/^Error: 'boredom'/);
  });
});
