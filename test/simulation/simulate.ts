/**
 * Simulates several machines, their storage, clocks and network, people and operators, each seed another world:
 *
 *     npm run simulate -- --seeds 100000 [--from 1]     tries so many seeds, and ends with 1 where one fails
 *     npm run simulate -- --seed 4711                   plays one seed and prints what happened
 *     npm run simulate -- --seed 4711 --shrink          makes it smaller for as long as it fails in the same way
 *     npm run simulate -- --planted [name]              undoes mendings one by one, and says how many seeds each took
 */
import { plantedTable } from './planted.js';
import { playing } from './player.js';
import { askedOf } from './playing.js';

const args = process.argv.slice(2);
const asked = askedOf(args);
if ('text' in asked) {
  console[asked.code === 0 ? 'log' : 'error'](asked.text);
  process.exit(asked.code);
}
process.exit(
  asked.planted === undefined
    ? await playing([], args, { stdio: 'inherit' })
    : await plantedTable(asked.planted, { first: asked.from, seeds: asked.seeds }),
);
