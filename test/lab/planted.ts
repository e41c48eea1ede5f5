import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PlantedFault } from './planted-faults.js';

const SOURCES = '../../packages/flyball/src/';
const here = (file: string): string => new URL(file, import.meta.url).href;

/** Faults in batches with one of each file: a claim is about one pattern, so the others of a batch do not touch it. */
export function batches(faults: readonly PlantedFault[]): readonly (readonly PlantedFault[])[] {
  const made: PlantedFault[][] = [];
  for (const fault of faults) {
    const batch = made.find((one) => one.every(({ file }) => file !== fault.file));
    if (batch === undefined) made.push([fault]);
    else batch.push(fault);
  }
  return made;
}

/** Plants a batch in a process of its own, and says which claims fail there. */
export function failingWith(
  faults: readonly PlantedFault[],
  claims: readonly string[],
  items: number,
): Promise<readonly string[]> {
  const planted = JSON.stringify(faults.map(({ file, find, put }) => ({ url: here(`${SOURCES}${file}`), find, put })));
  const child = spawn(
    process.execPath,
    [
      '--import',
      here('./plant.mjs'),
      '--import',
      'tsx',
      fileURLToPath(here('./claims-that-fail.ts')),
      String(items),
      ...claims,
    ],
    { env: { ...process.env, FLYBALL_PLANTED: planted }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let [said, problem] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    problem = (problem + chunk.toString()).slice(-2_000);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve([...said.matchAll(/^fails (\S+)$/gm)].map(([, id = '']) => id));
      else reject(new Error(`The planted faults ended with ${code ?? signal}: ${problem}`));
    });
  });
}
