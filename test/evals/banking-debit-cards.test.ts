import { describe, expect, it } from 'vitest';
import type { PyValue } from '../../packages/evals/src/tau2/python/value.js';
import { type Counter, counter, type Records } from './bank-counter.js';

type Fields = Readonly<Record<string, unknown>>;
type Args = Readonly<Record<string, PyValue>>;

const today = '11/14/2025';
const checking: Fields = {
  account_id: 'chk',
  user_id: 'ann',
  class: 'checking',
  level: 'Blue Account',
  status: 'OPEN',
  date_opened: '01/02/2024',
  current_holdings: '100.00',
};

/** A bank with one checking account and the given cards on it. */
function bank(cards: Readonly<Record<string, Fields>> = {}, account: Fields = {}, more: Records = {}): Counter {
  const all = Object.entries(cards).map(([id, card]) => [
    id,
    { card_id: id, account_id: 'chk', last_4_digits: '4821', status: 'ACTIVE', ...card },
  ]);
  return counter({
    users: { ann: { user_id: 'ann', name: 'Ann Bell' } },
    accounts: { chk: { ...checking, ...account } },
    debit_cards: Object.fromEntries(all),
    ...more,
  });
}

describe('PINs', () => {
  const change = (at: Counter, new_pin: PyValue, current_pin: PyValue = '5829'): string =>
    at.run('change_debit_card_pin_6285', { card_id: 'c', current_pin, new_pin });

  it.each(['7391', '1122', '1212', '0990', '1357'])('takes %s [R5-DOMAIN-BANKING-TOOLS]', (pin) => {
    const at = bank({ c: {} });
    expect(change(at, pin)).not.toMatch(/^Error/);
    expect(at.row('debit_cards', 'c')).toMatchObject({ pin_last_changed: today });
  });

  it.each([
    ['0123', /sequential/],
    ['6789', /sequential/],
    ['9876', /sequential/],
    ['3210', /sequential/],
    ['0000', /same digit/],
    ['9999', /same digit/],
    ['739', /4 digits/],
    ['73910', /4 digits/],
    ['73a1', /4 digits/],
    [' 739', /4 digits/],
  ])('refuses %s [R5-DOMAIN-BANKING-TOOLS]', (pin, reason) => {
    expect(change(bank({ c: {} }), pin)).toMatch(new RegExp(`^Error: .*${reason.source}`));
  });

  it('knows the digits of other scripts, and raises for what is no text', () => {
    expect(change(bank({ c: {} }), '\u0661\u0663\u0662\u0664')).not.toMatch(/^Error/);
    const raised = bank({ c: {} }).raised('change_debit_card_pin_6285', {
      card_id: 'c',
      current_pin: '5829',
      new_pin: 7391,
    });
    expect([raised.kind, raised.message]).toEqual(['AttributeError', "'float' object has no attribute 'isdigit'"]);
  });

  it.each(['card_id', 'current_pin', 'last_4_digits', 'new_pin'])('misses an empty %s', (name) => {
    const at = bank({ c: {} });
    const args = { card_id: 'c', current_pin: '5829', last_4_digits: '4821', new_pin: '7391', [name]: '' };
    const tools = ['change_debit_card_pin_6285', 'reset_debit_card_pin_6284'];
    const needs = name === 'current_pin' ? tools.slice(0, 1) : name === 'last_4_digits' ? tools.slice(1) : tools;
    for (const tool of needs) expect(at.run(tool, args)).toMatch(/^Error: .*missing/);
  });

  it('changes only to another PIN and only on an active card', () => {
    expect(change(bank({ c: {} }), '5829')).toMatch(/^Error: .*differ/);
    expect(change(bank({ c: { status: 'FROZEN' } }), '7391')).toMatch(/^Error: .*FROZEN/);
    expect(change(bank(), '7391')).toMatch(/^Error: .*'c'/);
  });

  it('resets a forgotten one against the last four digits and unlocks the card', () => {
    const at = bank({ c: { pin_locked: true } });
    const reset = (last_4_digits: string): string =>
      at.run('reset_debit_card_pin_6284', { card_id: 'c', last_4_digits, new_pin: '7391' });
    expect(reset('4822')).toMatch(/^Error: .*last 4 digits/);
    expect(reset('4821')).not.toMatch(/^Error/);
    expect(at.row('debit_cards', 'c')).toMatchObject({
      pin_last_changed: today,
      pin_locked: false,
      pin_attempts_remaining: 3n,
    });
  });
});

describe('ordering a debit card', () => {
  const base: Args = {
    account_id: 'chk',
    user_id: 'ann',
    delivery_option: 'rush',
    delivery_fee: 15,
    card_design: 'Premium',
    design_fee: 2.5,
    shipping_address: '1 Main',
    excess_replacement_fee: null,
  };
  const order = (at: Counter, args: Args = {}): string => at.run('order_debit_card_5739', { ...base, ...args });

  it('makes an order, a fee and a pending card [R5-DOMAIN-BANKING-TOOLS]', () => {
    const at = bank();
    const said = order(at);
    const [orderId = ''] = at.rows('debit_card_orders');
    const [cardId = ''] = at.rows('debit_cards');
    const [feeId = ''] = at.rows('bank_account_transaction_history');
    for (const fact of [orderId, cardId, '$17.50', 'Delivery: $15.0, Design: $2.5', '$82.50', 'RUSH', '1-2']) {
      expect(said).toContain(fact);
    }
    expect(at.row('debit_card_orders', orderId)).toMatchObject({
      delivery_option: 'RUSH',
      card_design: 'PREMIUM',
      excess_replacement_fee: 0,
      total_fee: 17.5,
      status: 'PENDING',
    });
    expect(feeId).toBe(`btxn_dcfee_${orderId.slice(-8)}`);
    expect(at.row('bank_account_transaction_history', feeId)).toEqual({
      transaction_id: feeId,
      account_id: 'chk',
      date: today,
      type: 'debit_card_fee',
      status: 'posted',
      amount: -17.5,
      description: 'DEBIT CARD ORDER FEE - Delivery $15.0, Design $2.5',
    });
    expect(at.row('accounts', 'chk')).toMatchObject({ current_holdings: '82.50' });
    expect(at.row('debit_cards', cardId)).toMatchObject({
      cardholder_name: 'ANN BELL',
      status: 'PENDING',
      expiration_date: '11/30/2029',
      issue_reason: 'new_account',
      last_4_digits: expect.stringMatching(/^\d{4}$/),
      cvv: expect.stringMatching(/^\d{3}$/),
    });
    expect(order(at)).toMatch(/^Error: .*PENDING/);
  });

  it('charges nothing for an order that is free, from an account that holds just enough', () => {
    const at = bank({}, { current_holdings: '25' });
    expect(order(at, { delivery_fee: 0, design_fee: 0 })).toContain('Fees: $0');
    expect(at.rows('bank_account_transaction_history')).toEqual([]);
    expect(at.row('accounts', 'chk')).toMatchObject({ current_holdings: '25' });
    expect(order(bank({}, { current_holdings: '1,025' }), { delivery_fee: 1025, design_fee: 0 })).toContain(
      '$1025.00 (Delivery: $1025.0), CHARGED',
    );
  });

  it('keeps an extra fee that cannot be read as the whole number 0, and one that is there as a float', () => {
    const spoilt = bank();
    order(spoilt, { excess_replacement_fee: 'x' });
    expect(spoilt.row('debit_card_orders', spoilt.rows('debit_card_orders')[0] ?? '')).toMatchObject({
      excess_replacement_fee: 0n,
    });
    expect(order(bank(), { excess_replacement_fee: 7.5 })).toContain('Excess Replacement: $8'); // half to even
  });

  it.each<readonly [string, string, Fields]>([
    ['lost', 'lost', { status: 'CLOSED', closure_reason: 'lost' }],
    ['suspected fraud', 'fraud', { status: 'CLOSED', closure_reason: 'fraud_suspected' }],
    ['damage', 'first_card', { status: 'CLOSED', closure_reason: 'damaged' }],
    ['none: the old card is frozen', 'first_card', { status: 'FROZEN' }],
  ])('issues the next card for the reason of the closed one: %s', (_, issueReason, old) => {
    const at = bank({ old });
    order(at);
    expect(at.row('debit_cards', at.rows('debit_cards').at(-1) ?? '')).toMatchObject({ issue_reason: issueReason });
  });

  it.each<readonly [string, Counter, Args, RegExp]>([
    ['a balance of $24.99', bank({}, { current_holdings: '24.99' }), {}, /\$25.*\$24\.99/],
    ['a balance with a dollar sign, which it cannot read', bank({}, { current_holdings: '$500.00' }), {}, /\$0\.00/],
    [
      'fees above the balance',
      bank({}, { current_holdings: '30' }),
      { delivery_fee: 30.5 },
      /insufficient.*\$33\.00.*\$30\.00/,
    ],
    ['an active card', bank({ c: {} }), {}, /active debit card/],
    ['a savings account', bank({}, { class: 'saving' }), {}, /saving account/],
    ['an account that is ACTIVE, not OPEN', bank({}, { status: 'ACTIVE' }), {}, /OPEN.*ACTIVE/],
    ['somebody else’s account', bank({}, { user_id: 'bob' }), {}, /'ann'/],
    ['a delivery it does not know', bank(), { delivery_option: 'drone' }, /STANDARD.*EXPEDITED.*RUSH/],
    ['a design it does not know', bank(), { card_design: 'gold' }, /CLASSIC.*PREMIUM.*CUSTOM/],
    ['a fee that is no number', bank(), { delivery_fee: '$5' }, /delivery_fee/],
    ['no fee at all', bank(), { design_fee: null }, /missing.*design_fee/],
  ])('refuses %s, and changes nothing', (_, at, args, reason) => {
    const before = at.hash();
    expect(order(at, args)).toMatch(new RegExp(`^Error: .*${reason.source}`));
    expect(at.hash()).toBe(before);
  });

  it('keeps the order of a customer whose name cannot be written on a card', () => {
    const at = counter({ users: { ann: { name: null } }, accounts: { chk: checking } });
    const raised = at.raised('order_debit_card_5739', base);
    expect(raised.message).toBe("'NoneType' object has no attribute 'upper'");
    expect([at.rows('debit_card_orders').length, at.rows('debit_cards').length]).toEqual([1, 0]);
  });
});

describe('activating a debit card', () => {
  const activate = (at: Counter, tool: 8291 | 8292 | 8293, args: Args = {}): string =>
    at.run(`activate_debit_card_${tool}`, {
      card_id: 'c',
      last_4_digits: '4821',
      expiration_date: '11/29',
      cvv: '739',
      pin: '7391',
      ...args,
    });
  const pending = (issue_reason: string): Fields => ({ status: 'PENDING', issue_reason });

  it.each([
    [8291, 'first_card', { status: 'DEACTIVATED', deactivation_reason: 'New card activated', deactivated_date: today }],
    [8292, 'stolen', { status: 'DEACTIVATED', deactivation_reason: 'Replacement card activated (stolen)' }],
    [
      8293,
      'bank_reissue',
      {
        status: 'GRACE_PERIOD',
        deactivation_reason: 'Reissued card activated (bank_reissue)',
        grace_period_ends: today,
      },
    ],
  ] as const)('%i puts the account’s other active cards away [R5-DOMAIN-BANKING-TOOLS]', (tool, reason, old) => {
    const at = bank({ c: pending(reason), old: {}, frozen: { status: 'FROZEN' }, foreign: { account_id: 'other' } });
    expect(activate(at, tool)).toMatch(/ACTIVE[\s\S]*\bold\b/);
    expect(at.row('debit_cards', 'c')).toMatchObject({ status: 'ACTIVE', activated_date: today });
    expect(at.row('debit_cards', 'old')).toMatchObject(old);
    expect(at.row('debit_cards', 'frozen')).toMatchObject({ status: 'FROZEN' });
    expect(at.row('debit_cards', 'foreign')).toMatchObject({ status: 'ACTIVE' });
  });

  it.each([
    [8291, 'lost', 'activate_debit_card_8292'],
    [8292, 'expired', 'activate_debit_card_8293'],
    [8293, 'new_account', 'activate_debit_card_8291'],
    [8293, 'odd', 'unknown'],
  ] as const)('%i sends a card issued as %s to %s', (tool, reason, right) => {
    expect(activate(bank({ c: pending(reason) }), tool)).toMatch(
      new RegExp(`^Error: .*issue_reason='${reason}'.*${right}`),
    );
  });

  it.each<readonly [string, Counter, Args, RegExp]>([
    ['a bad PIN before everything else', bank(), { pin: '1234', cvv: 'x' }, /sequential/],
    ['a CVV of other length', bank(), { cvv: '73' }, /CVV.*3 digits/],
    ['last digits of other length', bank(), { last_4_digits: '482' }, /4 digits/],
    ['no such card', bank(), {}, /'c'/],
    ['an active card', bank({ c: {} }), {}, /active already/],
    ['a closed card', bank({ c: { status: 'CLOSED' } }), {}, /CLOSED.*PENDING/],
    ['other digits', bank({ c: { status: 'PENDING' } }), { last_4_digits: '4822' }, /last 4 digits/],
    [
      'an account that is not open',
      bank({ c: { status: 'PENDING' } }, { status: 'CLOSED' }),
      {},
      /'chk'.*no longer open/,
    ],
    ['an empty date', bank({ c: { status: 'PENDING' } }), { expiration_date: '' }, /missing/],
  ])('refuses %s', (_, at, args, reason) => {
    expect(activate(at, 8291, args)).toMatch(new RegExp(`^Error: .*${reason.source}`));
  });
});

describe('freezing, closing and clearing', () => {
  it('freezes only active cards and unfreezes only frozen ones of open accounts [R5-DOMAIN-BANKING-TOOLS]', () => {
    const at = bank({ c: {}, p: { status: 'PENDING' } });
    const freeze = (card_id: string): string => at.run('freeze_debit_card_3892', { card_id });
    const unfreeze = (card_id: string): string => at.run('unfreeze_debit_card_3893', { card_id });
    expect(unfreeze('c')).toMatch(/^Error: .*active already/);
    expect(freeze('c')).toContain('FROZEN');
    expect(freeze('c')).toMatch(/^Error: .*frozen already/);
    expect(freeze('p')).toMatch(/^Error: .*PENDING.*ACTIVE/);
    expect(unfreeze('p')).toMatch(/^Error: .*PENDING.*FROZEN/);
    expect(unfreeze('c')).toMatch(/Status: ACTIVE$/m);
    expect(at.row('debit_cards', 'c')).toMatchObject({ status: 'ACTIVE', frozen_date: today, unfrozen_date: today });
    const shut = bank({ c: { status: 'FROZEN' } }, { status: 'CLOSED' });
    expect(shut.run('unfreeze_debit_card_3893', { card_id: 'c' })).toMatch(/^Error: .*no longer open/);
    const orphan = bank({ c: { status: 'FROZEN', account_id: 'gone' } });
    expect(orphan.run('unfreeze_debit_card_3893', { card_id: 'c' })).toContain('ACTIVE');
  });

  it('closes active and pending cards for a reason in any case, and stores it in small letters', () => {
    const at = bank({ c: {}, f: { status: 'FROZEN' } });
    const close = (card_id: string, reason: string): string => at.run('close_debit_card_4721', { card_id, reason });
    expect(close('', 'lost')).toMatch(/^Error: .*missing/);
    expect(close('c', '')).toMatch(/^Error: .*missing/);
    expect(close('c', 'broken')).toMatch(/^Error: .*lost.*account_closing/);
    expect(close('f', 'lost')).toMatch(/^Error: .*FROZEN/);
    expect(close('c', 'Fraud_Suspected')).toMatch(/Fraud Suspected[\s\S]*password/);
    expect(at.row('debit_cards', 'c')).toMatchObject({
      status: 'CLOSED',
      closed_date: today,
      closure_reason: 'fraud_suspected',
    });
  });

  it('clears what the reason stands for, but no alert that the bank itself raised', () => {
    const at = bank({
      mine: { fraud_alert_active: true, alert_source: 'customer' },
      theirs: { fraud_alert_active: true, alert_source: 'bank_initiated' },
      fast: { velocity_blocked: true },
    });
    const clear = (card_id: string, reason: string): string =>
      at.run('clear_debit_card_fraud_alert_4892', { card_id, reason });
    expect(clear('mine', 'customer_verified')).not.toMatch(/^Error/);
    expect(at.row('debit_cards', 'mine')).toMatchObject({
      fraud_alert_active: false,
      alert_source: null,
      fraud_alert_cleared_date: today,
    });
    expect(clear('mine', 'customer_verified')).toMatch(/^Error: .*no fraud alert/);
    expect(clear('theirs', 'customer_verified')).toMatch(/^Error: BANK_INITIATED_ALERT.*transfer_to_human_agents/);
    expect(clear('fast', 'velocity_clear')).not.toMatch(/^Error/);
    expect(at.row('debit_cards', 'fast')).toMatchObject({ velocity_blocked: false, velocity_cleared_date: today });
    expect(clear('mine', 'velocity_clear')).toMatch(/^Error: .*no velocity block/);
    expect(clear('mine', 'Customer_Verified')).toMatch(/^Error: .*customer_verified, velocity_clear/);
  });

  it('blocks and allows recurring payments on active cards, and keeps the value as it came', () => {
    const at = bank({ c: { status: 'active' }, f: { status: 'FROZEN' } });
    const set = (card_id: string, block_recurring: PyValue): string =>
      at.run('set_debit_card_recurring_block_7382', { card_id, block_recurring });
    expect(set('c', 'yes')).toContain('BLOCKED');
    expect(at.row('debit_cards', 'c')).toMatchObject({ recurring_blocked: 'yes' });
    expect(set('c', false)).toContain('UNBLOCKED');
    expect(set('f', true)).toMatch(/^Error: .*'FROZEN'/);
    expect(set('gone', true)).toMatch(/^Error: .*'gone'/);
    const empty = counter({ debit_cards: { c: {} } }); // a record without fields counts as none
    expect(empty.run('set_debit_card_recurring_block_7382', { card_id: 'c', block_recurring: true })).toMatch(
      /^Error: .*'c'/,
    );
  });
});

describe('a temporary limit', () => {
  const raise = (at: Counter, new_limit: PyValue, limit_type = 'atm'): string =>
    at.run('request_temporary_debit_card_limit_increase_8374', { card_id: 'c', limit_type, new_limit });

  it('goes up to 150 % of the limit by level, and is stored as a whole number [R5-DOMAIN-BANKING-TOOLS]', () => {
    const at = bank({ c: {} });
    expect(raise(at, 751)).toMatch(/^Error: .*\$751.*\$750.*\$500/);
    expect(raise(at, 500)).toMatch(/^Error: .*not higher/);
    expect(raise(at, '750')).toContain('$250');
    expect(at.row('debit_cards', 'c')).toMatchObject({
      daily_atm_limit: 750n,
      temporary_atm_limit_increase: true,
      original_atm_limit: 500n,
      temporary_atm_limit_expires: today,
    });
  });

  it.each([
    ['Blue Account', 500],
    ['Green Account', 600],
    ['Light Blue Account', 400],
    ['Green Fee-Free Account', 500],
    ['EVERGREEN account', 750],
    ['Bluest Account', 1500],
    ['Dark Green Account', 300],
    ['Gold Years Account', 600],
    ['Purple Account', 1000],
  ])('starts from the ATM limit of its level: %s, $%i', (level, limit) => {
    expect(raise(bank({ c: {} }, { level }), limit + 1)).toContain(`Limit before: $${limit}\n`);
  });

  it('starts from the card’s own limit where it has one, also one with cents', () => {
    const at = bank({ c: { daily_purchase_limit: 333.5 } });
    expect(raise(at, 501, 'purchase')).toMatch(/^Error: .*\$500.*\$333\.5/);
    expect(raise(at, 500n, 'purchase')).toContain('$166.5');
    expect(raise(bank({ c: {} }), 600, 'purchase')).toMatch(/^Error: .*no daily purchase limit/);
  });

  it.each<readonly [string, Counter, PyValue, RegExp]>([
    ['a fraction', bank({ c: {} }), 600.5, /whole number.*'600\.5'/],
    ['a text', bank({ c: {} }), 'more', /whole number.*'more'/],
    ['no number at all', bank({ c: {} }), Number.NaN, /whole number.*'nan'/],
    ['zero', bank({ c: {} }), 0, /positive/],
    ['an account of 59 days', bank({ c: {} }, { date_opened: '09/16/2025' }), 600, /60 days.*59 days/],
    ['a teen’s account', bank({ c: {} }, { level: 'Light Green Account' }), 600, /Light Green.*\$150/],
    ['a level without a limit', bank({ c: {} }, { level: 'Odd' }), 600, /'Odd'/],
    ['a frozen card', bank({ c: { status: 'FROZEN' } }), 600, /FROZEN/],
    ['a closed account', bank({ c: {} }, { status: 'CLOSED' }), 600, /CLOSED/],
    ['a card of no account', bank({ c: { account_id: 'gone' } }), 600, /no account/],
  ])('refuses %s', (_, at, limit, reason) => {
    expect(raise(at, limit)).toMatch(new RegExp(`^Error: .*${reason.source}`));
  });

  it('takes an account of 60 days, and one whose date cannot be read', () => {
    expect(raise(bank({ c: {} }, { date_opened: '09/15/2025' }), 600)).not.toMatch(/^Error/);
    expect(raise(bank({ c: {} }, { date_opened: '02/30/2024' }), 600)).not.toMatch(/^Error/);
  });
});

describe('disputes of debit cards', () => {
  const base: Args = {
    transaction_id: 't1',
    account_id: 'chk',
    card_id: 'c',
    user_id: 'ann',
    dispute_category: 'card_present_fraud',
    transaction_date: '11/05/2025',
    discovery_date: '11/06/2025',
    disputed_amount: 600,
    transaction_type: 'pin_purchase',
    card_in_possession: false,
    pin_compromised: 'yes_shared',
    contacted_merchant: false,
    police_report_filed: false,
    written_statement_provided: true,
    provisional_credit_eligible: true,
    customer_max_liability_amount: 50,
    card_action: 'close_and_reissue',
  };
  const file = (at: Counter, args: Args = {}): string =>
    at.run('file_debit_card_transaction_dispute_6281', { ...base, ...args });

  it('files once, with a provisional credit where the customer is eligible [R5-DOMAIN-BANKING-TOOLS]', () => {
    const at = bank();
    expect(file(at)).toMatch(/dsp_[0-9a-f]{12}[\s\S]*\$600\.00[\s\S]*ISSUED[\s\S]*WARNING[\s\S]*RECOMMENDATION/);
    const [id = ''] = at.rows('debit_card_disputes');
    expect(at.row('debit_card_disputes', id)).toMatchObject({
      status: 'OPEN',
      provisional_credit_issued: true,
      provisional_credit_amount: 600,
      is_fraud_category: true,
      pin_shared_voluntarily: true,
    });
    expect(file(at)).toMatch(/^Error: .*already/);
    const other = bank();
    file(other, { provisional_credit_eligible: false, pin_compromised: 'no', dispute_category: 'duplicate_charge' });
    expect(other.row('debit_card_disputes', id)).toMatchObject({
      provisional_credit_amount: null,
      is_fraud_category: false,
      pin_shared_voluntarily: false,
    });
  });

  it.each<readonly [string, Args, RegExp]>([
    ['an empty card', { card_id: '' }, /missing/],
    ['an amount of zero, which counts as missing', { disputed_amount: 0 }, /missing/],
    ['a negative amount', { disputed_amount: -1 }, /positive/],
    ['no liability', { customer_max_liability_amount: null }, /customer_max_liability_amount/],
    ['no word on the police', { police_report_filed: null }, /police_report_filed/],
    ['another category', { dispute_category: 'fraud' }, /dispute_category.*card_not_present_fraud/],
    ['another type', { transaction_type: 'cash' }, /transaction_type.*person_to_person/],
    ['another word on the PIN', { pin_compromised: 'yes' }, /pin_compromised.*yes_observed/],
    ['another action', { card_action: 'Keep_Active' }, /card_action.*freeze_pending_investigation/],
  ])('refuses %s, and files nothing', (_, args, reason) => {
    const at = bank();
    expect(file(at, args)).toMatch(new RegExp(`^Error: .*${reason.source}`));
    expect(at.rows('debit_card_disputes')).toEqual([]);
  });

  it('recommends a police report only for fraud of more than $500 that was not reported', () => {
    const advised = (args: Args): boolean => file(bank(), args).includes('RECOMMENDATION');
    expect(advised({ disputed_amount: 500.01 })).toBe(true);
    expect(advised({ disputed_amount: 500 })).toBe(false);
    expect(advised({ police_report_filed: true })).toBe(false);
    expect(advised({ dispute_category: 'duplicate_charge' })).toBe(false);
    expect(file(bank(), { pin_compromised: 'yes_observed', provisional_credit_eligible: false })).not.toMatch(
      /WARNING|ISSUED/,
    );
  });

  it('compares an amount that is a text with a number, which raises', () => {
    const raised = bank().raised('file_debit_card_transaction_dispute_6281', { ...base, disputed_amount: '600' });
    expect([raised.kind, raised.message]).toEqual([
      'TypeError',
      "'<=' not supported between instances of 'str' and 'int'",
    ]);
  });

  it('lists the disputes of a user as records', () => {
    const at = bank();
    const status = (): string => at.run('get_debit_dispute_status_7483', { user_id: 'ann' });
    expect(status()).not.toContain('Found');
    file(at);
    expect(status()).toContain("Found 1 record(s) in 'debit_card_disputes':\n\n1. Record ID: dsp_");
    expect(status()).toContain('   provisional_credit_amount: 600.0\n   customer_max_liability_amount: 50.0\n');
  });
});

describe('what is on record about a card', () => {
  it('lists cards as JSON with the names that agents know, by the text of their date [R5-DOMAIN-BANKING-ORACLE]', () => {
    const at = bank({ a: { issue_date: '01/05/2025' }, b: { issue_date: '12/01/2024' }, c: { created_date: null } });
    const listed = at.run('get_debit_cards_by_account_id_7823', { account_id: 'chk' });
    expect(listed.split('\n').slice(0, 8)).toEqual([
      '[',
      '  {',
      '    "card_id": "b",',
      '    "account_id": "chk",',
      '    "status": "ACTIVE",',
      '    "card_number_last_4": "4821",',
      '    "date_issued": "12/01/2024"',
      '  },',
    ]);
    expect(JSON.parse(listed).map(({ card_id }: { card_id: string }) => card_id)).toEqual(['b', 'a', 'c']);
    expect(bank().run('get_debit_cards_by_account_id_7823', { account_id: 'chk' })).toMatch(/^(?!Error).*'chk'/);
  });

  it('shows what three deposits held, and says where there are no images', () => {
    const deposit = { type: 'atm_deposit', description: 'Rho-Bank ATM #3921', date: '11/05/2025', amount: -20.125 };
    const at = bank(
      {},
      {},
      {
        bank_account_transaction_history: {
          btxn_test_deposit_001: deposit,
          btxn_test_atm_dep_partial: deposit,
          plain: deposit,
          third: { ...deposit, description: 'CHASE ATM' },
          shop: { ...deposit, type: 'pos' },
          nameless: { ...deposit, description: null },
        },
      },
    );
    const images = (transaction_id: string): string => at.run('get_atm_deposit_images_8473', { transaction_id });
    for (const fact of [
      'ENV-2025-3921-00847',
      'Linda Patterson',
      '$875.00',
      '3 x $20 = $60.00',
      '$1,135.00',
      '$385.00',
      '$750.00',
    ]) {
      expect(images('btxn_test_deposit_001')).toContain(fact);
    }
    expect(images('btxn_test_deposit_001')).toMatch(/discrepancy of \$750\.00 is confirmed/);
    expect(images('btxn_test_atm_dep_partial')).toMatch(/\$500\.00[\s\S]*no discrepancy/);
    expect(images('plain')).toMatch(/NOT AVAILABLE[\s\S]*\$20\.12/);
    expect(images('third')).toMatch(/^Error: .*third-party/);
    expect(images('shop')).toMatch(/^Error: .*no ATM deposit/);
    expect(images('nobody')).toMatch(/^Error: .*'nobody'/);
    const raised = at.raised('get_atm_deposit_images_8473', { transaction_id: 'nameless' });
    expect(raised.message).toBe("'NoneType' object has no attribute 'upper'");
  });
});
