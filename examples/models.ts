import { strict as assert } from 'node:assert';
import { type Agent, budget, createModels, createRuntime, describeModels, done, memoryEngine } from 'flyball';
import { aiSdkProvider } from 'flyball/adapters/model-ai-sdk';
import { openAiModel } from 'flyball/adapters/model-http';
import { modelServer } from 'flyball/testing';

/** Models by name and role, over real HTTP on this machine: what fails is asked again, or another model is. */

// #region server
const server = await modelServer({
  replies: [
    'Paris.',
    { misbehave: '429', retryAfter: 0 }, // costs nothing: the same model is asked again
    { text: 'Oslo.', misbehave: 'cut' }, // breaks inside a token, and may be billed
    'Oslo.', // so the next attempt goes to a model that has not failed
    { text: 'Bergen.', usage: { input: 12, output: 3 } },
    'One.',
    'Two.',
  ],
});
// #endregion

// #region env
// usually process.env
const env = {
  FLYBALL_MODEL: 'openai/gpt-4.1-mini', // for every role
  FLYBALL_MODEL_JUDGE: 'house/small,anthropic/claude-haiku-4-5', // for the judge; the second is the fallback of the first
  OPENAI_API_KEY: 'key-of-this-example',
  ANTHROPIC_API_KEY: 'key-of-this-example',
};
// #endregion

// #region create
const tries: string[] = [];
const models = await createModels({
  env,
  config: {
    providers: {
      openai: { baseUrl: server.baseUrl('openai-chat') },
      anthropic: { baseUrl: server.baseUrl('anthropic') }, // through @ai-sdk/anthropic
      house: { baseUrl: server.baseUrl('openai-chat') }, // any server that speaks OpenAI's chat completions
    },
    models: { 'house/small': { price: { input: 0.1, output: 0.2 }, capabilities: { window: 32_000 } } },
    retry: { retries: 2, baseDelayMs: 1, jitterMs: 1 },
  },
  observe: (event) => {
    if (event.type === 'attempt-end') tries.push(`${event.model} ${event.ok ? 'answered' : 'failed'}`);
  },
});
// #endregion

// #region use
const quiz: Agent<null, readonly string[]> = async (run) => {
  const ask = async (role: string, question: string) => {
    const session = { name: role, model: models.forRole(role), setup: 'Answer with one word.' };
    const reply = await run.ask(session, question);
    return `${reply.model}: ${reply.text}`;
  };
  return done([
    await ask('writer', 'The capital of France?'), // has no entry, so the default is used
    await ask('judge', 'The capital of Norway?'),
    await ask('judge', 'And the largest city of Vestland?'),
  ]);
};
// #endregion

const runtime = createRuntime({ engine: memoryEngine(), agents: { quiz } });
runtime.subscribeDeltas(() => undefined); // a subscriber gets a stream, so that one can break
const handle = await runtime.start('quiz', null, { budget: budget({ costUsd: 1 }) });
const outcome = await handle.outcome();

// #region outcome
assert(outcome.stop === 'done');
assert.deepEqual(outcome.value, [
  'openai/gpt-4.1-mini: Paris.',
  'anthropic/claude-haiku-4-5: Oslo.', // the reply names its model, whose price counts
  'house/small: Bergen.',
]);
assert.deepEqual(tries.slice(1), [
  'house/small failed',
  'house/small failed',
  'anthropic/claude-haiku-4-5 answered',
  'house/small answered',
]);
assert.equal(models.forRole('judge').paidAttempts, 2); // so two attempts were reserved before the first
assert.equal(outcome.usage?.modelCalls, 3);
assert(outcome.usage.tokensOut > 4_096); // the broken stream is charged as if it had reached its limit
// #endregion

// #region direct
const house = openAiModel({
  id: 'house/large',
  baseUrl: server.baseUrl('openai-chat'),
  apiKey: 'key-of-this-example',
  capabilities: { window: 64_000, maxOutputTokens: 2_000 },
  price: { input: 0, output: 0 },
});
const anthropic = await aiSdkProvider('anthropic', {
  apiKey: 'key-of-this-example',
  baseUrl: server.baseUrl('anthropic'),
});
const haiku = anthropic('claude-haiku-4-5');
// #endregion

const pair: Agent<null, readonly string[]> = async (run) => {
  const one = await run.ask({ name: 'one', model: house, setup: 'Count.' }, 'Go.');
  const two = await run.ask({ name: 'two', model: haiku, setup: 'Count.' }, 'Go.');
  return done([one.text, two.text]);
};
const plain = createRuntime({ engine: memoryEngine(), agents: { pair } });
const counted = await (await plain.start('pair', null, { budget: budget() })).outcome();
assert(counted.stop === 'done');
assert.deepEqual(counted.value, ['One.', 'Two.']);
server.assertFinished(); // no reply was left over, and none was missing

// #region describe
const { roles, providers } = await describeModels({ FLYBALL_MODEL: 'mistral/mistral-small' });
assert.match(roles[0]?.problem ?? '', /^mistral is not configured\. Set MISTRAL_API_KEY\./); // says what to do, and shows no key
// #endregion
assert(providers.some(({ provider, isConfigured }) => provider === 'ollama' && isConfigured));

await Promise.all([runtime.close(), plain.close(), server.close()]);
console.log(`models: ${tries.join(', ')}`);
