import type { Machine } from 'flyball/agents';
import { DOCUMENTS } from '../../policies/discoverable.js';
import { deskPhases, FAILING, TASKS_FORMAT } from '../../policies/phases.js';

const LOOKUPS = ['get_user_information_by_*'];
const TRANSFER = ['transfer_to_human_agents'];

/** The phase machine of the paper for `banking_knowledge`: its five precedence rules and its four retry policies. */
export const bankingMachine: Machine = {
  domain: 'banking_knowledge',
  start: 'GREETING',
  phases: deskPhases(
    {
      knowledge: DOCUMENTS,
      lookups: LOOKUPS,
      verification: ['log_verification'],
      transfer: TRANSFER,
      clock: ['get_current_time'],
    },
    {
      GREETING: 'Greet the customer and ask what they need.',
      TRIAGE:
        'Find out everything the customer wants. If it concerns their own accounts or cards, ask for what identifies them and look them up. If it is only a question about products or rules, search for the answer.',
      VERIFICATION:
        'Have the customer state two of date of birth, email, phone number and address, compare them with the record, read the current time and log the verification. Tell nothing about the account before that.',
      PLANNING: TASKS_FORMAT,
      EXECUTION:
        'Work off the queue below in its order, one request at a time. Search for the procedure, unlock the tool that it names, check its conditions, then call it. Ask the customer when a choice is theirs.',
      CONFIRMATION: 'Tell the customer what was done and what was not, and ask whether there is anything else.',
      COMPLETE: 'Close the conversation politely. If the customer brings up something new, help with it.',
      ADVISORY:
        'Answer from the documents you found, and say so when they do not answer it. If it turns out that an account has to be looked at or changed, look the customer up first.',
      ESCALATE: 'You cannot go on. Transfer the customer to a human agent with a summary of what was tried.',
    },
  ),
  precedence: [
    ['credit limit', 'dispute'],
    ['open', 'clos'],
    ['transfer', 'clos'],
    ['replacement', 'clos'],
    ['balance', 'clos'],
  ],
  retries: {
    log_verification: { max: 3, phase: 'ESCALATE' },
    call_discoverable_agent_tool: { max: 2, phase: 'ESCALATE' },
    unlock_discoverable_agent_tool: { max: 2, phase: 'ESCALATE' },
    KB_search: { max: 4, phase: 'ADVISORY' },
  },
  identifies: LOOKUPS,
  verifies: ['log_verification'],
  executes: ['call_discoverable_agent_tool', 'give_discoverable_user_tool', 'change_user_email', ...TRANSFER],
  informs: DOCUMENTS,
  handsOver: TRANSFER,
  failing: FAILING,
  wholeTask: 'The customer’s request',
};
