import { describe, expect, it } from 'vitest';
import { turns } from '../testing/turns.js';
import { virtualClock } from '../testing/virtual-clock.js';
import { parseModelName } from './model-name.js';
import { type ModelRouterParts, modelRouter } from './router.js';
import { answers, puppet, request } from './routing.test-data.js';

const how = { key: 'k1', signal: new AbortController().signal };

function parts(more: Partial<ModelRouterParts> = {}): ModelRouterParts & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    resolve: async (name) => {
      asked.push(name);
      return puppet(name, [answers(`I am ${name}`)]);
    },
    clock: virtualClock(),
    random: () => 0,
    ...more,
  };
}

describe('a model router', () => {
  it('gives each role its model, and the default to a role without one [R3-ROUTER-ROLES]', async () => {
    const router = await modelRouter(parts({ roles: { default: 'a/small', judge: 'b/large' } }));
    expect(router.forRole('judge').id).toBe('b/large');
    expect(router.forRole('drafter').id).toBe('a/small');
    expect(router.model('judge')).toBe(router.forRole('judge'));
    expect((await router.forRole('judge').generate(request, how)).text).toBe('I am b/large');
    expect(router.roles).toEqual({ default: 'a/small', judge: 'b/large' });
  });

  it('takes a role in any spelling', async () => {
    const router = await modelRouter(parts({ roles: { FACT_CHECKER: 'a/one' } }));
    expect(router.forRole('fact-checker').id).toBe('a/one');
    expect(router.forRole('Fact_Checker').id).toBe('a/one');
  });

  it('gives a model by its name once it is loaded, with id, window and prices at hand [R3-ROUTER-ROLES]', async () => {
    const router = await modelRouter(parts());
    expect(() => router.model('a/one')).toThrow("await router.load('a/one')");
    const model = await router.load('a/one');
    expect(router.model('a/one')).toBe(model);
    expect([model.id, model.capabilities.window, model.countTokens(request)]).toEqual(['a/one', 1_000, 10]);
    expect(router.names()).toEqual(['a/one']);
  });

  it('loads what roles and fallbacks name with itself, each once', async () => {
    const given = parts({ roles: { default: 'a/one', judge: 'a/one' }, fallback: { default: ['b/two', 'c/three'] } });
    const router = await modelRouter(given);
    await Promise.all([router.load('b/two'), router.load('d/four'), router.load('d/four'), router.load('judge')]);
    expect(given.asked.sort()).toEqual(['a/one', 'b/two', 'c/three', 'd/four']);
  });

  it.each(['at once', 'later'])('asks again for a model that could not be loaded, and said so %s', async (when) => {
    let installed = false;
    const router = await modelRouter(
      parts({
        resolve: (name) => {
          if (installed) return puppet(name, []);
          if (when === 'later') return Promise.reject(new Error('not installed'));
          throw new Error('not installed');
        },
      }),
    );
    await expect(router.load('a/one')).rejects.toThrow('not installed');
    installed = true;
    expect((await router.load('a/one')).id).toBe('a/one');
  });

  it('takes the fallbacks of the role, else of the model, else the default ones [R3-ROUTER-FALLBACK]', async () => {
    const router = await modelRouter(
      parts({
        roles: { default: 'a/one', judge: 'a/one', writer: 'b/two' },
        fallback: { judge: ['c/strict'], 'a/one': ['d/own', 'd/own', 'a/one'], default: ['e/any'] },
      }),
    );
    const chain = (place: string) => router.model(place).fallbacks?.map(({ id }) => id);
    expect(chain('judge')).toEqual(['c/strict']);
    expect(chain('a/one')).toEqual(['d/own']); // a model is no fallback of itself
    expect(chain('drafter')).toEqual(['d/own']);
    expect(chain('writer')).toEqual(['e/any']);
  });

  it('says what to do about a role without a model [R3-ROUTER-ROLES]', async () => {
    const router = await modelRouter(parts({ roles: { judge: 'a/one' } }));
    expect(() => router.forRole('fact-checker')).toThrow(
      /role "fact-checker".*\(set: judge\).*FLYBALL_MODEL_FACT_CHECKER/,
    );
    expect(() => router.forRole('constructor')).toThrow('No model is set');
  });

  it.each(['gpt-5', '/gpt-5', 'openai/', ' openai/gpt-5'])('refuses "%s" as a model name', async (name) => {
    await expect(modelRouter(parts({ roles: { default: name } }))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('provider/model'),
    });
  });

  it('takes further slashes as part of the name', () => {
    expect(parseModelName('openrouter/meta-llama/llama-3')).toEqual({
      provider: 'openrouter',
      model: 'meta-llama/llama-3',
    });
  });

  it.each<[string, Partial<ModelRouterParts>]>([
    ['retry.retries', { retry: { retries: -1 } }],
    ['retry.maxPaidFailures', { retry: { maxPaidFailures: 0.5 } }],
    ['retry.baseDelayMs', { retry: { baseDelayMs: Number.NaN } }],
    ['retry.maxDelayMs', { retry: { maxDelayMs: Number.POSITIVE_INFINITY } }],
    ['retry.jitterMs', { retry: { jitterMs: -1 } }],
    ['retry.maxRetryAfterMs', { retry: { maxRetryAfterMs: Number.NaN } }],
    ['breaker.failures', { breaker: { failures: 0 } }],
    ['breaker.openMs', { breaker: { openMs: Number.NaN } }],
    ['concurrency.limit', { concurrency: { limit: 0 } }],
    ['concurrency.providers.a', { concurrency: { providers: { a: Number.NaN } } }],
    ['concurrency.maxWaiting', { concurrency: { maxWaiting: -1 } }],
    ['timeoutMs', { timeoutMs: 0 }],
  ])('refuses a %s that is no bound, before anything is asked', async (setting, more) => {
    await expect(modelRouter(parts(more))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(setting),
    });
  });

  it('goes on when its observer throws, and tells of it', async () => {
    const problems: string[] = [];
    const router = await modelRouter(
      parts({
        roles: { default: 'a/one' },
        observe: () => {
          throw new Error('observer broke');
        },
        onProblem: (error, doing) => problems.push(`${doing}: ${(error as Error).message}`),
      }),
    );
    expect((await router.forRole('default').generate(request, how)).text).toBe('I am a/one');
    await turns();
    expect(problems).toEqual(['observing attempt-start: observer broke', 'observing attempt-end: observer broke']);
  });
});
