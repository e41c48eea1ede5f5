import { strict as assert } from 'node:assert';
import { type Agent, budget, createRuntime, done, type Framing, memoryEngine, type Session } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { delegateTo, delegateTool, transferTool } from 'flyball/tools';
import { z } from 'zod';

/** Agents that work together: a shared board, agents as tools, framings, and children that only pretend to act. */

const call = (name: string, args: object, id: string) => ({ id, name, arguments: JSON.stringify(args) });
const model = scriptedModel({
  finder: (request) => `a fact about ${request.messages.at(-1)?.content}`,
  lead: ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? 'Done.'
      : { toolCalls: [call('research', { topic: 'tides' }, 'c1')] },
  desk: () => ({ toolCalls: [call('to_billing', { about: 'an invoice' }, 'c1')] }),
});
const finderSession: Session = { name: 'finder', model, setup: 'You find one fact.' };

// #region board
const finder: Agent<string, null> = async (run, topic) => {
  const { text } = await run.ask(finderSession, topic);
  await run.board<string>('facts').post(text);
  return done(null);
};

const team: Agent<readonly string[], readonly string[]> = async (run, topics) => {
  const facts = run.board<string>('facts');
  // each child may read and post to the board "facts" of its parent
  await run.all(
    topics.map((topic) => (branch) => branch.spawn(finder, topic, { modelCalls: 2, boards: ['facts'] })),
    2,
  );
  return done(facts.read().map(({ entry }) => entry));
};
// #endregion

// #region delegate
const helper: Agent<string, string> = async (run, topic) => done((await run.ask(finderSession, topic)).text);

const research = delegateTool({
  name: 'research',
  description: 'Researches one topic. Not for arithmetic.',
  input: z.object({ topic: z.string().describe('what to look for') }),
  delegates: ({ topic }) => delegateTo(helper, topic, { modelCalls: 3 }),
});

const lead = toolLoop({ session: { name: 'lead', model, setup: 'You lead.' }, tools: [research] });
// #endregion

// #region transfer
const toBilling = transferTool({
  name: 'to_billing',
  description: 'Hands the conversation over to billing.',
  input: z.object({ about: z.string().describe('what it is about') }),
  transfers: ({ about }) => ({ to: 'billing', about }),
});

const desk = toolLoop({ session: { name: 'desk', model, setup: 'You help.' }, tools: [toBilling] });
// #endregion

// #region framing
const brief: Framing = {
  id: 'brief-1',
  session: (session) => ({ ...session, setup: `${session.setup}\nAnswer in one sentence.` }),
};

/** Any agent, with one more line in the setup of every session inside it. */
function inBrief<I, O>(agent: Agent<I, O>): Agent<I, O> {
  return (run, input) => agent(run.dressed(brief), input);
}
// #endregion

// #region shadow
/** Runs `next` beside `current`. Nothing that `next` does goes out. */
function withShadow<I, O>(current: Agent<I, O>, next: Agent<I, O>): Agent<I, O> {
  return async (run, input) => {
    const shadow = await run.spawn(next, input, { share: 0.2, world: 'simulated' });
    run.note({ kind: 'shadow', stop: shadow.stop });
    return current(run, input);
  };
}
// #endregion

const runtime = createRuntime({
  engine: memoryEngine(),
  agents: { team, lead, desk, brief: inBrief(helper), shadowed: withShadow(helper, inBrief(helper)) },
});
const start = async (name: 'team' | 'lead' | 'desk' | 'brief' | 'shadowed', input: unknown) =>
  (await runtime.start(name, input as never, { budget: budget() })).outcome();

const found = await start('team', ['tides', 'winds']);
assert(found.stop === 'done');
assert.deepEqual([...(found.value as string[])].sort(), ['a fact about tides', 'a fact about winds']);
assert.equal((await start('lead', 'Look into it.')).stop, 'done');
const handedOver = await start('desk', 'My invoice is wrong.');
assert(handedOver.stop === 'blocked');
assert.deepEqual((handedOver.partial as { transfer: unknown }).transfer, {
  tool: 'to_billing',
  package: { to: 'billing', about: 'an invoice' },
});
assert.equal((await start('brief', 'currents')).stop, 'done');
assert.match(model.promptAt('finder', model.requestsOf('finder').length), /one sentence/);
assert.equal((await start('shadowed', 'currents')).stop, 'done');
await runtime.close();
console.log('shared-work: children filled a board, an agent worked as a tool, and a shadow changed nothing');
