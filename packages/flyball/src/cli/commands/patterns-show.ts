import type { Command } from 'commander';
import { patternSpec, relations } from '../../catalogue/catalogue.js';
import { catalogueJson } from '../../catalogue/json.js';
import { figuresFor, predictedFor } from '../../catalogue/suggest.js';
import type { CatalogueEntry, Condition, ParamSpec, Relation } from '../../catalogue/types.js';
import { ConfigError } from '../../core/errors.js';
import { howMany, type Interval } from '../../core/formula.js';
import { nearestNames } from '../../tools/nearest-names.js';
import { type Call, type CommonOptions, type Perform, plainCommand } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { printable } from '../printable.js';
import { statusText } from './patterns-list.js';

const ABOUT =
  'Show a pattern: what it is for, when not to use it, what it costs, who takes part, how it can fail, what it needs, an example, and what must hold. ' +
  'Parameters of the pattern put numbers into its call formula, such as --samples 5. Not each of them is an option of the function: the example and the page of the pattern show those.';

export function showPatternCommand(perform: Perform): Command {
  return plainCommand('show <pattern>', ABOUT, [
    'flyball patterns show R17',
    'flyball patterns show selfConsistency --samples 5',
    'flyball patterns show O6 --json',
  ])
    .allowUnknownOption()
    .allowExcessArguments()
    .action((name: string, options: CommonOptions, command: Command) =>
      perform(options, {}, async (call) => show(call, name, figuresIn(command.args.slice(1)))),
    );
}

/** `--samples 5` as figures of the formula. */
function figuresIn(words: readonly string[]): Readonly<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (let at = 0; at < words.length; at++) {
    const [, name, own] = /^--([A-Za-z][\w-]*)(?:=(.*))?$/.exec(words[at] ?? '') ?? [];
    if (name === undefined) throw new ConfigError(`show takes one pattern, and got "${words[at]}" too.`);
    const text = own ?? words[++at] ?? '';
    const value = Number(text);
    if (text.trim() === '' || !(value >= 0 && Number.isFinite(value)))
      throw new ConfigError(`--${name} must be a number of at least 0, got "${text}".`);
    figures[name] = value;
  }
  return figures;
}

async function show({ screen }: Call, name: string, figures: Readonly<Record<string, number>>): Promise<ExitCode> {
  const id = patternSpec(name)?.id;
  const { patterns } = catalogueJson();
  const entry = patterns.find((each) => each.id === id);
  if (entry === undefined) {
    const near = nearestNames(
      name,
      patterns.flatMap((each) => [each.id, ...each.exports]),
    );
    const next = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'flyball patterns list shows all of them.';
    screen.data({
      kind: 'error',
      code: 'PATTERN_NOT_FOUND',
      message: `There is no pattern "${name}".`,
      next,
      exitCode: EXIT.notFound,
    });
    screen.complain(`${screen.paint('red', 'flyball:')} There is no pattern "${printable(name)}".`);
    screen.complain(`  ${printable(next)}`);
    return EXIT.notFound;
  }
  const unknown = Object.keys(figures).find((figure) => !isKnown(entry, figure));
  if (unknown !== undefined)
    screen.complain(
      `${entry.id} has no parameter ${printable(unknown)}. It has ${Object.keys(entry.params).join(', ') || 'none'}.`,
    );
  const predicted = predictedFor([entry.id], figures)[entry.id];
  screen.data({
    kind: 'pattern',
    pattern: entry,
    predicted,
    relationsTo: relations.filter(({ to }) => to.includes(entry.id)),
  });
  for (const line of linesOf(entry, predicted, figures)) screen.line(line);
  return unknown === undefined ? EXIT.ok : EXIT.usage;
}

/** An option of it, or a role that several fill. */
const isKnown = ({ params, several = {} }: CatalogueEntry, figure: string): boolean =>
  Object.hasOwn(params, figure) || Object.hasOwn(several, figure);

function linesOf(
  entry: CatalogueEntry,
  predicted: Interval | undefined,
  figures: Readonly<Record<string, number>>,
): readonly string[] {
  const {
    id,
    name,
    exports: names,
    kind,
    category,
    band,
    purpose,
    whenNot,
    formula,
    params,
    seats,
    failures,
    clauses,
    status,
  } = entry;
  return [
    `${id} ${name}`,
    `${names.join(', ')} (${kind}), ${category}: ${band}; ${statusText(status, clauses.length)}`,
    '',
    purpose,
    whenNot,
    '',
    `Model calls: ${formula}`,
    `  with ${Object.keys(figures).length === 0 ? 'the defaults' : 'these figures'}, and one call of each who takes part${manyText(entry, figures)}: ${between(predicted)}`,
    ...section(
      'Parameters',
      Object.entries(params).map(([option, param]) => `${option}${paramText(param)}`),
    ),
    ...section(
      'Seats',
      Object.entries(seats).map(
        ([seat, { tools, apartFrom, otherModel }]) =>
          `${seat}: ${tools === 'none' ? 'no tools' : 'may have tools'}${apartFrom === undefined ? '' : `, not the session of ${apartFrom.join(' or ')}`}${otherModel === undefined ? '' : `, another model is ${otherModel}`}`,
      ),
    ),
    ...section(
      'Failures',
      failures.map(({ sign, end }) => `${sign}: ${end}`),
    ),
    ...section('Relations', [
      ...entry.relations.map(
        (relation) => `${relation.kind} ${relation.to.join(' or ')}${whenText(relation.when)}: ${relation.why}`,
      ),
      ...relations
        .filter(({ to }) => to.includes(id))
        .map((relation: Relation) => `${relation.from} ${relation.kind} it${whenText(relation.when)}`),
    ]),
    ...exampleLines(entry),
    ...section(
      'Must hold',
      clauses.map(
        ({ id: clause, text, shows }) =>
          `${shows.length > 0 ? '✓' : '·'} ${clause} ${text}${shows.length > 0 ? ` (${shows.join(', ')})` : ''}`,
      ),
    ),
  ];
}

/** ` (3 steps)`: how many of a role it is computed with. */
function manyText(entry: CatalogueEntry, figures: Readonly<Record<string, number>>): string {
  const { several = {} } = entry;
  const given = figuresFor(entry, figures);
  const counts = Object.keys(several).map((role) => `${howMany(several, role, given)} ${role}`);
  return counts.length === 0 ? '' : ` (${counts.join(', ')})`;
}

/** As the page of the pattern has it, with what it needs before it. */
function exampleLines({ examples }: CatalogueEntry): readonly string[] {
  return examples.flatMap(({ export: name, setup, code }) =>
    section(`Example of ${name}`, [
      ...(setup === '' ? [] : ['// setup', ...setup.split('\n'), '', '// example']),
      ...code.split('\n'),
    ]).map((line) => line.trimEnd()),
  );
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)];

function paramText({ default: given, range, source }: ParamSpec): string {
  const value = given === undefined ? '' : ` = ${given}`;
  const usual = range === undefined ? '' : `, usually ${range[0]} to ${range[1]}`;
  return `${value}${given === undefined ? ' (no default)' : ''}${usual}${source === 'ours' ? ', our choice' : ''}`;
}

function whenText(when: Condition): string {
  if (when === 'always') return '';
  if (typeof when === 'string')
    return { both: '', task: ' on the same task', agent: ' on the same agent', span: ' in the same span' }[when];
  if ('anyOf' in when) return when.anyOf.map(whenText).join(' or');
  if ('allOf' in when) return when.allOf.map(whenText).join(' and');
  if ('present' in when) return ` beside ${when.present}`;
  if ('fact' in when) return ` when ${when.fact}`;
  if ('profile' in when) return ` in profile ${when.profile}`;
  if ('person' in when) return ` when a person says ${when.person}`;
  return ` when ${when.measured} is ${when.above === undefined ? `below ${when.below}` : `above ${when.above}`}`;
}

/** An interval as people write it. */
export function between(interval: Interval | undefined): string {
  if (interval === undefined) return 'unknown';
  const { min, max } = interval;
  if (min === max) return `${min}`;
  return Number.isFinite(max) ? `${min} to ${max}` : `at least ${min}`;
}
