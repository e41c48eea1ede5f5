import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { perform } from './answer.js';

it('takes a write that fails for a client that has gone, whether or not its end was heard of yet [F-T2]', async () => {
  // a busy machine tells of the failed write first, and of the closed connection later
  const response = Object.assign(new EventEmitter(), {
    writeHead: () => undefined,
    write: (_piece: string, told: (error: Error) => void) => told(new Error('write ECONNRESET')),
  }) as unknown as ServerResponse;
  const plan = { status: 200, headers: {}, pieces: ['half', 'other half'], paced: true, ending: 'end' } as const;
  await expect(perform(plan, response, {})).resolves.toBeUndefined();
});
