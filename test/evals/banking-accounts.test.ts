import { describe, expect, it } from 'vitest';
import { type Counter, counter } from './bank-counter.js';

/** Days are counted from 11/14/2025, on which everything happens. */
const day = { today: '11/14/2025', ago14: '10/31/2025', ago13: '11/01/2025', ago30: '10/15/2025', ago29: '10/16/2025' };

function account(fields: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    user_id: 'ann',
    class: 'checking',
    status: 'OPEN',
    date_opened: '01/02/2024',
    current_holdings: '100.00',
    ...fields,
  };
}

function bank(...accounts: readonly Readonly<Record<string, unknown>>[]): Counter {
  const named = accounts.map((one, at) => [`a${at + 1}`, { account_id: `a${at + 1}`, ...one }]);
  return counter({ users: { ann: { user_id: 'ann', name: 'Ann Bell' } }, accounts: Object.fromEntries(named) });
}

describe('opening a bank account', () => {
  const open = (at: Counter, account_type: string): string =>
    at.run('open_bank_account_4821', { user_id: 'ann', account_type, account_class: 'Blue Account' });
  const refused = /^Error: .*eligib/;

  it('writes a record without a class, so that checking-only tools later refuse it [R5-DOMAIN-BANKING-TOOLS]', () => {
    const at = bank();
    const said = open(at, 'checking');
    const [id = ''] = at.rows('accounts');
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    for (const fact of [id, 'ann', 'checking', 'Blue Account', 'Status: OPEN', '$0.00', day.today]) {
      expect(said).toContain(fact);
    }
    expect(at.row('accounts', id)).toEqual({
      account_id: id,
      user_id: 'ann',
      account_type: 'checking',
      account_class: 'Blue Account',
      current_holdings: '0.00',
      status: 'OPEN',
      date_opened: day.today,
    });
    expect(at.run('get_debit_cards_by_account_id_7823', { account_id: id })).toMatch(
      /^Error: .*not a checking account/,
    );
    expect(open(at, 'checking')).toMatch(/^Failed/); // the id is made of the request: the same one is there already
  });

  it.each([
    ['no account at all', [], false],
    ['a checking account of 14 days', [account({ date_opened: day.ago14 })], true],
    ['a checking account of 13 days', [account({ date_opened: day.ago13 })], false],
    ['a closed checking account', [account({ status: 'CLOSED' })], false],
    ['a checking account that is ACTIVE', [account({ status: 'ACTIVE' })], true],
    [
      'a checking account that says so in account_type',
      [account({ class: 'other', account_type: 'personal_checking' })],
      true,
    ],
    ['a date that cannot be read, which counts as today', [account({ date_opened: '2024-01-02' })], false],
    ['somebody else’s account', [account({ user_id: 'bob' })], false],
  ])('decides on savings by what the customer has: %s', (_, accounts, isOpened) => {
    expect(refused.test(open(bank(...accounts), 'savings'))).toBe(!isOpened);
  });

  it.each([
    ['an open personal one', [account()], true],
    ['none', [], false],
    ['a closed account beside it', [account(), account({ class: 'saving', status: 'CLOSED' })], false],
  ])('decides on business checking by what the customer has: %s', (_, accounts, isOpened) => {
    expect(refused.test(open(bank(...accounts), 'business_checking'))).toBe(!isOpened);
  });

  it.each([
    ['business checking of 30 days', [account({ class: 'business_checking', date_opened: day.ago30 })], true],
    ['business checking of 29 days', [account({ class: 'business_checking', date_opened: day.ago29 })], false],
    [
      'a negative balance elsewhere',
      [account({ class: 'business_checking' }), account({ current_holdings: '-0.01' })],
      false,
    ],
    ['only personal checking', [account()], false],
  ])('decides on business savings by what the customer has: %s', (_, accounts, isOpened) => {
    expect(refused.test(open(bank(...accounts), 'business_savings'))).toBe(!isOpened);
  });

  it('names the types it knows, takes nothing empty, and raises where a balance cannot be read', () => {
    const at = bank(account({ current_holdings: 'x' }));
    expect(open(at, 'Checking')).toMatch(/checking.*savings.*business_checking.*business_savings/);
    expect(at.run('open_bank_account_4821', { user_id: '', account_type: 'checking', account_class: 'B' })).toMatch(
      /^Error: .*missing/,
    );
    const raised = at.raised('open_bank_account_4821', {
      user_id: 'ann',
      account_type: 'business_savings',
      account_class: 'B',
    });
    expect([raised.kind, raised.message]).toEqual(['ValueError', "could not convert string to float: 'x'"]);
  });
});

describe('closing a bank account', () => {
  const close = (at: Counter, waive_early_closure_fee = false): string =>
    at.run('close_bank_account_7392', { account_id: 'a1', reason: 'moving', waive_early_closure_fee });

  it('closes an empty account and keeps the reason [R5-DOMAIN-BANKING-TOOLS]', () => {
    const at = bank(account({ current_holdings: '$0.00' }));
    expect(close(at)).toContain('moving');
    expect(at.row('accounts', 'a1')).toMatchObject({
      status: 'CLOSED',
      date_closed: day.today,
      closure_reason: 'moving',
      early_closure_fee_waived: false,
    });
    expect(close(at)).toMatch(/^Error: .*already/);
  });

  const young = (fields: Readonly<Record<string, unknown>>): Counter =>
    bank(account({ level: 'Blue Account', date_opened: '09/16/2025', ...fields })); // 59 days: one less than the window

  it('wants exactly the fee of a young account on it, and not a cent more', () => {
    expect(close(young({ current_holdings: '25.00' }))).toContain('CLOSED');
    expect(close(young({ current_holdings: '24.99' }))).toMatch(/^Error: .*cannot be closed/);
    expect(close(young({ current_holdings: '25.01' }))).toMatch(/^Error: .*\$25\.01/);
    expect(close(young({ current_holdings: '0' }), true)).toContain('Yes');
  });

  it('charges nothing at the end of the window, for an unknown level, an unreadable date, or savings called saving', () => {
    for (const fields of [
      { date_opened: '09/15/2025' },
      { level: 'Odd Account' },
      { date_opened: '31/12/2025' },
      { class: 'saving', level: 'Gold Account' },
    ]) {
      expect(close(young({ current_holdings: '0', ...fields }))).toContain('CLOSED');
    }
    expect(close(young({ current_holdings: '0', class: 'savings', level: 'Gold Account' }))).toMatch(/^Error: /);
  });
});

/** A date so many days before the one on which everything happens. */
function daysAgo(days: number): string {
  const [year = '', month = '', date = ''] = new Date(Date.UTC(2025, 10, 14 - days))
    .toISOString()
    .slice(0, 10)
    .split('-');
  return `${month}/${date}/${year}`;
}

describe('the fee for closing early', () => {
  it.each([
    ['checking', 'Light Blue Account', 15, 30],
    ['checking', 'Light Green Account', 15, 30],
    ['checking', 'Green Fee-Free Account', 15, 30],
    ['checking', 'Blue Account', 25, 60],
    ['checking', 'Green Account', 25, 60],
    ['checking', 'Evergreen Account', 50, 90],
    ['checking', 'Bluest Account', 100, 180],
    ['savings', 'Bronze Account', 20, 60],
    ['savings', 'Silver Account', 35, 90],
    ['savings', 'Silver Plus Account', 35, 90],
    ['savings', 'Gold Account', 75, 180],
    ['savings', 'Gold Plus Account', 75, 180],
    ['savings', 'Gold Years Account', 75, 180],
    ['savings', 'Platinum Account', 150, 270],
    ['savings', 'Platinum Plus Account', 150, 270],
    ['savings', 'Diamond Elite Account', 150, 270],
  ])('of %s, %s, is $%i for %i days', (accountClass, level, fee, days) => {
    const closed = (age: number, current_holdings: number): boolean =>
      bank(account({ class: accountClass, level, date_opened: daysAgo(age), current_holdings }))
        .run('close_bank_account_7392', { account_id: 'a1', reason: '', waive_early_closure_fee: false })
        .includes('CLOSED');
    expect([closed(days - 1, fee), closed(days - 1, 0), closed(days, 0), closed(days, fee)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it.each([0, '$0.00', '0,000.00', null, []])('finds nothing in an account that holds %j', (current_holdings) => {
    const at = bank(account({ current_holdings }));
    expect(
      at.run('close_bank_account_7392', { account_id: 'a1', reason: '', waive_early_closure_fee: true }),
    ).toContain('CLOSED');
  });

  it('reads `balance` where there is no `current_holdings`', () => {
    const at = counter({ accounts: { a1: { status: 'OPEN', balance: '$1,234.50' } } });
    const said = at.run('close_bank_account_7392', { account_id: 'a1', reason: '', waive_early_closure_fee: false });
    expect(said).toMatch(/^Error: .*\$1234\.50/);
  });
});

describe('moving money', () => {
  const transfer = (at: Counter, amount: number | string, to = 'a2'): string =>
    at.run('transfer_funds_between_bank_accounts_7291', {
      source_account_id: 'a1',
      destination_account_id: to,
      amount,
    });

  it('writes both balances with a dollar sign [R5-DOMAIN-BANKING-TOOLS]', () => {
    const at = bank(account(), account({ current_holdings: '$2,500.50' }));
    expect(transfer(at, '0.125')).toContain('$99.88');
    expect(at.row('accounts', 'a1')).toMatchObject({ current_holdings: '$99.88' });
    expect(at.row('accounts', 'a2')).toMatchObject({ current_holdings: '$2500.62' }); // a tie goes to the even digit
  });

  it.each([
    ['more than is there', bank(account(), account()), 100.01, 'a2', /insufficient.*\$100\.00.*\$100\.01/],
    ['nothing', bank(account(), account()), 0, 'a2', /positive/],
    ['to itself', bank(account(), account()), 1, 'a1', /same/],
    ['to nobody', bank(account(), account()), 1, 'a9', /no destination account 'a9'/],
    [
      'from a frozen account',
      bank(account({ status: 'FROZEN' }), account()),
      1,
      'a2',
      /source account 'a1' is not active/,
    ],
    ['to a closed account', bank(account(), account({ status: 'CLOSED' })), 1, 'a2', /destination account 'a2' is not/],
    ['what is no number', bank(account(), account()), '$5', 'a2', /'\$5'/],
  ])('refuses %s, and changes nothing', (_, at, amount, to, reason) => {
    const before = at.hash();
    expect(transfer(at, amount, to)).toMatch(new RegExp(`^Error: .*${reason.source}`));
    expect(at.hash()).toBe(before);
  });

  it('moves all that is there, and wants every value', () => {
    const at = bank(account(), account());
    expect(transfer(at, 100)).toContain('$0.00');
    expect(transfer(at, 1, '')).toMatch(/^Error: .*missing/);
    const args = { source_account_id: 'a1', destination_account_id: 'a2', amount: null };
    expect(at.run('transfer_funds_between_bank_accounts_7291', args)).toMatch(/^Error: .*missing/);
  });

  it('leaves the source as it was when the destination cannot be read', () => {
    const at = bank(account(), account({ current_holdings: 'x' }));
    const before = at.hash();
    expect(
      at.raised('transfer_funds_between_bank_accounts_7291', {
        source_account_id: 'a1',
        destination_account_id: 'a2',
        amount: 1,
      }).kind,
    ).toBe('ValueError');
    expect(at.hash()).toBe(before);
  });

  it('is no key: a list as an account is a TypeError', () => {
    const { kind, message } = bank().raised('close_bank_account_7392', {
      account_id: ['a1'],
      reason: '',
      waive_early_closure_fee: false,
    });
    expect([kind, message]).toEqual(['TypeError', "unhashable type: 'list'"]);
  });
});

describe('credits', () => {
  const credit = (
    at: Counter,
    kind: 'checking' | 'savings',
    credit_type: string,
    amount: number | bigint = 33,
  ): string =>
    at.run(`apply_${kind}_account_credit_${kind === 'checking' ? 5829 : 6831}`, {
      account_id: 'a1',
      amount,
      credit_type,
    });

  it('writes the balance with a dollar sign for checking, without one for savings [R5-DOMAIN-BANKING-TOOLS]', () => {
    const checking = bank(account());
    credit(checking, 'checking', 'fee_refund');
    expect(checking.row('accounts', 'a1')).toMatchObject({ current_holdings: '$133.00' });
    const savings = bank(account({ class: 'Saving', current_holdings: '$100.00' }));
    credit(savings, 'savings', 'goodwill_credit');
    expect(savings.row('accounts', 'a1')).toMatchObject({ current_holdings: '133.00' });
    const [id = ''] = savings.rows('bank_account_transaction_history');
    expect(savings.row('bank_account_transaction_history', id)).toEqual({
      transaction_id: id,
      account_id: 'a1',
      date: day.today,
      status: 'posted',
      amount: 33,
      description: 'GOODWILL CREDIT - CUSTOMER SERVICE',
      type: 'goodwill_credit',
    });
  });

  it('overwrites an equal credit but adds to the balance each time, whatever the number is written as', () => {
    const at = bank(account());
    credit(at, 'checking', 'rebate_credit', 33);
    credit(at, 'checking', 'rebate_credit', 33n);
    expect(at.rows('bank_account_transaction_history')).toHaveLength(1);
    expect(at.row('accounts', 'a1')).toMatchObject({ current_holdings: '$166.00' });
  });

  it('refuses the other class, other types, inactive accounts and amounts that are not positive', () => {
    expect(credit(bank(account({ class: 'saving' })), 'checking', 'fee_refund')).toMatch(/^Error: .*not a checking/);
    expect(credit(bank(account()), 'savings', 'fee_refund')).toMatch(/^Error: .*not a savings/);
    expect(credit(bank(account()), 'checking', 'goodwill_credit')).toMatch(/^Error: .*rebate_credit.*fee_refund/);
    expect(credit(bank(account({ status: 'FROZEN' })), 'checking', 'fee_refund')).toMatch(/^Error: .*not active/);
    expect(credit(bank(account()), 'checking', 'fee_refund', 0)).toMatch(/^Error: .*positive/);
    const raised = bank(account({ class: null })).raised('apply_checking_account_credit_5829', {
      account_id: 'a1',
      amount: 1,
      credit_type: 'fee_refund',
    });
    expect(raised.message).toBe("'NoneType' object has no attribute 'lower'");
  });
});

describe('reports and listings', () => {
  it('reports a discrepancy of interest and stores nothing [R5-DOMAIN-BANKING-TOOLS]', () => {
    const at = bank(account({ level: 'Gold Account' }));
    const before = at.hash();
    const report = (user_id: string): string =>
      at.run('submit_interest_discrepancy_report_7294', {
        account_id: 'a1',
        user_id,
        expected_apy: 2.775,
        actual_apy: '2.5',
        amount_difference: 12n,
      });
    expect(report('ann')).toMatch(/IDR_[0-9a-f]{16}[\s\S]*Gold Account[\s\S]*Ann Bell[\s\S]*0\.275%[\s\S]*\$12\.00/);
    expect(report('bob')).toMatch(/^Error: .*'bob'/);
    expect(at.hash()).toBe(before);
  });

  it('lists transactions newest first, those of one moment in their order, unreadable dates last', () => {
    const dates = ['bad', '11/05/2025', '11/05/2025 09:00:00', '1/6/2025', '11/05/2025', '11/06/2025', null];
    const history = dates.map((date, at) => [`t${at}`, { account_id: 'a1', date }]);
    const at = counter({
      accounts: { a1: account() },
      bank_account_transaction_history: {
        ...Object.fromEntries(history),
        other: { account_id: 'a2', date: '11/05/2025' },
      },
    });
    const said = at.run('get_bank_account_transactions_9173', { account_id: 'a1' });
    expect(said).toContain(
      "Found 7 record(s) in 'bank_account_transaction_history':\n\n1. Record ID: t5\n   account_id: a1\n",
    );
    expect([...said.matchAll(/Record ID: (t\d)/g)].map(([, id]) => id)).toEqual([
      't5',
      't2',
      't1',
      't4',
      't3',
      't0',
      't6',
    ]);
    expect(at.run('get_bank_account_transactions_9173', { account_id: 'a2' })).toMatch(/^Error: .*'a2'/);
  });

  it('pastes the user into the query as it came, so that a quote spoils or widens it', () => {
    const at = bank(account(), account({ user_id: 'bob' }));
    const all = (user_id: string): string => at.run('get_all_user_accounts_by_user_id_3847', { user_id });
    expect(all('ann')).toContain("Found 1 record(s) in 'accounts':");
    expect(all('nobody')).not.toContain('Found');
    expect(all('"')).toContain('Error: Invalid JSON: ');
    expect(all('", "user_id__ne": "bob", "user_id": "ann')).toContain("Found 1 record(s) in 'accounts':");
  });
});
