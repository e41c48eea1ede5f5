import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A fault of a pattern: a place of its source as it is, and as somebody might have written it. */
export interface PlantedFault {
  readonly name: string;
  readonly what: string;
  /** Under packages/flyball/src. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly put: string;
  /** The claim that has to fail. */
  readonly claim: string;
}

const SOURCES = '../../packages/flyball/src/';
const here = (file: string): string => new URL(file, import.meta.url).href;

/** Patterns that a file serves, where it is more than the one whose claim has to fail. */
const SERVED: Readonly<Record<string, readonly string[]>> = {
  'revision/in-rounds.ts': ['O5', 'O9', 'R7'],
  'checks/voting.ts': ['O4', 'R17'],
};

const touched = ({ file, claim }: PlantedFault): readonly string[] => [
  file,
  ...(SERVED[file] ?? [claim.split('-')[0] ?? claim]),
];

/** Faults in batches: none of a batch touches the pattern of another one, which could make its claim fail in its place. */
export function batches(faults: readonly PlantedFault[]): readonly (readonly PlantedFault[])[] {
  const made: PlantedFault[][] = [];
  for (const fault of faults) {
    const batch = made.find((one) => !one.flatMap(touched).some((name) => touched(fault).includes(name)));
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
