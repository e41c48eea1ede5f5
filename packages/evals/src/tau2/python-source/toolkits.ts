import { ConfigError } from 'flyball';
import type { PyDict, PyValue } from '../python/value.js';
import { type PythonClass, type PythonModule, readModule } from './module.js';
import { discoverableListing, numberedTools, type PythonTool, toolListing, toolOf } from './tool-listing.js';
import type { Aliases } from './type-schema.js';

/** The Python files of one domain, by path. */
export type SourceFiles = ReadonlyMap<string, string>;

/** `tools.json` of the banking domain. */
export function bankingToolData(files: SourceFiles): PyDict {
  const source = new DomainSource(files);
  const agent = source.toolsOf('KnowledgeTools');
  const user = source.toolsOf('KnowledgeUserTools');
  const kits = source.heirsOf('KnowledgeTools').map((name) => [name, source.toolsOf(name)] as const);
  const listed = (tools: readonly PythonTool[]): PyDict => toolListing(tools, source.aliases);
  return new Map<string, PyValue>([
    ['agent_toolkits', new Map(kits.map(([name, tools]) => [name, listed(tools)]))],
    ['user_tools', listed(user)],
    ['agent_discoverable', discoverableListing(agent, { isFormatted: true })],
    ['user_discoverable', discoverableListing(user, { isFormatted: false })],
    [
      'tools_description',
      new Map([
        ['user', numberedTools(user)],
        ['assistant', numberedTools(agent)],
      ]),
    ],
  ]);
}

/** `tools.json` of the mock domain. */
export function mockToolData(files: SourceFiles, policySha256: string): PyDict {
  const source = new DomainSource(files);
  const schemas = (name: string): PyValue => toolListing(source.toolsOf(name), source.aliases).get('schemas') ?? [];
  return new Map<string, PyValue>([
    ['assistant', schemas('MockTools')],
    ['user', schemas('MockUserTools')],
    ['policy_sha256', policySha256],
  ]);
}

/** The classes of a domain's files. Names are unique in a domain, so that imports need not be followed. */
class DomainSource {
  private readonly modules: readonly PythonModule[];
  private readonly classes: ReadonlyMap<string, PythonClass>;

  constructor(files: SourceFiles) {
    this.modules = [...files].map(([path, text]) => readModule(text, path));
    this.classes = new Map(this.modules.flatMap(({ classes }) => classes).map((one) => [one.name, one]));
  }

  readonly aliases: Aliases = (name) => {
    const found = this.modules.find(({ aliases }) => aliases.has(name));
    return found?.aliases.get(name);
  };

  /** Those of the class itself first, then of what it inherits from, each in the order of the file. */
  toolsOf(name: string): readonly PythonTool[] {
    if (!this.classes.has(name))
      throw new ConfigError(`There is no class ${name} in the Python files: they are of another revision.`);
    const found = new Map<string, PythonTool>();
    for (const each of this.resolution(name))
      for (const made of this.classes.get(each)?.functions ?? []) {
        const tool = toolOf(made);
        if (tool !== undefined && !found.has(made.name)) found.set(made.name, tool);
      }
    return [...found.values()];
  }

  /** Classes that inherit from it, in the order of the files. */
  heirsOf(name: string): readonly string[] {
    return [...this.classes.keys()].filter((each) => each !== name && this.resolution(each).includes(name));
  }

  /** Python's order of resolution (C3), over the classes that are known here. */
  private resolution(name: string, below: readonly string[] = []): readonly string[] {
    if (below.includes(name)) throw new ConfigError(`The class ${name} inherits from itself.`);
    const bases = (this.classes.get(name)?.bases ?? []).filter((base) => this.classes.has(base));
    return [name, ...merged([...bases.map((base) => this.resolution(base, [...below, name])), bases])];
  }
}

function merged(orders: readonly (readonly string[])[]): readonly string[] {
  const left = orders.filter((order) => order.length > 0);
  if (left.length === 0) return [];
  const head = left.map(([first = '']) => first).find((one) => left.every((order) => !order.slice(1).includes(one)));
  if (head === undefined) throw new ConfigError('The classes inherit from each other in no order that Python takes.');
  return [head, ...merged(left.map((order) => order.filter((one) => one !== head)))];
}
