import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type PlantedFault, plantedFaults } from './planted-faults.js';

export interface Found {
  readonly name: string;
  /** How many seeds it took; undefined where none of them found it. */
  readonly seeds: number | undefined;
  readonly rule: string;
}

const SOURCES = '../../packages/flyball/src/';
const here = (file: string): string => new URL(file, import.meta.url).href;

/** Undoes one mending in a process of its own, and tries seeds until one fails. */
export function find(
  fault: PlantedFault,
  { first, seeds }: { readonly first: number; readonly seeds: number },
): Promise<Found> {
  const edits = [fault, ...(fault.and === undefined ? [] : [fault.and])];
  const planted = JSON.stringify(edits.map(({ file, find, put }) => ({ url: here(`${SOURCES}${file}`), find, put })));
  const script = fileURLToPath(new URL('./simulate.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--import', here('./plant.mjs'), '--import', 'tsx', script, '--seeds', String(seeds), '--from', String(first)],
    { env: { ...process.env, FLYBALL_PLANTED: planted }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  let problem = '';
  child.stderr.on('data', (chunk: Buffer) => {
    problem = chunk.toString().slice(-2_000);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const broken = /seed (\d+) breaks (\S+):/.exec(said);
      if (broken !== null) resolve({ name: fault.name, seeds: Number(broken[1]) - first + 1, rule: broken[2] ?? '' });
      else if (code === 0) resolve({ name: fault.name, seeds: undefined, rule: '' });
      else reject(new Error(`${fault.name} ended with ${code ?? signal}: ${problem}`));
    });
  });
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
