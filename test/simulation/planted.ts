import { type PlantedFault, plantedFaults } from './planted-faults.js';
import { playing } from './player.js';

export interface Found {
  readonly name: string;
  /** How many seeds it took; undefined where none of them found it. */
  readonly seeds: number | undefined;
  readonly rule: string;
}

/** Undoes one mending in a process of its own, and tries seeds until one fails. */
export async function find(
  fault: PlantedFault,
  { first, seeds }: { readonly first: number; readonly seeds: number },
): Promise<Found> {
  const edits = [fault, ...(fault.and === undefined ? [] : [fault.and])];
  let said = '';
  let problem = '';
  const code = await playing(edits, ['--seeds', String(seeds), '--from', String(first)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    watch: ({ stdout, stderr }) => {
      stdout?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      stderr?.on('data', (chunk: Buffer) => {
        problem = chunk.toString().slice(-2_000);
      });
    },
  });
  const broken = /seed (\d+) breaks (\S+):/.exec(said);
  if (broken !== null) return { name: fault.name, seeds: Number(broken[1]) - first + 1, rule: broken[2] ?? '' };
  if (code === 0) return { name: fault.name, seeds: undefined, rule: '' };
  throw new Error(`${fault.name} ended with ${code}: ${problem}`);
}

/** Says for each planted fault how many seeds it took; 1 where one was not found. */
export async function plantedTable(
  names: readonly string[],
  about: { readonly first: number; readonly seeds: number },
): Promise<number> {
  const wanted = plantedFaults.filter(({ name }) => names.length === 0 || names.includes(name));
  console.log('| Fault | What is wrong | Seeds | Rule that broke |\n| --- | --- | --- | --- |');
  let missed = 0;
  for (const fault of wanted) {
    const { seeds, rule } = await find(fault, about);
    if (seeds === undefined) missed++;
    console.log(`| ${fault.name} | ${fault.what} | ${seeds ?? `not found in ${about.seeds}`} | ${rule} |`);
  }
  console.log(`${wanted.length - missed} of ${wanted.length} planted faults were found.`);
  return missed === 0 && wanted.length > 0 ? 0 : 1;
}
