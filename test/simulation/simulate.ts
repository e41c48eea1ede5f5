/**
 * Simulates several machines, their storage, clocks and network, people and operators, each seed another world:
 *
 *     npm run simulate -- --seeds 100000 [--from 1]     tries so many seeds, and ends with 1 where one fails
 *     npm run simulate -- --seed 4711                   plays one seed and prints what happened
 *     npm run simulate -- --seed 4711 --shrink          makes it smaller for as long as it fails in the same way
 *     npm run simulate -- --planted [name]              undoes mendings one by one, and says how many seeds each took
 */
import { parseArgs } from 'node:util';
import { plantedTable } from './planted.js';
import { playing } from './player.js';
import { PLAYING } from './playing.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { ...PLAYING, planted: { type: 'boolean', default: false } },
});

const code = values.planted
  ? await plantedTable(positionals, { first: Number(values.from), seeds: Number(values.seeds) })
  : await playing([], process.argv.slice(2), { stdio: 'inherit' });
process.exit(code);
