import type { BankTool } from '../bank-tool.js';
import { applications } from './applications.js';
import { requests } from './requests.js';
import { submitTransaction } from './transactions.js';

export { givenTools } from './given-tools.js';

/** What a user can do without the agent, but for calling what the agent gave. */
export const userTools: readonly BankTool[] = [...applications, ...requests, submitTransaction];
