import { existsSync, readFileSync } from 'node:fs';

export interface Verdict {
  /** Acts of runs that are done which nobody made. */
  readonly lost: readonly string[];
  /** Made twice, though nothing allows that; or under two keys. */
  readonly doubled: readonly string[];
  /** Made again under the same key, as the class `idempotent` allows. */
  readonly repeated: number;
  readonly acts: number;
}

/** What was really done, one line for each act: run, number, class, key, process. */
export class Ledger {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Whether an act was made. */
  has(runId: string, n: number): boolean {
    return this.lines().some(([run, number]) => run === runId && number === String(n));
  }

  judge(runIds: readonly string[], steps: number): Verdict {
    const made = new Map<string, string[][]>();
    for (const line of this.lines()) {
      const name = `${line[0]} ${line[1]}`;
      made.set(name, [...(made.get(name) ?? []), line]);
    }
    const wanted = runIds.flatMap((id) => Array.from({ length: steps }, (_, n) => `${id} ${n}`));
    const again = [...made].filter(([, lines]) => lines.length > 1);
    const isDoubled = (lines: readonly string[][]): boolean =>
      lines[0]?.[2] !== 'idempotent' || new Set(lines.map((line) => line[3])).size > 1;
    return {
      lost: wanted.filter((name) => !made.has(name)),
      doubled: again.filter(([, lines]) => isDoubled(lines)).map(([name]) => name),
      repeated: again.filter(([, lines]) => !isDoubled(lines)).length,
      acts: made.size,
    };
  }

  private lines(): string[][] {
    if (!existsSync(this.path)) return [];
    const text = readFileSync(this.path, 'utf8');
    // a process that was killed may have left half a line
    return text.split('\n').flatMap((line) => (/^\S+ \d+ \S+ \S+ \d+$/.test(line) ? [line.split(' ')] : []));
  }
}
