/**
 * The catalogue of patterns ships as JSON, for whoever reads it without our code. In the bundle our code reads it from
 * there too, in the place of the sources that it was made from: it takes a quarter of a megabyte.
 */
import { deepStrictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What stands in the place of each source. @type {Readonly<Record<string, string>>} */
const STAND_INS = {
  'anti-patterns.js': 'export const { antiPatterns } = whole;',
  'categories.js': 'export const { categories } = whole;',
  'everywhere.js': "export const everywhere = whole.relations.filter(({ from }) => from.startsWith('*'));",
  'guides.js': 'export const { guides } = whole;',
  'mechanisms.js': 'export const { mechanisms } = whole;',
  'stacks.js': 'export const { stacks } = whole;',
  'json.js': 'export const catalogueJson = () => whole;',
  'patterns/index.js': `export const patterns = whole.patterns.map(
    ({ status: _status, formula: _formula, resolves: _resolves, examples: _examples, clauses, ...spec }) => ({ ...spec, clauses: clauses.map(({ text }) => text) }),
  );`,
};

/** @param {string} folder where the package was built to */
export function catalogueOnce(folder) {
  const json = join(folder, 'catalogue/catalogue.json');
  const places = new Map(Object.entries(STAND_INS).map(([path, code]) => [join(folder, 'catalogue', path), code]));
  return {
    name: 'catalogue-once',
    load: (/** @type {string} */ id) => {
      const code = places.get(id);
      if (code === undefined) return undefined;
      return `import whole from '${relative(dirname(id), json).replace(/^(?!\.)/, './')}' with { type: 'json' };\n${code}\n`;
    },
  };
}

/** Throws where a stand-in gives anything else than the source it stands for. @param {string} folder */
export async function checkStandIns(folder) {
  const json = readFileSync(join(folder, 'catalogue/catalogue.json'), 'utf8');
  for (const [path, code] of Object.entries(STAND_INS)) {
    const source = await import(pathToFileURL(join(folder, 'catalogue', path)).href);
    const standIn = await import(`data:text/javascript,${encodeURIComponent(`const whole = ${json};\n${code}`)}`);
    deepStrictEqual(plain(standIn), plain(source), `The stand-in for catalogue/${path} differs from it.`);
  }
}

/** Values as JSON keeps them; a function by what it gives. @param {Readonly<Record<string, unknown>>} module */
function plain(module) {
  const values = Object.entries(module).map(([name, value]) => [name, typeof value === 'function' ? value() : value]);
  return JSON.parse(JSON.stringify(Object.fromEntries(values)));
}
