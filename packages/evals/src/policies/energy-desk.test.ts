import { describe, expect, it } from 'vitest';
import { judge } from '../../../flyball/src/agents/policies/gate.js';
import { Witness } from '../../../flyball/src/agents/policies/witness.js';
import type { ToolCall } from '../../../flyball/src/core/model.js';
import { energyGate } from './energy-desk.js';

const IDA = {
  customer_id: 'cus_1',
  name: 'Ida Marsh',
  date_of_birth: '1986-04-17',
  email: 'ida@marsh.example',
  phone_number: '07700 900114',
  postcode: 'QX1 4TB',
};
const lines = Object.entries({ ...IDA, nominated_contact: 'Noel Marsh' }).map(
  ([field, value]) => `   ${field}: ${value}`,
);
const FOUND = `Found 1 record(s) in 'customers':\n\n1. Record ID: cus_1\n${lines.join('\n')}\n`;

const POINTS = [
  "Found 1 record(s) in 'supply_points':\n\n1. Record ID: sp\n   supply_point_id: sp\n",
  "Found 1 record(s) in 'meters':\n\n1. Record ID: m\n   meter_id: m\n",
].join('\n');

let ids = 0;
const call = (name: string, args: unknown = {}): ToolCall => ({
  id: `c${++ids}`,
  name,
  arguments: JSON.stringify(args),
});
const inner = (tool: string, args: unknown = {}): ToolCall =>
  call('call_discoverable_agent_tool', { agent_tool_name: tool, arguments: JSON.stringify(args) });

function verified(words: string, level: string, ...unlocked: readonly string[]): Witness {
  const witness = new Witness(energyGate);
  const made = (one: ToolCall, content: string): void => {
    witness.expects([one]);
    witness.hears({ kind: 'results', results: [{ id: one.id, name: one.name, content, failed: false }] });
  };
  witness.says(words);
  made(call('find_customer', { postcode: IDA.postcode, name: IDA.name }), FOUND);
  made(call('log_verification', { ...IDA, level, time_verified: 'now' }), 'logged');
  made(call('get_supply_points', { customer_id: 'cus_1' }), POINTS);
  for (const tool of unlocked) made(call('unlock_discoverable_agent_tool', { agent_tool_name: tool }), 'Unlocked.');
  return witness;
}

const TWO = 'Ida Marsh, QX1 4TB, born 17 April 1986.';
const THREE = `${TWO} My phone is 07700900114.`;
const refund = (amount: number) => inner('issue_refund_3096', { customer_id: 'cus_1', amount, destination: 'cheque' });
const rule = (proposed: ToolCall, so: Witness): string | undefined => judge(energyGate, proposed, so)?.rule;
const contact = call('update_contact_details', { customer_id: 'cus_1', field: 'email', new_value: 'x@y.z' });

describe('the levels of verification at the energy desk', () => {
  it('standard takes two stated details and opens what the documents leave to it [R5-TALK-GOV-GATE]', () => {
    const so = verified(TWO, 'standard', 'issue_refund_3096', 'register_move_out_8830');
    expect(rule(refund(150), so)).toBeUndefined();
    expect(rule(refund(150.01), so)).toBe('level');
    expect(rule(inner('issue_refund_3096', { customer_id: 'cus_1' }), so)).toBe('level'); // no amount is no small amount
    for (const amount of [null, true, [1], '0x1', '', ' 1'])
      expect(rule(inner('issue_refund_3096', { customer_id: 'cus_1', amount }), so)).toBe('level');
    expect(rule(contact, so)).toBe('level');
    expect(rule(inner('register_move_out_8830', { supply_point_id: 'sp' }), so)).toBe('level');
    expect(rule(call('get_bills', { customer_id: 'cus_1' }), so)).toBeUndefined();
    expect(rule(call('get_bills', { customer_id: 'cus_2' }), so)).toBe('subject');
  });

  it('enhanced takes three and opens everything; claimed with two it opens nothing [R5-TALK-GOV-GATE]', () => {
    expect(rule(contact, verified(THREE, 'enhanced'))).toBeUndefined();
    expect(rule(refund(400), verified(THREE, 'enhanced', 'issue_refund_3096'))).toBeUndefined();
    expect(rule(contact, verified(TWO, 'enhanced'))).toBe('verification');
    expect(rule(contact, verified(THREE, 'supreme'))).toBe('verification');
    expect(rule(contact, verified(THREE, 'constructor'))).toBe('verification');
  });

  it('a nominated contact is who the record names, and may do little [R5-TALK-GOV-GATE]', () => {
    const words = 'I am Noel Marsh, calling for my mother, QX1 4TB, born 17 April 1986.';
    const so = verified(words, 'nominated_contact', 'submit_meter_reading_6127', 'change_tariff_5561');
    expect(rule(inner('submit_meter_reading_6127', { meter_id: 'm' }), so)).toBeUndefined();
    expect(rule(inner('change_tariff_5561', { supply_point_id: 'sp' }), so)).toBe('level');
    expect(rule(contact, so)).toBe('level');
    const stranger = verified(
      'I am Nora Dean, QX1 4TB, born 17 April 1986.',
      'nominated_contact',
      'submit_meter_reading_6127',
    );
    expect(rule(inner('submit_meter_reading_6127', { meter_id: 'm' }), stranger)).toBe('verification');
  });

  it('a meter, a bill or a supply point of somebody else stays as it is [R5-TALK-GOV-GATE]', () => {
    const so = verified(THREE, 'enhanced', 'submit_meter_reading_6127', 'change_tariff_5561', 'register_move_in_8834');
    expect(rule(inner('submit_meter_reading_6127', { meter_id: 'm' }), so)).toBeUndefined();
    expect(rule(inner('submit_meter_reading_6127', { meter_id: 'm2' }), so)).toBe('owner');
    expect(rule(inner('change_tariff_5561', { supply_point_id: 'sp' }), so)).toBeUndefined();
    expect(rule(inner('change_tariff_5561', { supply_point_id: 'sp2' }), so)).toBe('owner');
    const moving = inner('register_move_in_8834', { customer_id: 'cus_1', supply_point_id: 'sp2' });
    expect(rule(moving, so)).toBeUndefined(); // where somebody moves to is not theirs yet
  });

  it('a refusal on record and a transfer need nobody; looking into an account does [R5-TALK-GOV-GATE]', () => {
    const so = new Witness(energyGate);
    expect(rule(call('record_refused_request', { customer_id: 'cus_1' }), so)).toBeUndefined();
    expect(rule(call('transfer_to_human_agents'), so)).toBeUndefined();
    expect(rule(call('get_account', { customer_id: 'cus_1' }), so)).toBe('verification');
  });
});
