/** Types that public names mention and nobody has to name: inference gives them, and a reader still wants to see them. */
import { meantBy } from './exports.mjs';

/** @typedef {import('./exports.mjs').Node} Node */
/** @typedef {import('./exports.mjs').Declared} Declared */

/** One string for one declaration, under whatever name it is exported. @param {Declared} declared */
export const identity = ({ source, nodes }) => `${source.path}:${nodes[0]?.start}`;

/**
 * All types that these names mention, directly or through one another, in the order in which they are met.
 * @param {readonly Declared[]} names @param {ReadonlySet<string>} known identities of those that have an entry of their own
 * @returns {readonly Declared[]}
 */
export function mentionedBy(names, known) {
  /** @type {Map<string, Declared>} */
  const found = new Map();
  const open = [...names];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const name of typesIn(next.nodes)) {
      const declared = meantBy(next.source, name);
      if (declared === undefined || !isType(declared)) continue;
      const key = identity(declared);
      if (known.has(key) || found.has(key)) continue;
      found.set(key, declared);
      open.push(declared);
    }
  }
  return [...found.values()];
}

/** Of another package there is only the import. @param {Declared} declared */
function isType({ nodes }) {
  const node = nodes[0]?.['declaration'] ?? nodes[0];
  return node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration';
}

/** Names of types in what can be seen from outside: no bodies, no values, nothing private. @param {readonly Node[]} nodes @returns {Set<string>} */
function typesIn(nodes) {
  /** @type {Set<string>} */
  const names = new Set();
  /** @param {any} node */
  const visit = (node) => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    if (typeof node?.type !== 'string' || isHidden(node)) return;
    if (node.type === 'TSTypeReference' && node.typeName.type === 'Identifier') names.add(node.typeName.name);
    if (node.type === 'TSInterfaceHeritage' || node.type === 'TSClassImplements') names.add(node.expression.name);
    const isFunction = /Function/.test(node.type) && node.type !== 'TSFunctionType';
    for (const [key, member] of Object.entries(node)) if (!(isFunction && key === 'body')) visit(member);
  };
  visit(nodes.length > 1 ? nodes.filter(({ declaration }) => declaration?.type !== 'FunctionDeclaration') : nodes);
  return names;
}

/** @param {Node} node */
function isHidden(node) {
  return ['private', 'protected'].includes(node['accessibility']) || node['key']?.type === 'PrivateIdentifier';
}
