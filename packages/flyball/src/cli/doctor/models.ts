import { failureOf } from '../../core/errors.js';
import type { Model } from '../../core/model.js';
import { priceOf } from '../../core/prices.js';
import { createModels, describeModels, type ModelsConfig, type ModelsDescription } from '../../create-models.js';
import type { Finding } from './finding.js';

type Env = Readonly<Record<string, string | undefined>>;

const PATIENCE_MS = 15_000;
const LISTENING_MS = 1000;

/** Which models are chosen, and whether they really answer; which providers could be used. */
export async function modelFindings(env: Env, { ask }: { readonly ask: boolean }): Promise<readonly Finding[]> {
  const described = await describeModels(env);
  const findings = await Promise.all([roleFindings(env, described, ask), providerFindings(described)]);
  return findings.flat();
}

/** The models that will be asked, for whoever waits. */
export async function modelsToAsk(env: Env): Promise<readonly string[]> {
  const { roles } = await describeModels(env);
  return [...new Set(roles.filter(({ problem }) => problem === undefined).map(({ model }) => model))];
}

async function roleFindings(env: Env, { roles }: ModelsDescription, ask: boolean): Promise<readonly Finding[]> {
  if (roles.length === 0) {
    const next = 'export FLYBALL_MODEL=ollama/llama3.2, or openai/gpt-4.1-mini with OPENAI_API_KEY set';
    return [{ about: 'model', state: 'absent', says: 'no model is configured', next }];
  }
  return Promise.all(
    roles.map(async ({ role, model, problem }): Promise<Finding> => {
      const about = role === 'default' ? 'model' : `model for ${role}`;
      if (problem !== undefined) return { about, state: 'problem', says: `${model} cannot be used`, next: problem };
      if (!ask) return { about, state: 'ok', says: `${model}, not asked` };
      return answers(about, model, env);
    }),
  );
}

/** Asks for one word: configured is not the same as reachable. */
async function answers(about: string, name: string, env: Env): Promise<Finding> {
  const began = performance.now();
  try {
    const config: ModelsConfig = { roles: { default: name }, retry: { retries: 0 } };
    const models = await createModels({ env: { ...env, FLYBALL_MODEL: name }, config });
    const model = models.model(name);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const reply = await model.generate(probe(model), { key: 'doctor', signal }).finally(() => models.close());
    const cost = `${reply.usage.input + reply.usage.output} tokens`;
    return {
      about,
      state: 'ok',
      says: `${name} answers (${Math.round(performance.now() - began)} ms, ${cost})`,
      ...priceAdvice(model),
    };
  } catch (error) {
    const waited = performance.now() - began >= PATIENCE_MS ? `no reply within ${PATIENCE_MS / 1000} s` : '';
    return { about, state: 'problem', says: `${name} does not answer`, next: waited || failureOf(error).message };
  }
}

function priceAdvice(model: Model): { readonly next?: string } {
  if (model.price !== undefined || priceOf(model.id) !== undefined) return {};
  return {
    next: 'Its price is not known. Add a line such as price: { input: 0, output: 0 } to the agent (USD per million tokens).',
  };
}

function probe(model: Model): Parameters<Model['generate']>[0] {
  return {
    session: 'doctor',
    model: model.id,
    messages: [{ role: 'user', content: 'Answer with the word: yes' }],
    tools: [],
    toolChoice: 'none',
    sampling: { maxOutputTokens: 16 },
  };
}

/** Those that could be used one by one, the others in one line: nobody has all of them. */
async function providerFindings({ providers }: ModelsDescription): Promise<readonly Finding[]> {
  const configured = providers.filter(({ isConfigured }) => isConfigured);
  const halfway = providers.filter(({ isConfigured, from }) => !isConfigured && from.length > 0);
  const others = providers.filter(({ isConfigured, from }) => !isConfigured && from.length === 0);
  return [
    ...(await Promise.all(configured.map(providerFinding))),
    ...halfway.map(unfinishedFinding),
    {
      about: 'other providers',
      state: 'absent',
      says: others.map(({ provider }) => provider).join(', '),
      next: 'To see what one of them needs, choose a model, for example FLYBALL_MODEL=anthropic/claude-sonnet-4-5, and run doctor again.',
    },
  ];
}

type Status = ModelsDescription['providers'][number];

async function providerFinding({ provider, from, address }: Status): Promise<Finding> {
  const place = address === undefined ? '' : `, at ${address}`;
  if (from.length > 0 || address === undefined) {
    const by = from.length === 0 ? '' : ` by ${from.join(', ')}`;
    return { about: provider, state: 'ok', says: `configured${by}${place}` };
  }
  // one that needs no key is configured everywhere: what matters is whether it runs here
  const runs = await isListening(address);
  return { about: provider, state: runs ? 'ok' : 'absent', says: runs ? `runs${place}` : `not running${place}` };
}

/** Something is set, and something is still missing: a package, or a second variable. */
function unfinishedFinding({ provider, from, toDo }: Status): Finding {
  const says = `${from.join(', ')} is set, but more is required`;
  return { about: provider, state: 'absent', says, ...(toDo === undefined ? {} : { next: toDo }) };
}

async function isListening(address: string): Promise<boolean> {
  try {
    await fetch(address, { signal: AbortSignal.timeout(LISTENING_MS) });
    return true;
  } catch {
    return false; // refused or silent: both mean that nobody is there
  }
}
