import { type Engine, memoryEngine } from 'flyball';

// stands for an engine of your own: whoever opens the same place again finds the same data
const places = new Map<string, Engine>();
const openMine = async (place: string): Promise<Engine> => {
  const engine = places.get(place) ?? memoryEngine();
  places.set(place, engine);
  return engine;
};

// #region contract
import { describe, it } from 'node:test'; // or from 'vitest'
import { engineContract } from 'flyball/testing';

engineContract({ describe, it }, 'mine', async () => {
  const place = `mine-${crypto.randomUUID()}`; // each test has storage of its own
  const engine = await openMine(place);
  return { engine, reopen: () => openMine(place), close: () => engine.close() };
});
// #endregion
