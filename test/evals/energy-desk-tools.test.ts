import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Domain, Environment } from '../../packages/evals/src/world/environment.js';
import { answer, desk, taskOf, use } from './energy-desk-stage.js';

const TIME = '2026-03-10 10:15:00 GMT';

describe('the tools of energy_desk', () => {
  let domain: Domain;
  let world: Environment;
  beforeAll(async () => {
    domain = await desk();
  });
  beforeEach(() => {
    world = domain.environment({ retrieval: 'no_knowledge' });
  });

  const hash = (): string | null => world.hashes().agent;
  const balance = async (customer: string): Promise<string | undefined> =>
    (await answer(world, 'get_account', { customer_id: customer })).match(/balance: (-?[\d.]+)/)?.[1];

  it.each([
    ['get_meter_readings_4418', { meter_id: 'mtr_9' }, /no record 'mtr_9'/],
    ['submit_meter_reading_6127', { meter_id: 'mtr_1002e', reading: 48000, source: 'customer' }, /photograph/],
    [
      'submit_meter_reading_6127',
      { meter_id: 'mtr_1002e', reading: 60000, source: 'engineer' },
      /outside the expected/,
    ],
    ['submit_meter_reading_6127', { meter_id: 'mtr_1002e', reading: 48950.5, source: 'customer' }, /whole number/],
    ['submit_meter_reading_6127', { meter_id: 'mtr_1013g', reading: 9187, source: 'photo' }, /no photograph/],
    ['rebill_period_3384', { bill_id: 'bill_1018e_1', reading_id: 'rd_1018e_2' }, /only an estimated bill/],
    ['rebill_period_3384', { bill_id: 'bill_1018e_2', reading_id: 'rd_1018e_3' }, /is an estimate/],
    ['rebill_period_3384', { bill_id: 'bill_1018e_2', reading_id: 'rd_1018e_2' }, /older than the end/],
    ['rebill_period_3384', { bill_id: 'bill_1018e_2', reading_id: 'rd_1029e_2' }, /another meter/],
    ['apply_back_billing_limit_4156', { bill_id: 'bill_1018e_1' }, /no charges/],
    ['change_tariff_5561', { supply_point_id: 'sp_1034e', tariff_id: 'tar_night_e' }, /smart meter/],
    ['change_tariff_5561', { supply_point_id: 'sp_1009e', tariff_id: 'tar_saver24_e' }, /closed/],
    ['change_tariff_5561', { supply_point_id: 'sp_1009e', tariff_id: 'tar_fix12_g' }, /other fuel/],
    ['change_tariff_5561', { supply_point_id: 'sp_1009e', tariff_id: 'tar_pre_e' }, /does not fit/],
    ['change_tariff_5561', { supply_point_id: 'sp_1009e', tariff_id: 'tar_fix12_e' }, /already/],
    ['waive_exit_fee_1946', { contract_id: 'con_1008e', reason: 'end_window' }, /no exit fee/],
    ['waive_exit_fee_1946', { contract_id: 'con_1009e', reason: 'kindness' }, /must be one of end_window/],
    ['set_up_direct_debit_8205', directDebit('cus_1012', 5, '2026-04-05'), /not confirmed a mandate/],
    ['change_direct_debit_7742', directDebit('cus_1012', 5, '2026-04-05'), /no active Direct Debit/],
    ['change_direct_debit_7742', directDebit('cus_1003', 29, '2026-03-29'), /from 1 to 28/],
    ['change_direct_debit_7742', directDebit('cus_1003', 28, '2026-03-27'), /fall on the collection day/],
    ['change_direct_debit_7742', directDebit('cus_1003', 10, '2026-03-10'), /in the future/],
    ['change_direct_debit_7742', directDebit('cus_1003', 28, '2026-02-30'), /is not a date/],
    ['issue_refund_3096', { customer_id: 'cus_1010', amount: 386.21, destination: 'cheque' }, /more than the credit/],
    ['issue_refund_3096', { customer_id: 'cus_1010', amount: 10.005, destination: 'cheque' }, /pounds and pence/],
    ['issue_refund_3096', { customer_id: 'cus_1010', amount: -5, destination: 'cheque' }, /pounds and pence/],
    ['apply_account_credit_4873', credit('cus_1010', 'goodwill', 'cmp_1033_1'), /another customer/],
    ['apply_account_credit_4873', credit('cus_1033', 'outage', 'out_0'), /no record 'out_0'/],
    ['resolve_complaint_6654', { complaint_id: 'cmp_1033_1', outcome: 'upheld' }, /not open/],
    ['book_engineer_visit_2817', visit('sp_1007e', '2026-03-15', 'AM'), /no visits on that day/],
    ['book_engineer_visit_2817', visit('sp_1007e', '2026-04-03', 'AM'), /no visits on that day/],
    ['book_engineer_visit_2817', visit('sp_1007e', '2026-03-14', 'PM'), /Saturdays/],
    ['book_engineer_visit_2817', visit('sp_1007e', '2026-03-10', 'AM'), /within the next 60 days/],
    ['book_engineer_visit_2817', visit('sp_1007e', '2026-05-11', 'AM'), /within the next 60 days/],
    ['cancel_engineer_visit_2819', { appointment_id: 'apt_1015_1', reason: 'customer_request' }, /not booked/],
    [
      'order_meter_exchange_3719',
      { ...visit('sp_1036e', '2026-03-26', 'AM'), reason: 'customer_request' },
      /three-phase/,
    ],
    ['register_priority_services_9031', { customer_id: 'cus_1021', needs: 'sight' }, /registered already/],
    [
      'register_priority_services_9031',
      { customer_id: 'cus_1006', needs: 'mobility,wealth' },
      /'wealth' is not a need/,
    ],
    ['create_debt_plan_5208', { customer_id: 'cus_1010', monthly_amount: 10, months: 12 }, /not in debit/],
    ['create_debt_plan_5208', { customer_id: 'cus_1020', monthly_amount: 10, months: 12 }, /do not fit/],
    ['create_debt_plan_5208', { customer_id: 'cus_1020', monthly_amount: 64, months: 12 }, /do not fit/],
    ['set_prepayment_recovery_5213', { meter_id: 'mtr_1010g', weekly_amount: 3 }, /not in prepayment mode/],
    ['add_prepayment_support_credit_1177', { meter_id: 'mtr_1014e', amount: 51 }, /at most £50.00/],
    ['register_move_out_8830', moveOut('2026-02-09'), /within 28 days back/],
    ['register_move_in_8834', moveIn('sp_1008e'), /not vacant/],
    ['change_meter_mode_3725', { meter_id: 'mtr_1008e', mode: 'prepayment' }, /only a smart meter/],
    ['confirm_referral_credit_6402', { referral_id: 'ref_9', amount: 50 }, /no record 'ref_9'/],
  ])('%s refuses %o and leaves no trace [R5-DOMAIN-OWN]', async (tool, args, because) => {
    const before = hash();
    const said = await use(world, tool, args);
    expect(said).toMatch(/^Error: /);
    expect(said).toMatch(because);
    expect(hash()).toBe(before);
  });

  it('takes back what a refused call had begun [R5-DOMAIN-OWN]', async () => {
    const change = (tariff: string) =>
      use(world, 'change_tariff_5561', { supply_point_id: 'sp_1005e', tariff_id: tariff });
    await change('tar_fix12_e');
    await change('tar_std_e');
    const before = hash();
    // the third contract would have the id of the first: the second is not ended for it, and no fee is charged
    expect(await change('tar_fix12_e')).toMatch(/^Error: the record 'con_\w+' exists already/);
    expect(hash()).toBe(before);
  });

  it('keeps specialist tools locked until they are asked for by their exact names [R5-DOMAIN-OWN]', async () => {
    const before = hash();
    const call = {
      agent_tool_name: 'open_complaint_6650',
      arguments: '{"customer_id": "cus_1005", "category": "billing"}',
    };
    expect(await answer(world, 'call_discoverable_agent_tool', call)).toMatch(/^Error: unlock open_complaint_6650/);
    const unknown = { agent_tool_name: 'open_complaint_6651' };
    expect(await answer(world, 'unlock_discoverable_agent_tool', unknown)).toMatch(/^Error: there is no tool/);
    const unlocked = await answer(world, 'unlock_discoverable_agent_tool', { agent_tool_name: 'open_complaint_6650' });
    expect(unlocked).toContain('- category: string (required)');
    expect(hash()).toBe(before);
    for (const text of [
      '{',
      '[]',
      '{"customer_id": "cus_1005"}',
      '{"customer_id": "cus_1005", "category": "x", "y": 1}',
    ]) {
      expect(await answer(world, 'call_discoverable_agent_tool', { ...call, arguments: text })).toMatch(/^Error: /);
    }
    expect(hash()).toBe(before);
    expect(await answer(world, 'call_discoverable_agent_tool', call)).toMatch(/^Complaint cmp_\w+ opened/);
    expect(await answer(world, 'list_discoverable_agent_tools', {})).toContain('tool_name: open_complaint_6650');
  });

  it('lets customers use only what they were handed [R5-DOMAIN-OWN]', async () => {
    const call = { discoverable_tool_name: 'activate_emergency_credit_1102', arguments: '{"meter_id": "mtr_1014e"}' };
    expect(await answer(world, 'call_discoverable_user_tool', call)).toMatch(/^Error: .*not been handed/);
    const odd = { discoverable_tool_name: 'activate_emergency_credit_1102', arguments: '{"colour": "red"}' };
    expect(await answer(world, 'give_discoverable_user_tool', odd)).toMatch(/^Error: .*no parameter 'colour'/);
    await answer(world, 'give_discoverable_user_tool', { discoverable_tool_name: 'activate_emergency_credit_1102' });
    expect(await answer(world, 'list_discoverable_user_tools', {})).toContain('activate_emergency_credit_1102');
    expect(await answer(world, 'call_discoverable_user_tool', call)).toContain('£10.35');
    expect(await answer(world, 'call_discoverable_user_tool', call)).toMatch(/^Error: .*in use already/);
  });

  it('shows a meter to the customer and not to the desk [R5-DOMAIN-OWN]', async () => {
    expect(await answer(world, 'read_meter_display', { meter_id: 'mtr_1002e' })).toContain('48950');
    expect(await answer(world, 'get_supply_points', { customer_id: 'cus_1002' })).not.toContain('48950');
    expect(world.agent.has('read_meter_display')).toBe(false);
  });

  /** Whether it stays visible that something was done before verification, though it was done again after it. */
  const isEarlySeen = async (what: (each: Environment) => Promise<unknown>, again = what): Promise<boolean> => {
    const task = taskOf(domain, 'energy_011');
    const [early, late] = [domain.environment({ task }), domain.environment({ task })];
    await what(early);
    await answer(early, 'log_verification', verification('standard'));
    await again(early);
    await answer(late, 'log_verification', verification('standard'));
    await what(late);
    await again(late);
    return early.hashes().agent !== late.hashes().agent;
  };

  it('notes with every change what was verified when it was first made [R5-DOMAIN-OWN]', async () => {
    const complain = (category: string) => (each: Environment) =>
      use(each, 'open_complaint_6650', { customer_id: 'cus_1005', category });
    expect(await isEarlySeen(complain('billing'), complain('service'))).toBe(true);
    const contact = { customer_id: 'cus_1005', field: 'email', new_value: 'petra@example.org' };
    expect(await isEarlySeen((each) => answer(each, 'update_contact_details', contact))).toBe(true);
  });

  it('notes so too for refusals, for tools that are handed over, and for reads that a task asks for [R5-DOMAIN-OWN]', async () => {
    const refusal = { customer_id: 'cus_1005', request: 'refund', rule: 'REF-6' };
    expect(await isEarlySeen((each) => answer(each, 'record_refused_request', refusal))).toBe(true);
    const form = { discoverable_tool_name: 'upload_meter_photo_5590' };
    expect(await isEarlySeen((each) => answer(each, 'give_discoverable_user_tool', form))).toBe(true);
    expect(await isEarlySeen((each) => use(each, 'get_outage_record_7053', { postcode: 'QX4 6HD' }))).toBe(true);
    expect(await isEarlySeen((each) => use(each, 'get_credit_history_2290', { customer_id: 'cus_1005' }))).toBe(false);
  });

  it('raises a verification once, and never lowers or repeats it [R5-DOMAIN-OWN]', async () => {
    await answer(world, 'log_verification', verification('standard'));
    expect(await answer(world, 'log_verification', verification('enhanced'))).toContain('level enhanced');
    const raised = hash();
    expect(await answer(world, 'log_verification', verification('enhanced'))).toMatch(/^Error: .*already/);
    expect(await answer(world, 'log_verification', verification('standard'))).toMatch(/^Error: .*already/);
    expect(hash()).toBe(raised);
    const other = domain.environment({ retrieval: 'no_knowledge' });
    await answer(other, 'log_verification', verification('enhanced'));
    expect(other.hashes().agent).toBe(raised);
  });

  it('records a refusal by a rule, and one transfer without its summary [R5-DOMAIN-OWN]', async () => {
    const refusal = { customer_id: 'cus_1005', request: 'refund', rule: 'REF-6' };
    expect(await answer(world, 'record_refused_request', { ...refusal, rule: 'because' })).toMatch(/^Error: rule/);
    expect(await answer(world, 'record_refused_request', { ...refusal, request: 'tea' })).toMatch(/^Error: request/);
    expect(await answer(world, 'record_refused_request', refusal)).toContain('REF-6');
    const other = domain.environment({ retrieval: 'no_knowledge' });
    await answer(other, 'record_refused_request', refusal);
    await answer(world, 'transfer_to_human_agents', { summary: 'one way', reason: 'refund_review' });
    await answer(other, 'transfer_to_human_agents', { summary: 'another way', reason: 'refund_review' });
    expect(world.hashes()).toEqual(other.hashes());
    expect(await answer(world, 'transfer_to_human_agents', { summary: 'x' })).toMatch(/^Error: .*already/);
  });

  it('counts in pence: a bill, a fee and a credit end in the balance they should [R5-DOMAIN-OWN]', async () => {
    const reading = await use(world, 'submit_meter_reading_6127', {
      meter_id: 'mtr_1018e',
      reading: 31304,
      source: 'customer',
    });
    const id = reading.match(/rd_\w+/)?.[0];
    const rebilled = await use(world, 'rebill_period_3384', { bill_id: 'bill_1018e_2', reading_id: id });
    expect(rebilled).toContain('648 units, £220.54');
    expect(await balance('cus_1018')).toBe('265.37');
    await use(world, 'change_tariff_5561', { supply_point_id: 'sp_1009e', tariff_id: 'tar_std_e' });
    expect(await balance('cus_1009')).toBe('64.60');
    await use(world, 'confirm_referral_credit_6402', { referral_id: 'ref_2201', amount: 75 });
    expect([await balance('cus_1022'), await balance('cus_1122')]).toEqual(['54.50', '89.00']);
    expect(await use(world, 'confirm_referral_credit_6402', { referral_id: 'ref_2201', amount: 75 })).toMatch(
      /paid already/,
    );
    await answer(world, 'make_card_payment', { customer_id: 'cus_1020', amount: 64 });
    expect(await balance('cus_1020')).toBe('-576.00');
  });

  it('treats 33 and 33.0 as one amount, and needs in any order as one entry [R5-DOMAIN-OWN]', async () => {
    const other = domain.environment({ retrieval: 'no_knowledge' });
    const plan = (months: string) => `{"customer_id": "cus_1020", "monthly_amount": ${months}, "months": 10}`;
    for (const [each, text] of [
      [world, plan('64')],
      [other, plan('64.0')],
    ] as const) {
      await answer(each, 'unlock_discoverable_agent_tool', { agent_tool_name: 'create_debt_plan_5208' });
      const call = { agent_tool_name: 'create_debt_plan_5208', arguments: text };
      expect(await answer(each, 'call_discoverable_agent_tool', call)).toContain('the last £64.00');
    }
    const register = (needs: string) => ({ customer_id: 'cus_1006', needs, doorstep_password: 'Bluebell' });
    await use(world, 'register_priority_services_9031', register('mobility, pensionable_age'));
    await use(other, 'register_priority_services_9031', register('pensionable_age,mobility'));
    expect(world.hashes()).toEqual(other.hashes());
  });

  it('answers a call that does not bind with an error that counts [R5-DOMAIN-OWN]', async () => {
    const call = { id: 'c', name: 'get_bills', arguments: new Map(), requestor: 'assistant' } as const;
    const { content, error } = await world.respond(call);
    expect([error, content]).toEqual([true, expect.stringContaining("'customer_id'")]);
  });

  it('offers the configurations that need no key by default, and names them when asked for another [R5-DOMAIN-OWN]', () => {
    expect(domain.defaultRetrieval).toBe('bm25_grep');
    expect(() => domain.environment({ retrieval: 'openai_embeddings' })).toThrow(/There are no_knowledge, .*hybrid/);
    for (const retrieval of domain.retrievals) {
      const { policy, agent } = domain.environment({ retrieval });
      expect(policy).not.toMatch(/\{\{/);
      expect(agent.schemas.length).toBeGreaterThanOrEqual(17);
      for (const { name } of agent.schemas) expect([name, agent.has(name)]).toEqual([name, true]);
    }
    expect(domain.environment({ retrieval: 'alltools' }).agent.has('KB_search_dense')).toBe(true);
  });
});

function directDebit(customer: string, day: number, first: string): Record<string, unknown> {
  return { customer_id: customer, monthly_amount: 100, collection_day: day, first_collection_date: first };
}

function credit(customer: string, reason: string, reference: string): Record<string, unknown> {
  return { customer_id: customer, amount: 30, reason, reference };
}

function visit(point: string, date: string, slot: string): Record<string, unknown> {
  const base = { supply_point_id: point, date, slot };
  return point === 'sp_1036e' ? base : { ...base, visit_type: 'meter_inspection' };
}

function moveOut(date: string): Record<string, unknown> {
  return { supply_point_id: 'sp_1019e', move_date: date, final_reading: 15362, forwarding_postcode: 'QX5 2FN' };
}

function moveIn(point: string): Record<string, unknown> {
  return { customer_id: 'cus_1019', supply_point_id: point, move_date: '2026-03-07', opening_reading: 70218 };
}

function verification(level: string): Record<string, unknown> {
  return {
    name: 'Petra Vance',
    customer_id: 'cus_1005',
    date_of_birth: '1974-03-22',
    email: 'petra.vance@example.org',
    phone_number: '07700 900175',
    postcode: 'QX6 1DG',
    level,
    time_verified: TIME,
  };
}
