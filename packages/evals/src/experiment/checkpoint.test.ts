import { expect, it } from 'vitest';
import type { Results } from '../results/simulation-record.js';
import { Saver } from './checkpoint.js';

const named = (timestamp: string): Results => ({ timestamp }) as Results;

/** Lets so many turns of waiting promises pass. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await undefined;
}

it('has saved what was known, in whichever moment it was asked to [R5-SIM-RESUME]', async () => {
  for (let moment = 0; moment < 12; moment++) {
    const saved: string[] = [];
    let known = 'first';
    const saver = new Saver(
      { load: async () => undefined, save: async ({ timestamp }) => void saved.push(timestamp) },
      () => named(known),
    );
    const first = saver.save();
    await turns(moment);
    known = 'second';
    await saver.save();
    expect(saved.at(-1), `after ${moment} turns`).toBe('second');
    await first;
  }
});

it('tells whoever waits that a save failed, and saves again when it is asked to [R5-SIM-RESUME]', async () => {
  let isFull = true;
  const saved: string[] = [];
  const saver = new Saver(
    {
      load: async () => undefined,
      save: async ({ timestamp }) => {
        if (isFull) throw new Error('the disk is full');
        saved.push(timestamp);
      },
    },
    () => named('all'),
  );
  await expect(saver.save()).rejects.toThrow('the disk is full');
  isFull = false;
  await saver.save();
  expect(saved).toEqual(['all']);
});
