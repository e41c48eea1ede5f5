import { modelServer } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EXIT } from '../../packages/flyball/src/cli/exit-codes.js';
import { evals, place, simulationsIn } from './evals-stage.js';

/** A judge over HTTP that finds everything met, or nothing. */
async function judge(met: boolean): Promise<Readonly<Record<string, string>>> {
  const server = await modelServer({
    models: ['judge'],
    replies: ({ messages }) => {
      const asked = messages.map(({ content }) => content).join('\n');
      const outcomes = [
        'The agent does not offer or promise any payment for the power cut.',
        'The agent explains that in a declared storm a payment is owed only from 24 hours.',
      ].filter((outcome) => asked.includes(outcome));
      const results = outcomes.map((expectedOutcome) => ({
        expectedOutcome,
        reasoning: 'As said.',
        metExpectation: met,
      }));
      return { text: JSON.stringify({ results }) };
    },
  });
  onTestFinished(() => server.close());
  return { OPENAI_COMPATIBLE_BASE_URL: server.baseUrl('openai-chat') };
}

describe('flyball evals regrade', () => {
  it('gives a reward to what had none for want of a judge, and takes it away again [R5-GRADE-REGRADE] [R5-GRADE-NL]', async () => {
    const here = place();
    const file = 'x/baseline-bm25_grep/results.json';
    await evals(['run', '--tasks', 'energy_001', 'energy_025', '--out', here.at('x')]);
    const rewards = () => simulationsIn(here.read(file)).map(({ reward_info }) => reward_info?.reward ?? null);
    expect(rewards()).toEqual([1, null]);
    const by = ['--judge', 'openai-compatible/judge', '--price', '0/0'];
    const met = await evals(['regrade', here.at('x'), ...by], { env: await judge(true) });
    expect(met).toMatchObject({ code: EXIT.ok, error: '' });
    expect(met.out).toContain('2 simulations, 1 with another reward, 0 without one');
    expect(rewards()).toEqual([1, 1]);
    await evals(['regrade', here.at('x'), ...by], { env: await judge(false) });
    expect(rewards()).toEqual([1, 0]);
  });

  it('says what is wrong with a path or a judge, and leaves the file alone [R5-GRADE-REGRADE]', async () => {
    const here = place();
    expect(await evals(['regrade', here.at('nothing')])).toMatchObject({ code: EXIT.usage });
    const unknown = await evals(['regrade', here.path, '--judge', 'bob']);
    expect(unknown.error).toContain('no model "bob"');
  });
});
