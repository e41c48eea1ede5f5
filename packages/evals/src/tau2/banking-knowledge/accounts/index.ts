import type { BankTool } from '../bank-tool.js';
import { closing } from './closing.js';
import { credits } from './credits.js';
import { interestReport } from './interest-report.js';
import { opening } from './opening.js';
import { overview } from './overview.js';
import { transfer } from './transfer.js';

/** The tools for bank accounts and what moves in and out of them. */
export const accountTools: readonly BankTool[] = [
  ...opening,
  ...closing,
  ...overview,
  ...transfer,
  ...credits,
  ...interestReport,
];
