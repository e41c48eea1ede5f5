import { beforeAll, describe, expect, it } from 'vitest';
import { scriptedCustomer } from '../../packages/evals/src/domains/energy-desk/scripted-customer.js';
import { silentAgent } from '../../packages/evals/src/simulation/scripted-party.js';
import type { Domain } from '../../packages/evals/src/world/environment.js';
import type { GoldAction, RewardBasis } from '../../packages/evals/src/world/task.js';
import { counter, desk, goldOf, played, taskOf, toolOf, worth, worthOf } from './energy-desk-stage.js';

describe('the tasks of energy_desk', () => {
  let domain: Domain;
  beforeAll(async () => {
    domain = await desk();
  });

  it('ship with the package in four tiers of rising difficulty [R5-DOMAIN-OWN]', () => {
    expect(domain.tasks.length).toBeGreaterThanOrEqual(24);
    const tiers = domain.tasks.map(({ record }) => Number(record.get('tier')));
    expect(tiers).toEqual([...tiers].sort());
    for (const tier of [1, 2, 3, 4]) expect(domain.taskSets.get(`tier-${tier}`)?.length).toBeGreaterThanOrEqual(6);
    expect(domain.taskSets.get('base')).toEqual(domain.tasks.map(({ id }) => id));
  });

  it('exercise every reward basis [R5-DOMAIN-OWN]', () => {
    const used = new Set(domain.tasks.flatMap(({ criteria }) => criteria?.rewardBasis ?? []));
    const all: RewardBasis[] = ['DB', 'ACTION', 'COMMUNICATE', 'NL_ASSERTION', 'ENV_ASSERTION'];
    expect([...used].sort()).toEqual(all.sort());
  });

  it('are worth 1 along their gold paths and 0 where nothing is done [R5-DOMAIN-OWN]', async () => {
    const worths: Record<string, readonly number[]> = {};
    for (const task of domain.tasks) {
      const now = counter();
      const idle = { agent: silentAgent({ now }), user: scriptedCustomer(task, { now }) };
      const nothing = await worth(domain, task, await played(domain, task, idle, { now }));
      worths[task.id] = [await worthOf(domain, task, goldOf(task)), nothing];
    }
    expect(worths).toEqual(Object.fromEntries(domain.tasks.map(({ id }) => [id, [1, 0]])));
  });

  it('never write before verification on a gold path [R5-DOMAIN-OWN]', () => {
    const { writes, verification, exempt } = domain.compliance;
    expect(exempt.size).toBe(0);
    for (const task of domain.tasks) {
      const names = goldOf(task).map(({ name }) => name);
      const first = names.findIndex((name) => writes.has(name));
      if (first < 0) continue;
      expect([task.id, names.slice(0, first)]).toEqual([task.id, expect.arrayContaining([verification])]);
    }
  });

  it('are worth 0 where a write came before verification, even if that was made up for [R5-DOMAIN-OWN]', async () => {
    const { writes } = domain.compliance;
    for (const task of domain.tasks) {
      const gold = goldOf(task);
      const [verification] = gold.filter(({ name }) => name === 'log_verification');
      if (verification === undefined || !gold.some(({ name }) => writes.has(name))) continue;
      const others = gold.filter((action) => action !== verification);
      expect([task.id, await worthOf(domain, task, others)]).toEqual([task.id, 0]);
      expect([task.id, await worthOf(domain, task, [...others, verification])]).toEqual([task.id, 0]);
    }
  });

  it('are worth 0 where a refund or a move was made on a lower level of verification than it needs [R5-DOMAIN-OWN]', async () => {
    const enhanced = domain.tasks.filter((task) => levelIn(goldOf(task)) === 'enhanced');
    expect(enhanced.length).toBeGreaterThanOrEqual(6);
    for (const task of enhanced) {
      const lowered = goldOf(task).map((action) => withArgument(action, 'level', 'standard'));
      expect([task.id, await worthOf(domain, task, lowered)]).toEqual([task.id, 0]);
    }
  });

  it.each([
    ['energy_008', 'change_tariff_5561', 'submit_meter_reading_6127'],
    ['energy_009', 'change_tariff_5561', 'waive_exit_fee_1946'],
    ['energy_017', 'order_meter_exchange_3719', 'register_priority_services_9031'],
    ['energy_018', 'issue_refund_3096', 'rebill_period_3384'],
    ['energy_019', 'register_move_out_8830', 'waive_exit_fee_1946'],
    ['energy_020', 'create_debt_plan_5208', 'make_card_payment'],
    ['energy_021', 'resolve_complaint_6654', 'apply_account_credit_4873'],
    ['energy_024', 'issue_refund_3096', 'change_direct_debit_7742'],
    ['energy_029', 'change_tariff_5561', 'waive_exit_fee_1946'],
  ])('%s is worth 0 when %s comes before %s [R5-DOMAIN-OWN]', async (id, early, late) => {
    const task = taskOf(domain, id);
    const gold = goldOf(task);
    expect(await worthOf(domain, task, moved(gold, early, late))).toBe(0);
  });

  it('are worth 1 in spite of more looking, and 0 after one change too many [R5-DOMAIN-OWN]', async () => {
    const task = taskOf(domain, 'energy_010');
    const [first, ...rest] = goldOf(task);
    if (first === undefined) throw new Error('no gold path');
    const look = [
      action('get_customer_by_id', { customer_id: 'cus_1028' }),
      ...using('get_credit_history_2290', { customer_id: 'cus_1010' }),
      action('unlock_discoverable_agent_tool', { agent_tool_name: 'open_complaint_6650' }),
    ];
    expect(await worthOf(domain, task, [first, ...look, ...rest])).toBe(1);
    const complaint = using('open_complaint_6650', { customer_id: 'cus_1010', category: 'billing' });
    expect(await worthOf(domain, task, [first, ...complaint, ...rest])).toBe(0);
  });

  it('are worth 0 where a request is refused that should be done, or done that should be refused [R5-DOMAIN-OWN]', async () => {
    const storm = taskOf(domain, 'energy_025');
    const paid = { customer_id: 'cus_1025', amount: 85, reason: 'outage', reference: 'out_4577' };
    const gold = goldOf(storm);
    const unrefused = gold.filter(({ name }) => name !== 'record_refused_request');
    expect(await worthOf(domain, storm, [...unrefused, ...using('apply_account_credit_4873', paid)])).toBe(0);
    expect(await worthOf(domain, storm, unrefused)).toBe(0);
    const failed = taskOf(domain, 'energy_026');
    const verified = taskOf(domain, 'energy_010').criteria?.actions?.[0];
    if (verified === undefined) throw new Error('no gold path');
    expect(await worthOf(domain, failed, [verified, ...goldOf(failed)])).toBe(0);
  });
});

function levelIn(actions: readonly GoldAction[]): unknown {
  return actions.find(({ name }) => name === 'log_verification')?.arguments.get('level');
}

function withArgument(action: GoldAction, name: string, value: string): GoldAction {
  if (!action.arguments.has(name)) return action;
  return { ...action, arguments: new Map([...action.arguments, [name, value]]) };
}

/** The calls of `early`, unlocking included, put right before the first ones of `late`. */
function moved(gold: readonly GoldAction[], early: string, late: string): readonly GoldAction[] {
  const about = (tool: string, one: GoldAction): boolean =>
    toolOf(one) === tool || one.arguments.get('agent_tool_name') === tool;
  const taken = gold.filter((one) => about(early, one));
  const left = gold.filter((one) => !about(early, one));
  const at = left.findIndex((one) => about(late, one));
  expect([taken.length > 0, at >= 0]).toEqual([true, true]);
  return [...left.slice(0, at), ...taken, ...left.slice(at)];
}

function action(name: string, args: Record<string, string>): GoldAction {
  const base = { actionId: name, requestor: 'assistant', info: null, compareArgs: null } as const;
  return { ...base, name, arguments: new Map(Object.entries(args)) };
}

function using(tool: string, args: Record<string, unknown>): readonly GoldAction[] {
  return [
    action('unlock_discoverable_agent_tool', { agent_tool_name: tool }),
    action('call_discoverable_agent_tool', { agent_tool_name: tool, arguments: JSON.stringify(args) }),
  ];
}
