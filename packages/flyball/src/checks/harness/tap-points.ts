import { readDiagnostic } from './tap-diagnostic.js';

export interface TapPoint {
  readonly ok: boolean;
  readonly name: string;
  readonly directive?: 'skip' | 'todo';
  fields: Readonly<Record<string, string>>;
  children: readonly TapPoint[];
  /** Comments right above it: what node:test heard from a test file that could not even be loaded. */
  readonly notes: readonly string[];
}

export interface TapDocument {
  readonly points: readonly TapPoint[];
  /** `# pass 3` and its like, which node:test writes at the end. */
  readonly totals: Readonly<Record<string, number>>;
  readonly problem?: string;
}

interface Level {
  readonly indent: number;
  readonly points: TapPoint[];
  planned?: number;
}

const MAX_NOTES = 100;
const TOTALS = /^# (tests|suites|pass|fail|cancelled|skipped|todo) (\d{1,9})$/;

/**
 * Reads TAP 13 and 14. Subtests come before the point that sums them up, or in braces after it. Every level needs its
 * plan, so that output which was cut short is never taken for a whole.
 */
export function readTapPoints(text: string): TapDocument {
  const reader = new TapReader(text.split(/\r?\n/));
  return reader.read();
}

class TapReader {
  private readonly lines: readonly string[];
  private readonly levels: Level[] = [{ indent: 0, points: [] }];
  private readonly totals: Record<string, number> = {};
  private braces = 0;
  private problem: string | undefined;
  private notes: string[] = [];
  private last: { readonly point: TapPoint; readonly indent: number; readonly at: number } | undefined;

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  read(): TapDocument {
    for (let at = 0; at < this.lines.length && this.problem === undefined; at++) at = this.readLine(at);
    this.finish();
    const points = this.levels[0]?.points ?? [];
    return { points, totals: this.totals, ...(this.problem === undefined ? {} : { problem: this.problem }) };
  }

  /** Returns the last line that it took. */
  private readLine(at: number): number {
    const line = this.lines[at] ?? '';
    const body = line.trim();
    const indent = line.length - line.trimStart().length;
    if (body === '---' && this.last?.at === at - 1 && indent > this.last.indent) return this.readBlock(at, indent);
    if (body === '}' && this.braces > 0) this.closeBrace(indent);
    else if (/^1\.\.\d/.test(body)) this.readPlan(body, indent);
    else if (/^Bail out!/i.test(body))
      this.fail(`the tests bailed out${body.length > 9 ? `: ${body.slice(9).trim()}` : ''}`);
    else if (/^(?:not )?ok(?: |$)/.test(body)) this.readPoint(body, indent, at);
    else if (indent === 0) this.readComment(line);
    return at;
  }

  private readBlock(at: number, indent: number): number {
    const margin = ' '.repeat(indent);
    const end = this.lines.indexOf(`${margin}...`, at);
    if (end < 0 || this.last === undefined) {
      this.fail('the report ends within a diagnostic');
      return this.lines.length;
    }
    const block = this.lines.slice(at + 1, end);
    this.last.point.fields = readDiagnostic(block.map((line) => (line.startsWith(margin) ? line.slice(indent) : line)));
    return end;
  }

  private readPoint(body: string, indent: number, at: number): void {
    const isOpener = body.endsWith('{') && this.opensAt(at, indent);
    const point = pointOf(isOpener ? body.slice(0, -1).trimEnd() : body, this.notes);
    this.notes = [];
    if (isOpener) this.braces++;
    const children = this.closeDeeper(indent);
    if (children.length > 0) point.children = children;
    this.levelAt(indent).points.push(point);
    this.last = { point, indent, at };
  }

  /** A brace opens subtests only where they follow; names may end in one. */
  private opensAt(at: number, indent: number): boolean {
    const next = this.lines[at + 1] ?? '';
    return next.trim() !== '---' && next.length - next.trimStart().length > indent;
  }

  private closeBrace(indent: number): void {
    this.braces--;
    const children = this.closeDeeper(indent);
    const owner = this.levelAt(indent).points.at(-1);
    if (owner === undefined) this.fail('a brace closes what was never opened');
    else owner.children = [...owner.children, ...children];
  }

  private readPlan(body: string, indent: number): void {
    const planned = /^1\.\.(\d{1,9})(?:\s|$)/.exec(body)?.[1];
    const level = this.levelAt(indent);
    if (planned === undefined) return this.fail(`the plan '${body.slice(0, 40)}' cannot be read`);
    if (level.planned !== undefined) return this.fail('there are two plans for the same tests');
    level.planned = Number(planned);
  }

  private readComment(line: string): void {
    const [, name, count] = TOTALS.exec(line.trimEnd()) ?? [];
    if (name !== undefined) this.totals[name] = Number(count);
    else if (line.startsWith('# ') && !line.startsWith('# Subtest: ') && this.notes.length < MAX_NOTES)
      this.notes.push(line.slice(2).replace(/\\([#\\])/g, '$1'));
  }

  private levelAt(indent: number): Level {
    const top = this.levels.at(-1);
    if (top !== undefined && top.indent >= indent) return this.levels.find((level) => level.indent >= indent) ?? top;
    const level: Level = { indent, points: [] };
    this.levels.push(level);
    return level;
  }

  private closeDeeper(indent: number): readonly TapPoint[] {
    let points: readonly TapPoint[] = [];
    for (let top = this.levels.at(-1); top !== undefined && top.indent > indent; top = this.levels.at(-1)) {
      this.levels.pop();
      this.requirePlan(top);
      points = [...top.points, ...points];
    }
    return points;
  }

  private finish(): void {
    const [root, ...open] = this.levels;
    if (open.length > 0 || this.braces > 0) this.fail('the report ends within a subtest');
    if (root !== undefined) this.requirePlan(root);
  }

  private requirePlan({ planned, points }: Level): void {
    if (planned === undefined) this.fail('the report has no plan, so it may have been cut short');
    else if (planned !== points.length) this.fail(`${planned} tests were planned, and ${points.length} reported`);
  }

  private fail(problem: string): void {
    this.problem ??= problem;
  }
}

function pointOf(body: string, notes: readonly string[]): TapPoint {
  const ok = !body.startsWith('not ');
  const said = body.slice(ok ? 2 : 6).trim();
  const numbered = said.replace(/^\d{1,9}(?: |$)/, '').trim();
  const described = numbered.replace(/^- ?/, '');
  const hash = lastHash(described);
  const after = hash < 0 ? '' : described.slice(hash + 1).trim();
  const [, word] = /^(skip|todo)/i.exec(after) ?? [];
  const isNote = word !== undefined || after.startsWith('time=');
  const name = (isNote ? described.slice(0, hash) : described).trim().replace(/\\([#\\])/g, '$1');
  const directive = word?.toLowerCase() === 'skip' ? 'skip' : word === undefined ? undefined : 'todo';
  return { ok, name, fields: {}, children: [], notes, ...(directive === undefined ? {} : { directive }) };
}

/** The last one that is not escaped. */
function lastHash(text: string): number {
  let at = text.lastIndexOf('#');
  while (at > 0 && text[at - 1] === '\\') at = text.lastIndexOf('#', at - 1);
  return at === 0 || (at > 0 && text[at - 1] === ' ') ? at : -1;
}
