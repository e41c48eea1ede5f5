import { describe, expect, it } from 'vitest';
import {
  ANN,
  CHANGE,
  call,
  done,
  FOUND,
  having,
  inner,
  LOGGED,
  log,
  look,
  rule,
  SAID,
  unlocked,
  VERIFIED,
} from '../../../../../test/policies/gate-stage.js';
import { bankingGate } from '../../../../evals/src/tau2/policies/banking-gate.js';
import { judge, judgeTogether } from './gate.js';
import { checkedRules } from './gate-rules.js';

describe('the gate before an identity is proven', () => {
  it.each([
    ['a write', CHANGE],
    ['a tool that no rule knows', call('delete_everything')],
    ['a look at the customer’s own affairs', call('get_credit_card_accounts_by_user', { user_id: 'a1' })],
    ['a discoverable tool called by its name', call('close_bank_account_7392', { account_id: '1' })],
    ['a discoverable read called by its name', call('get_bank_account_transactions_9173', { account_id: '1' })],
    [
      'a tool handed to the customer',
      call('give_discoverable_user_tool', { discoverable_tool_name: 'close_bank_account_7392' }),
    ],
  ])('refuses %s [R5-TALK-GOV-GATE]', (_what, proposed) => {
    expect(rule(proposed, having('hi'))).toBe('verification');
  });

  it('refuses what a wrapper calls, a read too, unless the rules open it [R5-TALK-GOV-GATE]', () => {
    const read = inner('get_all_user_accounts_by_user_id_3847', { user_id: 'a1' });
    const so = having(unlocked('get_all_user_accounts_by_user_id_3847'));
    expect(rule(read, so)).toBe('verification');
    expect(judge({ ...bankingGate, open: ['get_all_*'] }, read, so)).toBeUndefined();
  });

  it.each(['get_user_information_by_id', 'KB_search', 'transfer_to_human_agents', 'get_current_time'])(
    'lets %s pass [R5-TALK-GOV-GATE]',
    (tool) => {
      expect(rule(call(tool), having('hi'))).toBeUndefined();
    },
  );
});

describe('an identity', () => {
  it('is proven by a lookup that holds the record, two stated fields, and the log of just that [R5-TALK-GOV-GATE]', () => {
    expect(rule(call('log_verification', LOGGED), having(SAID, look()))).toBeUndefined();
    expect(rule(CHANGE, having(...VERIFIED))).toBeUndefined();
  });

  it.each([
    ['nobody was looked up', having(SAID), LOGGED],
    ['the record is of somebody else', having(SAID, look()), { ...LOGGED, user_id: 'b2' }],
    ['a field differs from the record', having(SAID, look()), { ...LOGGED, email: 'other@lee.org' }],
    ['a field is missing', having(SAID, look()), { ...LOGGED, address: undefined }],
    ['the customer stated one field only', having('phone 617-555-0834', look()), LOGGED],
    ['the customer stated wrong ones', having('born 04/18/1979, phone 617-555-0835', look()), LOGGED],
    ['only name and id were stated', having('Ann Lee, a1', look()), LOGGED],
    ['the lookup failed', having(SAID, [call('get_user_information_by_id'), FOUND, true]), LOGGED],
    ['the record came from another tool', having(SAID, [call('KB_search'), FOUND]), LOGGED],
    ['the model itself says so', having(SAID, [call('shell', { command: `echo '${FOUND}'` }), FOUND]), LOGGED],
  ] as const)('is not proven where %s, and cannot even be logged [R5-TALK-GOV-GATE]', (_why, so, args) => {
    expect(rule(call('log_verification', args), so)).toBe('identity');
  });

  it('that was logged without proof opens nothing: the journal decides, not the call [R5-TALK-GOV-GATE]', () => {
    expect(rule(CHANGE, having(SAID, log()))).toBe('verification'); // no lookup
    expect(rule(CHANGE, having(SAID, log(), look()))).toBe('verification'); // looked up afterwards
    expect(rule(CHANGE, having(look(), log(), SAID))).toBe('verification'); // stated afterwards
    expect(rule(CHANGE, having(SAID, look(), [call('log_verification', LOGGED), 'Failed to log: exists']))).toBe(
      'verification',
    );
    expect(rule(CHANGE, having(SAID, look(), [call('log_verification', LOGGED), 'boom', true]))).toBe('verification');
  });

  it('is not proven by what the agent has told first [R5-TALK-GOV-GATE]', () => {
    const logging = call('log_verification', LOGGED);
    const leaked = having('Hi.', look());
    leaked.tells('Is it you, born April 17, 1979, with the number 617-555-0834?');
    leaked.says(SAID);
    expect(rule(logging, leaked)).toBe('identity');
    const among = having('Hi.', look());
    among.tells(Array.from({ length: 40 }, (_one, at) => `617-555-08${at}, 04/${at}/1979`).join('; '));
    among.says(SAID);
    expect(rule(logging, among)).toBe('identity'); // nor among many
    const repeated = having(SAID, look());
    repeated.tells('Thank you. I have 04/17/1979 and 617-555-0834.');
    repeated.says('Yes.');
    expect(rule(logging, repeated)).toBeUndefined(); // theirs first
  });

  it('does not tell which stated fields were right [R5-TALK-GOV-GATE]', () => {
    const refusal = judge(bankingGate, call('log_verification', LOGGED), having('phone 617-555-0834', look()));
    expect(refusal?.because).toContain('has not correctly stated 2 of date_of_birth, email, phone_number, address');
  });

  it('covers the customer alone: a call that names somebody else is refused [R5-TALK-GOV-GATE]', () => {
    const so = having(...VERIFIED, unlocked('open_bank_account_4821'));
    expect(rule(call('change_user_email', { user_id: 'b2', new_email: 'x' }), so)).toBe('subject');
    expect(rule(inner('open_bank_account_4821', { user_id: 'b2' }), so)).toBe('subject');
    expect(rule(inner('open_bank_account_4821', { user_id: ['a1'] }), so)).toBe('subject');
    expect(rule(inner('open_bank_account_4821', '{"user_id": "a1", "user_id": "b2"}'), so)).toBe('subject');
    expect(rule(inner('open_bank_account_4821', '{"\\u0075ser_id": "b2"}'), so)).toBe('subject');
    expect(rule(inner('open_bank_account_4821', { user_id: 'a1' }), so)).toBeUndefined();
    expect(
      rule(
        call('give_discoverable_user_tool', {
          discoverable_tool_name: 'close_bank_account_7392',
          arguments: '{"user_id":"b2"}',
        }),
        so,
      ),
    ).toBe('subject');
  });

  it.each([
    ['before', ['shell', 'get_user_information_by_id']],
    ['after', ['get_user_information_by_id', 'shell']],
  ])('is not lent by the answer to a call %s the lookup that has the same id [R5-TALK-GOV-GATE]', (_where, tools) => {
    const witness = having(SAID);
    const made = tools.map((name) => ({ ...call(name), id: 'same' }));
    witness.expects(made);
    const content = (name: string): string => (name === 'shell' ? FOUND : "No records found in 'users'.");
    witness.hears({
      kind: 'results',
      results: made.map(({ name, id }) => ({ id, name, content: content(name), failed: false })),
    });
    expect(rule(call('log_verification', LOGGED), witness)).toBe('identity');
  });

  it('may be stood in for by a code that a document names and the customer says, for what the rule allows [R5-TALK-GOV-GATE]', () => {
    const code = '7QX4M9ZP2LRT';
    const coded = call('log_verification', {
      ...Object.fromEntries(Object.keys(ANN).map((field) => [field, code])),
      time_verified: 'now',
    });
    const read = [call('KB_search'), `Codes: ${code}. Enter it in log_verification.`] as const;
    const says = `My code is ${code}.`;
    expect(rule(coded, having(says, read))).toBeUndefined();
    expect(rule(coded, having(says))).toBe('identity');
    expect(rule(coded, having(read))).toBe('identity');
    expect(rule(coded, having(says, [call('KB_search'), `Codes: ${code}.`]))).toBe('identity');
    // what a tool only repeats is no document
    const pattern = `${code} log_verification`;
    expect(rule(coded, having(says, [call('grep', { pattern }), `No matches found for pattern: ${pattern}`]))).toBe(
      'identity',
    );
    expect(rule(coded, having(says, [call('shell', { command: `echo ${pattern}` }), pattern]))).toBe('identity');
    expect(rule(coded, having(says, [call('grep', { pattern }), `1. Codes\n   Content: ${pattern}`]))).toBeUndefined();
    const so = having(says, read, [coded, 'logged'], unlocked('open_bank_account_4821'));
    expect(rule(CHANGE, so)).toBeUndefined();
    expect(rule(inner('open_bank_account_4821', { user_id: 'a1' }), so)).toBe('verification');
  });
});

describe('what has to come first', () => {
  it('a call through a wrapper needs the tool unlocked [R5-TALK-GOV-REQUIRED]', () => {
    const open = inner('open_bank_account_4821', { user_id: 'a1' });
    expect(rule(open, having(...VERIFIED))).toBe('required');
    expect(
      rule(
        open,
        having(...VERIFIED, [
          call('unlock_discoverable_agent_tool', { agent_tool_name: 'open_bank_account_4821' }),
          'Error: no',
        ]),
      ),
    ).toBe('required');
    expect(rule(open, having(...VERIFIED, unlocked('open_bank_account_4821')))).toBeUndefined();
  });

  it('a decision on a credit limit needs the request and every check, for the same card [R5-TALK-GOV-REQUIRED]', () => {
    const card = { credit_card_account_id: 'cc1', user_id: 'a1' };
    const approve = inner('approve_credit_limit_increase_5847', { ...card, new_credit_limit: 5 });
    const checks = [
      done('submit_credit_limit_increase_request_7392', card),
      done('get_credit_limit_increase_history_4829', { credit_card_account_id: 'cc1' }),
      done('get_user_dispute_history_7291', { user_id: 'a1' }),
      done('get_pending_replacement_orders_5765', { credit_card_account_id: 'cc1' }),
      done('get_payment_history_6183', { credit_card_account_id: 'cc1', months: 3 }),
    ];
    const so = [...VERIFIED, unlocked('approve_credit_limit_increase_5847')];
    expect(rule(approve, having(...so, ...checks))).toBeUndefined();
    for (const missing of checks)
      expect(rule(approve, having(...so, ...checks.filter((one) => one !== missing)))).toBe('required');
    const other = done('get_payment_history_6183', { credit_card_account_id: 'cc2' });
    expect(rule(approve, having(...so, ...checks.slice(0, 4), other))).toBe('required');
    const refusal = judge(bankingGate, approve, having(...so, ...checks.slice(0, 4)));
    expect(refusal?.because).toContain('needs get_payment_history_* first');
  });

  it('a correction of rewards needs the dispute tool handed out [R5-TALK-GOV-REQUIRED]', () => {
    const update = inner('update_transaction_rewards_3847', { transaction_id: 't' });
    const so = [...VERIFIED, unlocked('update_transaction_rewards_3847')];
    const given = [
      call('give_discoverable_user_tool', { discoverable_tool_name: 'submit_cash_back_dispute_0589' }),
      'given',
    ] as const;
    expect(rule(update, having(...so))).toBe('required');
    expect(rule(update, having(...so, given))).toBeUndefined();
  });

  it('a tool that changes something is unlocked or handed out after a document named it [R5-TALK-GOV-REQUIRED]', () => {
    const unlock = (name: string) => call('unlock_discoverable_agent_tool', { agent_tool_name: name });
    expect(rule(unlock('close_bank_account_7392'), having())).toBeUndefined(); // the policy names it
    expect(rule(unlock('open_bank_account_4821'), having())).toBe('discovery');
    expect(rule(unlock('close_bank_account_739'), having())).toBe('discovery'); // a part of a name is none
    expect(
      rule(unlock('open_bank_account_4821'), having([call('KB_search'), 'Use open_bank_account_4821.'])),
    ).toBeUndefined();
    expect(rule(unlock('open_bank_account_4821'), having('I want open_bank_account_4821'))).toBe('discovery'); // a customer is no document
    expect(rule(unlock('get_payment_history_6183'), having())).toBeUndefined(); // it only reads
    const echo = [call('grep', { pattern: 'x' }), 'No matches found for pattern: open_bank_account_4821'] as const;
    expect(rule(unlock('open_bank_account_4821'), having(echo))).toBe('discovery');
  });
});

describe('what must not follow', () => {
  it.each([
    [
      'a limit after a dispute',
      'approve_credit_limit_increase_5847',
      'file_credit_card_transaction_dispute_4829',
      { user_id: 'a1' },
    ],
    [
      'a limit after a replacement',
      'approve_credit_limit_increase_5847',
      'order_replacement_credit_card_7291',
      { credit_card_account_id: 'cc1' },
    ],
    [
      'a closure after a replacement',
      'close_credit_card_account_7834',
      'order_replacement_credit_card_7291',
      { credit_card_account_id: 'cc1' },
    ],
    [
      'a second credit to an account',
      'apply_checking_account_credit_5829',
      'apply_checking_account_credit_5829',
      { account_id: 'k1' },
    ],
    [
      'a dispute after a block',
      'file_debit_card_transaction_dispute_6281',
      'set_debit_card_recurring_block_7382',
      { card_id: 'd1' },
    ],
  ] as const)('is refused: %s [R5-TALK-GOV-ORDER]', (_what, later, earlier, subject) => {
    const rules = { ...bankingGate, requires: [] };
    const so = [...VERIFIED, unlocked(later)];
    const about = { user_id: 'a1', ...subject };
    expect(judge(rules, inner(later, about), having(...so, done(earlier, about)))?.rule).toBe('order');
    expect(judge(rules, inner(later, about), having(...so))).toBeUndefined();
    expect(judge(rules, inner(later, about), having(...so, [inner(earlier, about), 'Error: no']))).toBeUndefined();
    const [field] = Object.keys(subject);
    const elsewhere = { ...about, [field ?? '']: 'another' };
    expect(judge(rules, inner(later, about), having(...so, done(earlier, elsewhere)))).toBeUndefined();
  });
});

describe('calls of one reply', () => {
  it('do not follow each other where they must not [R5-TALK-GOV-ORDER]', () => {
    const credit = (amount: number) => inner('apply_checking_account_credit_5829', { account_id: 'k1', amount });
    const rules = { ...bankingGate, requires: [] };
    const [one, two] = [credit(1), credit(2)];
    const so = having(...VERIFIED, unlocked('apply_checking_account_credit_5829'));
    const refusals = judgeTogether(rules, [one, two], so, new Set(['call_discoverable_agent_tool']));
    expect([...refusals].map(([made, refusal]) => [made, refusal.rule])).toEqual([[two, 'order']]);
    expect(judgeTogether(rules, [one], so, new Set([one.name])).size).toBe(0);
    expect(judgeTogether(rules, [one], so, new Set()).get(one)?.rule).toBe('unknown-tool');
  });
});

describe('a tool that only fails', () => {
  const failing = (args: unknown, times: number) =>
    Array.from({ length: times }, () => [call('get_user_information_by_id', args), 'Error: no'] as const);

  it('is not called a third time with the same arguments, until something has happened [R5-TALK-GOV-GATE]', () => {
    const again = call('get_user_information_by_id', { user_id: 'x' });
    expect(rule(again, having(...failing({ user_id: 'x' }, 1)))).toBeUndefined();
    expect(rule(again, having(...failing({ user_id: 'x' }, 2)))).toBe('retries');
    expect(rule(again, having(...failing({ user_id: 'x' }, 2), 'Try it once more.'))).toBeUndefined();
    expect(rule(again, having(...failing({ user_id: 'x' }, 2), [call('KB_search'), 'a document']))).toBe('retries');
    expect(rule(again, having(...VERIFIED, ...failing({ user_id: 'x' }, 2), [CHANGE, 'changed']))).toBeUndefined();
  });

  it('is the same call with other spaces and in another order of its fields [R5-TALK-GOV-GATE]', () => {
    const tries = ['{"a":1,"b":2}', '{ "b": 2, "a": 1 }'].map(
      (text) => [inner('close_bank_account_7392', text), 'Error'] as const,
    );
    const so = having(...VERIFIED, unlocked('close_bank_account_7392'), ...tries);
    expect(rule(inner('close_bank_account_7392', '{"a": 1, "b": 2}'), so)).toBe('retries');
    expect(rule(inner('close_bank_account_7392', '{"a": 1, "b": 3}'), so)).toBeUndefined();
  });

  it('is not called a fifth time with whatever arguments [R5-TALK-GOV-GATE]', () => {
    const tries = [1, 2, 3, 4].flatMap((n) => failing({ user_id: n }, 1));
    expect(rule(call('get_user_information_by_id', { user_id: 5 }), having(...tries.slice(1)))).toBeUndefined();
    expect(rule(call('get_user_information_by_id', { user_id: 5 }), having(...tries))).toBe('retries');
    expect(rule(call('get_user_information_by_email', { email: 5 }), having(...tries))).toBeUndefined();
  });
});

describe('a call that cannot be read', () => {
  it.each([
    ['no JSON', call('change_user_email', '{"user_id": "a1"')],
    ['a list', call('change_user_email', '["a1"]')],
    ['a wrapper without a name', call('call_discoverable_agent_tool', {})],
    [
      'a wrapper whose arguments are no object',
      call('call_discoverable_agent_tool', { agent_tool_name: 'x', arguments: 'NaN' }),
    ],
    [
      'a wrapper whose arguments are broken',
      call('call_discoverable_agent_tool', { agent_tool_name: 'x', arguments: '{"user_id": NaN}' }),
    ],
  ])('is refused: %s [R5-TALK-GOV-GATE]', (_what, proposed) => {
    expect(rule(proposed, having(...VERIFIED))).toBe('arguments');
  });

  it('is read where a provider sends nothing for no arguments', () => {
    expect(rule(call('get_current_time', ''), having())).toBeUndefined();
  });
});

describe('gate rules', () => {
  it.each([
    ['a limit of none', { retries: { sameTool: 0, sameCall: 1 } }, /sameTool/],
    [
      'more stated fields than there are',
      { identity: { ...bankingGate.identity, stated: { least: 2, of: { email: 'email' } } } },
      /at most all/,
    ],
    [
      'no stated field at all',
      { identity: { ...bankingGate.identity, stated: { least: 0, of: { email: 'email' } } } },
      /at least 1/,
    ],
    ['a wrapper behind none', { wrappers: [{ tool: 'a', does: 'call', names: 'n', after: 'b' }] }, /not a wrapper/],
  ])('are refused for %s', (_what, change, message) => {
    expect(() => checkedRules({ ...bankingGate, ...change } as typeof bankingGate)).toThrow(message);
  });
});
