import { ConfigError } from 'flyball';
import type { Task } from '../world/task.js';

const TRAITS = {
  patience: {
    low: 'You lose patience quickly: after two answers that do not help you say so, after three you give up.',
    medium: 'You are as patient as most people.',
    high: 'You are patient and let the other side take its time.',
  },
  clarity: {
    vague: 'You describe things loosely and mix up names; you become precise only when you are asked.',
    plain: 'You say what you want in everyday words.',
    precise: 'You name things exactly, with their numbers and dates.',
  },
  cooperativeness: {
    resistant: 'You answer questions about yourself only when you see why, and you push back once before you do.',
    neutral: 'You answer what you are asked, and no more.',
    helpful: 'You answer readily and offer what may be useful.',
  },
  verbosity: {
    terse: 'You write a few words at a time.',
    normal: 'You write one or two sentences at a time.',
    long: 'You write long messages with side remarks.',
  },
} as const;

type Traits = { readonly [T in keyof typeof TRAITS]?: keyof (typeof TRAITS)[T] };

/** Something the user knows and does not tell by itself. */
export interface HiddenFact {
  readonly fact: string;
  /** What has to be asked before the user tells it. */
  readonly tellWhen: string;
}

/** Who a simulated user is. What it wants is the scenario's goal. */
export interface Persona extends Traits {
  readonly name: string;
  /** A language tag such as `en` or `pt-BR`: the user writes in it, whatever the agent writes in. */
  readonly language?: string;
  readonly background?: string;
  /** Told when it helps. */
  readonly facts?: readonly string[];
  readonly hiddenFacts?: readonly HiddenFact[];
}

const FIELDS = ['name', 'language', 'background', 'facts', 'hiddenFacts', ...Object.keys(TRAITS)];
const LONGEST = 2000;
const MOST_FACTS = 40;

/** Reads a persona from data and refuses what a simulated user would not act on: every problem is named. */
export function readPersona(value: unknown, where = 'the persona'): Persona {
  const problems = isRecord(value) ? problemsOf(value) : ['it is not an object'];
  if (problems.length > 0) throw new ConfigError(`In ${where}: ${problems.join('; ')}.`);
  return value as unknown as Persona;
}

function problemsOf(record: Readonly<Record<string, unknown>>): readonly string[] {
  const {
    name,
    language,
    background,
    facts = [],
    hiddenFacts = [],
  } = record as Readonly<Record<keyof Persona, unknown>>;
  const unknown = Object.keys(record).filter((field) => !FIELDS.includes(field));
  return [
    ...unknown.map((field) => `"${field}" is not one of ${FIELDS.join(', ')}`),
    ...(isText(name) ? [] : ['name must be a text']),
    ...(language === undefined || isLanguage(language)
      ? []
      : [`language must be a tag such as "en", got ${JSON.stringify(language)}`]),
    ...(background === undefined || isText(background) ? [] : ['background must be a text']),
    ...(isList(facts, isText) ? [] : [`facts must be a list of at most ${MOST_FACTS} texts`]),
    ...(isList(hiddenFacts, isHiddenFact) ? [] : ['hiddenFacts must be a list of { fact, tellWhen }']),
    ...Object.entries(TRAITS).flatMap(([trait, levels]) => {
      const level = record[trait];
      return level === undefined || (typeof level === 'string' && Object.hasOwn(levels, level))
        ? []
        : [`${trait} must be one of ${Object.keys(levels).join(', ')}, got ${JSON.stringify(level)}`];
    }),
  ];
}

/** What a model is told about who it plays. */
export function personaText(persona: Persona): string {
  const { name, language, background, facts = [], hiddenFacts = [] } = persona;
  const traits = Object.entries(TRAITS).flatMap(([trait, levels]) => {
    const level = persona[trait as keyof Traits];
    return level === undefined ? [] : [(levels as Readonly<Record<string, string>>)[level] ?? ''];
  });
  return [
    `You are ${name}.${background === undefined ? '' : ` ${background}`}`,
    ...traits,
    ...(language === undefined
      ? []
      : [`You write in the language "${language}", also where you are answered in another.`]),
    ...(facts.length === 0 ? [] : [`What you know:\n${listed(facts)}`]),
    ...(hiddenFacts.length === 0
      ? []
      : [
          `What you know and tell only when the condition is met:\n${listed(hiddenFacts.map(({ fact, tellWhen }) => `${fact} (only when ${tellWhen})`))}`,
        ]),
  ].join('\n');
}

/** A task whose user is this person: everything else about the task stays, so that it is graded as before. */
export function withPersona(task: Task, persona: Persona): Task {
  return { ...task, persona: personaText(persona) };
}

function listed(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST;
}

function isLanguage(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/.test(value);
}

function isHiddenFact(value: unknown): boolean {
  const { fact, tellWhen } = isRecord(value) ? (value as { fact?: unknown; tellWhen?: unknown }) : {};
  return isText(fact) && isText(tellWhen);
}

function isList(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= MOST_FACTS && value.every(isOne);
}
