import { appendFileSync, existsSync } from 'node:fs';
import { type Agent, type DomainEvent, done } from 'flyball';
import { defineAgent } from 'flyball/agents';
import { reflexion, selfConsistency, zeroShot } from 'flyball/patterns';
import {
  chooseOneTool,
  chooseSeveralTool,
  confirmTool,
  dateTool,
  fileTool,
  formTool,
  numberTool,
  requestApproval,
} from 'flyball/people';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';

/** The agents of the browser's tests: quick, and one for each thing that a page has to show. */

const payBack = tool({
  name: 'pay_back',
  description: 'Pays money back to a customer. Not for vouchers.',
  input: {
    type: 'object',
    properties: {
      order: { type: 'string', maxLength: 20, description: 'its number' },
      amount: { type: 'number', minimum: 1, maximum: 500, description: 'EUR' },
    },
    required: ['order', 'amount'],
    additionalProperties: false,
  },
  effect: { class: 'irreversible', why: 'money leaves the account' },
  review: ({ order, amount }) => ({
    why: `The customer of ${String(order)} asked for their money back, and the order was cancelled in time.`,
    expectedEffect: `${String(amount)} EUR go back to the customer, today.`,
    undo: 'It cannot be taken back; the customer would have to pay again.',
    alternatives: ['offer a voucher over the same amount', 'pay back half of it'],
    scores: { 'rule check': 0.98, 'past cases': 0.81 },
    confidence: 0.86,
    risk: 'high',
    recommendation: 'approve',
  }),
  approval: { timeoutMs: 3_600_000, escalation: [{ to: 'the head of the desk', scopes: [] }] },
  execute: async ({ order, amount }) => `paid ${String(amount)} EUR for ${String(order)}`,
});

const model = scriptedModel(
  {
    cashier: ({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
      const last = results.at(-1);
      if (last !== undefined) return last.startsWith('paid') ? `Done: ${last}.` : `It was not paid. ${last}`;
      const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
      if (!asked.includes('order')) return `You said: ${asked.slice(0, 60)}`;
      const call = JSON.stringify({ order: 'A-17', amount: 120 });
      return { text: 'I propose to pay it back.', toolCalls: [{ id: 'c1', name: 'pay_back', arguments: call }] };
    },
  },
  { id: 'scripted/cashier' },
);

const cashier = defineAgent({
  name: 'cashier',
  description: 'Pays customers back when a person agrees.',
  model,
  tools: [payBack],
  inputs: {
    request: { type: 'string', description: 'what the customer wrote', default: 'Please refund order A-17.' },
    urgent: { type: 'boolean', required: false, description: 'whether somebody waits' },
    copies: { type: 'integer', required: false, description: 'of the receipt' },
  },
  loop: { doubleConfirmation: false },
  budget: { modelCalls: 6, toolCalls: 4, costUsd: 0.2 },
});

interface Walk {
  readonly steps?: number;
  /** Where each step writes a line when it begins. */
  readonly file?: string;
  /** The third step lasts until this file is there: the moment to be killed in. */
  readonly gate?: string;
}

/** Writes a line for each step. */
const walker: Agent<Walk, string> = async (run, input) => {
  const { steps = 6, file, gate } = input ?? {};
  run.note({ kind: 'phase', phase: 'walk' });
  for (let n = 1; n <= steps; n++)
    await run.step(`step-${n}`, { n, file, gate: n === 3 ? gate : undefined }, walk, {
      class: 'idempotent',
      timeoutMs: 60_000,
    });
  return done(`walked ${steps} steps`);
};

async function walk(
  { n, file, gate }: { readonly n: number; readonly file?: string | undefined; readonly gate?: string | undefined },
  { key }: { readonly key: string },
): Promise<string> {
  if (file !== undefined) appendFileSync(file, `${n} ${key}\n`);
  while (gate !== undefined && !existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, 20));
  return `step ${n} is done`;
}

/** Sleeps for a moment before each step, long enough to be put down and woken up every time. */
const dozer: Agent<{ readonly naps?: number }, string> = async (run, input) => {
  const { naps = 20 } = input ?? {};
  for (let n = 1; n <= naps; n++) {
    await run.sleep(150);
    await run.step(`look-${n}`, n, () => n, 'pure');
  }
  return done(`slept ${naps} times`);
};

/** As many events as anybody wants. */
const teller: Agent<{ readonly events?: number }, number> = async (run, input) => {
  const events = input?.events ?? 10_000;
  for (let n = 1; n <= events; n++) {
    run.note({ kind: 'progress', n });
    if (n % 500 === 0) await run.step(`told-${n}`, n, () => n, 'pure');
  }
  return done(events);
};

const asks = chooseOneTool();
const form = formTool({
  fields: {
    type: 'object',
    properties: { name: { type: 'string', minLength: 1, maxLength: 40 }, nights: { type: 'integer', minimum: 1 } },
    required: ['name', 'nights'],
  },
});

/** Asks a person twice: for a choice, then for a form. */
const receptionist: Agent<unknown, unknown> = async (run) => {
  const berth = await run.call(asks, {
    prompt: 'Which berth do you want?',
    choices: ['the quiet one', 'the cheap one'],
  });
  const guest = await run.call(form, { prompt: 'Who comes, and for how long?' });
  return done(`${berth.content} for ${guest.content}`);
};

/** One question for each other way to ask. */
const clerk: Agent<unknown, unknown> = async (run) => {
  const days = { earliest: '2030-01-01', latest: '2030-12-31' };
  const said = [
    await run.call(dateTool(), { prompt: 'Which day?', ...days }),
    await run.call(chooseSeveralTool(), { prompt: 'Which flags?', choices: ['A', 'B', 'C'], minimum: 2, maximum: 2 }),
    await run.call(fileTool({ maxBytes: 40, endings: ['.txt'] }), { prompt: 'The list of names, please.' }),
    await run.call(numberTool(), { prompt: 'How many crew?', minimum: 1, integer: true }),
    await run.call(confirmTool(), { prompt: 'Is that all?' }),
  ];
  return done(said.map(({ content }) => content).join(' | '));
};

/** Tries to be more than text wherever a text can stand. A browser that believed it would set `globalThis.hacked`. */
const MARKUP =
  '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=2</script>[a](javascript:globalThis.hacked=3)';
/** Reads from right to left what follows. */
const TURNED = '\u202e021 RUE\u202c';

const imitate = tool({
  name: 'imitate',
  description: `Repeats. ${MARKUP}`,
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
  effect: { class: 'irreversible', why: MARKUP },
  review: () => ({ why: `${MARKUP} ${TURNED}`, expectedEffect: TURNED, alternatives: [MARKUP], undo: MARKUP }),
  execute: async ({ text }) => `${MARKUP} ${String(text)}`,
});

const mimicModel = scriptedModel(
  {
    mimic: ({ messages }) => {
      if (messages.some(({ role }) => role === 'tool')) return `${MARKUP} ${TURNED}`;
      const call = JSON.stringify({ text: `${TURNED}${MARKUP}` });
      return { text: MARKUP, reasoning: MARKUP, toolCalls: [{ id: 'c1', name: 'imitate', arguments: call }] };
    },
  },
  { id: 'scripted/mimic' },
);

const mimic = defineAgent({
  name: 'mimic',
  description: `Says what it should not. ${MARKUP}`,
  model: mimicModel,
  tools: [imitate],
  inputs: { request: { type: 'string', description: MARKUP, default: MARKUP } },
  loop: { doubleConfirmation: false },
  budget: { modelCalls: 4, toolCalls: 2 },
});

/** The same in everything that an agent writes down itself. */
const scribbler: Agent<unknown, unknown> = async (run) => {
  run.note({ kind: 'phase', phase: MARKUP });
  const untyped: DomainEvent = {
    kind: 'plan',
    goal: MARKUP,
    steps: [{ id: MARKUP, description: MARKUP, dependsOn: [] }],
  };
  run.note(untyped);
  await run.step(MARKUP, { [MARKUP]: TURNED }, () => MARKUP, 'pure');
  await run.call(chooseOneTool(), { prompt: `${MARKUP} ${TURNED}`, choices: [MARKUP, TURNED] });
  throw new Error(MARKUP);
};

/** Asks about a letter of its own, which no tool sends, and recommends another one. */
const editor: Agent<{ readonly guest?: string }, unknown> = async (run, { guest = 'Ada' }) => {
  const writer = scriptedModel({ writer: () => 'Dear guest, the ferry leaves at noon.' }, { id: 'scripted/writer' });
  const session = { name: 'writer', model: writer, setup: 'You write letters.' };
  const { text } = await run.ask(session, `Write to ${guest}. ${MARKUP} ${TURNED}`);
  const request = {
    action: 'send the letter',
    output: { text },
    recommendation: 'modify',
    recommended: { text: 'Dear guest, the ferry leaves at one.' },
  } as const;
  return done(await requestApproval(run, request, {}, 'review'));
};

const voices = scriptedModel(
  {
    teller: ({ messages }) =>
      messages.some(({ content }) => content.includes('Say from where')) ? 'At noon, from the pier.' : 'At noon.',
    critic: () => 'Say from where.',
    waiter: () => 'I am so happy. I missed you.',
  },
  { id: 'scripted/voices', price: { input: 100, output: 100 } },
);
const voice = (name: string) => ({ name, model: voices, setup: 'You answer in one sentence.' });

/** Two attempts of three samples each, and a critique between them. */
const committee = reflexion(
  selfConsistency(zeroShot(voice('teller')), {}, { samples: 3 }),
  {
    test: (_run, answer: string) => (answer.includes('pier') ? { ok: true } : { ok: false, because: 'no pier' }),
    critic: voice('critic'),
  },
  { maxAttempts: 2 },
);

/** Makes other calls than it predicts, and says how it feels. */
const waiter: Agent<string, string> = (run, input) =>
  run.enter({ pattern: 'greeting', predicted: { min: 2, max: 3 } }, async (inside) => {
    const { text } = await inside.ask(voice('waiter'), input ?? 'Hello');
    return done(text);
  });

export const agents = {
  committee,
  waiter,
  editor,
  cashier,
  walker,
  dozer,
  teller,
  receptionist,
  clerk,
  mimic,
  scribbler,
};
export const tools = [payBack];
