import { type Bound, bind, type Parameter } from '../tau2/python/signature.js';
import { type PyDict, PyError, type PyValue } from '../tau2/python/value.js';
import type { Database, Toolkit, ToolSchema, ToolType } from './environment.js';

/** A function of a toolkit that is no tool: for initialization and assertions. */
export interface KitFunction<D extends Database> {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** Throws `PyError` where the reference raises. Gets every parameter, defaults filled in. */
  run(database: D, args: Bound): PyValue;
}

/** A tool. Discoverable ones are tools like any other that have no schema among those shown. */
export interface KitTool<D extends Database> extends Omit<KitFunction<D>, 'run'> {
  readonly type: ToolType;
  /** Whether a replay has to make the call again; where absent, writing tools do. */
  readonly mutates?: boolean;
  run(database: D, args: Bound): PyValue | Promise<PyValue>;
}

/** What a toolkit consists of. */
export interface ToolkitParts<D extends Database> {
  /** The reference's name of the class: its messages about arguments begin with it. */
  readonly className: string;
  readonly schemas: readonly ToolSchema[];
  readonly tools: readonly KitTool<D>[];
  readonly functions?: readonly KitFunction<D>[];
  readonly database: D;
}

/** Builds a toolkit from its parts. */
export function makeToolkit<D extends Database>(parts: ToolkitParts<D>): Toolkit {
  return new Kit(parts);
}

class Kit<D extends Database> implements Toolkit {
  readonly schemas: readonly ToolSchema[];
  database: Database;
  readonly #parts: ToolkitParts<D>;
  readonly #tools: ReadonlyMap<string, KitTool<D>>;

  constructor(parts: ToolkitParts<D>) {
    this.#parts = parts;
    this.schemas = parts.schemas;
    this.database = parts.database;
    this.#tools = toolsByName(parts.tools);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  typeOf(name: string): ToolType {
    return this.#tool(name).type;
  }

  mutates(name: string): boolean {
    const { type, mutates } = this.#tool(name);
    return mutates ?? type === 'write';
  }

  call(name: string, args: PyDict): PyValue | Promise<PyValue> {
    return this.#run(this.#tool(name), args);
  }

  invoke(name: string, args: PyDict): PyValue {
    const found = this.#parts.functions?.find((each) => each.name === name) ?? this.#tools.get(name);
    if (found === undefined) {
      throw new PyError('AttributeError', `'${this.#parts.className}' object has no attribute '${name}'`);
    }
    const result = this.#run(found, args);
    if (result instanceof Promise) throw new PyError('TypeError', `${name} answers later: it cannot be an assertion`);
    return result;
  }

  hash(): string | null {
    return this.database.hash();
  }

  /** Where initial data put the other side's database in the place of its own, that one has to say what it lacks. */
  #run(found: KitFunction<D> | KitTool<D>, args: PyDict): PyValue | Promise<PyValue> {
    const bound = bind(`${this.#parts.className}.${found.name}`, found.parameters, args);
    return found.run(this.database as D, bound);
  }

  #tool(name: string): KitTool<D> {
    const found = this.#tools.get(name);
    if (found === undefined) throw new PyError('ValueError', `Tool '${name}' not found.`);
    return found;
  }
}

/** A list of tools is made once for a domain, and toolkits of it for every simulation. */
const byName = new WeakMap<readonly unknown[], ReadonlyMap<string, unknown>>();

function toolsByName<D extends Database>(tools: readonly KitTool<D>[]): ReadonlyMap<string, KitTool<D>> {
  const known = byName.get(tools) ?? new Map(tools.map((tool) => [tool.name, tool]));
  byName.set(tools, known);
  return known as ReadonlyMap<string, KitTool<D>>;
}
