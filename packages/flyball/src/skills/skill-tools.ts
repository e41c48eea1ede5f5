import { FlyballError } from '../core/errors.js';
import type { StandardResult, StandardSchema } from '../core/schema.js';
import type { Tool } from '../core/tool.js';
import { nearestNames } from '../tools/nearest-names.js';
import { type ActiveSkill, type ActiveSkills, activeSkill } from './active-skills.js';
import { bytesHash } from './content-hash.js';
import { instructionsText, type SkillCard } from './disclosure.js';
import { pageOf, type ResourcePage } from './resource-page.js';
import { resourcePath } from './resource-path.js';
import { ACTIVATE_SKILL, READ_SKILL_RESOURCE, type Skill } from './skill.js';

/** Arguments of `activate_skill`. */
export interface ActivateArguments {
  readonly name: string;
}

/** What an activation leaves in the journal. */
export interface Activated {
  readonly skill: ActiveSkill;
  readonly text: string;
}

/** Where the tools find skills: as they are at the moment. */
export type FindSkill = (name: string) => Skill | undefined;

/** The tool with which a model activates a skill. `cards`: those that it was told of. */
export function activateTool(
  find: FindSkill,
  cards: readonly Pick<SkillCard, 'name'>[],
  active?: ActiveSkills,
): Tool<ActivateArguments, Activated> {
  const names = cards.map(({ name }) => name).sort();
  return {
    name: ACTIVATE_SKILL,
    description:
      'Activates a skill: gives its instructions, which hold from then on. Call it when the task fits the description of the skill, before doing anything else.',
    effect: 'pure',
    legs: [],
    input: oneName(names) as StandardSchema,
    inputJsonSchema: {
      type: 'object',
      properties: { name: { type: 'string', enum: names, description: 'Name of the skill.' } },
      required: ['name'],
      additionalProperties: false,
    },
    execute: async ({ name }) => {
      const skill = found(find, name);
      const text =
        active?.get(name)?.hash === skill.hash
          ? `The skill ${name} is active already; its instructions stand above.`
          : instructionsText(skill);
      return { skill: activeSkill(skill), text };
    },
    present: ({ text }) => text,
  };
}

/** Arguments of `read_skill_resource`. */
export interface ReadResourceArguments {
  readonly skill: string;
  readonly path: string;
  readonly offset?: number;
}

/** Options of the tool `read_skill_resource`. */
export interface ResourceToolOptions {
  /** Only files of skills that are active may be read. All where it is absent. */
  readonly active?: Pick<ActiveSkills, 'has'>;
  /** Characters that one call gives at most: 16,000 where it is absent. */
  readonly pageChars?: number;
  /** Files with more bytes than this are not read: 2,000,000 where it is absent. */
  readonly maxBytes?: number;
}

const PAGE = 16_000;
const MOST_BYTES = 2_000_000;

/** The tool with which a model reads a file of a skill, a page at a time. Nothing outside the skill's folder is read. */
export function resourceTool(
  find: FindSkill,
  options: ResourceToolOptions = {},
): Tool<ReadResourceArguments, ResourcePage> {
  const { active, pageChars = PAGE, maxBytes = MOST_BYTES } = options;
  return {
    name: READ_SKILL_RESOURCE,
    description:
      'Reads a text file of an active skill, such as references/guide.md. A long file comes in pages: continue with the offset in the answer.',
    effect: 'pure',
    legs: [],
    input: resourceArguments as StandardSchema,
    inputJsonSchema: {
      type: 'object',
      properties: {
        skill: { type: 'string', description: 'Name of the skill.' },
        path: { type: 'string', description: 'Path of the file inside the skill.' },
        offset: { type: 'integer', minimum: 0, description: 'Where to continue; 0 by default.' },
      },
      required: ['skill', 'path'],
      additionalProperties: false,
    },
    execute: async ({ skill: name, path: given, offset = 0 }) => {
      const skill = found(find, name);
      if (active !== undefined && !active.has(name))
        throw refused(`The skill ${name} is not active. Call ${ACTIVATE_SKILL} with its name first.`);
      const checked = resourcePath(given);
      if (!checked.ok) throw refused(`${given.slice(0, 100)} cannot be read. ${checked.why}`);
      const file = skill.files.find(({ path }) => path === checked.path);
      if (file === undefined) throw refused(`The skill ${name} has no file ${checked.path}. ${fileHint(skill, given)}`);
      if (file.bytes > maxBytes)
        throw refused(
          `${file.path} has ${file.bytes} bytes, and at most ${maxBytes} are read. Use another tool for it.`,
        );
      const bytes = await skill.open(file.path);
      requireSame(bytes, file, maxBytes);
      return pageOf({ skill: name, path: file.path, bytes, offset, pageChars, maxBytes });
    },
    present: presentPage,
  };
}

/** The hash of the skill is what a run is told to have worked with: text that it does not cover is not passed on. */
function requireSame(bytes: Uint8Array, { path, sha256 }: Skill['files'][number], maxBytes: number): void {
  if (bytes.length > maxBytes || bytesHash(bytes) === sha256) return; // one that has grown too long is told as that
  throw refused(
    `${path} was changed after the skill was read. Try again in a moment; if that fails too, continue without it.`,
  );
}

function presentPage({ path, text, offset, total, next }: ResourcePage): string {
  if (next === undefined && offset === 0) return text;
  const rest = next === undefined ? 'This is the end.' : `Continue with offset ${next}.`;
  return `[${path}, characters ${offset} to ${offset + text.length} of ${total}. ${rest}]\n${text}`;
}

function found(find: FindSkill, name: string): Skill {
  const skill = find(name);
  if (skill === undefined) throw refused(`The skill ${name.slice(0, 100)} no longer exists. Continue without it.`);
  return skill;
}

function fileHint({ files }: Skill, given: string): string {
  const paths = files.map(({ path }) => path);
  const last = given.slice(given.lastIndexOf('/') + 1);
  const near = paths.filter((path) => path.endsWith(`/${last}`));
  return near.length > 0
    ? `Did you mean ${near.slice(0, 3).join(' or ')}?`
    : `It has ${paths.slice(0, 20).join(', ')}.`;
}

function refused(message: string): FlyballError {
  return new FlyballError('INPUT_INVALID', message);
}

function oneName(names: readonly string[]): StandardSchema<unknown, ActivateArguments> {
  const validate = (value: unknown): StandardResult<ActivateArguments> => {
    const { name, ...rest } = (value ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || Object.keys(rest).length > 0)
      return { issues: [{ message: 'give { "name": "…" } and nothing else' }] };
    if (names.includes(name)) return { value: { name } };
    const near = nearestNames(name, names);
    const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Available skills: ${names.join(', ')}.`;
    return { issues: [{ message: `there is no skill "${name.slice(0, 100)}". ${hint}` }] };
  };
  return { '~standard': { version: 1, vendor: 'flyball', validate } };
}

const resourceArguments: StandardSchema<unknown, ReadResourceArguments> = {
  '~standard': {
    version: 1,
    vendor: 'flyball',
    validate: (value) => {
      const { skill, path, offset, ...rest } = (value ?? {}) as Readonly<Record<string, unknown>>;
      const wrong = [
        ...Object.keys(rest).map((name) => `"${name}" is not known; there are skill, path and offset`),
        ...(typeof skill === 'string' ? [] : ['"skill" is the name of a skill']),
        ...(typeof path === 'string' ? [] : ['"path" is the path of a file inside the skill']),
        ...(offset === undefined || (Number.isSafeInteger(offset) && Number(offset) >= 0)
          ? []
          : ['"offset" is a whole number of at least 0']),
      ];
      if (wrong.length > 0) return { issues: wrong.map((message) => ({ message })) };
      return { value: value as ReadResourceArguments };
    },
  },
};
