import type { Risk } from './approval.js';
import type { JsonSchema, StandardSchema } from './schema.js';

/** How a person is asked; an interface that does not know one shows the JSON Schema of the answer. */
export const WIDGETS = [
  'confirm',
  'text',
  'number',
  'date',
  'choose-one',
  'choose-several',
  'file',
  'form',
  'edit-arguments',
] as const;
/** How a question to a person is shown. */
export type Widget = (typeof WIDGETS)[number];

/** A question of a tool to a person. A valid answer is the result of the tool; `execute` is not called. */
export interface Question {
  readonly widget: Widget;
  readonly prompt: string;
  /** What the answer must be. */
  readonly answer: StandardSchema;
  readonly answerJsonSchema: JsonSchema;
  /** For the interface: choices, limits, fields, what is to be edited. Plain data. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whether an answer is a no. Where it is absent, `false` to a `confirm` is one. */
  declines?(answer: unknown): boolean;
  readonly risk?: Risk;
  /** How long the question stands; without an answer the call fails. A further call asks anew. */
  readonly timeoutMs?: number;
  /** Scopes, any one of which lets a person answer. Empty or absent: anybody may. */
  readonly scopes?: readonly string[];
}

/** A no is more than a value: what it was asked for is not done, and nothing that needed a yes is. */
export function isDeclined(question: Question, answer: unknown): boolean {
  return question.declines?.(answer) ?? (question.widget === 'confirm' && answer === false);
}

/** A question, as stored in the wait and shown in user interfaces. */
export interface QuestionRequest {
  readonly tool: string;
  readonly widget: Widget;
  readonly prompt: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly risk?: Risk;
}
