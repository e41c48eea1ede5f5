import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { LabReport } from '../lab/report.js';
import type { Plot } from '../lab/svg.js';

/** A sweep of the laboratory, as `flyball lab report --plots` wrote it. */
export interface LabCurve extends Omit<Plot, 'condition'> {
  readonly id: string;
  /** The id of the pattern. */
  readonly pattern: string;
}

/** What ships of the laboratory: the table of `docs/laboratory.md`, and the curves. */
export interface LabResults extends LabReport {
  readonly curves: readonly LabCurve[];
}

/** Beside the built files in the package, and at the root of the repository in a clone. */
const FOLDERS = ['../../docs/', '../../../../docs/'];

/** The results of the laboratory that this version was released with. */
export async function laboratory(): Promise<LabResults> {
  const report = (await read('laboratory.json')) as LabReport;
  return { ...report, curves: (await read('pictures/laboratory/curves.json')) as readonly LabCurve[] };
}

async function read(name: string): Promise<unknown> {
  const missing: unknown[] = [];
  for (const folder of FOLDERS) {
    const file = fileURLToPath(new URL(`${folder}${name}`, import.meta.url));
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      missing.push(error);
      return undefined;
    });
    if (text !== undefined) return JSON.parse(text);
  }
  throw new AggregateError(missing, `${name} of the laboratory cannot be read. Install @flyball/evals again.`);
}
