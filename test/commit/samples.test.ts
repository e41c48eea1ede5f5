import { scriptedModel } from 'flyball/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCommit } from './stage-commit.js';

beforeAll(async () => {
  await import('@cfworker/json-schema'); // the first check loads it, and virtual time would jump meanwhile
});

/** The work says that it is the moon; the samples say that it is the sun, all of them or each something else. */
async function sampled(answers: readonly string[]) {
  const sampler = scriptedModel({ sampler: (_request, n) => answers[(n - 1) % answers.length] ?? '' });
  return runCommit(
    { repairer: () => 'Because of the moon.' }, // mends nothing
    {
      parts: (session) => ({
        verification: {
          judge: { session: session('judge') },
          consistency: { n: 3, voting: 'majority', session: { name: 'sampler', model: sampler, setup: 'You answer.' } },
        },
      }),
    },
  );
}

describe('what samples of self-consistency say', () => {
  it('reaches the repair: what most say first, then the others [F-P2]', async () => {
    const { model } = await sampled(['Because of the sun.', 'Because of the sun.', 'Because of the wind.']);
    const [first] = model.requestsOf('repairer');
    const text = first?.messages.map(({ content }) => content).join('\n') ?? '';
    expect(text).toContain('# Other answers to the same task');
    expect(text).toContain('One says:\n```\nBecause of the wind.');
    expect(text.indexOf('Because of the sun.')).toBeLessThan(text.indexOf('Because of the wind.'));
  });

  it('is recommended to people in place of an output that it contradicts [F-P2]', async () => {
    const { outcome } = await sampled(['Because of the sun.']);
    expect(outcome).toMatchObject({
      stop: 'suspended',
      waiting: [
        {
          request: {
            recommendation: 'modify',
            recommended: { artefacts: { answer: 'Because of the sun.' } },
          },
        },
      ],
    });
  });

  it('is not recommended where the samples do not agree with each other [F-P2]', async () => {
    const { outcome } = await sampled(['Because of the sun.', 'Because of the wind.', 'Because of the cold.']);
    expect(JSON.stringify(outcome)).not.toContain('"recommended"');
  });
});
