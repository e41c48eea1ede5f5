import { MOST_REASKS } from '../core/ask-until.js';
import { canonicalJson, sha256 } from '../core/canonical.js';
import { ConfigError } from '../core/errors.js';
import type { Model } from '../core/model.js';
import type { JsonSchema } from '../core/schema.js';
import { type ReplyForm, replyForm } from './reply-form.js';
import { echoed, fieldsOf, skeletonOf, type TemplateField } from './template-skeleton.js';

/** native: the provider holds the model to the schema. json: the schema is shown. text, examples: a skeleton is filled in. */
export type TemplateMode = 'native' | 'json' | 'text' | 'examples';

/** Options of `template`. */
export interface TemplateOptions<T> {
  /** The strongest that model and content allow, where it is absent or `auto`. */
  readonly mode?: 'auto' | TemplateMode;
  /** The reply also holds prose around the fields. */
  readonly narrative?: boolean;
  /** Two to eight filled-in values, for mode `examples`. */
  readonly examples?: readonly T[];
  /** How often a reply that does not fit is asked for again: 2 where it is absent. */
  readonly maxReasks?: number;
  /** What a schema cannot say. */
  readonly problems?: (value: T) => readonly string[];
}

/** The shape of a reply: skeleton, provider schema and parser come from one schema and have one hash. */
export interface OutputTemplate<T> extends ReplyForm<T> {
  readonly hash: string;
  readonly fields: readonly TemplateField[];
  readonly narrative: boolean;
  readonly examples: readonly T[];
  readonly maxReasks: number;
  /** What a model fills in; undefined where fields hold more than single values. */
  readonly skeleton: string | undefined;
  /** Required fields that cannot say "unknown": a model without evidence has to make something up. */
  readonly warnings: readonly string[];
  modeFor(model: Pick<Model, 'capabilities'>): TemplateMode;
}

const MOST_FIELDS = 10;

/** A template for structured output. */
export function template<T>(schema: JsonSchema, options: TemplateOptions<T> = {}): OutputTemplate<T> {
  const { mode = 'auto', narrative = false, examples = [], maxReasks = MOST_REASKS, problems = () => [] } = options;
  const fields = fieldsOf(schema);
  checkTemplate(fields, options);
  const hash = sha256(canonicalJson(schema));
  const isFlat = fields.every(({ types }) => types !== undefined);
  const form = replyForm<T>(schema, (value) => [...echoed(value, fields), ...problems(value)]);
  return {
    ...form,
    hash,
    fields,
    narrative,
    examples,
    maxReasks,
    skeleton: isFlat ? skeletonOf(fields, hash) : undefined,
    warnings: fields
      .filter(({ required, nullable }) => required && !nullable)
      .map(
        ({ name }) => `${name} is required and cannot be null or "unknown": a model without evidence will invent it`,
      ),
    modeFor: ({ capabilities }) => {
      if (mode !== 'auto') return mode;
      if (narrative) return 'text';
      return capabilities.structuredOutput ? 'native' : 'json';
    },
  };
}

/** A prompt that was kept and a parser that was changed since do not belong together. */
export function checkTemplateHash(kept: string, now: OutputTemplate<unknown>): void {
  if (kept !== now.hash)
    throw new ConfigError(
      `The prompt was made for template ${kept.slice(0, 8)}, and the parser reads ${now.hash.slice(0, 8)}. Make the prompt anew.`,
    );
}

function checkTemplate<T>(fields: readonly TemplateField[], options: TemplateOptions<T>): void {
  const { mode = 'auto', narrative = false, examples = [], maxReasks = MOST_REASKS } = options;
  if (fields.length === 0 || fields.length > MOST_FIELDS)
    throw new ConfigError(`A template has 1 to ${MOST_FIELDS} fields, got ${fields.length}. Split the task (O2).`);
  const needsText = narrative || mode === 'text' || mode === 'examples';
  const deep = fields.find(({ types }) => types === undefined);
  if (needsText && deep !== undefined)
    throw new ConfigError(
      `The field ${deep.name} is not a single value, so it cannot be used in a skeleton. Use json.`,
    );
  if (narrative && (mode === 'native' || mode === 'json'))
    throw new ConfigError(`Mode ${mode} does not support prose. Use text.`);
  if (mode === 'examples' && (examples.length < 2 || examples.length > 8))
    throw new ConfigError(`Mode examples needs 2 to 8 examples, got ${examples.length}.`);
  if (!(Number.isInteger(maxReasks) && maxReasks >= 0 && maxReasks <= 5))
    throw new ConfigError(`maxReasks must be 0 to 5, got ${maxReasks}.`);
}
