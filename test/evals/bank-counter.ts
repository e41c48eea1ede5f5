import { accountTools } from '../../packages/evals/src/tau2/banking-knowledge/accounts/index.js';
import { type TableName, tableNames } from '../../packages/evals/src/tau2/banking-knowledge/bank.js';
import { lookups } from '../../packages/evals/src/tau2/banking-knowledge/base/lookups.js';
import { service } from '../../packages/evals/src/tau2/banking-knowledge/base/service.js';
import { cardTools } from '../../packages/evals/src/tau2/banking-knowledge/cards/index.js';
import { debitCardTools } from '../../packages/evals/src/tau2/banking-knowledge/debit-cards/index.js';
import { OpenBank } from '../../packages/evals/src/tau2/banking-knowledge/open-bank.js';
import { givenTools, userTools } from '../../packages/evals/src/tau2/banking-knowledge/user/index.js';
import { parseJson } from '../../packages/evals/src/tau2/python/json.js';
import { PyError, type PyValue } from '../../packages/evals/src/tau2/python/value.js';
import { Tables } from '../../packages/evals/src/world/database.js';

type Plain = Readonly<Record<string, unknown>>;
/** Records of a test's own bank, by table and id. Whole numbers in them are ints. */
export type Records = Partial<Record<TableName, Readonly<Record<string, Plain>>>>;

const all = [accountTools, cardTools, debitCardTools, lookups, service, userTools, givenTools].flat();
const tools = new Map(all.map((tool) => [tool.name, tool]));

/** A bank with nothing but the given records, and its tools without the way to them. */
export interface Counter {
  /** What a tool answers. Numbers are floats, bigints are ints. */
  run(tool: string, args: Readonly<Record<string, PyValue>>): string;
  /** What a tool raises. */
  raised(tool: string, args: Readonly<Record<string, PyValue>>): PyError;
  /** A record as an object; undefined where there is none. */
  row(table: TableName, id: string): Readonly<Record<string, PyValue>> | undefined;
  rows(table: TableName): readonly string[];
  hash(): string;
}

export function counter(records: Records): Counter {
  const content = Object.fromEntries(Object.entries(records).map(([table, data]) => [table, { data }]));
  const tables = Tables.read(parseJson(JSON.stringify(content)), tableNames);
  const bank = new OpenBank(tables, new Set());
  const run: Counter['run'] = (name, args) => {
    const tool = tools.get(name);
    const unbound = tool?.parameters.filter((parameter) => args[parameter] === undefined) ?? ['every parameter'];
    if (tool === undefined || unbound.length > 0) throw new Error(`${name} is called without ${unbound.join(', ')}`);
    return tool.run(bank, args, '');
  };
  return {
    run,
    raised(name, args) {
      try {
        run(name, args);
      } catch (error) {
        if (error instanceof PyError) return error;
        throw error;
      }
      throw new Error(`${name} raised nothing`);
    },
    row(table, id) {
      const found = tables.get(table, id);
      return found === undefined ? undefined : Object.fromEntries(found);
    },
    rows: (table) => [...tables.records(table).keys()],
    hash: () => tables.hash(),
  };
}
