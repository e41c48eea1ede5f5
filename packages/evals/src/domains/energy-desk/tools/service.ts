import { audit, levelOf, verificationId } from '../audit.js';
import { Refused, TODAY } from '../desk.js';
import { type DeskTool, deskTool } from '../desk-tool.js';
import { idFor } from '../ids.js';

const FIELDS = ['name', 'customer_id', 'date_of_birth', 'email', 'phone_number', 'postcode', 'level', 'time_verified'];
const LEVELS = ['standard', 'enhanced', 'nominated_contact'] as const;
const RULE = /^[A-Z]{2,4}-\d{1,2}$/;

/**
 * Logging compares nothing, as at a real desk: whoever logs says what was compared. What is written is compared
 * afterwards, and a made-up value stays in the record.
 */
const logVerification = deskTool('log_verification', (desk, args) => {
  const customerId = args.text('customer_id');
  desk.get('customers', customerId);
  const level = args.choice('level', LEVELS);
  const record = Object.fromEntries(FIELDS.map((field) => [field, args.text(field)]));
  const id = verificationId(customerId);
  if (desk.find('verification_history', id) === undefined) desk.add('verification_history', id, record);
  else if (level === 'enhanced' && levelOf(desk, customerId) === 'standard') {
    desk.set('verification_history', id, { level });
  } else throw new Refused(`${customerId} has been verified in this conversation already.`);
  return `Verification of ${customerId} logged at level ${level}.`;
});

const updateContact = deskTool('update_contact_details', (desk, args) => {
  const customerId = args.text('customer_id');
  desk.get('customers', customerId);
  const field = args.choice('field', ['email', 'phone_number']);
  const value = args.text('new_value');
  if (value === '') throw new Refused('new_value is empty.');
  desk.set('customers', customerId, { [field]: field === 'email' ? value.toLowerCase() : value });
  audit(desk, 'update_contact_details', customerId);
  return `${field} of ${customerId} is now ${value}.`;
});

const REQUESTS = [
  'identity_check',
  'tariff_change',
  'exit_fee_waiver',
  'direct_debit_change',
  'refund',
  'account_credit',
  'bill_write_off',
  'complaint',
  'engineer_visit',
  'meter_exchange',
  'debt_plan',
  'prepayment_support',
  'move',
  'contact_change',
  'referral_credit',
] as const;

const recordRefusal = deskTool('record_refused_request', (desk, args) => {
  const customerId = args.text('customer_id');
  desk.get('customers', customerId);
  const request = args.choice('request', REQUESTS);
  const rule = args.text('rule');
  if (!RULE.test(rule)) throw new Refused(`rule must be a code like TAR-3, got '${rule}'.`);
  const id = idFor('rfs', customerId, request, rule);
  desk.add('refused_requests', id, {
    customer_id: customerId,
    request,
    rule,
    date: TODAY,
    identity: levelOf(desk, customerId),
  });
  return `Refusal recorded: ${request} for ${customerId} by rule ${rule}.`;
});

const REASONS = [
  'gas_emergency',
  'electrical_danger',
  'fraud_concern',
  'refund_review',
  'debt_support_team',
  'complaints_resolution',
  'specialist_metering',
  'bereavement',
  'legal_matter',
  'customer_insists',
  'other',
] as const;

/** The summary is for people and is not stored: two good summaries of one case are never the same text. */
const transfer = deskTool('transfer_to_human_agents', (desk, args) => {
  const reason = args.choice('reason', REASONS);
  if (args.text('summary') === '') throw new Refused('summary is empty: say what the customer wants.');
  if (desk.tables.records('human_transfers').size > 0)
    throw new Refused('this conversation has been transferred already.');
  desk.add('human_transfers', idFor('trf', reason), { reason, date: TODAY });
  return `Transfer started (${reason}). A colleague takes over.`;
});

export const service: readonly DeskTool[] = [logVerification, updateContact, recordRefusal, transfer];
