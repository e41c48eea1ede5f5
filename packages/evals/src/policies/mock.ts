import type { GateRules, Machine } from 'flyball/agents';
import { deskPhases, FAILING, TASKS_FORMAT } from './phases.js';

/** The machine for `mock`, whose users are known from a list: looking at it identifies and verifies. */
export const mockMachine: Machine = {
  domain: 'mock',
  start: 'GREETING',
  phases: deskPhases(
    { knowledge: [], lookups: ['get_users'], verification: [], transfer: ['transfer_to_human_agents'], clock: [] },
    {
      GREETING: 'Greet the user and ask what they need.',
      TRIAGE: 'Find out everything the user wants, and look up the users.',
      VERIFICATION: 'Make sure that the user exists.',
      PLANNING: TASKS_FORMAT,
      EXECUTION: 'Work off the queue below in its order. A task needs a title; its status is pending or completed.',
      CONFIRMATION: 'Tell the user what was done, and ask whether there is anything else.',
      COMPLETE: 'Close the conversation politely. If the user brings up something new, help with it.',
      ADVISORY: 'Answer the question.',
      ESCALATE: 'You cannot go on. Transfer the user to a human agent with a summary.',
    },
  ),
  precedence: [['create', 'update']],
  retries: {
    create_task: { max: 2, phase: 'ESCALATE' },
    update_task_status: { max: 2, phase: 'ESCALATE' },
  },
  identifies: ['get_users'],
  verifies: ['get_users'],
  executes: ['create_task', 'update_task_status', 'transfer_to_human_agents'],
  informs: [],
  handsOver: ['transfer_to_human_agents'],
  failing: FAILING,
  wholeTask: 'The user’s request',
};

/** Nobody is verified in `mock`: what is left is the limit on retries. */
export const mockGate: GateRules = {
  domain: 'mock',
  wrappers: [],
  reads: ['get_users'],
  free: ['transfer_to_human_agents'],
  open: [],
  requires: [],
  order: [],
  retries: { sameTool: 3, sameCall: 2 },
  failing: ['Error'],
};
