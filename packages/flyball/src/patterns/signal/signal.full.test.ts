import { done } from 'flyball';
import { constraints, shaped, withConstraints, zeroShot } from 'flyball/patterns';
import { describe, it } from 'vitest';

import { session } from '../../../../../test/patterns/bed.js';
import { sameAfterCrashes } from '../../../../../test/patterns/crashes.js';

const limits = constraints(
  {
    items: [
      {
        id: 'price',
        forbid: 'No price.',
        instead: 'Point to the desk.',
        reason: 'It changes.',
        check: { kind: 'pattern', pattern: /\$\d/ },
      },
    ],
  },
  { version: '1' },
);

describe('signal patterns', () => {
  it('zeroShot ends the same after a crash at every write, beside work that acts [S1.crash]', async () => {
    await sameAfterCrashes('zeroShot', {
      script: { asked: () => 'ham', worker: () => 'work' },
      agent:
        ({ model, acting }) =>
        async (run, input: string) => {
          const label = await zeroShot(session(model, 'asked'))(run, input);
          await acting('worker')(run, input);
          return label;
        },
      input: 'Label it.',
      ends: { stop: 'done', says: ['ham'] },
    });
  });

  it('withConstraints ends the same after a crash at every write, with tries that act [S5.crash]', async () => {
    await sameAfterCrashes('withConstraints', {
      script: {
        clerk: (request) => (JSON.stringify(request).includes('breaches price') ? 'Ask the desk.' : 'It is $4.'),
      },
      agent: ({ acting }) => withConstraints(acting('clerk'), { constraints: limits }),
      input: 'How much?',
      ends: { stop: 'done', says: ['Ask the desk.'] },
    });
  });

  it('a shaped session ends the same after a crash at every write, with a repair and a step that acts [S6.crash]', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    } as const;
    await sameAfterCrashes('shaped', {
      script: { reader: (request) => (JSON.stringify(request).includes('not accepted') ? '{"name":"zod"}' : 'zod') },
      agent: ({ model, outside }) => {
        const reader = shaped<{ name: string }>(session(model, 'reader'), schema, { mode: 'json' });
        return async (run, input: string) => {
          const { value } = await run.ask(reader, input);
          await run.step('save', value.name, (name, how) => outside.act(`save ${name}`, how), 'idempotent');
          return done(value.name);
        };
      },
      input: 'Which?',
      ends: { stop: 'done', says: ['zod'] },
    });
  });
});
