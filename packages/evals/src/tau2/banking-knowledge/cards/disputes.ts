import { truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import { today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { history, recordsWhere } from '../base/lookups.js';
import { ids } from '../ids.js';
import { dollars, isOneOf } from '../operations.js';
import { missing, notAmong, refusal, report } from '../replies.js';
import { inWords } from './wording.js';

const cardActions = ['keep_active', 'cancel_and_reissue'];
const disputeReasons = [
  'unauthorized_fraudulent_charge',
  'duplicate_charge',
  'incorrect_amount',
  'goods_services_not_received',
  'goods_services_not_as_described',
  'canceled_subscription_still_charging',
  'refund_never_processed',
];
const resolutions = ['full_refund', 'partial_refund'];

const parameters = [
  'transaction_id',
  'card_action',
  'card_last_4_digits',
  'full_name',
  'user_id',
  'phone',
  'email',
  'address',
  'contacted_merchant',
  'purchase_date',
  'issue_noticed_date',
  'dispute_reason',
  'resolution_requested',
  'eligible_for_provisional_credit',
  'partial_refund_amount',
] as const;

const fileDispute = bankTool('file_credit_card_transaction_dispute_4829', parameters, (bank, args) => {
  if (!truthy(args.transaction_id) || !truthy(args.user_id)) return missing('transaction_id', 'user_id');
  if (!isOneOf(args.card_action, cardActions)) return notAmong('card_action', cardActions);
  if (!isOneOf(args.dispute_reason, disputeReasons)) return notAmong('dispute_reason', disputeReasons);
  if (!isOneOf(args.resolution_requested, resolutions)) return notAmong('resolution_requested', resolutions);
  if (args.resolution_requested === 'partial_refund' && args.partial_refund_amount === null) {
    return refusal("partial_refund_amount is needed where resolution_requested is 'partial_refund'.");
  }
  const id = ids.dispute(args.user_id, args.transaction_id);
  const record = {
    dispute_id: id,
    transaction_id: args.transaction_id,
    user_id: args.user_id,
    card_action: args.card_action,
    card_last_4_digits: args.card_last_4_digits,
    full_name: args.full_name,
    phone: args.phone,
    email: args.email,
    address: args.address,
    contacted_merchant: args.contacted_merchant,
    purchase_date: args.purchase_date,
    issue_noticed_date: args.issue_noticed_date,
    dispute_reason: args.dispute_reason,
    resolution_requested: args.resolution_requested,
    partial_refund_amount: args.partial_refund_amount,
    eligible_for_provisional_credit: args.eligible_for_provisional_credit,
    provisional_credit_given: args.eligible_for_provisional_credit,
    submitted_at: today,
    status: 'SUBMITTED',
  };
  if (!bank.add('transaction_disputes', id, record)) {
    return refusal('a dispute of this transaction may already be on file.');
  }
  const refund = args.partial_refund_amount;
  return report('The dispute is filed; it is reviewed within 10 business days.', [
    ['Tool', 'file_credit_card_transaction_dispute_4829'],
    ['Dispute ID', id],
    ['Transaction ID', str(args.transaction_id)],
    ['Reason', inWords(args.dispute_reason)],
    ['Resolution', inWords(args.resolution_requested)],
    ...(truthy(refund) ? [['Partial refund', dollars(refund)] as const] : []),
    [
      'Provisional credit',
      truthy(args.eligible_for_provisional_credit) ? 'ELIGIBLE, comes within 2 business days' : 'not eligible for now',
    ],
  ]);
});

const disputeHistory = bankTool('get_user_dispute_history_7291', ['user_id'], (bank, { user_id }) => {
  if (!truthy(user_id)) return missing('user_id');
  const records = recordsWhere(bank, 'transaction_disputes', 'user_id', user_id);
  const about = `transactions that user ${str(user_id)} has disputed`;
  return history('get_user_dispute_history_7291', about, records, 'There are none.');
});

export const disputes: readonly BankTool[] = [fileDispute, disputeHistory];
