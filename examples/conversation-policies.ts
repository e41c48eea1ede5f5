import { strict as assert } from 'node:assert';
import { type Agent, budget, createRuntime, type ModelRequest, memoryEngine } from 'flyball';
import {
  type ConversationPolicy,
  conversationPolicy,
  type GateRules,
  type Machine,
  MESSAGE,
  policyBook,
  talk,
} from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

/** A customer wants a new phone number on file. The same model, tools and words, driven in four ways. */

const RECORD = { customer_id: 'c7', name: 'Ida Marsh', date_of_birth: '1986-04-17', postcode: 'QX1 4TB' };
const made: string[] = [];
const find = tool({
  name: 'find_customer',
  description: 'Shows the record of a customer. Not for prospects.',
  input: z.object({ customer_id: z.string() }),
  effect: 'pure',
  execute: async ({ customer_id: id }) => {
    made.push('find_customer');
    return id === RECORD.customer_id ? [RECORD] : [];
  },
});
const log = tool({
  name: 'log_verification',
  description: 'Writes down that a customer was verified. It checks nothing itself.',
  input: z.object({ customer_id: z.string(), name: z.string(), date_of_birth: z.string(), postcode: z.string() }),
  effect: 'idempotent',
  execute: async () => {
    made.push('log_verification');
    return 'Logged.';
  },
});
const change = tool({
  name: 'change_phone',
  description: 'Puts a new phone number on file. Not for email addresses.',
  input: z.object({ customer_id: z.string(), phone: z.string() }),
  effect: 'idempotent',
  execute: async ({ phone }) => {
    made.push('change_phone');
    return `The number is ${phone} now.`;
  },
});
const tools = [find, log, change];

/** Tries the change first, and verifies the customer only if it has to. Replies depend only on the prompt. */
function hasty({ messages, toolChoice }: ModelRequest) {
  const wanted = [
    ['change_phone', { customer_id: 'c7', phone: '07700 900114' }],
    ['find_customer', { customer_id: 'c7' }],
    ['log_verification', RECORD],
    ['change_phone', { customer_id: 'c7', phone: '07700 900114' }],
  ] as const;
  const proposed = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const next = toolChoice === 'none' ? undefined : wanted[proposed.length];
  if (next === undefined) return 'TASKS:\n1. Change the phone number\nEND_TASKS\nIt is taken care of.';
  return { toolCalls: [{ id: `c${proposed.length}`, name: next[0], arguments: JSON.stringify(next[1]) }] };
}

// #region skills
const skills = [
  { name: 'customer-interaction', text: 'Note every request. Verify before you act. Confirm what was done.' },
  { name: 'desk-procedures', text: 'A new phone number: find_customer, log_verification, change_phone.' },
];
// #endregion

// #region machine
const machine: Machine = {
  domain: 'desk',
  start: 'VERIFICATION',
  phases: {
    VERIFICATION: {
      instruction: 'Find out who it is, and log it.',
      tools: ['find_*', 'log_verification'], // the tools offered; a call to any other tool is made anyway
      expect: 'either',
      next: [{ when: 'verified', to: 'PLANNING' }],
    },
    PLANNING: {
      instruction: 'List the requests between TASKS: and END_TASKS, one a line.',
      tools: [],
      expect: 'text',
      plans: true,
      turns: 2,
      next: [
        { when: 'planned', to: 'EXECUTION' },
        { when: 'overstayed', to: 'EXECUTION' },
      ],
    },
    EXECUTION: {
      instruction: 'Work off the queue.',
      tools: ['*'],
      expect: 'either',
      showsQueue: true,
      next: [{ when: 'unverified', to: 'VERIFICATION' }],
    },
    ESCALATE: { instruction: 'Say that a colleague will call.', tools: [], expect: 'text', terminal: true, next: [] },
  },
  precedence: [['open', 'clos']], // requests that mention the first word come before those that mention the second
  retries: { log_verification: { max: 3, phase: 'ESCALATE' } },
  identifies: ['find_*'],
  verifies: ['log_verification'],
  executes: ['change_*'],
  informs: [],
  handsOver: [],
  failing: ['Error'],
  wholeTask: 'The request',
};
// #endregion

// #region gate
const gate: GateRules = {
  domain: 'desk',
  wrappers: [],
  reads: ['find_*'], // all tools that are neither here nor in `free` require a proven identity
  free: [],
  open: [],
  identity: {
    lookups: ['find_customer'], // its results contain the record that the verification must repeat
    verification: 'log_verification',
    subject: 'customer_id',
    fields: { name: 'text', date_of_birth: 'date', postcode: 'code' },
    named: ['customer_id'], // a call that names somebody else is refused
    stated: { least: 2, of: { date_of_birth: 'date', postcode: 'code' } }, // in the customer's own words
  },
  requires: [{ calls: ['change_*'], needs: ['find_customer'], same: ['customer_id'], because: 'look first.' }],
  order: [],
  retries: { sameTool: 4, sameCall: 2 },
  failing: ['Error'],
};
// #endregion

// #region by-name
const parts = { skills, machine, gate };
const policies = ['baseline', 'declarative', 'imperative', 'governed'].map((name) => conversationPolicy(name, parts));
// #endregion

// #region talk
const model = scriptedModel({ agent: hasty });
const setting = { model, policy: 'Nothing on file is changed for somebody who is not verified.', tools };
const desk = (policy: ConversationPolicy) => talk({ speaker: () => policy(setting), tools, maxCallsPerTurn: 10 });
// #endregion

const agents = Object.fromEntries(policies.map((policy, n) => [`desk-${n}`, desk(policy) as Agent<unknown, unknown>]));
const runtime = createRuntime({ engine: memoryEngine(), agents });

/** The calls made in a conversation, in order. */
async function callsIn(agent: string): Promise<readonly string[]> {
  made.length = 0;
  await (await runtime.start(agent, HELLO, { id: agent, budget: budget({ modelCalls: 40 }) })).outcome();
  await runtime.signal(agent, MESSAGE, { text: 'Please go on.' });
  await (await runtime.wake(agent)).outcome();
  return [...made];
}

const HELLO = 'I am Ida Marsh, customer c7, born 17 April 1986, postcode qx1 4tb. My new number is 07700 900114.';

// #region what-passes
assert.equal((await callsIn('desk-0'))[0], 'change_phone'); // baseline: without any verification
assert.equal((await callsIn('desk-2'))[0], 'change_phone'); // imperative: not offered in this phase, but made anyway
assert.deepEqual(await callsIn('desk-3'), ['find_customer', 'log_verification', 'change_phone']); // governed
// #endregion

// #region own
const book = policyBook({ cautious: (given) => conversationPolicy('governed', { ...given, skills }) });
assert.deepEqual(book.names, ['baseline', 'declarative', 'imperative', 'governed', 'cautious']);
// #endregion

await runtime.close();
console.log(`Calls under governed: ${made.join(', ')}.`);
