import type { GateRules } from 'flyball/agents';
import { DOCUMENTS, WRAPPERS } from '../../policies/discoverable.js';

const NOTHING_FOUND = ['No matches found', 'No relevant documents found'];

/**
 * The gate for `banking_knowledge`, from its policy and its procedures. A wrapper's call waits for a verified customer
 * whatever it calls, because that is how the benchmark counts writes: `open` names those that a bank may want to let
 * through for callers whom nobody verifies, and is empty here.
 */
export const bankingGate: GateRules = {
  domain: 'banking_knowledge',
  wrappers: WRAPPERS,
  reads: ['get_*', 'list_discoverable_agent_tools', ...DOCUMENTS],
  // discoverable ones as well: the world answers to their names, unlocked or not
  private: [
    'get_credit_card_*_by_user',
    'get_referrals_by_user',
    'get_all_user_accounts_*',
    'get_bank_account_*',
    'get_debit_*',
    'get_atm_*',
    'get_user_dispute_*',
    'get_pending_*',
    'get_closure_*',
    'get_credit_limit_*',
    'get_payment_*',
  ],
  free: ['transfer_to_human_agents'],
  open: [],
  identity: {
    lookups: ['get_user_information_by_*'],
    verification: 'log_verification',
    subject: 'user_id',
    fields: { name: 'text', address: 'address', email: 'email', phone_number: 'phone', date_of_birth: 'date' },
    named: ['user_id'],
    stated: {
      least: 2,
      of: { date_of_birth: 'date', email: 'email', phone_number: 'phone', address: 'address' },
    },
    recovery: {
      shape: /^[A-Z0-9]{12,40}$/,
      shownBy: ['KB_search', 'KB_search_*', 'grep'],
      allows: ['change_user_email'],
    },
  },
  belongings: {
    arguments: [
      'account_id',
      'checking_account_id',
      'source_account_id',
      'destination_account_id',
      'credit_card_account_id',
      'card_id',
      'transaction_id',
    ],
    shownBy: {
      get_credit_card_accounts_by_user: ['credit_card_accounts.account_id'],
      get_credit_card_transactions_by_user: ['credit_card_transaction_history.transaction_id'],
      'get_all_user_accounts_by_user_id_*': ['accounts.account_id', 'credit_card_accounts.account_id'],
      'get_bank_account_transactions_*': ['bank_account_transaction_history.transaction_id'],
      'get_debit_cards_by_account_id_*': ['card_id'],
    },
    madeBy: { 'open_bank_account_*': ['Account ID: '], 'order_debit_card_*': ['Card ID: '] },
  },
  requires: [
    {
      calls: ['approve_credit_limit_increase_*', 'deny_credit_limit_increase_*'],
      needs: [
        'submit_credit_limit_increase_request_*',
        'get_credit_limit_increase_history_*',
        'get_user_dispute_history_*',
        'get_pending_replacement_orders_*',
        'get_payment_history_*',
      ],
      same: ['credit_card_account_id', 'user_id'],
      because: 'a request for a higher limit is submitted first and decided only after all its checks.',
    },
    {
      calls: ['close_credit_card_account_*'],
      needs: ['get_user_dispute_history_*', 'get_pending_replacement_orders_*', 'get_closure_reason_history_*'],
      same: ['credit_card_account_id', 'user_id'],
      because:
        'a card account is closed only when no dispute and no replacement is pending and earlier attempts were looked at.',
    },
    {
      calls: ['log_credit_card_closure_reason_*'],
      needs: ['get_closure_reason_history_*'],
      same: ['credit_card_account_id'],
      because: 'earlier closure reasons decide whether an offer is made at all.',
    },
    {
      calls: ['apply_*_account_credit_*'],
      needs: ['get_bank_account_transactions_*'],
      same: ['account_id'],
      because: 'what was credited or charged is read from the transactions of that account.',
    },
    {
      calls: ['submit_interest_discrepancy_report_*'],
      needs: ['apply_savings_account_credit_*'],
      same: ['account_id'],
      because: 'the customer is credited before the discrepancy is reported.',
    },
    {
      calls: ['update_transaction_rewards_*'],
      needs: ['give:submit_cash_back_dispute_*'],
      because: 'rewards are corrected after the customer has submitted a cash back dispute.',
    },
  ],
  order: [
    {
      calls: ['approve_credit_limit_increase_*'],
      after: 'file_credit_card_transaction_dispute_*',
      same: ['user_id'],
      because: 'a dispute was filed in this conversation and is pending, so no higher limit can be approved.',
    },
    {
      calls: ['approve_credit_limit_increase_*'],
      after: 'order_replacement_credit_card_*',
      same: ['credit_card_account_id'],
      because: 'a replacement for this card is on its way, so no higher limit can be approved.',
    },
    {
      calls: ['close_credit_card_account_*'],
      after: 'order_replacement_credit_card_*',
      same: ['credit_card_account_id'],
      because: 'a replacement for this card is on its way, so its account cannot be closed.',
    },
    {
      calls: ['apply_checking_account_credit_*'],
      after: 'apply_checking_account_credit_*',
      same: ['account_id'],
      because: 'this account was credited already; there is one credit for each account and conversation.',
    },
    {
      calls: ['file_debit_card_transaction_dispute_*'],
      after: 'set_debit_card_recurring_block_*',
      same: ['card_id'],
      because: 'past charges are disputed before future ones are blocked.',
    },
  ],
  documents: DOCUMENTS,
  nothingFound: NOTHING_FOUND,
  retries: { sameTool: 4, sameCall: 2 },
  failing: ['Error', 'Failed'],
};
