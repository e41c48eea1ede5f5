import { memoryEngine } from 'flyball';
import {
  availableDrivers,
  type TemporaryFile,
  temporaryFile,
} from '../../packages/flyball/src/adapters/engine-sqlite/available-drivers.test-data.js';
import { placeOn } from './places.js';
import { runsContract } from './runs-contract.js';

runsContract('memory [R10-RUNS-CONTRACT]', async () => {
  let engine = memoryEngine();
  return placeOn({
    open: async () => ({ ...engine, close: async () => undefined }), // others are still at it
    fresh: async () => {
      engine = memoryEngine();
    },
    remove: () => engine.close(),
  });
});

for (const driver of await availableDrivers())
  runsContract(`SQLite with ${driver} [R10-RUNS-CONTRACT]`, async () => {
    let file: TemporaryFile | undefined;
    return placeOn({
      open: async () => {
        file ??= temporaryFile(driver);
        return file.open();
      },
      fresh: async () => {
        file?.remove();
        file = undefined;
      },
      remove: () => file?.remove(),
    });
  });
