import { isOrdered, truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import type { PyValue } from '../../python/value.js';
import { today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { isFound, recordsWhere } from '../base/lookups.js';
import { inWords } from '../cards/wording.js';
import { ids } from '../ids.js';
import { dollars, isOneOf } from '../operations.js';
import { missing, notAmong, refusal, report } from '../replies.js';

const parameters = [
  'transaction_id',
  'account_id',
  'card_id',
  'user_id',
  'dispute_category',
  'transaction_date',
  'discovery_date',
  'disputed_amount',
  'transaction_type',
  'card_in_possession',
  'pin_compromised',
  'contacted_merchant',
  'police_report_filed',
  'written_statement_provided',
  'provisional_credit_eligible',
  'customer_max_liability_amount',
  'card_action',
] as const;
type Parameter = (typeof parameters)[number];
type Given = Readonly<Record<Parameter, PyValue>>;

/** Answers that must be there, whatever they are: `false` is one. */
const answers = [
  'card_in_possession',
  'contacted_merchant',
  'police_report_filed',
  'written_statement_provided',
] as const;
const stated: readonly Parameter[] = [...answers, 'provisional_credit_eligible', 'customer_max_liability_amount'];
/** Everything else must hold something. */
const filled = parameters.filter((name) => !stated.includes(name));

const fraud = ['unauthorized_transaction', 'card_present_fraud', 'card_not_present_fraud'];
const choices: readonly (readonly [Parameter, readonly string[]])[] = [
  [
    'dispute_category',
    [
      'unauthorized_transaction',
      'atm_cash_discrepancy',
      'atm_deposit_not_credited',
      'duplicate_charge',
      'incorrect_amount',
      'goods_services_not_received',
      'recurring_charge_after_cancellation',
      'card_present_fraud',
      'card_not_present_fraud',
    ],
  ],
  [
    'transaction_type',
    [
      'pin_purchase',
      'signature_purchase',
      'online_purchase',
      'atm_withdrawal',
      'atm_deposit',
      'recurring_payment',
      'person_to_person',
    ],
  ],
  ['pin_compromised', ['yes_shared', 'yes_observed', 'no', 'unknown']],
  ['card_action', ['keep_active', 'freeze_pending_investigation', 'close_and_reissue']],
];

function problemOf(args: Given): string | undefined {
  if (!filled.every((name) => truthy(args[name]))) return missing(...filled);
  if (args.customer_max_liability_amount === null) return missing('customer_max_liability_amount');
  if (answers.some((name) => args[name] === null)) return missing(...answers);
  for (const [name, allowed] of choices) if (!isOneOf(args[name], allowed)) return notAmong(name, allowed);
  if (isOrdered(args.disputed_amount, '<=', 0n)) return refusal('disputed_amount must be positive.');
  return undefined;
}

function adviceFor(args: Given): readonly string[] {
  const isFraud = isOneOf(args.dispute_category, fraud);
  const isLarge = isOrdered(args.disputed_amount, '>', 500n);
  return [
    truthy(args.provisional_credit_eligible)
      ? `Provisional credit is ISSUED: ${dollars(args.disputed_amount)} within 10 business days, as Regulation E says.`
      : 'Provisional credit: not eligible, by the Debit Card Provisional Credit Guidelines.',
    ...(args.pin_compromised === 'yes_shared'
      ? ['WARNING: the customer gave the PIN away voluntarily, which may change who is liable.']
      : []),
    ...(isFraud && !truthy(args.police_report_filed) && isLarge
      ? ['RECOMMENDATION: for fraud of more than $500 a police report should be filed.']
      : []),
  ];
}

const fileDispute = bankTool('file_debit_card_transaction_dispute_6281', parameters, (bank, args) => {
  const problem = problemOf(args);
  if (problem !== undefined) return problem;
  const isEligible = truthy(args.provisional_credit_eligible);
  const id = ids.dispute(args.user_id, args.transaction_id);
  const { customer_max_liability_amount, card_action, ...told } = args;
  const record = {
    dispute_id: id,
    ...told,
    provisional_credit_issued: args.provisional_credit_eligible,
    provisional_credit_amount: isEligible ? args.disputed_amount : null,
    customer_max_liability_amount,
    card_action,
    is_fraud_category: isOneOf(args.dispute_category, fraud),
    pin_shared_voluntarily: args.pin_compromised === 'yes_shared',
    submitted_at: today,
    status: 'OPEN',
  };
  if (!bank.add('debit_card_disputes', id, record)) {
    return refusal('a dispute of this transaction may already be on file.');
  }
  const facts = [
    ['Dispute ID', id],
    ['Transaction', str(args.transaction_id)],
    ['Account', str(args.account_id)],
    ['Category', inWords(args.dispute_category)],
    ['Amount', dollars(args.disputed_amount)],
    ['Card action', inWords(card_action)],
  ] as const;
  return [report('The dispute is filed.', facts), ...adviceFor(args)].join('\n');
});

const disputeStatus = bankTool('get_debit_dispute_status_7483', ['user_id'], (bank, { user_id }) => {
  if (!truthy(user_id)) return missing('user_id');
  const listing = recordsWhere(bank, 'debit_card_disputes', 'user_id', user_id);
  const head = `get_debit_dispute_status_7483: debit card disputes of user ${str(user_id)}\n`;
  return head + (isFound(listing) ? listing : 'There are none.');
});

export const dispute: readonly BankTool[] = [fileDispute, disputeStatus];
