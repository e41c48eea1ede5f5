import { parseSync } from 'oxc-parser';

/** What one source file imports and which globals it uses, read from its syntax tree: comments and strings cannot fool it. */
export interface SourceFacts {
  readonly imports: readonly ImportFact[];
  /** Dotted paths of globals in value position, such as `Date.now` or `process.env.HOME`. */
  readonly uses: readonly string[];
}

export interface ImportFact {
  readonly specifier: string;
  /** `type` leaves no trace at run time; `lazy` is loaded only when the code gets there. */
  readonly kind: 'static' | 'lazy' | 'type';
}

type Node = { readonly type: string; readonly [key: string]: unknown };

/** Expressions that TypeScript wraps in syntax of its own; every other TS node is erased. */
const WRAPPERS = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
]);
const LOADERS = /^(require|require\.resolve|process\.getBuiltinModule|import\.meta\.resolve)$/;

export function factsOf(path: string, code: string): SourceFacts {
  const { program, errors } = parseSync(path, code);
  if (errors[0] !== undefined) throw new Error(`${path} does not parse: ${errors[0].message}`);
  const reader = new Reader();
  reader.collectNames(program as unknown as Node);
  reader.visit(program as unknown as Node, false);
  return { imports: reader.imports, uses: [...new Set(reader.uses)] };
}

class Reader {
  readonly imports: ImportFact[] = [];
  readonly uses: string[] = [];
  /** Names the file declares itself anywhere: they are not the globals of the same name. */
  private readonly declared = new Set<string>();
  /** Variables that hold a `require`. */
  private readonly requires = new Set<string>(['require']);

  collectNames(node: Node): void {
    if (node.type === 'VariableDeclarator') {
      const callee = isNode(node['init']) ? node['init']['callee'] : undefined;
      if (isNode(callee) && callee['name'] === 'createRequire') this.requires.add(pathOf(node['id']) ?? '');
    }
    if (node.type === 'VariableDeclarator' || node.type.endsWith('Specifier') || isCatch(node)) {
      this.declare(node['id'] ?? node['local'] ?? node['param']);
    }
    if (isFunction(node) || node.type === 'ClassDeclaration') {
      this.declare(node['id']);
      for (const parameter of nodesIn(node['params'])) this.declare(parameter);
    }
    for (const child of childrenOf(node)) this.collectNames(child);
  }

  visit(node: Node, inType: boolean): void {
    this.readImport(node);
    if (!inType && this.readUse(node) === 'leaf') return;
    for (const [key, child] of entriesOf(node)) {
      if (!isNameOnly(node, key)) this.visit(child, inType || isErased(child));
    }
  }

  private readImport(node: Node): void {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration': {
        const specifier = textOf(node['source']);
        if (specifier === undefined) return;
        const named = nodesIn(node['specifiers']);
        const kinds = named.map((name) => name['importKind'] ?? name['exportKind']);
        const typeOnly =
          (node['importKind'] ?? node['exportKind']) === 'type' ||
          (kinds.length > 0 && kinds.every((kind) => kind === 'type'));
        this.imports.push({ specifier, kind: typeOnly ? 'type' : 'static' });
        if (typeOnly) return;
        for (const name of named) {
          const imported = pathOf(name['imported'] ?? name['local']);
          if (imported !== undefined) this.uses.push(`${specifier}.${imported}`);
        }
        return;
      }
      case 'TSImportType': {
        const specifier = textOf(node['source']);
        if (specifier !== undefined) this.imports.push({ specifier, kind: 'type' });
        return;
      }
      case 'ImportExpression':
        this.load(textOf(node['source']), 'import(…)');
        return;
      case 'CallExpression': {
        const callee = pathOf(node['callee']) ?? '';
        if (this.requires.has(callee) || LOADERS.test(callee))
          this.load(textOf(nodesIn(node['arguments'])[0]), 'require(…)');
        return;
      }
    }
  }

  /** Code loaded under a name that only the running program knows cannot be checked here: it is a use of its own. */
  private load(specifier: string | undefined, otherwise: string): void {
    if (specifier === undefined) this.uses.push(otherwise);
    else this.imports.push({ specifier, kind: 'lazy' });
  }

  private readUse(node: Node): 'leaf' | 'inner' {
    if ((node.type === 'NewExpression' || node.type === 'CallExpression') && pathOf(node['callee']) === 'Date') {
      if (nodesIn(node['arguments']).length === 0)
        this.uses.push(node.type === 'NewExpression' ? 'new Date()' : 'Date()');
    }
    if (node.type === 'VariableDeclarator' && isNode(node['id']) && node['id'].type === 'ObjectPattern') {
      const from = pathOf(node['init']);
      for (const property of nodesIn(node['id']['properties'])) {
        if (from !== undefined) this.use(`${from}.${pathOf(property['key']) ?? ''}`);
      }
    }
    if (node.type !== 'Identifier' && node.type !== 'MemberExpression') return 'inner';
    const path = pathOf(node);
    if (path === undefined) return 'inner';
    this.use(path);
    return 'leaf';
  }

  private use(path: string): void {
    const global = path.replace(/^(globalThis|global)\./, '');
    const name = global.split('.')[0] ?? '';
    // `crypto` is the same module whether it is the global or a namespace import, so declaring it hides nothing
    if (global !== path || name === 'crypto' || !this.declared.has(name)) this.uses.push(global);
  }

  private declare(pattern: unknown): void {
    if (!isNode(pattern)) return;
    if (pattern.type === 'Identifier') this.declared.add(String(pattern['name']));
    else if (pattern.type !== 'MemberExpression') {
      for (const [key, child] of entriesOf(pattern)) if (!isNameOnly(pattern, key)) this.declare(child);
    }
  }
}

/** `a.b.c` for identifiers joined by dots, undefined for anything computed. */
function pathOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Identifier') return String(node['name']);
  if (node.type === 'MetaProperty') return 'import.meta';
  if (node.type !== 'MemberExpression') return undefined;
  const object = pathOf(node['object']);
  const property = node['computed'] === true ? textOf(node['property']) : pathOf(node['property']);
  return object === undefined || property === undefined ? undefined : `${object}.${property}`;
}

function textOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : undefined;
}

/** Identifiers that name a part rather than refer to a value. */
function isNameOnly(node: Node, key: string): boolean {
  if (key === 'label' || node.type.endsWith('Specifier') || node.type === 'MetaProperty') return true;
  return key === 'key' && node['computed'] !== true;
}

function isErased(node: Node): boolean {
  return node.type.startsWith('TS') && !WRAPPERS.has(node.type);
}

function isFunction(node: Node): boolean {
  return (
    node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'
  );
}

function isCatch(node: Node): boolean {
  return node.type === 'CatchClause';
}

function childrenOf(node: Node): Node[] {
  return entriesOf(node).map(([, child]) => child);
}

function entriesOf(node: Node): [string, Node][] {
  return Object.entries(node).flatMap(([key, value]) => nodesIn(value).map((child): [string, Node] => [key, child]));
}

function nodesIn(value: unknown): Node[] {
  return (Array.isArray(value) ? value : [value]).filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
