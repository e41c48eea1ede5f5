/**
 * What a snippet needs besides its own lines to compile: the imports that it uses, and the definitions of its example
 * that the page has not shown yet. Both are found in the example's syntax tree.
 */
import { parseSync } from 'oxc-parser';

/** @typedef {{ readonly type: string, readonly start: number, readonly end: number, readonly [key: string]: any }} Node */
/** @typedef {{ readonly start: number, readonly end: number, readonly names: readonly string[], readonly uses: ReadonlySet<string>, readonly node: Node }} Statement */
/** @typedef {{ readonly code: string, readonly statements: readonly Statement[], readonly imports: readonly Node[] }} Example */

const WIDTH = 120;

/** @param {string} path @param {string} code @returns {Example} */
export function readExample(path, code) {
  const { program, errors } = parseSync(path, code);
  if (errors[0] !== undefined) throw new Error(`${path} does not parse: ${errors[0].message}`);
  const body = /** @type {Node[]} */ (/** @type {any} */ (program).body);
  return {
    code,
    imports: body.filter(({ type }) => type === 'ImportDeclaration'),
    statements: body
      .filter(({ type }) => type !== 'ImportDeclaration')
      .map((node) => ({ ...extent(code, node), names: declaredBy(node), uses: usedIn(node), node })),
  };
}

/**
 * The definitions that the lines from `start` to `end` use, directly or through one another, without those that were
 * shown before; and the imports that these lines, or those definitions, use, without those that were made before. Adds
 * what it imports to them.
 * @param {Example} example @param {{ readonly start: number, readonly end: number }} lines
 * @param {{ readonly shown: ReadonlySet<Statement>, readonly imported: Set<string> }} before
 */
export function neededBy(example, lines, { shown, imported }) {
  const isInside = (/** @type {Node | Statement} */ { start, end }) => start >= lines.start && end <= lines.end;
  const own = example.statements.filter(isInside);
  const around = example.statements.find(({ start, end }) => start < lines.start && end > lines.end);
  const used = new Set(own.flatMap(({ uses }) => [...uses]));
  if (around !== undefined) for (const name of usedIn(around.node, lines)) used.add(name);
  /** @type {Set<Statement>} */
  const setup = new Set();
  const open = [...used];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const found = example.statements.find(({ names }) => names.includes(/** @type {string} */ (name)));
    if (found === undefined || found === around || isInside(found) || shown.has(found) || setup.has(found)) continue;
    setup.add(found);
    open.push(...found.uses);
  }
  for (const each of example.statements) if (each.end <= lines.start && isSettled(each)) setup.add(each);
  const inOrder = example.statements.filter((each) => setup.has(each));
  /** An assertion about what is set up tells the compiler what the lines rely on; a run that is set up has ended before they read it. @param {Statement} statement */
  function isSettled({ node, uses }) {
    if (!isAssertion(node) && !isAwaitedOutcome(node)) return false;
    const about = example.statements.filter(({ names }) => names.some((name) => uses.has(name)));
    return about.some((each) => setup.has(each)) && about.every((each) => setup.has(each) || shown.has(each));
  }
  const given = example.imports.filter((node) => !isInside(node));
  /** @param {Iterable<string>} names */
  const anew = (names) => {
    const fresh = new Set([...names].filter((name) => !imported.has(name)));
    for (const name of fresh) if (isImported(given, name)) imported.add(name);
    return importsOf(given, fresh);
  };
  const setupImports = anew(inOrder.flatMap(({ uses }) => [...uses]));
  const written = example.imports.filter(isInside);
  for (const name of written.flatMap(namesOf)) imported.add(name);
  return { own, setup: inOrder, setupImports, imports: anew(used) };
}

/** @param {readonly Node[]} imports @param {string} name */
const isImported = (imports, name) => imports.some((node) => namesOf(node).includes(name));

/** What an import binds. @param {Node} node @returns {readonly string[]} */
const namesOf = (node) => node['specifiers'].map((/** @type {Node} */ each) => each['local'].name);

/** `assert(…)` as a statement. @param {Node} node */
const isAssertion = (node) => node.type === 'ExpressionStatement' && node['expression'].callee?.name === 'assert';

/** `await handle.outcome()` as a statement. @param {Node} node */
const isAwaitedOutcome = (node) =>
  node.type === 'ExpressionStatement' &&
  node['expression'].type === 'AwaitExpression' &&
  node['expression'].argument.callee?.property?.name === 'outcome';

/** @param {readonly Node[]} imports @param {ReadonlySet<string>} used @returns {readonly string[]} one line, or several where it is long */
export function importsOf(imports, used) {
  return imports.flatMap((node) => {
    const kept = node['specifiers'].filter((/** @type {Node} */ each) => used.has(each['local'].name));
    if (kept.length === 0) return [];
    const module = `from '${node['source'].value}';`;
    const alone = kept.find((/** @type {Node} */ each) => each.type !== 'ImportSpecifier');
    if (alone !== undefined) {
      const name = alone['local'].name;
      return [`import ${alone.type === 'ImportNamespaceSpecifier' ? `* as ${name}` : name} ${module}`];
    }
    const isTypes = node['importKind'] === 'type';
    const names = kept.map((/** @type {Node} */ each) => specifierText(each, isTypes));
    const line = `import ${isTypes ? 'type ' : ''}{ ${names.join(', ')} } ${module}`;
    return [line.length <= WIDTH ? line : `import ${isTypes ? 'type ' : ''}{\n  ${names.join(',\n  ')},\n} ${module}`];
  });
}

/** Pieces of one program put together: imports first, and each definition once. @param {readonly string[]} parts */
export function joined(parts) {
  /** @type {Set<string>} */
  const known = new Set();
  const pieces = parts.map((part) => readExample('part.ts', part));
  const imports = new Map(
    pieces.flatMap(({ imports: all }) =>
      all.flatMap((node) =>
        node['specifiers'].map((/** @type {Node} */ each) => [
          each['local'].name,
          importsOf([node], new Set([each['local'].name])).join('\n'),
        ]),
      ),
    ),
  );
  const body = pieces.flatMap(({ code, statements }) =>
    statements.flatMap(({ start, end, names }) => {
      if (names.some((name) => known.has(name))) return [];
      for (const name of names) known.add(name);
      return [code.slice(start, end)];
    }),
  );
  return `${[...imports.values(), ...body, 'export {};'].join('\n')}\n`;
}

/** @param {Node} specifier @param {boolean} isTypes */
function specifierText(specifier, isTypes) {
  const imported = specifier['imported'].name;
  const local = specifier['local'].name;
  const name = imported === local ? local : `${imported} as ${local}`;
  return specifier['importKind'] === 'type' && !isTypes ? `type ${name}` : name;
}

/** A statement with the comment right above it and the one behind it on its line. @param {string} code @param {Node} node */
function extent(code, node) {
  let start = node.start;
  for (;;) {
    const before = code.slice(0, start);
    const comment = /(?:^|\n)((?:[ \t]*\/\/(?! #)[^\n]*|[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*)\n)$/.exec(before);
    if (comment === null) break;
    start -= /** @type {string} */ (comment[1]).length;
  }
  const behind = /^[ \t]*\/\/[^\n]*/.exec(code.slice(node.end))?.[0] ?? '';
  return { start, end: node.end + behind.length };
}

/** @param {Node} node @returns {readonly string[]} */
function declaredBy(node) {
  if (node.type.startsWith('Export')) return node['declaration'] ? declaredBy(node['declaration']) : [];
  if (node.type === 'VariableDeclaration')
    return node['declarations'].flatMap((/** @type {Node} */ each) => boundBy(each['id']));
  return node['id']?.name === undefined ? [] : [node['id'].name];
}

/** @param {Node | null} pattern @returns {readonly string[]} */
function boundBy(pattern) {
  if (pattern === null) return [];
  if (pattern.type === 'Identifier') return [pattern['name']];
  if (pattern.type === 'ObjectPattern')
    return pattern['properties'].flatMap((/** @type {Node} */ each) => boundBy(each['value'] ?? each['argument']));
  if (pattern.type === 'ArrayPattern') return pattern['elements'].flatMap(boundBy);
  return boundBy(pattern['left'] ?? pattern['argument'] ?? null);
}

/**
 * Names that are used and not bound inside; those of members and keys are none.
 * @param {Node} node @param {{ readonly start: number, readonly end: number }} [within] @returns {Set<string>}
 */
function usedIn(node, within = node) {
  /** @type {Set<string>} */
  const names = new Set();
  /** @param {any} value @param {string} key @param {any} parent @param {ReadonlySet<string>} bound */
  const visit = (value, key, parent, bound) => {
    if (Array.isArray(value)) for (const each of value) visit(each, key, parent, bound);
    if (typeof value?.type !== 'string' || value.end <= within.start || value.start >= within.end) return;
    const isMember = ['property', 'key'].includes(key) && parent.computed !== true && parent.shorthand !== true;
    if (value.type === 'Identifier' && !isMember && !bound.has(value.name)) names.add(value.name);
    const inner = value === node ? [] : boundInside(value);
    const known = inner.length === 0 ? bound : new Set([...bound, ...inner]);
    for (const [name, member] of Object.entries(value)) if (name !== 'parent') visit(member, name, value, known);
  };
  visit(node, '', {}, new Set());
  return names;
}

/** What a function, a block or a loop binds for what is inside it. @param {Node} node @returns {readonly string[]} */
function boundInside(node) {
  if (Array.isArray(node['params'])) return node['params'].flatMap(boundBy);
  if (node.type === 'BlockStatement') return node['body'].flatMap(declaredBy);
  if (node.type === 'ForOfStatement' || node.type === 'ForInStatement') return declaredBy(node['left']);
  if (node.type === 'ForStatement' && node['init'] !== null) return declaredBy(node['init']);
  return node.type === 'CatchClause' ? boundBy(node['param']) : [];
}
