import { expect, it } from 'vitest';
import { EXIT } from '../../packages/flyball/src/cli/exit-codes.js';
import { AGENT_MODEL, evals, place } from './evals-stage.js';

/** Slow because every try waits longer than the one before. */

it('tells why simulations failed for infrastructure, how to run them again, and fails where nothing else is left [R5-CLI-RUN]', async () => {
  const here = place();
  const env = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:1/v1' };
  const models = ['--model', AGENT_MODEL, '--price', '0/0'];
  const ran = await evals(['run', '--tasks', 'energy_001', ...models, '--out', here.at('x')], { env });
  expect(ran.code).toBe(EXIT.failed);
  expect(ran.out).toMatch(/\? 1\/1 .* infrastructure_error: .*ECONNREFUSED/);
  expect(ran.out).toContain(
    '1 simulation failed because of infrastructure errors. Fix the cause, then run them again: flyball',
  );
});
