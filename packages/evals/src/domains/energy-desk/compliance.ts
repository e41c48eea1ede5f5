import type { Compliance } from '../../world/environment.js';

/** Lookups of a customer record: what an identity can be compared with. */
export const LOOKUPS = ['get_customer_by_id', 'get_customer_by_email', 'find_customer'] as const;

/** The agent's offered tools by what they do, for machines and gates that are written as data. */
export const DESK_TOOLS = {
  lookups: LOOKUPS,
  verification: 'log_verification',
  /** Read a customer's own affairs: only for a verified customer. */
  records: ['get_supply_points', 'get_account', 'get_bills', 'get_payments', 'get_cases'],
  unlock: 'unlock_discoverable_agent_tool',
  call: 'call_discoverable_agent_tool',
  give: 'give_discoverable_user_tool',
  contact: 'update_contact_details',
  refuse: 'record_refused_request',
  transfer: 'transfer_to_human_agents',
  clock: 'get_current_time',
} as const;

/**
 * A refused request and a transfer are notes about the conversation, not changes of an account: both are right for a
 * caller whose identity could not be verified. No gold path here writes before verification, so none is exempt.
 */
export const compliance: Compliance = {
  writes: new Set([
    'call_discoverable_agent_tool',
    'call_discoverable_user_tool',
    'give_discoverable_user_tool',
    'make_card_payment',
    'update_contact_details',
  ]),
  verification: 'log_verification',
  exempt: new Set(),
};
