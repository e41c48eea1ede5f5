import { PARAMETER_TYPES, placeholdersIn, type SkillParameter } from './learned-skill.js';
import type { Trace } from './trace.js';

export interface DraftParameter extends SkillParameter {
  /** The value it had in the case that it comes from. */
  readonly original: string | number | boolean;
}

/** A procedure as a model proposes it. */
export interface SkillDraft {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly DraftParameter[];
  readonly body: string;
  readonly invariants: readonly string[];
  readonly acceptance: string;
}

/** The draft in a reply, or what is wrong with its form. */
export function readDraft(value: unknown): SkillDraft | string {
  const { name, description, parameters, body, invariants, acceptance } = (value ?? {}) as Readonly<
    Record<string, unknown>
  >;
  const texts = { name, description, body, acceptance };
  for (const [key, text] of Object.entries(texts))
    if (typeof text !== 'string' || text.trim() === '') return `"${key}" is text that is not empty`;
  if (!Array.isArray(invariants) || !invariants.every((one) => typeof one === 'string'))
    return '"invariants" is a list of texts';
  if (!Array.isArray(parameters)) return '"parameters" is a list';
  const read = parameters.map(readParameter);
  const wrong = read.find((one) => typeof one === 'string');
  if (wrong !== undefined) return wrong as string;
  return {
    ...(texts as Record<'name' | 'description' | 'body' | 'acceptance', string>),
    invariants,
    parameters: read as readonly DraftParameter[],
  };
}

function readParameter(value: unknown): DraftParameter | string {
  const { name, description, type, original } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const known = PARAMETER_TYPES.find((each) => each === type);
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_]{0,39}$/.test(name))
    return 'a parameter\'s "name" has lower-case letters, digits and _';
  if (typeof description !== 'string' || known === undefined)
    return `parameter ${name} has a "description" and a "type" of ${PARAMETER_TYPES.join(', ')}`;
  if (typeof original !== 'string' && typeof original !== 'number' && typeof original !== 'boolean')
    return `parameter ${name} says in "original" what value it had`;
  return { name, description, type: known, original };
}

/** What code can tell is wrong with a draft; whoever made it is told the sentences. */
export function draftProblems(
  draft: SkillDraft,
  given: {
    readonly trace: Trace;
    readonly parameters: { readonly least: number; readonly most: number };
    readonly maxBodyChars: number;
  },
): readonly string[] {
  const { trace, parameters: bounds, maxBodyChars } = given;
  const { name, parameters, body } = draft;
  const names = parameters.map((one) => one.name);
  const used = placeholdersIn(body);
  return [
    ...(isSkillName(name) ? [] : [`the name "${name}" needs 1 to 64 lower-case letters, digits and single hyphens`]),
    ...(draft.description.length > 1024 ? ['the description has more than 1024 characters'] : []),
    ...(parameters.length >= bounds.least && parameters.length <= bounds.most
      ? []
      : [`there are ${parameters.length} parameters, and ${bounds.least} to ${bounds.most} are wanted`]),
    ...names.filter((one, at) => names.indexOf(one) !== at).map((one) => `parameter ${one} is there twice`),
    ...names.filter((one) => !used.has(one)).map((one) => `the body does not use {{${one}}}`),
    ...[...used].filter((one) => !names.includes(one)).map((one) => `{{${one}}} is not a parameter`),
    ...(body.length > maxBodyChars ? [`the body has more than ${maxBodyChars} characters`] : []),
    ...inventedOriginals(draft, trace),
    ...leftLiterals(draft, trace),
    ...failedTools(draft, trace),
  ];
}

function isSkillName(name: string): boolean {
  return name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
}

/** A parameter whose value never occurred stands for nothing. */
function inventedOriginals({ parameters }: SkillDraft, trace: Trace): readonly string[] {
  const text = `${trace.task}\n${trace.steps.map(({ args }) => valuesIn(args).join('\n')).join('\n')}`;
  return parameters
    .filter(({ original }) => !text.includes(String(original)))
    .map(({ name, original }) => `the value ${JSON.stringify(original)} of ${name} occurs nowhere in the case`);
}

const SHORTEST_LITERAL = 3;

/**
 * Values of this case that are still in the text: those that became parameters, and those of calls that the task itself
 * names. Constants of the way of working, which the task does not name, may stay.
 */
function leftLiterals(draft: SkillDraft, trace: Trace): readonly string[] {
  const named = trace.steps.flatMap(({ args }) => valuesIn(args)).filter((value) => trace.task.includes(value));
  const literals = new Set([...draft.parameters.map(({ original }) => String(original)), ...named]);
  const text = [draft.name, draft.description, draft.body, draft.acceptance, ...draft.invariants].join('\n');
  return [...literals]
    .filter((literal) => literal.length >= SHORTEST_LITERAL && text.includes(literal))
    .map((literal) => `${JSON.stringify(literal)} belongs to this case alone; make it a parameter`);
}

/** A tool that only ever failed is a dead end, and no part of the way. */
function failedTools(draft: SkillDraft, trace: Trace): readonly string[] {
  const worked = new Set(trace.steps.filter(({ ok }) => ok).map(({ tool }) => tool));
  const failed = new Set(trace.steps.filter(({ ok }) => !ok).map(({ tool }) => tool));
  return [...failed]
    .filter((tool) => !worked.has(tool) && draft.body.includes(tool))
    .map((tool) => `${tool} failed in this case; remove it`);
}

function valuesIn(args: unknown): readonly string[] {
  if (typeof args === 'string') return [args];
  if (typeof args === 'number') return [String(args)];
  if (typeof args !== 'object' || args === null) return [];
  return Object.values(args).flatMap(valuesIn);
}
