/**
 * What every contestant of the tool-loop benchmark does the same way: <mode> <address> <iterations> <rounds> <at once>.
 * Mode `process` answers from a stub of fetch, `http` from a server. Says what it measured as one line of JSON.
 */
import { stubFetch } from './openai-stub.mjs';

/**
 * @typedef {{ base: string, iterations: number, plusOne: (input: { x: number }) => Promise<string> }} Job
 * @param {(job: Job) => Promise<() => Promise<unknown>>} setUp answers one loop, ready to be run
 */
export async function measureLoop(setUp) {
  const [mode, base = '', ...numbers] = process.argv.slice(2);
  const [iterations = 20, rounds = 30, atOnce = 0] = numbers.map(Number);
  if (mode === 'process') stubFetch(iterations);
  let calls = 0;
  const plusOne = async (/** @type {{ x: number }} */ { x }) => {
    calls++;
    return String(x + 1);
  };
  const run = await setUp({ base, iterations, plusOne });
  const once = async () => {
    const before = calls;
    const answer = await run();
    if (answer !== 'done') throw new Error(`The loop ended with ${JSON.stringify(answer)}.`);
    if (atOnce === 0 && calls - before !== iterations) throw new Error(`The tool ran ${calls - before} times.`);
  };
  for (let warm = 0; warm < 100; warm++) await once(); // what is measured is code that has settled
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await once();
    times.push(performance.now() - began);
  }
  let concurrentMs;
  if (atOnce > 0) {
    const walls = [];
    for (let round = 0; round < 3; round++) {
      const began = performance.now();
      await Promise.all(Array.from({ length: atOnce }, once));
      walls.push(performance.now() - began);
    }
    concurrentMs = Math.min(...walls);
  }
  console.log(JSON.stringify({ times, concurrentMs }));
  process.exit(0);
}
