import { AUTONOMY_LEVELS, type AutonomyLevel } from '../tools/governance/autonomy-level.js';
import { nearestNames } from '../tools/nearest-names.js';
import type { Position, WrittenEntry, WrittenValue } from './parse-skill.js';
import type { SkillGovernance, SkillProblem } from './skill.js';
import { splitPatterns, type ToolPattern, toolPattern } from './tool-pattern.js';

export type Say = (level: SkillProblem['level'], at: Position, message: string) => void;

/** What the specification knows, and nothing else. */
export const FIELDS = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'] as const;
export type FieldName = (typeof FIELDS)[number];

/** What this runtime reads from `metadata`, whose values are texts: files with it stay valid for every other tool. */
export const DISALLOWED_TOOLS = 'flyball-disallowed-tools';
export const AUTONOMY = 'flyball-autonomy';
export const APPROVAL = 'flyball-approval';
export const APPROVAL_PEOPLE = 'flyball-approval-people';
export const APPROVAL_SCOPES = 'flyball-approval-scopes';
const PREFIX = 'flyball-';
export const EXTENSIONS = [DISALLOWED_TOOLS, AUTONOMY, APPROVAL, APPROVAL_PEOPLE, APPROVAL_SCOPES] as const;

/** Fields that people expect at the top, and where they belong. */
const MOVED: Readonly<Record<string, string>> = {
  version: 'version',
  author: 'author',
  keywords: 'keywords',
  tags: 'keywords',
  'disallowed-tools': DISALLOWED_TOOLS,
  autonomy: AUTONOMY,
  approval: APPROVAL,
};

export function strayField({ key, ...at }: WrittenEntry, say: Say): void {
  const moved = MOVED[key];
  const [near] = nearestNames(key, FIELDS, 1);
  const advice =
    moved !== undefined
      ? `Write it under metadata: "${moved}".`
      : near !== undefined
        ? `Did you mean ${near}?`
        : `The fields are ${FIELDS.join(', ')}; put others under metadata.`;
  say('error', at, `"${key}" is not a field of a skill. ${advice}`);
}

/** Text of at least one sign and at most `most`, as the specification counts them. */
export function textField(name: string, value: WrittenValue, say: Say, most = Infinity): string | undefined {
  const text = textOf(name, value, say);
  if (text === undefined) return undefined;
  if (text.trim() === '') {
    const isNeeded = name === 'name' || name === 'description';
    return wrong(say, value, `${name} is empty. Write a text${isNeeded ? '' : ', or leave the field out'}.`);
  }
  const { length } = [...text];
  if (length > most)
    return wrong(say, value, `${name} has ${length} characters, and at most ${most} are allowed. Shorten it.`);
  return text;
}

function textOf(name: string, value: WrittenValue, say: Say): string | undefined {
  if (value.kind === 'text') return value.value;
  const is = value.kind === 'other' ? value.type : `a ${value.kind}`;
  const quoted =
    value.kind === 'other' && value.source !== ''
      ? ` Write it in quotes: ${name.split('.').at(-1)}: "${value.source}".`
      : '';
  return wrong(say, value, `${name} must be text, and it is ${is}.${quoted === '' ? ' Write a text.' : quoted}`);
}

const LONGEST_NAME = 64;

export function nameField(value: WrittenValue, folder: string, say: Say): string | undefined {
  const name = textField('name', value, say, LONGEST_NAME);
  if (name === undefined) return undefined;
  const better = name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  const advice = better === '' || better === name ? '' : ` Write ${better}.`;
  const problems = [
    ...(name !== name.toLowerCase() ? ['has capital letters'] : []),
    ...(/^-|-$/.test(name) ? ['begins or ends with a hyphen'] : []),
    ...(name.includes('--') ? ['has two hyphens in a row'] : []),
    ...(/[^\p{L}\p{N}-]/u.test(name) ? ['holds signs other than letters, digits and hyphens'] : []),
  ];
  for (const problem of problems) say('error', value, `name "${name}" ${problem}.${advice}`);
  if (name.normalize('NFKC') !== folder.normalize('NFKC'))
    say('error', value, `name is "${name}", but the folder is called "${folder}". Give both the same name.`);
  if (problems.length === 0 && /[^a-z0-9-]/.test(name))
    say('warning', value, `name "${name}" has letters beyond a to z, which some tools do not take.`);
  return name;
}

/** A list of texts with spaces between them, or a YAML list of them. */
export function patternsField(name: string, value: WrittenValue, say: Say): readonly ToolPattern[] | undefined {
  if (value.kind === 'list')
    return value.items.flatMap((item) => {
      const text = textField(`an entry of ${name}`, item, say);
      return text === undefined ? [] : patternAt(name, text.trim(), item, say);
    });
  const text = value.kind === 'text' ? value.value : textOf(name, value, say);
  if (text === undefined) return undefined;
  let from = 0;
  return splitPatterns(text).flatMap((entry) => {
    const at = value.source.indexOf(entry.text, from);
    from = Math.max(from, at);
    // where the text runs over several lines, the place of the field has to do
    const column = at < 0 || value.source.slice(0, at).includes('\n') ? value.column : value.column + at;
    return patternAt(name, entry.text, { line: value.line, column }, say);
  });
}

function patternAt(name: string, text: string, at: Position, say: Say): readonly ToolPattern[] {
  const read = toolPattern(text);
  if (read.ok) return [read.pattern];
  say('error', at, `${name}: ${read.problem}.`);
  return [];
}

/** Keys and values are texts; ours are known by their prefix, all others are free. */
export function metadataField(value: WrittenValue, say: Say): readonly WrittenEntry[] {
  if (value.kind !== 'map') {
    say('error', value, 'metadata must be a mapping of texts. Write version: "1.0" and the like, indented below it.');
    return [];
  }
  return value.entries.filter((entry) => {
    if (entry.key.startsWith(PREFIX) && !EXTENSIONS.some((known) => known === entry.key)) {
      const [near] = nearestNames(entry.key, EXTENSIONS, 1);
      const advice = near === undefined ? `Known fields: ${EXTENSIONS.join(', ')}.` : `Did you mean ${near}?`;
      say('error', entry, `metadata.${entry.key} is not known. ${advice}`);
    }
    return textOf(`metadata.${entry.key}`, entry.value, say) !== undefined;
  });
}

export function governanceFields(metadata: ReadonlyMap<string, WrittenEntry>, say: Say): SkillGovernance {
  const approval = approvalFields(metadata, say);
  const autonomy = autonomyField(metadata.get(AUTONOMY), say);
  return { ...(autonomy === undefined ? {} : { autonomy }), ...(approval === undefined ? {} : { approval }) };
}

function autonomyField(entry: WrittenEntry | undefined, say: Say): AutonomyLevel | undefined {
  if (entry?.value.kind !== 'text') return undefined;
  const { value } = entry.value;
  const level = AUTONOMY_LEVELS.find((known) => known === value);
  if (level !== undefined) return level;
  return wrong(say, entry.value, `metadata.${AUTONOMY} is "${value}". Write one of ${AUTONOMY_LEVELS.join(', ')}.`);
}

function approvalFields(metadata: ReadonlyMap<string, WrittenEntry>, say: Say): SkillGovernance['approval'] {
  const entry = metadata.get(APPROVAL);
  const people = peopleField(metadata.get(APPROVAL_PEOPLE), say);
  const scopes = metadata.get(APPROVAL_SCOPES);
  if (entry === undefined) {
    for (const alone of [metadata.get(APPROVAL_PEOPLE), scopes])
      if (alone !== undefined)
        say('error', alone, `metadata.${alone.key} needs metadata.${APPROVAL}, which lists the tools.`);
    return undefined;
  }
  const tools = patternsField(`metadata.${APPROVAL}`, entry.value, say) ?? [];
  if (tools.length === 0 && entry.value.kind === 'text' && entry.value.value.trim() === '')
    say('error', entry.value, `metadata.${APPROVAL} is empty. Name tools, or remove it.`);
  const words = scopes?.value.kind === 'text' ? scopes.value.value.split(/\s+/).filter((word) => word !== '') : [];
  return {
    tools,
    rules: { ...(people === undefined ? {} : { people }), ...(words.length === 0 ? {} : { scopes: words }) },
  };
}

function peopleField(entry: WrittenEntry | undefined, say: Say): number | undefined {
  if (entry?.value.kind !== 'text') return undefined;
  const { value } = entry.value;
  if (/^[1-9]\d?$/.test(value)) return Number(value);
  return wrong(say, entry.value, `metadata.${APPROVAL_PEOPLE} is "${value}". Write a number from "1" to "99".`);
}

function wrong(say: Say, at: Position, message: string): undefined {
  say('error', at, message);
  return undefined;
}
