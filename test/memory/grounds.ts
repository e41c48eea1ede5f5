import { budget, done, memoryEngine, memoryStore, type Run } from 'flyball';
import { onTestFinished } from 'vitest';
import {
  availableDrivers,
  temporaryFile,
} from '../../packages/flyball/src/adapters/engine-sqlite/available-drivers.test-data.js';
import type { Engine } from '../../packages/flyball/src/ports/engine.js';
import type { Store } from '../../packages/flyball/src/ports/store.js';
import { moving } from '../runtime/stage.js';

/** A place for runs and records that outlives the processes of a test. */
export interface Ground {
  readonly engine: Engine;
  readonly store: Store;
}

export type OpenGround = () => Promise<Ground>;

/** Every store there is here, by name: tests of the memory run over each. */
export async function grounds(): Promise<readonly (readonly [string, OpenGround])[]> {
  const drivers = await availableDrivers();
  return [
    ['memory', async () => inMemory()],
    ...drivers.map((driver): readonly [string, OpenGround] => [
      driver,
      async () => {
        const file = temporaryFile(driver);
        const engine = await file.open();
        onTestFinished(async () => {
          await engine.close();
          file.remove();
        });
        return { engine, store: engine.store };
      },
    ]),
  ];
}

/** Runs a function as an agent to its end and answers what it returned. */
export async function inRun<T>(
  ground: Ground,
  work: (run: Run) => Promise<T>,
  who: { readonly id?: string; readonly subject?: string; readonly tenant?: string } = {},
): Promise<T> {
  const life = moving(ground.engine).open(async (run: Run) => done(await work(run)));
  const handle = await life.runtime.start('agent', null, { id: `run-${++started}`, ...ANN, ...who });
  const outcome = await handle.outcome();
  if (outcome.stop !== 'done') throw new Error(`It ended ${JSON.stringify(outcome)}`);
  return outcome.value as T;
}

let started = 0;

/** Whose runs these are. */
export const ANN = { subject: 'ann', tenant: 'acme', budget: budget() } as const;

/** The one in memory alone. */
export function inMemory(): Ground {
  return { engine: memoryEngine(), store: memoryStore() };
}
