import { createHash } from 'node:crypto';
import { compareText, copyOf, typeName } from '../tau2/python/equality.js';
import { dumpJson } from '../tau2/python/json.js';
import { str } from '../tau2/python/text.js';
import { type PyDict, PyError, type PyValue } from '../tau2/python/value.js';
import type { Database } from './environment.js';
import { printQuery } from './print-query.js';
import { conditionOf, type Filters, reached } from './query.js';
import { type Row, Table } from './table.js';

export type { Row } from './table.js';

/** Fields of a record: in order, as an object or as a map. */
export type Fields = Row | Readonly<Record<string, PyValue>>;

/**
 * A database of tables: `table -> { data: { id: record }, notes }`. Copies cost microseconds, and a hash after a small
 * change costs hardly more than reading the dump once. Records change only through its operations.
 */
export class Tables implements Database {
  readonly #tables: Map<string, Table>;
  readonly #order: readonly string[];
  #hash: string | undefined;

  private constructor(tables: Map<string, Table>, order: readonly string[]) {
    this.#tables = tables;
    this.#order = order;
  }

  /** From a file's content. Tables that it lacks are empty; one that is not among `names` is an error. */
  static read(content: PyValue, names: readonly string[]): Tables {
    const order = [...names].sort(compareText);
    const leadOf = (name: string): string => `${name === order[0] ? '{' : ', '}${dumpJson(name)}: `;
    const tables = new Map(names.map((name) => [name, new Table(leadOf(name))]));
    const made = new Tables(tables, order);
    made.merge(content);
    made.hash(); // here once, so that its copies find the text of every table ready
    return made;
  }

  copy(): Tables {
    const tables = new Map<string, Table>();
    for (const [name, table] of this.#tables) tables.set(name, table.copy());
    const copy = new Tables(tables, this.#order);
    copy.#hash = this.#hash;
    return copy;
  }

  get names(): readonly string[] {
    return [...this.#tables.keys()];
  }

  has(table: string): boolean {
    return this.#tables.has(table);
  }

  /** The records of a table in order of insertion; none where there is no such table. */
  records(table: string): ReadonlyMap<string, Row> {
    return this.#tables.get(table)?.rows ?? NO_ROWS;
  }

  get(table: string, id: string): Row | undefined {
    return this.records(table).get(id);
  }

  /** False where the id is taken or the table does not exist. */
  add(table: string, id: string, record: Fields): boolean {
    if (!this.has(table) || this.records(table).has(id)) return false;
    return this.put(table, id, record);
  }

  /** Adds a record or replaces the one of that id; false where the table does not exist. */
  put(table: string, id: string, record: Fields): boolean {
    const found = this.#tables.get(table);
    if (found === undefined) return false;
    found.put(id, copyOf(new Map(entries(record))));
    this.#hash = undefined;
    return true;
  }

  /** Sets fields of a record; false where there is no such record. */
  update(table: string, id: string, fields: Fields): boolean {
    const row = this.get(table, id);
    return row !== undefined && this.put(table, id, new Map([...row, ...entries(fields)]));
  }

  remove(table: string, id: string): boolean {
    const isRemoved = this.#tables.get(table)?.remove(id) === true;
    if (isRemoved) this.#hash = undefined;
    return isRemoved;
  }

  /** The records that match all filters (`field`, or `field__op`), in order of insertion. */
  query(table: string, filters: Filters = NO_FILTERS, limit: PyValue = null): [id: string, record: Row][] {
    const found: [string, Row][] = [];
    const matches = conditionOf(filters);
    for (const [id, row] of this.records(table)) {
      if (!matches(row)) continue;
      found.push([id, row]);
      if (reached(found.length, limit)) break;
    }
    return found;
  }

  /** The records that match a filter given as JSON text, printed as a caller sees them. */
  printQuery(table: string, filterJson: PyValue): string {
    return printQuery(this, table, filterJson);
  }

  merge(patch: PyValue): void {
    const changes = [...dictOf(patch, 'the data')].map(([name, change]) => this.#changed(name, change));
    for (const change of changes) change();
    this.#hash = undefined;
  }

  /** Checks one table's part of a patch, and gives what applies it. */
  #changed(name: string, patch: PyValue): () => void {
    const table = this.#tables.get(name);
    if (table === undefined) throw invalid(`There is no table '${name}'. Available: ${this.names.join(', ')}.`);
    const { data = new Map(), notes = table.notes } = Object.fromEntries(dictOf(patch, `table '${name}'`));
    if (typeof notes !== 'string') throw invalid(`The notes of table '${name}' must be text.`);
    const rows = [...dictOf(data, `'data' of table '${name}'`)].map(
      ([id, record]) => [id, merged(table.rows.get(id), dictOf(record, `record '${id}' of '${name}'`))] as const,
    );
    return () => {
      const changed = table.copy(notes);
      for (const [id, row] of rows) changed.put(id, row);
      this.#tables.set(name, changed);
    };
  }

  hash(): string {
    this.#hash ??= this.#digest();
    return this.#hash;
  }

  #digest(): string {
    const hash = createHash('sha256');
    for (const name of this.#order) hash.update(this.#tables.get(name)?.text() ?? '');
    return hash.update(this.#order.length === 0 ? '{}' : '}').digest('hex');
  }

  /** Everything, as the file has it. */
  dump(): PyDict {
    const tableOf = (table: Table): PyDict =>
      new Map<string, PyValue>([
        ['data', new Map([...table.rows].map(([id, row]) => [id, copyOf(row as PyDict)]))],
        ['notes', table.notes],
      ]);
    return new Map([...this.#tables].map(([name, table]) => [name, tableOf(table)]));
  }
}

const NO_ROWS: ReadonlyMap<string, Row> = new Map();
const NO_FILTERS: Filters = new Map();

function entries(fields: Fields): Iterable<[string, PyValue]> {
  return fields instanceof Map ? fields : Object.entries(fields);
}

function merged(row: Row | undefined, patch: PyDict): PyDict {
  const result: PyDict = new Map(row ?? []);
  for (const [key, value] of patch) {
    const old = result.get(key);
    const isBoth = old instanceof Map && value instanceof Map;
    result.set(key, isBoth ? merged(old, value) : copyOf(value));
  }
  return result;
}

function dictOf(value: PyValue, what: string): PyDict {
  if (value instanceof Map) return value;
  throw invalid(`${what} must be an object, not ${typeName(value)} ${str(value).slice(0, 80)}.`);
}

function invalid(problem: string): PyError {
  return new PyError('ValueError', problem);
}
