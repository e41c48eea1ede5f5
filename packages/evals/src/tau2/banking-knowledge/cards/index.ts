import type { BankTool } from '../bank-tool.js';
import { closure } from './closure.js';
import { disputes } from './disputes.js';
import { accountFlag } from './flags.js';
import { limits } from './limits.js';
import { payFromChecking } from './payment.js';
import { paymentHistory } from './payment-history.js';
import { replacement } from './replacement.js';
import { updateRewards } from './rewards.js';
import { statementCredit } from './statement-credit.js';

/** Discoverable tools for credit cards. */
export const cardTools: readonly BankTool[] = [
  updateRewards,
  ...disputes,
  ...replacement,
  ...closure,
  statementCredit,
  accountFlag,
  payFromChecking,
  ...limits,
  paymentHistory,
];
