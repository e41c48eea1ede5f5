/**
 * A page for each pattern: docs/patterns/<id>-<name>.md, made of its comment, of what it says of itself, and of an example
 * in examples/patterns, in the region of its name. `examples` of that file has what the example made.
 *
 *   npm run patterns             says which pages are not as the sources have them
 *   npm run patterns -- --update writes them
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { exportsOf } from './api/exports.mjs';
import { commentOf } from './api/signature.mjs';
import { filesUnder, root } from './files.mjs';
import { allEntries } from './packages.mjs';
import { recut } from './snippets.mjs';

const FOLDER = 'docs/patterns';
/** The examples beside the catalogue, which ships without the pages. */
const EXAMPLES_FILE = 'packages/flyball/src/catalogue/examples.ts';
export const CATEGORIES = /** @type {const} */ ([
  'signal',
  'knowledge',
  'reasoning',
  'orchestration',
  'reliability',
  'integration',
  'humanizer',
]);
export const MOST_LINES = 25;

/** Where patterns are imported from, and which file in examples/patterns shows them. */
const PLACES = [
  ...CATEGORIES.map((category) => ({ category, from: `flyball/patterns/${category}`, file: category })),
  { category: 'orchestration', from: 'flyball/agents', file: 'orchestration' },
  { category: 'reliability', from: '@flyball/evals', file: 'evaluation' },
  { category: 'integration', from: 'flyball/adapters/mcp-client', file: 'services' },
  { category: 'integration', from: 'flyball/toolbox', file: 'services' },
  { category: 'integration', from: '@flyball/server', file: 'services' },
  { category: 'integration', from: '@flyball/server/mcp', file: 'services' },
];
/** The files of examples, by name. */
export const EXAMPLES = [...new Set(PLACES.map(({ file }) => file))];

/** @typedef {import('../packages/flyball/src/patterns/index.js').Use} Use */
/** @typedef {import('../packages/flyball/src/patterns/use.js').Part} Part */
/** @typedef {{ readonly useOf: (value: unknown) => Use | undefined, readonly formulaText: (formula: Use['calls']) => string }} Kit */
/** @typedef {{ readonly id: string, readonly name: string, readonly category: string, readonly comment: string, readonly from: string, readonly file: string }} Named */
/** @typedef {Readonly<Record<string, Readonly<Record<string, unknown>>>>} Examples by file and name: what the examples made */

/** Every function with an id, in the order of the catalogue. @returns {readonly Named[]} */
export function patterns() {
  const sources = new Map(allEntries().map(({ entry, source }) => [entry, source]));
  /** @type {Map<string, Named>} */
  const found = new Map();
  for (const { category, from, file } of PLACES) {
    const source = sources.get(from);
    if (source === undefined) throw new Error(`${from} cannot be imported.`);
    for (const declared of exportsOf(source).values()) {
      const comment = commentOf(declared);
      const id = /^@pattern ([A-Z]\d+)$/m.exec(comment)?.[1];
      const { name } = declared;
      // the first place is the one to import it from: others may export it too
      if (id !== undefined && !found.has(name)) found.set(name, { id, name, category, comment, from, file });
    }
  }
  const place = (/** @type {Named} */ { category }) => CATEGORIES.indexOf(/** @type {any} */ (category));
  return [...found.values()].sort(
    (a, b) => place(a) - place(b) || Number(a.id.slice(1)) - Number(b.id.slice(1)) || (a.name < b.name ? -1 : 1),
  );
}

/** @param {Named} pattern */
export const pathOf = ({ id, name }) => `${FOLDER}/${id.toLowerCase()}-${kebab(name)}.md`;

/** @param {string} name */
const kebab = (name) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/^-/, '');

/** The pages by path, and what keeps one from being made. @param {Examples} examples @param {Kit} kit */
export function pages(examples, kit) {
  /** @type {Map<string, string>} */
  const made = new Map();
  /** @type {string[]} */
  const problems = [];
  /** @type {string[]} */
  const missing = [];
  const all = patterns();
  for (const pattern of all) {
    const use = kit.useOf(examples[pattern.file]?.[pattern.name]);
    const source = `examples/patterns/${pattern.file}.ts#${pattern.name}`;
    if (use === undefined) {
      missing.push(`${pattern.id} ${pattern.name} has no page: add ${source}, and what it makes to its examples.`);
      continue;
    }
    const path = pathOf(pattern);
    const cut = recut({ path, text: page(pattern, use, { source, kit }) });
    problems.push(...cut.problems.filter((problem) => problem.includes('not there')));
    const lines = (/ -->\n```ts\n([\s\S]*?)\n```/.exec(cut.text)?.[1] ?? '').split('\n').length;
    if (lines > MOST_LINES) problems.push(`The example of ${pattern.name} has ${lines} lines, at most ${MOST_LINES}.`);
    made.set(path, cut.text);
  }
  made.set(`${FOLDER}/README.md`, list(all, made));
  return { made, problems, missing };
}

/** @param {Named} pattern @param {Use} use @param {{ readonly source: string, readonly kit: Kit }} how */
function page({ id, name, category, comment, from }, use, { source, kit }) {
  const { purpose, cost, not } = partsOf(comment);
  const apart = use.apart.map(([one, other]) => `\`${one}\` and \`${other}\``);
  return [
    `# ${name} (${id})`,
    purpose,
    `Category: ${category}. ${imported(from)} Signature and options: [API reference](../api/${from.replace('@', '').replaceAll('/', '-')}.md#${name.toLowerCase()}).`,
    ...(not === '' ? [] : ['## When not to use it', not]),
    '## What it costs',
    cost,
    `Formula: \`${kit.formulaText(use.calls)}\`. In the example below: ${between(use.predicted)}.`,
    ...figures(use),
    ...(apart.length === 0 ? [] : [`These must not be the same session: ${apart.join('; ')}.`]),
    '## Example',
    `<!-- from ${source} -->\n\`\`\`ts\n\n\`\`\``,
    'This page is generated by `npm run patterns -- --update`.',
  ]
    .join('\n\n')
    .concat('\n');
}

/** @param {string} from */
function imported(from) {
  return from.startsWith('flyball/patterns/')
    ? `Import it from \`flyball/patterns\`, or from \`${from}\` to load nothing else.`
    : `Import it from \`${from}\`.`;
}

/** The first paragraph says what it is for; of the rest, what begins with "Not" says when it is not. @param {string} comment */
function partsOf(comment) {
  const [purpose = '', ...rest] = comment.split(/^@/m)[0]?.trim().split(/\n\n+/) ?? [];
  const sentences = rest
    .join(' ')
    .replaceAll('\n', ' ')
    .split(/(?<=[.?!])\s+(?=[A-Z])/);
  const isNot = (/** @type {string} */ sentence) => /^Not\b/.test(sentence);
  return {
    purpose: purpose.replaceAll('\n', ' '),
    cost: sentences.filter((sentence) => !isNot(sentence)).join(' '),
    not: sentences.filter(isNot).join(' '),
  };
}

/** What each word of the formula is in the example. @param {Use} use @returns {readonly string[]} */
function figures({ id, calls, params, parts, predicted }) {
  const isKnown = Number.isFinite(predicted.max) && id !== 'V9'; // a budget bounds what its agent does not say
  const describedPart = (/** @type {Part} */ part) => shown(part, isKnown);
  /** @type {Map<string, string>} */
  const rows = new Map();
  /** @param {Use['calls']} formula @returns {void} */
  const walk = (formula) => {
    if (typeof formula === 'number') return;
    if ('param' in formula) rows.set(formula.param, String(params[formula.param]));
    else if ('fact' in formula) {
      const most = mostOf(formula.most, params);
      rows.set(formula.fact, most === '0' ? '0' : `${formula.least} to ${most}, known at the end`);
      walk(formula.most);
    } else if ('part' in formula)
      rows.set(formula.part, [parts[formula.part] ?? []].flat().map(describedPart).join('; ') || 'none');
    else for (const each of 'sum' in formula ? formula.sum : formula.times) walk(each);
  };
  walk(calls);
  if (rows.size === 0) return [];
  return [
    `| Term | In the example |\n| --- | --- |\n${[...rows].map(([term, is]) => `| \`${term}\` | ${is} |`).join('\n')}`,
  ];
}

/** @param {Use['calls']} formula @param {Use['params']} params @returns {string} */
function mostOf(formula, params) {
  if (typeof formula === 'number') return Number.isFinite(formula) ? String(formula) : 'any number';
  if ('param' in formula) return String(params[formula.param]);
  return 'any number';
}

/** @param {Part} part @param {boolean} isKnown what all parts cost */
function shown(part, isKnown) {
  if ('session' in part) return `1 call of the session \`${part.session}\``;
  if ('opaque' in part) return `\`${part.opaque}\`, ${isKnown ? 'which calls no model' : 'which does not say'}`;
  return `\`${part.name}\`, ${between(part.predicted)}`;
}

/** @param {{ readonly min: number, readonly max: number }} interval */
function between({ min, max }) {
  if (min === max) return `${min} model call${min === 1 ? '' : 's'}`;
  return Number.isFinite(max) ? `${min} to ${max} model calls` : `at least ${min} model call${min === 1 ? '' : 's'}`;
}

/** @param {readonly Named[]} all @param {ReadonlyMap<string, string>} made */
function list(all, made) {
  const rows = all.map((pattern) => {
    const path = pathOf(pattern);
    const name = `\`${pattern.name}\``;
    const link = made.has(path) ? `[${name}](${path.slice(FOLDER.length + 1)})` : name;
    return `| ${pattern.id} | ${link} | ${pattern.category} | ${partsOf(pattern.comment).purpose} |`;
  });
  const head = `# Patterns by id\n\nThe [guide](../patterns.md) shows how they fit together. This list is generated by \`npm run patterns -- --update\`.\n\n`;
  return `${head}| Id | Function | Category | What it does |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`;
}

/** Examples by function, as the module that the catalogue reads. @param {ReadonlyMap<string, string>} made */
function examplesModule(made) {
  const blocks = patterns().flatMap((pattern) => {
    const page = made.get(pathOf(pattern)) ?? '';
    const [, setup = ''] = /<summary>Setup for the code below<\/summary>\n\n```ts\n([\s\S]*?)\n```/.exec(page) ?? [];
    const [, code] = / -->\n```ts\n([\s\S]*?)\n```/.exec(page) ?? [];
    if (code === undefined) return [];
    return [`=== ${pattern.id} ${pattern.name}\n${setup}\n---\n${code}`];
  });
  const text = blocks.join('\n').replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${');
  return `/**
 * The example of each function, as its page in docs/patterns has it: what the code needs, and the code. \`npm run patterns -- --update\`
 * writes it from examples/patterns.
 */
export const EXAMPLES = \`
${text}
\`;
`;
}

/** What differs from the sources, one line each. @param {Examples} examples @param {Kit} kit @returns {readonly string[]} */
export function outdated(examples, kit) {
  const { made, problems } = pages(examples, kit);
  const there = filesUnder(FOLDER, /\.md$/);
  const isCurrent = readFileSync(join(root, EXAMPLES_FILE), 'utf8') === examplesModule(made);
  return [
    ...problems,
    ...(isCurrent ? [] : [`${EXAMPLES_FILE} differs: run npm run patterns -- --update.`]),
    ...[...made].flatMap(([path, text]) => {
      if (!there.includes(path)) return [`${path} is missing: run npm run patterns -- --update.`];
      return readFileSync(join(root, path), 'utf8') === text
        ? []
        : [`${path} differs: run npm run patterns -- --update.`];
    }),
    ...there.filter((path) => !made.has(path)).map((path) => `${path} is of no pattern: remove it.`),
  ];
}

async function main(/** @type {readonly string[]} */ options) {
  const { ensureBuilt, ensurePackages, targets } = await import('./ensure.mjs');
  await ensurePackages();
  await ensureBuilt(targets.examples);
  const from = (/** @type {string} */ path) => import(pathToFileURL(join(root, path)).href);
  const kit = await from('packages/flyball/dist/patterns/index.js');
  /** @type {Record<string, Record<string, unknown>>} */
  const examples = {};
  for (const file of EXAMPLES)
    examples[file] = (await from(`packages/flyball/dist-examples/patterns/${file}.js`)).examples;
  if (options.includes('--update')) {
    const { made } = pages(examples, kit);
    mkdirSync(join(root, FOLDER), { recursive: true });
    for (const path of filesUnder(FOLDER, /\.md$/)) if (!made.has(path)) rmSync(join(root, path));
    for (const [path, text] of made) writeFileSync(join(root, path), text);
    writeFileSync(join(root, EXAMPLES_FILE), examplesModule(made));
  }
  const problems = outdated(examples, kit);
  for (const problem of [...problems, ...pages(examples, kit).missing]) console.error(problem);
  process.exit(problems.length === 0 ? 0 : 1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
