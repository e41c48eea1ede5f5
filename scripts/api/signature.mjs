/** How a public name is used, as TypeScript without bodies, and what its comment says. */

/** @typedef {import('./exports.mjs').Node} Node */
/** @typedef {import('./exports.mjs').Source} Source */
/** @typedef {import('./exports.mjs').Declared} Declared */
/** @typedef {'function' | 'class' | 'type' | 'constant'} Kind */

/** @param {Declared} declared @returns {Kind} */
export function kindOf({ nodes }) {
  const node = declarationIn(/** @type {Node} */ (nodes[0]));
  if (node.type === 'FunctionDeclaration' || node.type === 'TSDeclareFunction') return 'function';
  if (node.type === 'ClassDeclaration') return 'class';
  if (node.type === 'VariableDeclaration') return isFunction(node['declarations'][0]?.init) ? 'function' : 'constant';
  return 'type';
}

/** @param {Declared} declared @returns {string} the text of its comment, without stars */
export function commentOf({ source, nodes }) {
  for (const node of nodes) {
    const comment = source.comments.findLast(
      ({ type, value, end }) =>
        type === 'Block' &&
        value.startsWith('*') &&
        end <= node.start &&
        source.code.slice(end, node.start).trim() === '',
    );
    if (comment !== undefined) {
      return comment.value
        .slice(1)
        .split('\n')
        .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
        .join('\n')
        .trim();
    }
  }
  return '';
}

/** @param {Declared} declared @returns {string} */
export function signatureOf({ name, source, nodes }) {
  const declarations = nodes.map(declarationIn);
  // of a function with overloads, what implements them is nobody's business
  const shown =
    declarations.length > 1 ? declarations.filter(({ type }) => type !== 'FunctionDeclaration') : declarations;
  return (shown.length === 0 ? declarations : shown).map((node) => written(node, name, source.code)).join('\n');
}

/** @param {Node} node @returns {Node} */
function declarationIn(node) {
  return node.type === 'ExportNamedDeclaration' && node['declaration'] ? node['declaration'] : node;
}

/** @param {Node | null | undefined} node */
function isFunction(node) {
  return node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression';
}

/** @param {Node} node @param {string} name @param {string} code @returns {string} */
function written(node, name, code) {
  const text = (/** @type {{ start: number, end: number }} */ { start, end }) => code.slice(start, end);
  switch (node.type) {
    case 'FunctionDeclaration':
      return `${code.slice(node.start, node['body'].start).trimEnd()};`;
    case 'ClassDeclaration':
      return classText(node, code);
    case 'VariableDeclaration': {
      const one = node['declarations'].find((/** @type {Node} */ { id }) => id.name === name);
      if (one.id.typeAnnotation) return `const ${text(one.id)};`;
      if (isFunction(one.init)) {
        const from = one.init.typeParameters?.start ?? one.init.start;
        return `const ${name}: ${code.slice(from, one.init.body.start).replace(/\s*=>\s*$/, '')};`.replace(
          /\): ([^;]*);$/s,
          ') => $1;',
        );
      }
      const value = text(one);
      return value.length <= 600 ? `const ${value};` : `const ${name};`;
    }
    default:
      return text(node);
  }
}

/** What can be seen of a class: constructor, methods and fields that are not private, without bodies. @param {Node} node @param {string} code */
function classText(node, code) {
  const members = node['body'].body
    .filter(
      (/** @type {Node} */ { key, accessibility }) =>
        accessibility !== 'private' && accessibility !== 'protected' && key?.type !== 'PrivateIdentifier',
    )
    .map((/** @type {Node} */ member) => {
      const until =
        member['value']?.body?.start ??
        (member['value'] && !member['typeAnnotation'] ? member.end : (member['value']?.start ?? member.end));
      return `  ${code
        .slice(member.start, until)
        .replace(/\s*=\s*$/, '')
        .trimEnd()
        .replace(/;$/, '')};`;
    });
  return `${code.slice(node.start, node['body'].start).trimEnd()} {\n${members.join('\n')}\n}`;
}
