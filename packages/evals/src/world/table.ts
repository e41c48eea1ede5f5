import { dumpJson } from '../tau2/python/json.js';
import type { PyValue } from '../tau2/python/value.js';
import { type IdRun, withId, withoutId } from './id-runs.js';

/** A record as it is read. It never changes: a change puts another one in its place, which keeps its text cached. */
export type Row = ReadonlyMap<string, PyValue>;

const entries = new WeakMap<Row, { readonly id: string; readonly text: string }>();

/** One table. Copies share its records, its order and its text until they are written to. */
export class Table {
  readonly notes: string;
  /** What stands before it in the dump of its database. */
  readonly #lead: string;
  #rows = new Map<string, Row>();
  #runs: readonly IdRun[] = [];
  #isShared = false;
  #text: Buffer | undefined;

  constructor(lead: string, notes = '') {
    this.#lead = lead;
    this.notes = notes;
  }

  get rows(): ReadonlyMap<string, Row> {
    return this.#rows;
  }

  /** Costs nothing: whichever of the two is written to first takes the records along. */
  copy(notes = this.notes): Table {
    const copy = new Table(this.#lead, notes);
    copy.#rows = this.#rows;
    copy.#runs = this.#runs;
    this.#isShared = true;
    copy.#isShared = true;
    if (notes === this.notes) copy.#text = this.#text;
    return copy;
  }

  put(id: string, row: Row): void {
    this.#runs = withId(this.#runs, id);
    this.#own().set(id, row);
  }

  remove(id: string): boolean {
    if (!this.#rows.has(id)) return false;
    this.#runs = withoutId(this.#runs, id);
    return this.#own().delete(id);
  }

  #own(): Map<string, Row> {
    if (this.#isShared) this.#rows = new Map(this.#rows);
    this.#isShared = false;
    this.#text = undefined;
    return this.#rows;
  }

  /** Its part of the sorted dump, as bytes: hashing takes those without reading them again. */
  text(): Buffer {
    if (this.#text !== undefined) return this.#text;
    const text = `${this.#lead}{"data": {${this.#records()}}, "notes": ${dumpJson(this.notes)}}`;
    this.#text = Buffer.from(text, 'latin1');
    return this.#text;
  }

  #records(): string {
    return this.#runs.map((run) => this.#textOf(run)).join(', ');
  }

  #textOf(run: IdRun): string {
    run.text ??= run.ids.map((id) => entryOf(id, this.#rows.get(id) ?? new Map())).join(', ');
    return run.text;
  }
}

function entryOf(id: string, row: Row): string {
  const known = entries.get(row);
  if (known?.id === id) return known.text;
  const text = `${dumpJson(id)}: ${dumpJson(row as Map<string, PyValue>, { sortKeys: true })}`;
  entries.set(row, { id, text });
  return text;
}
