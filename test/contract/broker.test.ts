import { dispatcherContract } from 'flyball/testing';
import { describe, it, vi } from 'vitest';
import { Broker } from '../../examples/own-dispatcher.js';

// the example declares its own tests where it is loaded
vi.mock('node:test', () => ({ describe: () => undefined, it: () => undefined }));

dispatcherContract({ describe, it }, 'the broker of the examples [R10-DISPATCHER-CONTRACT]', async () => {
  const broker = new Broker();
  return { process: async () => broker.join(), close: async () => broker.close() };
});
