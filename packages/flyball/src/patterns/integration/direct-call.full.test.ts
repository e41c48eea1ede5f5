import { type Agent, createRuntime, memoryEngine } from 'flyball';
import { directCall } from 'flyball/patterns';
import { assertSame, exercise, type Scenario } from 'flyball/testing';
import { describe, it } from 'vitest';
import { z } from 'zod';

describe('directCall', () => {
  it('ends the same after a crash at every write, with a service that acts [I1.crash]', async () => {
    const scenario: Scenario = {
      name: 'directCall',
      open: (life, outside) => {
        const charge = directCall({
          name: 'charge',
          input: z.object({ cents: z.number() }),
          effect: 'idempotent',
          send: async ({ cents }, how) => {
            await outside.act(`charge ${cents}`, how);
            return { charged: cents };
          },
        });
        return createRuntime({ ...life, agents: { agent: charge as Agent<unknown, unknown> } });
      },
      input: { cents: 5 },
      ends: { stop: 'done' },
    };
    assertSame(await exercise(scenario, { engine: memoryEngine }));
  });
});
