import type { GateRules, Machine } from 'flyball/agents';
import { DOCUMENTS, WRAPPERS } from './discoverable.js';
import { deskPhases, FAILING, TASKS_FORMAT } from './phases.js';

const LOOKUPS = ['get_customer_by_*', 'find_customer'];
const TRANSFER = ['transfer_to_human_agents'];

/** The phase machine for `energy_desk`. */
export const energyMachine: Machine = {
  domain: 'energy_desk',
  start: 'GREETING',
  phases: deskPhases(
    {
      knowledge: DOCUMENTS,
      lookups: LOOKUPS,
      verification: ['log_verification'],
      transfer: TRANSFER,
      clock: ['get_current_time'],
    },
    {
      GREETING: 'Greet the customer and ask what they need.',
      TRIAGE:
        'Danger first: a smell of gas or sparks is handed over at once. Else find out everything the customer wants. If it concerns their account, ask for what identifies them and look them up; if it is a general question, search for the answer.',
      VERIFICATION:
        'Have the customer state details of the record: two for most requests, three for those that the documents name. Read the clock and log the verification at that level. Tell nothing from the record before that.',
      PLANNING: TASKS_FORMAT,
      EXECUTION:
        'Work off the queue below in its order. Look up the procedure, unlock the tool that it names, check dates and amounts against the records, then call it. Record a request that a rule refuses.',
      CONFIRMATION: 'Tell the customer what was done and what was refused, and ask whether there is anything else.',
      COMPLETE: 'Close the conversation politely. If the customer brings up something new, help with it.',
      ADVISORY:
        'Answer from the documents you found, and say so when they do not answer it. If an account has to be looked at or changed, look the customer up first.',
      ESCALATE: 'You cannot go on. Transfer the customer to a colleague with a summary of what was tried.',
    },
  ),
  precedence: [
    ['priority', 'visit'],
    ['priority', 'exchange'],
    ['reading', 'bill'],
    ['reading', 'tariff'],
    ['bill', 'refund'],
    ['direct debit', 'refund'],
    ['exit fee', 'tariff'],
    ['exit fee', 'move'],
    ['credit', 'resolve'],
    ['payment', 'plan'],
  ],
  retries: {
    log_verification: { max: 3, phase: 'ESCALATE' },
    call_discoverable_agent_tool: { max: 2, phase: 'ESCALATE' },
    unlock_discoverable_agent_tool: { max: 2, phase: 'ESCALATE' },
    KB_search: { max: 4, phase: 'ADVISORY' },
  },
  identifies: LOOKUPS,
  verifies: ['log_verification'],
  executes: [
    'call_discoverable_agent_tool',
    'give_discoverable_user_tool',
    'update_contact_details',
    'record_refused_request',
    ...TRANSFER,
  ],
  informs: DOCUMENTS,
  handsOver: TRANSFER,
  failing: FAILING,
  wholeTask: 'The customer’s request',
};

const DETAILS = { date_of_birth: 'date', email: 'email', phone_number: 'phone', postcode: 'code' } as const;

/**
 * The gate for `energy_desk`. A refusal on record and a transfer are notes about a conversation and need no identity. The
 * level that a verification claims is believed as far as the customer has stated that many details, and opens no more.
 */
export const energyGate: GateRules = {
  domain: 'energy_desk',
  wrappers: WRAPPERS,
  reads: ['get_*', 'find_*', 'list_discoverable_agent_tools', ...DOCUMENTS],
  private: [
    'get_supply_points',
    'get_account',
    'get_bills',
    'get_payments',
    'get_cases',
    'get_meter_readings_*',
    'get_credit_history_*',
  ],
  free: ['record_refused_request', ...TRANSFER],
  open: [],
  identity: {
    lookups: LOOKUPS,
    verification: 'log_verification',
    subject: 'customer_id',
    fields: { name: 'text', ...DETAILS },
    named: ['customer_id'],
    levels: {
      argument: 'level',
      of: {
        standard: {
          least: 2,
          of: DETAILS,
          opens: ['*'],
          closed: [
            'update_contact_details',
            'set_up_direct_debit_*',
            'register_move_*',
            { call: 'issue_refund_*', argument: 'amount', above: 150 },
          ],
        },
        enhanced: { least: 3, of: DETAILS, opens: ['*'] },
        nominated_contact: {
          least: 3,
          of: { nominated_contact: 'text', postcode: 'code', date_of_birth: 'date' },
          opens: [
            'get_*',
            'submit_meter_reading_*',
            'upload_meter_photo_*',
            'book_engineer_visit_*',
            'cancel_engineer_visit_*',
            'open_complaint_*',
          ],
        },
      },
    },
  },
  belongings: {
    arguments: [
      'meter_id',
      'supply_point_id',
      'bill_id',
      'contract_id',
      'appointment_id',
      'complaint_id',
      'referral_id',
    ],
    shownBy: {
      get_supply_points: ['supply_points.supply_point_id', 'meters.meter_id'],
      get_account: ['contracts.contract_id', 'contracts.supply_point_id'],
      get_bills: ['bills.bill_id', 'bills.supply_point_id', 'bills.meter_id'],
      get_cases: ['complaints.complaint_id', 'appointments.appointment_id', 'appointments.supply_point_id'],
      'get_credit_history_*': ['referrals.referral_id'],
    },
    madeBy: { 'open_complaint_*': ['Complaint '], 'book_engineer_visit_*': ['Visit '] },
    free: ['register_move_in_*'],
  },
  requires: [
    {
      calls: ['set_up_direct_debit_*'],
      needs: ['give:confirm_direct_debit_mandate_*'],
      because: 'the customer gives the mandate personally.',
    },
  ],
  order: [
    {
      calls: ['change_direct_debit_*'],
      after: 'issue_refund_*',
      same: ['customer_id'],
      because: 'a Direct Debit is changed before a refund, which is worked out from it.',
    },
    {
      calls: ['rebill_period_*'],
      after: 'issue_refund_*',
      because: 'a bill is corrected before a refund, which is worked out from the balance.',
    },
    {
      calls: ['issue_refund_*'],
      after: 'issue_refund_*',
      same: ['customer_id'],
      because: 'there is one refund in ninety days, and it was just made.',
    },
  ],
  documents: DOCUMENTS,
  nothingFound: ['No matches found', 'No relevant documents found'],
  retries: { sameTool: 4, sameCall: 2 },
  failing: ['Error', 'Failed'],
};
