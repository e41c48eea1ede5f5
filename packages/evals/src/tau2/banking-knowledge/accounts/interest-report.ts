import { truthy } from '../../python/equality.js';
import { floatText, roundTo, toFloat } from '../../python/number.js';
import { str } from '../../python/text.js';
import { today } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { idOf, seed } from '../ids.js';
import { attempt, dollars } from '../operations.js';
import { missing, refusal, report } from '../replies.js';
import { fieldOf } from './row.js';

const parameters = ['account_id', 'user_id', 'expected_apy', 'actual_apy', 'amount_difference'] as const;
const numbers = ['expected_apy', 'actual_apy', 'amount_difference'] as const;

/**
 * Says that a report was made, and stores none: the reference files it in a table that its database does not have. The
 * log of calls is the only trace.
 */
const submitReport = bankTool('submit_interest_discrepancy_report_7294', parameters, (bank, args) => {
  const { account_id, user_id } = args;
  if (!truthy(account_id) || !truthy(user_id) || numbers.some((name) => args[name] === null)) {
    return missing(...parameters);
  }
  const read = attempt(() => numbers.map((name) => toFloat(args[name])));
  if (read === undefined) return refusal(`${numbers.join(', ')} must be numbers.`);
  const [expected = 0, actual = 0, difference = 0] = read;
  const account = bank.find('accounts', account_id);
  if (account === undefined) return refusal(`there is no account '${str(account_id)}'.`);
  const user = bank.find('users', user_id);
  if (user === undefined) return refusal(`there is no user '${str(user_id)}'.`);
  const id = `IDR_${idOf(seed('interest_report', account_id, user_id, expected, actual, today), 16)}`;
  return report('The report is with the team that looks into interest and sets the APY right.', [
    ['Report ID', id],
    ['Account', `${str(account_id)} (${str(fieldOf(account, 'level', 'Unknown'))})`],
    ['Customer', str(fieldOf(user, 'name', 'Unknown'))],
    ['APY expected', `${floatText(expected)}%`],
    ['APY applied', `${floatText(actual)}%`],
    ['APY differs by', `${floatText(roundTo(expected - actual, 4))}%`],
    ['Money differs by', dollars(difference)],
    ['Status', 'PENDING_REVIEW'],
  ]);
});

export const interestReport: readonly BankTool[] = [submitReport];
