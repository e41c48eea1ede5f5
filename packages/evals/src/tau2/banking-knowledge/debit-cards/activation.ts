import { pyEquals, truthy } from '../../python/equality.js';
import { str } from '../../python/text.js';
import type { PyValue } from '../../python/value.js';
import { fieldOf, rowsWith } from '../accounts/row.js';
import { type Bank, type Fields, type Row, today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { inWords } from '../cards/wording.js';
import { isOneOf, keyOf } from '../operations.js';
import { missing, refusal, report } from '../replies.js';
import { hasDigits, pinProblem } from './digits.js';
import { isAccountShut } from './linked-account.js';

/** One of the three activations: each takes cards that were issued for its reasons and puts the old ones away. */
interface Activation {
  readonly tool: string;
  readonly reasons: readonly string[];
  readonly headline: string;
  /** What becomes of other active cards of the account. */
  readonly oldCards: (issueReason: string) => Fields;
  readonly advice: (issueReason: string, old: string) => readonly string[];
}

const activations: readonly Activation[] = [
  {
    tool: 'activate_debit_card_8291',
    reasons: ['new_account', 'first_card'],
    headline: 'The new debit card is active.',
    oldCards: () => deactivated('New card activated'),
    advice: (_, old) => [
      'It works at every ATM and every point of sale. The customer signs it on the back.',
      ...(old === '' ? [] : [`Deactivated, because it came before: ${old}`]),
    ],
  },
  {
    tool: 'activate_debit_card_8292',
    reasons: ['lost', 'stolen', 'fraud'],
    headline: 'The replacement debit card is active.',
    oldCards: (reason) => deactivated(`Replacement card activated (${reason})`),
    advice: (reason, old) => [
      `It replaces a card for this reason: ${inWords(reason)}`,
      'IMPORTANT: the customer checks the latest transactions for charges that are not theirs, and reports what looks suspicious.',
      ...(reason === 'fraud' ? ['Because of the suspected fraud, a new online banking password is advised.'] : []),
      ...(old === '' ? [] : [`Deactivated for security: ${old}`]),
    ],
  },
  {
    tool: 'activate_debit_card_8293',
    reasons: ['expired', 'damaged', 'upgrade', 'bank_reissue'],
    headline: 'The reissued debit card is active.',
    oldCards: (reason) => ({
      status: 'GRACE_PERIOD',
      grace_period_ends: today,
      deactivation_reason: `Reissued card activated (${reason})`,
    }),
    advice: (reason, old) => [
      `It was reissued for this reason: ${inWords(reason)}`,
      ...(old === '' ? [] : [`Still working for 24 hours, then deactivated by itself: ${old}`]),
      ...(isOneOf(reason, ['expired', 'bank_reissue'])
        ? ['Where the card number changed, recurring payments need the new one.']
        : []),
    ],
  },
];

function deactivated(reason: string): Fields {
  return { status: 'DEACTIVATED', deactivated_date: today, deactivation_reason: reason };
}

const parameters = ['card_id', 'last_4_digits', 'expiration_date', 'cvv', 'pin'] as const;
type Given = Readonly<Record<(typeof parameters)[number], PyValue>>;

/** What is wrong with the call itself, before any record is looked at. */
function callProblem(args: Given): string | undefined {
  if (!parameters.every((name) => truthy(args[name]))) return missing(...parameters);
  const problem = pinProblem(args.pin);
  if (problem !== undefined) return refusal(problem);
  if (!hasDigits(args.cvv, 3)) return refusal('a CVV has exactly 3 digits.');
  if (!hasDigits(args.last_4_digits, 4)) return refusal('last_4_digits must be exactly 4 digits.');
  return undefined;
}

function cardProblem(bank: Bank, card: Row, args: Given, { tool, reasons }: Activation): string | undefined {
  const [id, status, reason] = [str(args.card_id), fieldOf(card, 'status'), issueReason(card)];
  if (!isOneOf(reason, reasons)) {
    const issuedFor = `This card has issue_reason='${str(reason)}'`;
    return refusal(`this is the wrong tool to activate it. ${issuedFor}: use ${toolFor(reason)}, not ${tool}.`);
  }
  if (status === 'ACTIVE') return refusal(`debit card '${id}' is active already.`);
  if (status !== 'PENDING') {
    return refusal(`debit card '${id}' cannot be activated. Its status is ${str(status)}; only PENDING cards can.`);
  }
  if (!pyEquals(fieldOf(card, 'last_4_digits'), args.last_4_digits)) {
    return refusal('the card could not be verified: these last 4 digits are not the ones on record.');
  }
  if (!isAccountShut(bank, card)) return undefined;
  const account = str(fieldOf(card, 'account_id'));
  return refusal(`checking account '${account}', which the card belongs to, is no longer open. It stays inactive.`);
}

function issueReason(card: Row): PyValue {
  return fieldOf(card, 'issue_reason', 'new_account');
}

function toolFor(reason: PyValue): string {
  const key = keyOf(reason);
  return activations.find(({ reasons }) => key !== undefined && reasons.includes(key))?.tool ?? 'unknown';
}

function activationTool(activation: Activation): BankTool {
  return bankTool(activation.tool, parameters, (bank, args) => {
    const wrong = callProblem(args);
    if (wrong !== undefined) return wrong;
    const card = bank.find('debit_cards', args.card_id);
    if (card === undefined) return refusal(`there is no debit card '${str(args.card_id)}'.`);
    const problem = cardProblem(bank, card, args, activation);
    if (problem !== undefined) return problem;
    const reason = str(issueReason(card));
    const others = rowsWith(bank.records('debit_cards'), 'account_id', fieldOf(card, 'account_id'))
      .filter(([id, other]) => id !== args.card_id && fieldOf(other, 'status') === 'ACTIVE')
      .map(([id]) => id);
    bank.update('debit_cards', args.card_id, { status: 'ACTIVE', activated_date: today });
    for (const id of others) bank.update('debit_cards', id, activation.oldCards(reason));
    const facts = [
      ['Card ID', str(args.card_id)],
      ['Status', 'ACTIVE'],
      ['Activated on', today],
    ] as const;
    return [report(activation.headline, facts), ...activation.advice(reason, others.join(', '))].join('\n');
  });
}

export const activation: readonly BankTool[] = activations.map(activationTool);
