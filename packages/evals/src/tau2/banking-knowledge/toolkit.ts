import { ConfigError } from 'flyball';
import type { ToolSpec } from '../../domains/discovery/tool-specs.js';
import { Tables } from '../../world/database.js';
import type { Database, Toolkit, ToolSchema, ToolType } from '../../world/environment.js';
import { bind, type Parameter } from '../python/signature.js';
import { type PyDict, PyError, type PyValue } from '../python/value.js';
import type { BankTool } from './bank-tool.js';
import { type Owner, type RegisteredTool, type Registry, runTool } from './discovery/registry.js';
import type { OpenBank } from './open-bank.js';

/** A tool that is not about the bank's database: searching the documents. */
export interface OtherTool {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  call(args: PyDict): Promise<string>;
}

/** Joins code and data. They must know the same tools with the same parameters: anything else is another revision. */
export function registryOf(owner: Owner, tools: readonly BankTool[], specs: readonly ToolSpec[]): Registry {
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const registered = specs.map((spec): [string, RegisteredTool] => [
    spec.name,
    { tool: matching(spec, known.get(spec.name)), spec, owner },
  ]);
  const registry = new Map(registered);
  const extra = tools.find((tool) => !registry.has(tool.name));
  if (extra !== undefined) throw mismatch(extra.name, 'is missing there');
  return registry;
}

function matching(spec: ToolSpec, tool: BankTool | undefined): BankTool {
  if (tool === undefined) throw mismatch(spec.name, 'is unknown here');
  const names = spec.parameters.map((parameter) => parameter.name);
  if (names.join() === tool.parameters.join()) return tool;
  throw mismatch(spec.name, `has the parameters (${names.join(', ')}) there, (${tool.parameters.join(', ')}) here`);
}

function mismatch(tool: string, how: string): ConfigError {
  return new ConfigError(
    `tools.json is of a revision that this version does not know: the tool ${tool} ${how}. Fetch the pinned data.`,
  );
}

/** The classes in which the reference defines the search tools. */
const searchOwners: Readonly<Record<string, string>> = {
  KB_search: 'KBSearchMixin',
  KB_search_bm25: 'KBSearchBm25AllToolsMixin',
  KB_search_dense: 'KBSearchDenseAllToolsMixin',
  grep: 'GrepMixin',
  shell: 'ShellMixin',
};

/** One side of the bank. Both sides work on the same database. */
export class BankToolkit implements Toolkit {
  readonly schemas: readonly ToolSchema[];
  readonly #bank: OpenBank;
  readonly #tools: Registry;
  readonly #others: ReadonlyMap<string, OtherTool>;
  readonly #owner: Owner;

  constructor(parts: {
    readonly owner: Owner;
    readonly bank: OpenBank;
    /** Discoverable tools too: they are called by their names like any other, though no model is shown them. */
    readonly tools: Registry;
    readonly others?: readonly OtherTool[];
    readonly schemas: readonly ToolSchema[];
  }) {
    this.schemas = parts.schemas;
    this.#owner = parts.owner;
    this.#bank = parts.bank;
    this.#tools = parts.tools;
    this.#others = new Map((parts.others ?? []).map((tool) => [tool.name, tool]));
  }

  get database(): Database {
    return this.#bank.tables;
  }

  set database(database: Database) {
    if (!(database instanceof Tables)) throw new ConfigError('A bank works on tables only.');
    this.#bank.tables = database;
  }

  has(name: string): boolean {
    return this.#tools.has(name) || this.#others.has(name);
  }

  typeOf(name: string): ToolType {
    return this.#known(name)?.spec.type ?? 'read';
  }

  mutates(name: string): boolean {
    return this.#known(name)?.spec.mutates ?? false;
  }

  /** Undefined for search tools, which only read. */
  #known(name: string): RegisteredTool | undefined {
    const found = this.#tools.get(name);
    if (found === undefined && !this.#others.has(name)) throw new PyError('ValueError', `Tool '${name}' not found.`);
    return found;
  }

  call(name: string, args: PyDict): PyValue | Promise<PyValue> {
    const found = this.#known(name);
    if (found !== undefined) return runTool(found, this.#bank, args);
    return this.#search(name, args);
  }

  async #search(name: string, args: PyDict): Promise<PyValue> {
    const tool = this.#others.get(name);
    if (tool === undefined) throw new PyError('ValueError', `Tool '${name}' not found.`);
    return tool.call(new Map(bind(`${searchOwners[name] ?? this.#owner}.${name}`, tool.parameters, args)));
  }

  invoke(name: string, args: PyDict): PyValue {
    const found = this.#tools.get(name);
    if (found !== undefined) return runTool(found, this.#bank, args);
    if (name === 'query_database' && this.#owner === 'KnowledgeUserTools') return this.#query(args);
    throw new PyError('AttributeError', `'${this.#owner}' object has no attribute '${name}'`);
  }

  /** The one function of the reference's users that is no tool. */
  #query(args: PyDict): string {
    const bound = bind('KnowledgeUserTools.query_database', queryParameters, args);
    const table = bound.get('database_name') ?? null;
    return this.#bank.tables.printQuery(String(table), bound.get('constraints') ?? null);
  }

  hash(): string {
    return this.#bank.tables.hash();
  }
}

const queryParameters: readonly Parameter[] = [
  { name: 'database_name', required: true },
  { name: 'constraints', required: false, default: '{}' },
];
