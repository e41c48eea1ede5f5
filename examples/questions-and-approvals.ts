import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import {
  type Agent,
  type ApprovalRequest,
  budget,
  createRuntime,
  done,
  memoryEngine,
  memoryStore,
  systemClock,
  type Verdict,
} from 'flyball';
import { loadPolicy } from 'flyball/adapters/definitions';
import { toolLoop } from 'flyball/loops';
import {
  approvalInbox,
  askTool,
  chooseOneTool,
  displaysOf,
  displayTool,
  type InboxItem,
  kindOfTool,
  requestApproval,
} from 'flyball/people';
import { scriptedModel } from 'flyball/testing';
import { governance, tool } from 'flyball/tools';
import { provenanceOf } from 'flyball/views';
import { z } from 'zod';

/** A run asks a person, is answered, wants to pay money out, is told a smaller sum, and needs two people's yes for it. */

const desk = new URL('../../../examples/desk/', import.meta.url).pathname;
const paid: string[] = [];

// #region tools
const refund = tool({
  name: 'refund',
  description: 'Pays money back for an order. Not for vouchers.',
  input: z.object({ order: z.string().describe('its number'), euros: z.number().positive().describe('how much') }),
  effect: 'irreversible', // a person approves every call, whatever any policy says
  why: 'money leaves the account',
  approval: {
    scopes: ['desk'], // any one of these lets a person decide
    timeoutMs: 2 * 24 * 3600 * 1000, // requests expire after two days
    escalation: [{ to: 'the head of the desk', scopes: ['head'] }],
  },
  review: ({ order, euros }) => ({
    expectedEffect: `${euros} euros for order ${order} are with the customer within a day`,
    undo: 'not by us: the customer would have to send it back',
    alternatives: ['a voucher'],
    risk: euros > 100 ? 'high' : 'low',
  }),
  execute: async ({ order, euros }) => {
    paid.push(`${order}: ${euros}`);
    return `${euros} euros are on their way`;
  },
});
const whichOrder = chooseOneTool({ name: 'which_order', risk: 'low', timeoutMs: 3_600_000 });
const show = displayTool();

assert.deepEqual([refund, show, whichOrder].map(kindOfTool), ['functional', 'display', 'blocking']);
// #endregion

// #region own
/** Your own question: what the model passes, what the person reads, and which answers are valid. */
const howToSend = askTool<{ readonly order: string }, string>({
  name: 'how_to_send',
  description: 'Asks the warehouse how a replacement leaves the house. Not for refunds.',
  widget: 'choose-one',
  input: {
    type: 'object',
    properties: { order: { type: 'string' } },
    required: ['order'],
    additionalProperties: false,
  },
  answer: { type: 'string', enum: ['post', 'courier'] }, // JSON Schema, or a schema library that can produce it
  prompt: ({ order }) => `How do we send the replacement for ${order}?`,
  details: () => ({ choices: ['post', 'courier'] }), // for the interface
  present: (way) => `It goes by ${way}.`, // what the model reads
  scopes: ['warehouse'],
  timeoutMs: 4 * 3600 * 1000,
});
// #endregion
assert.equal(howToSend.asks({ order: 'A1' }).prompt, 'How do we send the replacement for A1?');

const call = (id: string, name: string, args: object) => ({ id, name, arguments: JSON.stringify(args) });
const question = { prompt: 'Ada has two orders. Which one is it?', choices: ['A1', 'A2'] };
const model = scriptedModel({
  clerk: [
    {
      toolCalls: [
        call('a', 'show', {
          table: {
            columns: ['order', 'euros'],
            rows: [
              ['A1', '400'],
              ['A2', '35'],
            ],
          },
        }),
        call('b', 'which_order', question),
      ],
    },
    { toolCalls: [call('c', 'which_order', question)] }, // asks again: gets the same answer, and nobody is asked
    { toolCalls: [call('d', 'refund', { order: 'A1', euros: 400 })] },
    'A1 is paid back: 90 euros.',
  ],
});

// #region desk
const tools = [show, whichOrder, refund];
const clerk = toolLoop({
  session: { name: 'clerk', model, setup: 'You look after refunds.' },
  tools,
  config: { doubleConfirmation: false },
});
const clock = systemClock();
const policy = await loadPolicy(join(desk, 'large-refunds.yaml'), { clock });
const runtime = createRuntime({
  engine: memoryEngine(),
  agents: { clerk },
  seams: governance({ clock, tools, autonomy: 'autonomous', policy }),
  options: { worker: false }, // here the run continues when we resume it; a worker does that on its own
});
const inbox = approvalInbox({ runtime, store: memoryStore(), clock }); // or the store of the SQLite engine
// #endregion

const story: string[] = [];
/** The open requests. */
async function look(): Promise<InboxItem> {
  const { items } = await inbox.list({ status: 'open' });
  story.push(...items.map(line));
  const [item] = items;
  assert(item !== undefined && items.length === 1);
  return item;
}
function line({ kind, about, why = '', risk, scopes, notBy, request }: InboxItem): string {
  const { input } = request as { readonly input?: unknown };
  const what = input === undefined ? about : `${about} ${JSON.stringify(input)}`;
  const limits = [
    `risk ${risk ?? 'unknown'}`,
    ...scopes.map((scope) => `for ${scope}`),
    ...notBy.map((who) => `not by ${who}`),
  ];
  return `  [${kind}] ${what} (${limits.join(', ')}): ${why}`;
}
/** Continues the run until it waits or ends. */
async function goOn() {
  return (await runtime.wake('refund-1')).outcome();
}

// #region question
const started = await runtime.start('clerk', 'Pay Ada back.', { budget: budget(), id: 'refund-1' });
assert.equal((await started.outcome()).stop, 'suspended'); // the run needs no process; this can take days

const asked = await look();
assert.deepEqual([asked.kind, asked.about, asked.why], ['question', 'which_order', question.prompt]);
const grace = { by: 'grace', scopes: ['desk', 'treasury'] };
await assert.rejects(inbox.answer(asked.id, 'A3', grace), { code: 'SIGNAL_INVALID' }); // the answer is checked first
await inbox.answer(asked.id, 'A1', grace); // this is the result of the call; the tool is not executed
// #endregion
story.push('grace answers A1');

// #region proposed
await goOn();
const proposed = await look();
// the tool requires `desk`, the policy `treasury`: both apply
assert.deepEqual([proposed.about, proposed.risk, proposed.scopes], ['refund', 'high', ['desk']]);
assert.deepEqual(proposed.alsoScopes, [['treasury']]);
// #endregion
const { provenance, ...request } = proposed.request as ApprovalRequest;
assert.equal(provenance?.by?.kind, 'model'); // a model proposed it, and the request says what that model had read
assert(provenance.sources.some(({ tool }) => tool === 'which_order'));
assert.deepEqual(request, {
  action: 'refund',
  input: { order: 'A1', euros: 400 },
  effect: 'irreversible',
  expectedEffect: '400 euros for order A1 are with the customer within a day',
  undo: 'not by us: the customer would have to send it back',
  alternatives: ['a voucher'],
  risk: 'high',
  why: request.why,
  people: 2,
});

// #region decide
const approve: Verdict = { verdict: 'approve' };
const eve = { by: 'eve', scopes: ['desk'] };
await assert.rejects(inbox.decide(proposed.id, approve, eve), { code: 'DENIED' }); // the wrong scope: it stays open

const less: Verdict = { verdict: 'modify', value: { order: 'A1', euros: 90 }, reason: 'only one crate was broken' };
await inbox.decide(proposed.id, less, grace);
await goOn(); // 90 euros are checked again by schema, guards and policy: above 50, two people are still needed
const modified = await look();
assert.equal(modified.risk, 'low');

await inbox.decide(modified.id, approve, grace);
await goOn();
const second = await look();
await assert.rejects(inbox.decide(second.id, approve, grace), { code: 'DENIED' }); // it takes two different people
await inbox.decide(second.id, approve, { by: 'alan', scopes: ['desk', 'treasury'] });
const outcome = await goOn();
// #endregion
story.push('grace makes it 90 euros and approves that; alan approves it too');

// #region after
assert(outcome.stop === 'done');
assert.deepEqual(paid, ['A1: 90']);
const decided = (await inbox.history(second.id)).map(({ by, verdict }) => `${by} ${verdict}`);
assert.deepEqual(decided, ['grace modify', 'grace approve', 'alan approve']);

const entries = await runtime.entries('refund-1');
const { approvals } = provenanceOf('refund-1', entries);
assert.deepEqual(
  approvals.map(({ by, verdict }) => `${by} ${verdict}`),
  decided,
);
assert.equal(displaysOf(entries)[0]?.shown.table?.rows.length, 2); // what was shown, for any interface
// #endregion
const result = outcome.value;
assert.equal(result.toolCalls, 4);
assert.equal((await inbox.list()).items.filter(({ kind }) => kind === 'question').length, 1); // asked once, called twice
model.assertFinished();

// #region late
const late = inbox.decide(second.id, { verdict: 'reject', reason: 'wait' }, { by: 'ines', scopes: ['*'] });
await assert.rejects(late, { code: 'SIGNAL_UNEXPECTED', message: /alan said approve at .* Nothing was changed\./ });
// #endregion

/** Changes a refund to another amount. Returns what the agent reads. */
async function changedTo(euros: number): Promise<string> {
  const once: Agent<null, string> = async (run) => done((await run.call(refund, { order: 'A2', euros: 35 })).content);
  const seams = governance({ clock, tools, autonomy: 'autonomous', policy });
  const own = createRuntime({ engine: memoryEngine(), agents: { once }, seams, options: { worker: false } });
  const waiting = await (await own.start('once', null, { budget: budget(), id: 'r' })).outcome();
  assert(waiting.stop === 'suspended');
  const value = { order: 'A2', euros };
  await own.signal('r', waiting.waiting[0]?.token ?? '', { verdict: 'modify', value }, { from: 'eve', scopes: ['*'] });
  const end = await (await own.wake('r')).outcome();
  await own.close();
  return end.stop === 'done' ? String(end.value) : end.stop;
}
// #region regated
assert.match(await changedTo(900), /not permitted here/); // guards check the new arguments too
assert.match(await changedTo(-1), /euros/); // so does the schema
assert.equal(await changedTo(30), 'suspended'); // if they pass, people are asked again
// #endregion
assert.deepEqual(paid, ['A1: 90']);

// #region output
/** Asks for approval of an output before it is used. */
const letters: Agent<string, string> = async (run, draft) => {
  let text = draft;
  let history: Awaited<ReturnType<typeof requestApproval>>['history'] = [];
  for (let round = 1; ; round++) {
    const request = { action: 'commit', output: text, why: 'a customer reads it', confidence: 0.8, history };
    const verdict = await requestApproval(run, request, { scopes: ['desk'], timeoutMs: 86_400_000 }, `letter-${round}`);
    switch (verdict.verdict) {
      case 'approved':
        return done(`${text} (approved by ${verdict.by.join(', ')})`);
      case 'modified':
        text = String(verdict.value); // check it like the first one, then ask again
        history = verdict.history;
        break;
      case 'rejected':
        return { stop: 'blocked', because: verdict.why };
      case 'timed-out':
        return { stop: 'blocked', because: 'nobody answered within a day' }; // without an answer, nothing is approved
    }
  }
};
// #endregion
const office = createRuntime({ engine: memoryEngine(), agents: { letters }, options: { worker: false } });
const post = approvalInbox({ runtime: office, store: memoryStore(), clock });
await (await office.start('letters', 'Dear Ada, sorry.', { budget: budget(), id: 'letter' })).outcome();
for (const verdict of [{ verdict: 'modify', value: 'Dear Ada, we are sorry.' }, approve] as const) {
  const [item] = (await post.list({ status: 'open' })).items;
  await post.decide(item?.id ?? '', verdict, grace);
  await (await office.wake('letter')).outcome();
}
const letter = await office.handle('letter').outcome();
assert(letter.stop === 'done');
assert.equal(letter.value, 'Dear Ada, we are sorry. (approved by grace)');

inbox.close();
post.close();
await runtime.close();
await office.close();
console.log('questions-and-approvals: what the inbox showed, and what people did');
for (const told of story) console.log(told);
console.log(`paid once: ${paid.join()}; decided by ${decided.join(', ')}`);
