import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, type ApprovalRequest, done, type JsonSchema, type Run, type ToolRef } from 'flyball';
import { toolLoop } from 'flyball/loops';
import {
  chooseOneTool,
  chooseSeveralTool,
  confirmTool,
  dateTool,
  displayTool,
  editArgumentsTool,
  fileTool,
  formTool,
  numberTool,
  requestApproval,
  textTool,
} from 'flyball/people';
import { ledger, scriptedModel } from 'flyball/testing';
import { tool, toolRegistry } from 'flyball/tools';

/** Agents that need people, for tests in which processes die. What they do to the world is a line in a ledger file. */

interface Job {
  readonly folder: string;
}

const ledgerOf = (folder: string) => ledger(join(folder, 'ledger.jsonl'));

const WORDS: JsonSchema = { type: 'object', properties: { to: { type: 'string' }, text: { type: 'string' } } };

/** Looks something up and asks in one batch, then acts as it was told. */
const tidy: Agent<Job, unknown> = async (run, { folder }) => {
  const lookUp = tool({
    name: 'look_up',
    description: 'Looks up how old the drafts are.',
    effect: 'idempotent',
    execute: async (_args, { key }) => {
      ledgerOf(folder).record(key, 'looked');
      return '3 drafts, a year old';
    },
  });
  const model = scriptedModel({
    tidier: ({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
      if (results.length > 0) return `Told: ${results.join(' / ')}`;
      const prompt = JSON.stringify({ prompt: 'Delete the drafts?' });
      return {
        toolCalls: [
          { id: 'c1', name: 'look_up', arguments: '{}' },
          { id: 'c2', name: 'confirm', arguments: prompt },
        ],
      };
    },
  });
  const loop = toolLoop({
    session: { name: 'tidier', model, setup: 'You tidy up.' },
    tools: toolRegistry([lookUp, confirmTool({ risk: 'medium' })]).toolset(),
    config: { doubleConfirmation: false },
  });
  return loop(run, 'Tidy up.');
};

/** Asks while another branch is at work, so that its process owns the run when it is killed. */
const busy: Agent<Job, unknown> = async (run, { folder }) => {
  const [answer] = await run.all<unknown>(
    [async (on) => on.call(confirmTool(), { prompt: 'Go on?' }), (on) => on.step('work', folder, workOnce, 'pure')],
    2,
  );
  return done(answer?.ok === true ? answer.value : null);
};

/** Never comes to an end in the first process. */
function workOnce(folder: string): Promise<string> | string {
  const mark = join(folder, 'working');
  if (existsSync(mark)) return 'worked';
  writeFileSync(mark, '');
  return new Promise(() => undefined);
}

/** A model that drafts a reply, then sends it; what it was told at the gate is in its last words. */
const mail: Agent<Job & { readonly timeoutMs?: number }, unknown> = async (run, { folder, timeoutMs }) => {
  const draft = tool({
    name: 'draft_reply',
    description: 'Drafts a reply.',
    input: WORDS,
    effect: 'idempotent',
    execute: async ({ text }: { text?: string }, { key }) => {
      ledgerOf(folder).record(key, { drafted: text });
      return 'drafted';
    },
  });
  const send = tool({
    name: 'send_email',
    description: 'Sends an e-mail.',
    input: { ...WORDS, required: ['to', 'text'] },
    effect: 'irreversible',
    why: 'an e-mail cannot be called back',
    approval: { ...(timeoutMs === undefined ? {} : { timeoutMs }), escalation: [{ to: 'the head', scopes: [] }] },
    review: ({ to }: { to: string }) => ({
      expectedEffect: `${to} reads it within minutes`,
      undo: 'It cannot be taken back.',
      alternatives: ['leave it as a draft'],
      risk: 'high',
      recommendation: 'approve',
    }),
    execute: async (args: { to: string; text: string }, { key }) => {
      ledgerOf(folder).record(key, { sent: args });
      return 'sent';
    },
  });
  const model = scriptedModel({
    clerk: ({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
      const text = 'Dear Ada, yes.';
      if (results.length === 0) return { toolCalls: [call('draft_reply', { text })] };
      if (results.length === 1) return { toolCalls: [call('send_email', { to: 'ada@example.com', text })] };
      return `It came to this: ${results.at(-1)}`;
    },
  });
  const loop = toolLoop({
    session: { name: 'clerk', model, setup: 'You answer letters.' },
    tools: toolRegistry([draft, send]).toolset(),
    config: { doubleConfirmation: false },
  });
  return loop(run, 'Answer Ada.');
};

function call(name: string, args: object) {
  return { id: name, name, arguments: JSON.stringify(args) };
}

const order = tool({
  name: 'order',
  description: 'Orders parts.',
  input: {
    type: 'object',
    properties: { part: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
    required: ['part', 'count'],
  },
  effect: 'pure',
  execute: async (args) => args,
});

const choices = ['red', 'green', 'blue'];

const WIDGETS: readonly (readonly [ask: ToolRef, args: object])[] = [
  [confirmTool(), { prompt: 'Really?' }],
  [textTool(), { prompt: 'Your name?' }],
  [numberTool(), { prompt: 'How many?', minimum: 1, maximum: 9, integer: true }],
  [dateTool(), { prompt: 'Which day?', earliest: '2026-01-01' }],
  [chooseOneTool(), { prompt: 'Which color?', choices }],
  [chooseSeveralTool(), { prompt: 'Which colors?', choices, minimum: 1 }],
  [fileTool({ maxBytes: 100 }), { prompt: 'Which file?' }],
  [
    formTool({
      fields: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          age: { type: 'integer', minimum: 0 },
          member: { type: 'boolean' },
          nick: { type: 'string' },
        },
        required: ['name', 'age', 'member'],
      },
    }),
    { prompt: 'Who are you?' },
  ],
  [editArgumentsTool({ tool: order }), { prompt: 'Order this?', arguments: { part: 'bolt', count: 4 } }],
];

/** Asks in every way there is, one after the other, and shows what it was told. */
const survey: Agent<unknown, readonly unknown[]> = async (run) => {
  const answers: unknown[] = [];
  for (const [ask, args] of WIDGETS) {
    const answer = await run.call(ask, args);
    answers.push(answer.ok ? answer.value : answer.failure.code);
  }
  await run.call(displayTool(), {
    title: 'What was said',
    table: { columns: ['answers'], rows: [[String(answers.length)]] },
  });
  return done(answers);
};

/** Two questions side by side. */
const both: Agent<unknown, readonly unknown[]> = async (run) => {
  const ask = (prompt: string) => (on: Run) => on.call(confirmTool(), { prompt });
  const answers = await run.all([ask('First?'), ask('Second?')], 2);
  return done(answers.map((answer) => answer.ok && answer.value.ok && answer.value.value));
};

/** Waits, and says what it was told meanwhile. */
const listener: Agent<unknown, unknown> = async (run) => {
  await run.wait({ name: 'go' });
  return done(run.instructions());
};

/** Asks about 120, or about what it is given, and recommends 100 in place of what is more. */
const refund: Agent<Job & { readonly euros?: number }, unknown> = async (run, { folder, euros = 120 }) => {
  const pay = tool({
    name: 'refund',
    description: 'Pays money back.',
    input: { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] },
    effect: 'irreversible',
    why: 'money leaves the account',
    review: (args: { euros: number }) => (args.euros > 100 ? { recommended: { euros: 100 } } : {}),
    execute: async (args: { euros: number }, { key }) => {
      ledgerOf(folder).record(key, { paid: args });
      return 'paid';
    },
  });
  return done((await run.call(pay as ToolRef, { euros })).content);
};

/** Asks about a letter that a model wrote, without a tool, and recommends another one. */
const letter: Agent<Job, unknown> = async (run) => {
  const model = scriptedModel({ writer: () => 'Dear Ada, the boat leaves at noon.' }, { id: 'scripted/writer' });
  const written = await run.ask({ name: 'writer', model, setup: 'You write letters.' }, 'Write to Ada: at noon.');
  const recommended = { text: 'Dear Ada, the boat leaves at one.' };
  const request = { action: 'send the letter', output: { text: written.text }, recommendation: 'modify', recommended };
  return done(await requestApproval(run, request as ApprovalRequest, {}, 'review'));
};

export const agents = { letter, tidy, busy, mail, survey, both, listener, refund };
