import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Claim } from '../lab/claim.js';
import type { Row } from '../lab/run-claims.js';

/** Rows of a report that was interrupted. They lie beside its page until it is written. */
export interface KeptRows {
  /** What was measured of a claim, if it is still the same claim and held. */
  rowOf(claim: Claim): Row | undefined;
  keep(row: Row): void;
  /** The page is written. */
  done(): void;
}

/** Rows with other items or another seed are no rows of this report: it begins anew. */
export function keptRows(file: string, setting: { readonly items: number; readonly seed: number }): KeptRows {
  const head = JSON.stringify(setting);
  const [first, ...lines] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const all = first === head ? lines.flatMap(rowIn) : [];
  const rows = new Map(all.map((row) => [row.id, row]));
  writeFileSync(file, [head, ...all.map((row) => JSON.stringify(row)), ''].join('\n'));
  return {
    rowOf: (claim) => {
      const row = rows.get(claim.id);
      // one that did not hold may have figures that JSON has not, and is worth a second look
      return row?.holds === true && saidOf(row) === saidOf(claim) ? row : undefined;
    },
    keep: (row) => appendFileSync(file, `${JSON.stringify(row)}\n`),
    done: () => rmSync(file),
  };
}

const saidOf = ({ parameters, says, formula }: Pick<Row, 'parameters' | 'says' | 'formula'>): string =>
  JSON.stringify([parameters, says, formula]);

/** The last line may be cut. */
function rowIn(line: string): readonly Row[] {
  if (!line.endsWith('}')) return [];
  try {
    return [JSON.parse(line) as Row];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
