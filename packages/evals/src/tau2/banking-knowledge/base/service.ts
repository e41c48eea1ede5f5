import { str } from '../../python/text.js';
import type { PyValue } from '../../python/value.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { isOneOf, textFor } from '../operations.js';
import { refusal, report } from '../replies.js';

const transferReasons = [
  'fraud_or_security_concern',
  'account_closure_request',
  'deceased_account_holder',
  'legal_or_regulatory_matter',
  'account_ownership_dispute',
  'complex_billing_dispute',
  'abusive_customer_behavior',
  'third_party_inquiry',
  'technical_system_error',
  'unconfirmed_external_communication',
  'customer_demands_after_unavailable_offer_refusal',
  'kb_search_unsuccessful_customer_requests_transfer',
  'specialized_department_required',
  'accessibility_or_special_needs',
  'customer_frustrated_demands_human',
  'supervisor_request_service_complaint',
  'customer_requests_human_no_specific_reason',
  'request_completed_customer_wants_human_followup',
  'other',
];

const transferToHuman = bankTool('transfer_to_human_agents', ['summary', 'reason'], (_bank, { reason }) => {
  if (isOneOf(reason, transferReasons)) return `The user is being handed to a human agent (reason: ${str(reason)}).`;
  return refusal(`'${str(reason)}' is no reason for a transfer. Choose one of: ${transferReasons.join(', ')}.`);
});

const changeEmail = bankTool('change_user_email', ['user_id', 'new_email'], (bank, { user_id, new_email }) => {
  if (!bank.update('users', user_id, { email: new_email })) {
    return refusal(`there is no user with the ID '${str(user_id)}'.`);
  }
  return report('The email address was changed.', [
    ['User ID', str(user_id)],
    ['Email', str(new_email)],
  ]);
});

/** Made of the user and the time, so that one moment holds one verification of a user. */
function verificationId(user: PyValue, time: PyValue): string {
  const moment = textFor(time, 'replace').replaceAll(' ', '_').replaceAll(':', '').replaceAll('-', '');
  return `${str(user)}_${moment}`;
}

const logVerification = bankTool(
  'log_verification',
  ['name', 'user_id', 'address', 'email', 'phone_number', 'date_of_birth', 'time_verified'],
  (bank, args) => {
    const { name, user_id, address, email, phone_number, date_of_birth, time_verified } = args;
    const record = { name, user_id, address, email, phone_number, date_of_birth, time_verified };
    if (!bank.add('verification_history', verificationId(user_id, time_verified), record)) {
      return 'Failed: this verification is already on record.';
    }
    return report('The verification is on record.', [
      ['User', `${str(name)}, ID ${str(user_id)}`],
      ['Time', str(time_verified)],
    ]);
  },
);

export const service: readonly BankTool[] = [transferToHuman, changeEmail, logVerification];
