import { setTimeout as pause } from 'node:timers/promises';
import { createRuntime, done, memoryEngine } from 'flyball';
import { expect, it } from 'vitest';
import { gate } from './stage.js';

it.each(['announce', 'workers', 'take', 'nextDue'])(
  'a runtime is closed only when storage has answered %s of its look for runs [R19-CLOSE-LOOKS]',
  async (asked) => {
    const [looking, hold] = [gate(), gate()];
    const open = new Set<string>();
    const engine = new Proxy(memoryEngine({ acceptLoss: true }), {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function' || name !== asked) return member;
        return async (...given: unknown[]) => {
          open.add(asked);
          looking.open();
          await hold.opened;
          open.delete(asked);
          return Reflect.apply(member, target, given) as unknown;
        };
      },
    });
    const runtime = createRuntime({ engine, agents: { quick: async () => done(1) } });
    await looking.opened;
    const leftOpen = runtime.close().then(() => [...open]); // from here on the engine may be closed
    await pause(20); // whatever else closing waits for is over
    hold.open();
    expect(await leftOpen).toEqual([]);
  },
);
