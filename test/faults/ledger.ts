import { closeSync, existsSync, openSync, readSync } from 'node:fs';

export interface Verdict {
  /** Acts of runs that are done which nobody made. */
  readonly lost: readonly string[];
  /** Made twice, though nothing allows that; or under two keys. */
  readonly doubled: readonly string[];
  /** Made again under the same key, as the class `idempotent` allows. */
  readonly repeated: number;
  readonly acts: number;
}

interface Line {
  readonly act: string;
  readonly kind: string;
  readonly key: string;
  readonly worker: string;
}

/** What was really done, one line for each act: run, number, class, key, worker. Workers write it, and it never shrinks. */
export class Ledger {
  readonly path: string;
  private readonly read: Line[] = [];
  private readonly made = new Map<string, Line[]>();
  private offset = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Whether an act was made. */
  has(runId: string, n: number): boolean {
    this.catchUp();
    return this.made.has(`${runId} ${n}`);
  }

  /** How many acts a worker has made; of all workers where none is named. */
  countOf(worker?: string): number {
    this.catchUp();
    return worker === undefined ? this.read.length : this.read.filter((line) => line.worker === worker).length;
  }

  judge(runIds: readonly string[], steps: number): Verdict {
    this.catchUp();
    const wanted = runIds.flatMap((id) => Array.from({ length: steps }, (_, n) => `${id} ${n}`));
    const again = [...this.made].filter(([, lines]) => lines.length > 1);
    const isDoubled = (lines: readonly Line[]): boolean =>
      lines[0]?.kind !== 'idempotent' || new Set(lines.map(({ key }) => key)).size > 1;
    return {
      lost: wanted.filter((name) => !this.made.has(name)),
      doubled: again.filter(([, lines]) => isDoubled(lines)).map(([name, lines]) => `${name} by ${workersOf(lines)}`),
      repeated: again.filter(([, lines]) => !isDoubled(lines)).length,
      acts: this.made.size,
    };
  }

  /** Reads what was written since. */
  private catchUp(): void {
    if (!existsSync(this.path)) return;
    const file = openSync(this.path, 'r');
    const buffer = Buffer.alloc(65_536);
    let text = '';
    for (let count = -1; count !== 0; text += buffer.toString('utf8', 0, count))
      count = readSync(file, buffer, 0, buffer.length, this.offset + text.length);
    closeSync(file);
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    this.offset += whole.length;
    for (const line of whole.split('\n')) this.note(line);
  }

  private note(text: string): void {
    const [run, n, kind = '', key = '', worker = ''] = text.split(' ');
    if (worker === '') return;
    const line = { act: `${run} ${n}`, kind, key, worker };
    this.read.push(line);
    this.made.set(line.act, [...(this.made.get(line.act) ?? []), line]);
  }
}

function workersOf(lines: readonly Line[]): string {
  return lines.map(({ worker }) => worker).join(' and ');
}
