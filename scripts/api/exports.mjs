/**
 * The public names of an entry and where each is declared, read from the sources: re-exports are followed to the
 * declaration, so that its comment and its signature can be shown.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from '../files.mjs';
import { allEntries } from '../packages.mjs';

/** @typedef {{ readonly type: string, readonly start: number, readonly end: number, readonly [key: string]: any }} Node */
/** @typedef {{ readonly path: string, readonly code: string, readonly body: readonly Node[], readonly comments: readonly { readonly type: string, readonly value: string, readonly start: number, readonly end: number }[] }} Source */
/** @typedef {{ readonly name: string, readonly source: Source, readonly nodes: readonly Node[] }} Declared one name; a function with overloads has several nodes */

/** @type {Map<string, Source>} */
const parsed = new Map();
/** @type {Map<string, ReadonlyMap<string, Declared>>} */
const known = new Map();
/** Sources of what can be imported from our packages. */
const sources = new Map(allEntries().map(({ entry, source }) => [entry, source]));

/** @param {string} path from the root @returns {Source} */
function sourceAt(path) {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const code = readFileSync(join(root, path), 'utf8');
  const { program, comments, errors } = parseSync(path, code);
  if (errors[0] !== undefined) throw new Error(`${path} does not parse: ${errors[0].message}`);
  const source = { path, code, body: /** @type {any} */ (program).body, comments: /** @type {any} */ (comments) };
  parsed.set(path, source);
  return source;
}

/** @param {Source} from @param {string} specifier @returns {string | undefined} undefined for a package that is not ours */
function resolved(from, specifier) {
  if (!specifier.startsWith('.')) return sources.get(specifier);
  const path = join(dirname(from.path), specifier);
  const found = [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')].find((each) =>
    existsSync(join(root, each)),
  );
  if (found === undefined) throw new Error(`${from.path} exports from ${specifier}, which is not there.`);
  return found;
}

/** @param {Node} node @returns {readonly string[]} */
function namesOf(node) {
  if (node.type === 'VariableDeclaration') return node['declarations'].map((/** @type {Node} */ { id }) => id.name);
  return node['id']?.name === undefined ? [] : [node['id'].name];
}

/** Everything that a file exports. @param {string} path @returns {ReadonlyMap<string, Declared>} */
export function exportsOf(path) {
  const before = known.get(path);
  if (before !== undefined) return before;
  const source = sourceAt(path);
  /** @type {Map<string, Declared>} */
  const found = new Map();
  known.set(path, found);
  for (const node of source.body) {
    if (node.type === 'ExportAllDeclaration') {
      const from = resolved(source, node['source'].value);
      if (from === undefined)
        throw new Error(`${path} exports everything of ${node['source'].value}: name what it needs.`);
      for (const [name, declared] of exportsOf(from)) found.set(name, declared);
    }
    if (node.type !== 'ExportNamedDeclaration') continue;
    if (node['declaration'] !== null && node['declaration'] !== undefined) {
      for (const name of namesOf(node['declaration'])) {
        const nodes = [...(found.get(name)?.nodes ?? []), node];
        found.set(name, { name, source, nodes });
      }
    }
    for (const { local, exported } of node['specifiers'] ?? []) {
      const declared = node['source'] ? exportedBy(source, node, local.name) : declaredIn(source, local.name);
      found.set(exported.name, { ...declared, name: exported.name });
    }
  }
  return found;
}

/** @param {Source} source @param {Node} node @param {string} name @returns {Declared} */
function exportedBy(source, node, name) {
  const from = resolved(source, node['source'].value);
  if (from === undefined) return { name, source, nodes: [node] };
  const declared = exportsOf(from).get(name);
  if (declared === undefined) throw new Error(`${source.path} exports ${name}, which ${from} does not.`);
  return declared;
}

/** What a file declares and exports apart, or imports and hands on. @param {Source} source @param {string} name @returns {Declared} */
function declaredIn(source, name) {
  const found = meantBy(source, name);
  if (found === undefined) throw new Error(`${source.path} exports ${name}, which it does not declare.`);
  return found;
}

/** What a name means in a file; undefined for what neither it nor one of its imports declares. @param {Source} source @param {string} name @returns {Declared | undefined} */
export function meantBy(source, name) {
  const own = source.body.filter((node) => namesOf(node['declaration'] ?? node).includes(name));
  if (own.length > 0) return { name, source, nodes: own };
  for (const node of source.body) {
    if (node.type !== 'ImportDeclaration') continue;
    const specifier = node['specifiers'].find((/** @type {Node} */ { local }) => local.name === name);
    if (specifier !== undefined) return exportedBy(source, node, specifier.imported?.name ?? name);
  }
  return undefined;
}
