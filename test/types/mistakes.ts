/**
 * Mistakes that the compiler finds, and what it says: the comment above each is the whole message, in one line. This file
 * does not compile, so that it is no part of the project; `mistakes.full.test.ts` compiles it as a user would.
 */
import { type Agent, budget, createRuntime, done, memoryEngine, type Run } from 'flyball';
import { defineAgent, invokeAgent, workflow } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

const model = scriptedModel({});
const refunds = defineAgent({
  name: 'refunds',
  description: 'You decide about refunds.',
  model,
  inputs: { order: { type: 'string' } },
  outputs: { decision: { type: 'string', enum: ['refunded', 'refused'] } },
});
const greet: Agent<{ readonly name: string }, string> = async (_run, { name }) => done(`Hello, ${name}.`);
const weigh = tool({
  name: 'weigh',
  description: 'Weighs a parcel.',
  input: z.object({ parcel: z.string() }),
  effect: 'pure',
  execute: async ({ parcel }) => parcel.length,
});
const runtime = createRuntime({ engine: memoryEngine(), agents: { refunds, greet } });
const limits = { budget: budget() };

// Argument of type '"refund"' is not assignable to parameter of type '"greet" | "refunds"'.
await runtime.start('refund', { order: 'A1' }, limits);

// Type 'number' is not assignable to type 'string'.
await runtime.start('refunds', { order: 1 }, limits);

// Object literal may only specify known properties, and 'nmae' does not exist in type '{ readonly name: string; }'.
await runtime.start('greet', { nmae: 'Ada' }, limits);

const handle = await runtime.start('refunds', { order: 'A1' }, limits);
const outcome = await handle.outcome();
if (outcome.stop === 'done') {
  // This comparison appears to be unintentional because the types '"refunded" | "refused"' and '"granted"' have no overlap.
  if (outcome.value.output.decision === 'granted') process.exitCode = 1;
}

export const agent = async (run: Run) => {
  // Type 'number' is not assignable to type 'string'.
  await run.call(weigh, { parcel: 4 });

  const weighed = await run.call(weigh, { parcel: 'a box' });
  // Property 'length' does not exist on type 'number'.
  if (weighed.ok) weighed.value.length;

  // Type 'number' is not assignable to type 'string'.
  await invokeAgent(run, refunds, { order: 1 });

  // Object literal may only specify known properties, and 'nmae' does not exist in type '{ readonly name: string; }'.
  return run.spawn(greet, { nmae: 'Ada' }, { share: 0.5 });
};

export const flow = workflow({ name: 'flow', agents: { refunds } }, async (run, _input, parts) => {
  // Argument of type '"refund"' is not assignable to parameter of type '"refunds"'.
  return parts.invokeAgent(run, 'refund', { order: 'A1' });
});
