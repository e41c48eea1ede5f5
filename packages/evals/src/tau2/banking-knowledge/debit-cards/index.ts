import type { BankTool } from '../bank-tool.js';
import { activation } from './activation.js';
import { atmImages } from './atm-images.js';
import { closing } from './closing.js';
import { dispute } from './dispute.js';
import { fraudAlert } from './fraud-alert.js';
import { freezing } from './freezing.js';
import { limits } from './limits.js';
import { listing } from './listing.js';
import { ordering } from './ordering.js';
import { pins } from './pins.js';
import { recurring } from './recurring.js';

/** The tools for debit cards: from the order to the closure, with what is disputed in between. */
export const debitCardTools: readonly BankTool[] = [
  ...ordering,
  ...activation,
  ...closing,
  ...freezing,
  ...fraudAlert,
  ...pins,
  ...listing,
  ...limits,
  ...recurring,
  ...dispute,
  ...atmImages,
];
