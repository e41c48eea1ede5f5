import { ConfigError } from '../core/errors.js';
import type { JsonSchema } from '../core/schema.js';
import { type AskOptions, type AskTool, askTool, MOST_PROMPT } from './ask-tool.js';

/** The tools that ask for one value. A model fills in the prompt; what an answer may be is fixed here. */

const PROMPT = {
  type: 'string',
  minLength: 1,
  maxLength: MOST_PROMPT,
  description: 'What the person reads: one question, with everything they need to answer it.',
} as const;

const ONCE = 'It waits until a person answers. The same question is never asked twice: its answer is given again.';

function inputOf(properties: Readonly<Record<string, JsonSchema>> = {}, required: readonly string[] = []): JsonSchema {
  return {
    type: 'object',
    properties: { prompt: PROMPT, ...properties },
    required: ['prompt', ...required],
    additionalProperties: false,
  };
}

// types and no interfaces: whoever exports such a tool has its arguments spelled out, and no name to import
type Prompted = {
  readonly prompt: string;
};

const prompt = (args: Prompted): string => args.prompt;

/** A tool that asks a person yes or no. The answer is true or false. */
export function confirmTool(options: AskOptions = {}): AskTool<Prompted, boolean> {
  return askTool({
    name: 'confirm',
    description: `Asks a person to say yes or no. Use it before something that they would want to decide themselves. ${ONCE}`,
    ...options,
    widget: 'confirm',
    input: inputOf(),
    answer: { type: 'boolean' },
    prompt,
    present: (answer) => (answer ? 'The person says yes.' : 'The person says no. Do not continue with it.'),
  });
}

const MOST_TEXT = 10_000;

/** A tool that asks a person for text. Empty answers are refused. */
export function textTool(options: AskOptions & { readonly maxLength?: number } = {}): AskTool<Prompted, string> {
  const { maxLength = MOST_TEXT, ...rest } = options;
  if (!Number.isInteger(maxLength) || maxLength < 1 || maxLength > MOST_TEXT)
    throw new ConfigError(`maxLength is ${maxLength}. It must be a whole number from 1 to ${MOST_TEXT}.`);
  return askTool({
    name: 'ask_text',
    description: `Asks a person for text that only they can give: a name, a reason, a wording. ${ONCE}`,
    ...rest,
    widget: 'text',
    input: inputOf(),
    answer: { type: 'string', minLength: 1, maxLength },
    prompt,
    details: () => ({ maxLength }),
  });
}

type NumberArgs = Prompted & {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly integer?: boolean;
};

/** A tool that asks a person for a number within limits. */
export function numberTool(options: AskOptions = {}): AskTool<NumberArgs, number> {
  return askTool<NumberArgs, number>({
    name: 'ask_number',
    description: `Asks a person for a number, within limits where there are any. ${ONCE}`,
    ...options,
    widget: 'number',
    input: inputOf({
      minimum: { type: 'number', description: 'The least that makes sense.' },
      maximum: { type: 'number', description: 'The most that makes sense.' },
      integer: { type: 'boolean', description: 'Only whole numbers.' },
    }),
    check: ({ minimum = -Infinity, maximum = Infinity }) =>
      minimum > maximum ? `minimum ${minimum} is above maximum ${maximum}` : undefined,
    answer: ({ integer = false, ...limits }) => ({ type: integer ? 'integer' : 'number', ...limitsIn(limits) }),
    prompt,
    details: (args) => ({ ...limitsIn(args), ...(args.integer === true ? { integer: true } : {}) }),
  });
}

function limitsIn({ minimum, maximum }: Partial<NumberArgs>): Readonly<Record<string, number>> {
  return { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) };
}

type DateArgs = Prompted & {
  readonly earliest?: string;
  readonly latest?: string;
};

const DAY = { type: 'string', format: 'date' } as const;

/** A tool that asks a person for a date, such as 2026-01-31. */
export function dateTool(options: AskOptions = {}): AskTool<DateArgs, string> {
  return askTool<DateArgs, string>({
    name: 'ask_date',
    description: `Asks a person for a day, answered as YYYY-MM-DD. ${ONCE}`,
    ...options,
    widget: 'date',
    input: inputOf({
      earliest: { ...DAY, description: 'The first day that makes sense, as YYYY-MM-DD.' },
      latest: { ...DAY, description: 'The last day that makes sense, as YYYY-MM-DD.' },
    }),
    check: ({ earliest, latest }) =>
      earliest !== undefined && latest !== undefined && earliest > latest
        ? `earliest ${earliest} is after latest ${latest}`
        : undefined,
    answer: ({ earliest, latest }) => ({
      ...DAY,
      ...(earliest === undefined ? {} : { formatMinimum: earliest }),
      ...(latest === undefined ? {} : { formatMaximum: latest }),
    }),
    prompt,
    details: ({ earliest, latest }) => ({
      ...(earliest === undefined ? {} : { earliest }),
      ...(latest === undefined ? {} : { latest }),
    }),
  });
}

const CHOICES = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 200 },
  minItems: 2,
  maxItems: 50,
  uniqueItems: true,
  description: 'What there is to choose from, each in a few words.',
} as const;

type ChoiceArgs = Prompted & {
  readonly choices: readonly string[];
};

/** A tool that asks a person to choose one of several choices. */
export function chooseOneTool(options: AskOptions = {}): AskTool<ChoiceArgs, string> {
  return askTool<ChoiceArgs, string>({
    name: 'choose_one',
    description: `Asks a person to choose one of several things. The answer is the chosen one, word for word. ${ONCE}`,
    ...options,
    widget: 'choose-one',
    input: inputOf({ choices: CHOICES }, ['choices']),
    answer: ({ choices }) => ({ type: 'string', enum: choices }),
    prompt,
    details: ({ choices }) => ({ choices }),
  });
}

type SeveralArgs = ChoiceArgs & {
  readonly minimum?: number;
  readonly maximum?: number;
};

/** A tool that asks a person to choose several choices; none is allowed unless `minimum` is set. */
export function chooseSeveralTool(options: AskOptions = {}): AskTool<SeveralArgs, readonly string[]> {
  return askTool<SeveralArgs, readonly string[]>({
    name: 'choose_several',
    description: `Asks a person to choose any number of several things. The answer lists the chosen ones, word for word. ${ONCE}`,
    ...options,
    widget: 'choose-several',
    input: inputOf(
      {
        choices: CHOICES,
        minimum: { type: 'integer', minimum: 0, maximum: 50, description: 'How many at least.' },
        maximum: { type: 'integer', minimum: 1, maximum: 50, description: 'How many at most.' },
      },
      ['choices'],
    ),
    check: ({ choices, minimum = 0, maximum = choices.length }) =>
      minimum > Math.min(maximum, choices.length) ? `nobody can choose ${minimum} of them` : undefined,
    answer: ({ choices, minimum = 0, maximum = choices.length }) => ({
      type: 'array',
      items: { type: 'string', enum: choices },
      minItems: minimum,
      maxItems: maximum,
      uniqueItems: true,
    }),
    prompt,
    details: (args) => ({ choices: args.choices, ...limitsIn(args) }),
  });
}
