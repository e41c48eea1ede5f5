/** Which tests show which clauses of the patterns: written beside the catalogue, which ships without docs/requirements. */

export const SHOWN_FILE = 'packages/flyball/src/catalogue/shown.ts';

const CLAUSE = /^[SKROVIH]\d+\.\d+$/;

/**
 * The module as it has to be.
 * @param {readonly import('./requirements.mjs').Requirement[]} entries
 */
export function shownModule(entries) {
  /** @type {Map<string, string[]>} */
  const byFile = new Map();
  for (const { id, status, shows } of entries)
    if (CLAUSE.test(id) && status === 'done')
      for (const file of shows) byFile.set(file, [...(byFile.get(file) ?? []), id]);
  const lines = [...byFile].map(([file, ids]) => `${file} ${ids.sort(inOrder).join(' ')}`).sort();
  return `/**
 * Which clauses each test file shows, a file a line. \`npm run requirements -- --update\` writes it from docs/requirements.
 */
export const SHOWN = \`
${lines.join('\n')}
\`;
`;
}

/** @param {string} a @param {string} b */
function inOrder(a, b) {
  const [one = '', n = ''] = a.split('.');
  const [other = '', m = ''] = b.split('.');
  return one === other ? Number(n) - Number(m) : one < other ? -1 : 1;
}
