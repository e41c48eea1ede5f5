import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseJson } from '../../packages/evals/src/tau2/python/json.js';
import type { PyDict, PyValue } from '../../packages/evals/src/tau2/python/value.js';
import type { Tables } from '../../packages/evals/src/world/database.js';
import type { ToolMessage } from '../../packages/evals/src/world/message.js';
import { agentData, bankWorlds, dict, list, text } from './banking-world.js';
import { tau2, withTau2 } from './tau2-data.js';

interface Action {
  readonly name: string;
  readonly requestor: 'assistant' | 'user';
  readonly arguments: PyDict;
}

/** The bank of one task, and what is said at its counter. */
interface Desk {
  readonly tables: Tables;
  do(action: Action): Promise<ToolMessage>;
  doAll(actions: readonly Action[]): Promise<readonly ToolMessage[]>;
  /** Unlocks a tool and calls it with JSON text. */
  use(tool: string, json: string): Promise<ToolMessage>;
  query(table: string, filterJson: string): string;
  hash(): string;
}

let worlds: ReturnType<typeof bankWorlds> | undefined;

async function desk(start: { readonly task?: string; readonly data?: string } = {}): Promise<Desk> {
  worlds ??= bankWorlds();
  const { env } = worlds(new Set());
  const patches = [start.task === undefined ? null : agentData(start.task), start.data ? parseJson(start.data) : null];
  for (const agentData of patches) {
    await env.setState({ agentData, userData: null, actions: null, history: null }, { strict: true });
  }
  let calls = 0;
  const perform = (action: Action): Promise<ToolMessage> => {
    calls += 1;
    return env.respond({ ...action, id: String(calls) });
  };
  return {
    tables: env.agent.database as Tables,
    do: perform,
    async doAll(actions) {
      const answers: ToolMessage[] = [];
      for (const action of actions) answers.push(await perform(action));
      return answers;
    },
    async use(tool, json) {
      await perform(agent('unlock_discoverable_agent_tool', { agent_tool_name: tool }));
      return perform(agent('call_discoverable_agent_tool', { agent_tool_name: tool, arguments: json }));
    },
    query: (table, filterJson) => (env.agent.database as Tables).printQuery(table, filterJson),
    hash: () => String(env.hashes().agent),
  };
}

function agent(name: string, args: Readonly<Record<string, PyValue>>): Action {
  return { name, requestor: 'assistant', arguments: new Map(Object.entries(args)) };
}

function user(name: string, args: Readonly<Record<string, PyValue>>): Action {
  return { ...agent(name, args), requestor: 'user' };
}

/** What a task's right course calls. */
function goldOf(task: string): readonly Action[] {
  const file = readFileSync(`${tau2().data}/domains/banking_knowledge/tasks/${task}.json`, 'utf8');
  const criteria = dict(dict(parseJson(file)).get('evaluation_criteria'));
  return list(criteria.get('actions')).map((action) => ({
    name: text(dict(action).get('name')),
    requestor: text(dict(action).get('requestor')) as Action['requestor'],
    arguments: dict(dict(action).get('arguments')),
  }));
}

const account =
  '{"users": {"data": {"ann": {"user_id": "ann", "name": "Ann Bell"}}}, "accounts": {"data": {"chk": {"account_id": "chk", ' +
  '"user_id": "ann", "class": "checking", "level": "Blue Account", "status": "OPEN", "date_opened": "01/02/2024", ' +
  '"current_holdings": "1000.00"}}}, "debit_cards": {"data": {"card": {"card_id": "card", "account_id": "other", ' +
  '"status": "ACTIVE", "daily_atm_limit": 500}}}, "credit_card_accounts": {"data": {"cc": {"account_id": "cc", ' +
  '"user_id": "ann", "credit_limit": "$5000.00", "current_balance": "$100.00"}}}}';

const dispute =
  '"transaction_id": "t1", "account_id": "chk", "card_id": "card", "user_id": "ann", "dispute_category": "duplicate_charge", ' +
  '"transaction_date": "11/05/2025", "discovery_date": "11/06/2025", "transaction_type": "online_purchase", ' +
  '"card_in_possession": true, "pin_compromised": "no", "contacted_merchant": true, "police_report_filed": false, ' +
  '"written_statement_provided": true, "provisional_credit_eligible": true, "card_action": "keep_active"';

withTau2('numbers in the arguments of discoverable tools', () => {
  it.each([
    ['apply_checking_account_credit_5829', '{"account_id": "chk", "amount": #, "credit_type": "fee_refund"}'],
    [
      'apply_statement_credit_8472',
      '{"user_id": "ann", "credit_card_account_id": "cc", "amount": #, "reason": "other"}',
    ],
    [
      'order_debit_card_5739',
      '{"account_id": "chk", "user_id": "ann", "delivery_option": "RUSH", "delivery_fee": #, "card_design": "CLASSIC", "design_fee": #, "shipping_address": "1 Main"}',
    ],
    [
      'submit_interest_discrepancy_report_7294',
      '{"account_id": "chk", "user_id": "ann", "expected_apy": #, "actual_apy": 2, "amount_difference": #}',
    ],
    [
      'file_debit_card_transaction_dispute_6281',
      `{${dispute}, "disputed_amount": #, "customer_max_liability_amount": #}`,
    ],
    [
      'submit_credit_limit_increase_request_7392',
      '{"credit_card_account_id": "cc", "user_id": "ann", "requested_increase_amount": #}',
    ],
  ])(
    '%s takes 33 and 33.0 for the same: answer, ids, records and hash [R5-DOMAIN-BANKING-TOOLS]',
    async (tool, json) => {
      const [whole, float] = [await desk({ data: account }), await desk({ data: account })];
      const before = whole.hash();
      const said = await whole.use(tool, json.replaceAll('#', '33'));
      expect(said.content).not.toMatch(/^Error/);
      expect((await float.use(tool, json.replaceAll('#', '33.0'))).content).toBe(said.content);
      expect(float.hash()).toBe(whole.hash());
      expect(whole.hash()).not.toBe(before);
    },
  );

  it('are kept as they came in a direct call, which needs no unlocking and leaves no log', async () => {
    const args = (amount: string): PyDict =>
      dict(parseJson(`{${dispute}, "disputed_amount": ${amount}, "customer_max_liability_amount": 0}`));
    const [whole, float] = [await desk({ data: account }), await desk({ data: account })];
    const name = 'file_debit_card_transaction_dispute_6281';
    await whole.do({ name, requestor: 'assistant', arguments: args('33') });
    await float.do({ name, requestor: 'assistant', arguments: args('33.0') });
    expect(whole.hash()).not.toBe(float.hash());
    expect([...whole.tables.records('agent_discoverable_tools')]).toEqual([]);
    const [record] = [...whole.tables.records('debit_card_disputes').values()];
    expect(record?.get('disputed_amount')).toBe(33n);
  });

  it('are refused with a fraction where whole dollars are meant, and nothing but the call is noted', async () => {
    const at = await desk({ data: account });
    const limit = await at.use(
      'request_temporary_debit_card_limit_increase_8374',
      '{"card_id": "card", "limit_type": "atm", "new_limit": 600.5}',
    );
    const request = await at.use(
      'submit_credit_limit_increase_request_7392',
      '{"credit_card_account_id": "cc", "user_id": "ann", "requested_increase_amount": 600.5}',
    );
    for (const { error, content } of [limit, request]) {
      expect(error).toBe(false);
      expect(content).toMatch(/^Error: .*whole/);
    }
    expect(at.tables.get('debit_cards', 'card')?.get('daily_atm_limit')).toBe(500n);
    expect(at.query('credit_limit_increase_requests', '{"user_id": "ann"}')).toMatch(/^No records/);
    expect(at.query('agent_discoverable_tools', '{}')).toContain('Found 2 record(s)');
  });
});

const tool = 'submit_cash_back_dispute_0589';
const rewards = 'update_transaction_rewards_3847';
const resolving = '{"task_config": {"data": {"dispute_settings": {"auto_resolve_disputes": true}}}}';

withTau2('a dispute of cash back', () => {
  const submit = user('call_discoverable_user_tool', {
    discoverable_tool_name: tool,
    arguments: '{"user_id": "755bcb4d5d", "transaction_id": "txn_a8f1c2d3e403"}',
  });
  const give = agent('give_discoverable_user_tool', { discoverable_tool_name: tool });
  const update = agent('call_discoverable_agent_tool', {
    agent_tool_name: rewards,
    arguments: '{"transaction_id": "txn_a8f1c2d3e403", "new_rewards_earned": "6300 points"}',
  });
  const unlock = agent('unlock_discoverable_agent_tool', { agent_tool_name: rewards });

  it('is given, submitted, resolved and ends in new rewards [R5-DOMAIN-BANKING-TOOLS]', async () => {
    const at = await desk({ data: resolving });
    const answers = await at.doAll([give, submit, unlock, update]);
    expect(answers.filter(({ content }) => content.startsWith('Error'))).toEqual([]);
    expect(at.query('cash_back_disputes', '{}')).toMatch(/status: RESOLVED\n {3}resolution: APPROVED/);
    expect(at.query('credit_card_transaction_history', '{"transaction_id": "txn_a8f1c2d3e403"}')).toContain(
      '6300 points',
    );
    expect(at.query('user_discoverable_tool_calls', '{}')).toContain(`tool_name: ${tool}`);
    expect(at.query('agent_discoverable_tools', '{}')).toContain(`tool_name: ${rewards}\n   status: CALLED`);
  });

  it('waits for a review where the bank does not resolve by itself', async () => {
    const at = await desk();
    await at.doAll([give, submit]);
    expect(at.query('cash_back_disputes', '{}')).toMatch(/status: SUBMITTED\n$/);
  });

  it('goes nowhere in the wrong order: before it is given, before it is unlocked', async () => {
    const at = await desk({ data: resolving });
    const before = at.hash();
    const [early, locked] = await at.doAll([submit, update]);
    expect([early?.content, locked?.content].every((said) => said?.startsWith('Error'))).toBe(true);
    expect(at.hash()).toBe(before); // not even the attempts are noted
    await at.doAll([give, submit, submit]);
    expect(at.query('cash_back_disputes', '{}')).toContain('Found 1 record(s)');
    expect(at.query('user_discoverable_tool_calls', '{}')).toContain('Found 1 record(s)');
  });

  it('is not given with parameters that the tool does not have, nor called with too few or too many', async () => {
    const at = await desk();
    const stray = agent('give_discoverable_user_tool', { discoverable_tool_name: tool, arguments: '{"amount": 5}' });
    const call = (args: string): Action =>
      user('call_discoverable_user_tool', { discoverable_tool_name: tool, arguments: args });
    const answers = await at.doAll([
      stray,
      give,
      call('{"user_id": "755bcb4d5d"}'),
      call('{"user_id": "a", "transaction_id": "b", "amount": 5}'),
      call('{'),
      user('call_discoverable_user_tool', { discoverable_tool_name: 'no_such_tool', arguments: '{}' }),
    ]);
    expect(answers.map(({ content }) => content.startsWith('Error'))).toEqual([true, false, true, true, true, true]);
    expect(at.query('cash_back_disputes', '{}')).toBe("No records found in 'cash_back_disputes'.");
  });
});

const TASKS = [
  { task: 'task_026', state: 'RESOLVED', disputes: 4, updates: 4 },
  { task: 'task_027', state: 'SUBMITTED', disputes: 4, updates: 0 },
  { task: 'task_028', state: 'RESOLVED', disputes: 6, updates: 6 },
  { task: 'task_029', state: 'SUBMITTED', disputes: 6, updates: 0 },
];

withTau2('tasks 026 to 029, whole', () => {
  const played = async (task: string, actions: readonly Action[]): Promise<Desk> => {
    const at = await desk({ task });
    await at.doAll(actions);
    return at;
  };

  it.each(TASKS)(
    '$task ends with all its disputes $state and its rewards right [R5-DOMAIN-BANKING-ORACLE]',
    async ({ task, state, disputes, updates }) => {
      const gold = goldOf(task);
      const at = await played(task, gold);
      const filed = [...at.tables.records('cash_back_disputes').values()];
      expect(filed.map((one) => one.get('status'))).toEqual(Array(disputes).fill(state));
      const wanted = gold.filter(
        ({ arguments: args }) => args.get('agent_tool_name') === rewards && args.has('arguments'),
      );
      expect(wanted).toHaveLength(updates);
      for (const { arguments: args } of wanted) {
        const inner = dict(parseJson(args.get('arguments') ?? null));
        const record = at.tables.get('credit_card_transaction_history', text(inner.get('transaction_id')));
        expect(record?.get('rewards_earned')).toBe(inner.get('new_rewards_earned'));
      }
      const verified = [...at.tables.records('verification_history').values()].at(-1);
      expect(verified?.get('user_id')).toBe(gold[0]?.arguments.get('user_id'));
    },
  );

  it.each(TASKS)('$task ends the same whatever the order of disputes and of repeated calls', async ({ task }) => {
    const gold = goldOf(task);
    const right = (await played(task, gold)).hash();
    const byUser = gold.filter(({ requestor }) => requestor === 'user');
    const before = gold.slice(0, 2);
    const after = gold.slice(2 + byUser.length);
    expect((await played(task, [...before, ...byUser.toReversed(), ...after])).hash()).toBe(right);
    expect((await played(task, [...before, ...byUser, ...byUser, ...after, ...after])).hash()).toBe(right);
    expect((await played(task, [...before, ...after, ...byUser])).hash()).toBe(right); // rewards first: the end is what counts
  });

  it.each(TASKS)(
    '$task ends otherwise where a call comes too early, is left out, or is one too many',
    async ({ task, updates }) => {
      const gold = goldOf(task);
      const right = (await played(task, gold)).hash();
      const given = gold.findIndex(({ name }) => name === 'give_discoverable_user_tool');
      const late = [...gold.toSpliced(given, 1), ...gold.slice(given, given + 1)];
      const another = user('call_discoverable_user_tool', {
        discoverable_tool_name: tool,
        arguments: '{"user_id": "x", "transaction_id": "y"}',
      });
      const correction = [
        agent('unlock_discoverable_agent_tool', { agent_tool_name: rewards }),
        agent('call_discoverable_agent_tool', {
          agent_tool_name: rewards,
          arguments: '{"transaction_id": "txn_a8f1c2d3e403", "new_rewards_earned": "1 points"}',
        }),
      ];
      const wrong = [late, gold.slice(1), gold.toSpliced(2, 1), [...gold, another], [...gold, ...correction]];
      if (updates > 0) wrong.push(gold.filter(({ name }) => name !== 'unlock_discoverable_agent_tool'));
      for (const actions of wrong) expect((await played(task, actions)).hash()).not.toBe(right);
    },
  );
});

withTau2('asking the bank’s database', () => {
  const found = (said: string): number => Number(/^Found (\d+) record/.exec(said)?.[1] ?? 0);

  it('filters by every operator, and takes an unknown one for equality [R5-DOMAIN-BANKING-TOOLS]', async () => {
    const data = ['a', 'b', 'c'].map(
      (id, at) => `"${id}": {"referral_id": "${id}", "n": ${at + 1}, "tag": "x${id}y", "list": [${at}]}`,
    );
    const at = await desk({ data: `{"referrals": {"data": {${data.join(', ')}}}}` });
    const mine = (filter: string): number => found(at.query('referrals', `{${filter}}`));
    const counts = {
      '"n": 2': 1,
      '"n": 2.0': 1,
      '"n__eq": 2': 1,
      '"n__ne": 2, "n__gt": 0': 2,
      '"n__gt": 1': 2,
      '"n__gte": 1': 3,
      '"n__lt": 2': 1,
      '"n__lte": 2': 2,
      '"tag__contains": "b"': 1,
      '"list__contains": 2': 1,
      '"tag__startswith": "xa"': 1,
      '"tag__endswith": "cy"': 1,
      '"n__in": [1, 3]': 2,
      '"n__nin": [1, 3], "n__gte": 0': 1,
      '"n__like": 2': 1,
      '"n__gt": "text"': 0,
      '"n__gte": 1, "limit": 2': 2,
    };
    expect(Object.fromEntries(Object.keys(counts).map((filter) => [filter, mine(filter)]))).toEqual(counts);
  });

  it('prints ids and fields, and answers bad JSON and unknown tables with a text', async () => {
    const at = await desk();
    expect(at.query('users', '{"user_id": "755bcb4d5d"}')).toMatch(
      /^Found 1 record\(s\) in 'users':\n\n1\. Record ID: 755bcb4d5d\n {3}/,
    );
    expect(at.query('users', '{"user_id": "nobody"}')).toBe("No records found in 'users'.");
    expect(at.query('users', '{user}')).toMatch(/^Error: Invalid JSON: Expecting property name/);
    expect(at.query('ghosts', '{}')).toMatch(/^Error: .*'ghosts'/);
  });
});
