import { absolute } from '../../python/arithmetic.js';
import { truthy } from '../../python/equality.js';
import { str, upper } from '../../python/text.js';
import type { PyValue } from '../../python/value.js';
import { fieldOf } from '../accounts/row.js';
import type { Row } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { dollars, textFor } from '../operations.js';
import { missing, refusal, report } from '../replies.js';
import { type DepositedCheck, type DepositScan, depositScans } from './atm-deposits.js';

type Fact = readonly [name: string, value: string];

/** A fact only where it is known. */
function known(name: string, value: string | undefined): readonly Fact[] {
  return value === undefined ? [] : [[name, value]];
}

function checkFacts(check: DepositedCheck): readonly Fact[] {
  const isReadable = check.payee !== undefined;
  return [
    ['Item 1', `Personal Check number ${check.number} of ${check.amount}`],
    ...known('Drawn on', check.drawnOn),
    ...known('Payee', check.payee),
    ...known('Memo', check.memo === undefined ? undefined : `"${check.memo}"`),
    ...known('Date on the check', check.dated),
    ...(isReadable ? ([['Signature', 'there and legible']] as const) : []),
  ];
}

function qualityFacts(scan: DepositScan): readonly Fact[] {
  const { payee } = scan.check;
  if (payee === undefined) return [];
  return [
    ['Images of envelope and front of the check', 'CLEAR'],
    ['Image of the back of the check', `CLEAR, endorsed "For Deposit Only - ${payee}"`],
    ['Image of the cash', 'CLEAR, every bill can be counted'],
  ];
}

function scanReport(id: string, date: string, scan: DepositScan): string {
  const cash = scan.bills.map(({ count, of, worth }) => `${count} x ${of} = ${worth}`).join(', ');
  const difference = scan.discrepancy;
  const verdict =
    difference === undefined
      ? 'The images confirm what the machine recorded: there is no discrepancy.'
      : `The images show ${scan.total}, the machine recorded only ${scan.recorded}: a discrepancy of ${difference} is confirmed.`;
  const facts: readonly Fact[] = [
    ['Transaction ID', id],
    ['ATM', scan.atm],
    ['Deposited on', date],
    ['Envelope ID', scan.envelope],
    ['Time', scan.time],
    ...known('Place', scan.place),
    ...checkFacts(scan.check),
    ...known('Item 2', cash === '' ? undefined : `Cash, ${cash}`),
    ['Checks together', scan.checkTotal],
    ['Cash together', scan.cashTotal],
    ['GRAND TOTAL', scan.total],
    ['Recorded by the machine', scan.recorded],
    ['Discrepancy', difference ?? 'none'],
    ...qualityFacts(scan),
  ];
  return `${report('What was scanned of this deposit:', facts)}\n${verdict}`;
}

function noImages(id: string, transaction: Row, description: string): string {
  return [
    report('This deposit has no images: IMAGES NOT AVAILABLE.', [
      ['Transaction ID', id],
      ['ATM', description],
      ['Deposited on', dateOf(transaction)],
      ['Recorded', dollars(absolute(fieldOf(transaction, 'amount', 0n)))],
    ]),
    'They are kept for 90 days, or the ATM never took any. A dispute then rests on the statement of the customer and the',
    'journal of the ATM alone, and may take longer to investigate.',
  ].join('\n');
}

function dateOf(transaction: Row): string {
  return str(fieldOf(transaction, 'date', 'Unknown'));
}

const depositImages = bankTool('get_atm_deposit_images_8473', ['transaction_id'], (bank, { transaction_id }) => {
  if (!truthy(transaction_id)) return missing('transaction_id');
  const transaction = bank.find('bank_account_transaction_history', transaction_id);
  const id = str(transaction_id);
  if (transaction === undefined) return refusal(`there is no transaction '${id}'.`);
  if (fieldOf(transaction, 'type') !== 'atm_deposit') {
    return refusal(`transaction '${id}' is no ATM deposit, and only those have images.`);
  }
  const description: PyValue = fieldOf(transaction, 'description', '');
  const place = upper(textFor(description, 'upper'));
  if (!place.includes('RHO-BANK') && !place.includes('RHOBANK')) {
    return refusal(
      `transaction '${id}' is from a third-party ATM. Only deposits at Rho-Bank ATMs have images; to dispute this one, ` +
        'request a chargeback from the ATM network.',
    );
  }
  const scan = depositScans.get(id);
  return scan === undefined ? noImages(id, transaction, str(description)) : scanReport(id, dateOf(transaction), scan);
});

export const atmImages: readonly BankTool[] = [depositImages];
