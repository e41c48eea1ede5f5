import { strict as assert } from 'node:assert';
import { budget, createRuntime, memoryEngine } from 'flyball';
import { agentFromFile } from 'flyball/adapters/definitions';
import { bindAgent, conversation, defineAgent, MESSAGE } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { tool, toolRegistry } from 'flyball/tools';
import { z } from 'zod';

/** One agent, defined in TypeScript and in YAML; asked once, let loose with tools, and talked with. */

const lookUpOrder = tool({
  name: 'look_up_order',
  description: 'Finds an order by its number. Not for customers.',
  input: z.object({ number: z.string().describe('such as A1') }),
  effect: 'pure',
  execute: async ({ number }) => ({ number, state: 'sent' }),
});
const lookingUp = { toolCalls: [{ id: 'c1', name: 'look_up_order', arguments: '{"number":"A1"}' }] };
const right = '{"answer":"Order A1 is on its way.","order":"A1"}';
const model = scriptedModel({
  desk: [
    // invokeIterative: a tool call, an answer, and the answer again when asked to check it
    lookingUp,
    right,
    `\`\`\`json\n${right}\n\`\`\``,
    // invoke: an answer that does not fit the schema, then one that does
    '{"answer":"Order A1 is on its way."}',
    right,
    // conversation: two turns; the second continues the first
    lookingUp,
    'It is on its way.',
    'On Monday.',
  ],
});

// #region define
const desk = defineAgent({
  name: 'desk',
  role: 'a clerk of a small shop',
  description: 'You answer customers about their orders.',
  capabilities: ['Looking up orders'],
  constraints: ['Say which order you looked at.'],
  guardrails: ['Never tell one customer about another.'],
  ownership: { owner: 'the shop', escalation: 'Ask the customer to call.' },
  dependencies: [{ name: 'order book', why: 'every order is in it' }],
  autonomy: 'supervised',
  inputs: { question: { type: 'string', description: 'what the customer wants to know' } },
  outputs: {
    answer: { type: 'string', description: 'one sentence' },
    order: { type: 'string', description: 'the number of the order' },
  },
  model,
  tools: [lookUpOrder],
  budget: { modelCalls: 8, toolCalls: 10, costUsd: 0.2 },
  loop: { maxIterations: 8 },
});
// #endregion

// #region bind
const definition = 'examples/desk/agent.yaml'; // where you saved the definition above
const spec = await agentFromFile(definition); // checks every field and reports errors with their line
const bound = bindAgent(spec, { model: () => model, tools: toolRegistry([lookUpOrder]) });
assert.equal(bound.setup, desk.setup); // both are the same agent
// #endregion

// #region run
const runtime = createRuntime({
  engine: memoryEngine(),
  agents: { desk: bound, 'desk-once': bound.invoke, 'desk-chat': conversation(bound) },
});
const limits = { budget: budget(bound.budget) };
const input = { question: 'Where is order A1?' };

const worked = await (await runtime.start('desk', input, limits)).outcome(); // the tool loop
const asked = await (await runtime.start('desk-once', input, limits)).outcome(); // one model call, no tools
// #endregion
assert(worked.stop === 'done' && asked.stop === 'done');
const { output, toolsUsed } = worked.value;
assert.deepEqual(output, { answer: 'Order A1 is on its way.', order: 'A1' }); // the fence is gone
assert.deepEqual(toolsUsed, ['look_up_order']);
assert.deepEqual(asked.value.output, output);
const repair = model.requestsOf('desk')[4]?.messages.at(-1)?.content ?? '';
assert.match(repair, /^Your last reply was not accepted\. .*order/s); // the last thing it read
const refused = await (await runtime.start('desk', { questoin: 'Where?' }, limits)).outcome();
assert(refused.stop === 'failed'); // before a token was spent
assert.equal(refused.failure.code, 'INPUT_INVALID');
assert.equal(refused.usage?.modelCalls, 0);

// #region conversation
const answers: string[] = [];
const answered = new Map<number, () => void>();
runtime.subscribe((_run, entries) => {
  for (const { event } of entries) {
    if (event.type !== 'note' || event.event.kind !== 'turn-end') continue;
    answers.push(String(event.event['answer']));
    answered.get(answers.length)?.();
  }
});
const turn = (n: number) => new Promise<void>((resolve) => answered.set(n, resolve));

const first = turn(1);
const chat = await runtime.start('desk-chat', 'Where is order A1?', limits); // one durable run
await first;
const second = turn(2);
await runtime.signal(chat.id, MESSAGE, { text: 'And when does it arrive?' }); // now, or in a month
await second;
await runtime.signal(chat.id, MESSAGE, { end: true });
const ended = await chat.finished();
// #endregion
assert(ended.stop === 'done');
assert.deepEqual(ended.value, { turns: 2 });
assert.deepEqual(answers, ['It is on its way.', 'On Monday.']);
assert.match(model.promptAt('desk', 8), /Where is order A1\?.*It is on its way\..*when does it arrive/s);
model.assertFinished();

await runtime.close();
console.log(`agents: ${answers.join(' ')} (${desk.setup.length} characters of system prompt)`);
