import { estimateTextTokens } from '../tools/measure-tools.js';
import {
  DISALLOWED_TOOLS,
  FIELDS,
  governanceFields,
  metadataField,
  nameField,
  patternsField,
  type Say,
  strayField,
  textField,
} from './check-fields.js';
import { checkReferences } from './check-references.js';
import { parseSkill, type WrittenEntry } from './parse-skill.js';
import { SKILL_FILE, type SkillProblem, type SkillText } from './skill.js';

/** A SKILL.md file and its folder. */
export interface SkillSource {
  /** What SKILL.md holds. */
  readonly text: string;
  /** Name of the file for messages. */
  readonly file: string;
  /** Name of the folder it lies in. */
  readonly folder: string;
  /** Paths of all files of the skill, with `/`. Without them references are not checked. */
  readonly files?: readonly string[];
}

/** A parsed skill with its problems. */
export interface CheckedSkill {
  /** Absent where there is an error. */
  readonly skill?: SkillText;
  /** All of them, in the order of their places. */
  readonly problems: readonly SkillProblem[];
}

/** Instructions with more lines than this produce a warning. */
export const MOST_LINES = 500;
/** Instructions with more tokens than this produce a warning. */
export const MOST_TOKENS = 5000;
const MOST_DESCRIPTION = 1024;
const MOST_COMPATIBILITY = 500;

/** Reads and checks SKILL.md by the Agent Skills specification: every problem at once, each with its place. */
export function checkSkill({ text, file, folder, files }: SkillSource): CheckedSkill {
  const parsed = parseSkill(text, file);
  const problems: SkillProblem[] = [...parsed.problems];
  const say: Say = (level, { line, column }, message) => void problems.push({ level, file, line, column, message });
  const instructions = parsed.body.trim();
  const skill = parsed.fields && readFields(parsed.fields, { folder, instructions }, say);
  if (parsed.fields !== undefined) checkBody(parsed, say);
  if (files !== undefined) checkReferences({ text: parsed.body, line: parsed.bodyLine }, new Set(files), say);
  const sorted = problems.sort((a, b) => a.line - b.line || a.column - b.column);
  const isSound = skill !== undefined && sorted.every(({ level }) => level !== 'error');
  return { problems: sorted, ...(isSound ? { skill } : {}) };
}

function readFields(
  fields: readonly WrittenEntry[],
  { folder, instructions }: { readonly folder: string; readonly instructions: string },
  say: Say,
): SkillText | undefined {
  const given = new Map(fields.map((field) => [field.key, field]));
  for (const field of fields) if (!FIELDS.some((known) => known === field.key)) strayField(field, say);
  for (const name of ['name', 'description'] as const)
    if (!given.has(name)) say('error', { line: 2, column: 1 }, `${name} is missing. ${EXAMPLES[name]}`);
  const read = <T>(name: string, make: (entry: WrittenEntry) => T): T | undefined => {
    const entry = given.get(name);
    return entry && make(entry);
  };
  const name = read('name', ({ value }) => nameField(value, folder, say));
  const description = read('description', ({ value }) => textField('description', value, say, MOST_DESCRIPTION));
  const license = read('license', ({ value }) => textField('license', value, say));
  const compatibility = read('compatibility', ({ value }) =>
    textField('compatibility', value, say, MOST_COMPATIBILITY),
  );
  const allowedTools = read('allowed-tools', ({ value }) => patternsField('allowed-tools', value, say));
  const about = metadataOf(read('metadata', ({ value }) => metadataField(value, say)) ?? [], say);
  if (name === undefined || description === undefined) return undefined;
  return {
    name,
    description,
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    ...about,
    ...(allowedTools === undefined ? {} : { allowedTools }),
    instructions,
  };
}

const EXAMPLES = {
  name: `Write the name of the folder that holds ${SKILL_FILE}: name: my-skill`,
  description: 'Say what the skill does and when to use it: description: …',
} as const;

function metadataOf(
  entries: readonly WrittenEntry[],
  say: Say,
): Pick<SkillText, 'metadata' | 'version' | 'keywords' | 'disallowedTools' | 'governance'> {
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const metadata = Object.fromEntries(
    entries.flatMap(({ key, value }) => (value.kind === 'text' ? [[key, value.value] as const] : [])),
  );
  const disallowed = byKey.get(DISALLOWED_TOOLS);
  return {
    metadata,
    version: metadata['version']?.trim() ?? '',
    keywords: (metadata['keywords'] ?? '').split(/[,\s]+/).filter((word) => word !== ''),
    disallowedTools:
      disallowed === undefined ? [] : (patternsField(`metadata.${DISALLOWED_TOOLS}`, disallowed.value, say) ?? []),
    governance: governanceFields(byKey, say),
  };
}

function checkBody({ body, bodyLine }: { readonly body: string; readonly bodyLine: number }, say: Say): void {
  const at = { line: bodyLine, column: 1 };
  if (body.trim() === '') {
    say('error', at, 'There are no instructions below the front matter. Write what to do once the skill is active.');
    return;
  }
  const lines = body.trimEnd().split('\n').length;
  if (lines > MOST_LINES)
    say('warning', at, `The instructions have ${lines} lines; keep them to ${MOST_LINES}, and move the rest to files.`);
  const tokens = estimateTextTokens(body);
  if (tokens > MOST_TOKENS)
    say(
      'warning',
      at,
      `The instructions take about ${tokens} tokens; keep them to ${MOST_TOKENS}, and move the rest to files.`,
    );
}
