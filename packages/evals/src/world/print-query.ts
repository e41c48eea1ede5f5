import { truthy, typeName } from '../tau2/python/equality.js';
import { parseJson } from '../tau2/python/json.js';
import { repr, str } from '../tau2/python/text.js';
import { type PyDict, PyError, type PyValue } from '../tau2/python/value.js';
import type { Filters } from './query.js';
import type { Row } from './table.js';

/** Names that the reference's own function has: as filters they never get as far as a record. */
const TAKEN = ['db', 'return_ids'];
const FUNCTION = 'tau2.domains.banking_knowledge.db_query.query_db';

/** What is asked: a database of tables. */
interface Queried {
  readonly names: readonly string[];
  has(table: string): boolean;
  query(table: string, filters: Filters, limit: PyValue): [id: string, record: Row][];
}

/** The listing of a query, whose failures are answers too. */
export function printQuery(tables: Queried, table: string, filterJson: PyValue): string {
  if (!tables.has(table)) return `Error: Database '${table}' not found. Available: ${repr([...tables.names])}`;
  try {
    const filters = truthy(filterJson) ? parseJson(filterJson) : new Map<string, PyValue>();
    const found = foundBy(tables, table, filters);
    return found.length === 0 ? `No records found in '${table}'.` : listing(table, found);
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    if (error.kind === 'JSONDecodeError') return `Error: Invalid JSON: ${error.message}`;
    return `Error querying database: ${error.message}`;
  }
}

function foundBy(tables: Queried, table: string, given: PyValue): [id: string, record: Row][] {
  const filters = new Map(keywords(given));
  const limit = filters.get('limit') ?? null;
  filters.delete('limit');
  return tables.query(table, filters, limit);
}

/** Filters are passed as keyword arguments: an object whose keys do not meet the function's own. */
function keywords(given: PyValue): PyDict {
  if (!(given instanceof Map)) {
    throw new PyError('TypeError', `${FUNCTION}() argument after ** must be a mapping, not ${typeName(given)}`);
  }
  const taken = [...given.keys()].find((key) => TAKEN.includes(key));
  if (taken !== undefined) {
    throw new PyError('TypeError', `${FUNCTION}() got multiple values for keyword argument '${taken}'`);
  }
  if (given.has('db_name')) throw new PyError('TypeError', "query_db() got multiple values for argument 'db_name'");
  return given;
}

/** Records as a caller sees them, numbered from one. */
export function listing(table: string, found: readonly (readonly [id: string, record: Row])[]): string {
  const lines = [`Found ${found.length} record(s) in '${table}':\n`];
  found.forEach(([id, record], at) => {
    lines.push(`${at + 1}. Record ID: ${id}`);
    for (const [field, value] of record) lines.push(`   ${field}: ${str(value)}`);
    lines.push('');
  });
  return lines.join('\n');
}
