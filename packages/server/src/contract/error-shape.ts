import { type Problem, problemBody } from '../problem.js';
import { problemSchema } from './resources.js';
import { type Schema, s } from './schema.js';

/** How the refusals of a route look. */
export interface ErrorShape {
  /** In `components.responses` of the document. */
  readonly name: string;
  readonly type: string;
  readonly schema: Schema<unknown>;
  bodyOf(problem: Problem, requestId: string): unknown;
  headersOf?(problem: Problem): Readonly<Record<string, string>>;
}

export const PROBLEM_ERRORS: ErrorShape = {
  name: 'Problem',
  type: 'application/problem+json',
  schema: problemSchema,
  bodyOf: problemBody,
};

const openAiErrorSchema = s.named(
  'OpenAiError',
  s.object({
    error: s.object({
      message: s.string({ description: 'What went wrong, and what to do next.' }),
      type: s.string(),
      param: s.any({ type: ['string', 'null'] }),
      code: s.string({ description: 'The same code as in a Problem of other routes.' }),
    }),
  }),
);

export function openAiError({ status, code, message, next }: Problem): { readonly error: Record<string, unknown> } {
  const text = next === undefined ? message : `${message} ${next}`;
  return { error: { message: text, type: OPEN_AI_TYPES[status] ?? typeOf(status), param: null, code } };
}

/** As the clients of OpenAI's API know them. */
export const OPEN_AI_ERRORS: ErrorShape = {
  name: 'OpenAiError',
  type: 'application/json',
  schema: openAiErrorSchema,
  bodyOf: openAiError,
  // OpenAI's clients repeat a 409 and every 5xx by themselves, which would start a second run of what may have acted
  headersOf: ({ retryable, code }) => ({ 'x-should-retry': String(retryable && code !== 'INTERNAL') }),
};

const OPEN_AI_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  422: 'run_error',
  429: 'rate_limit_error',
};

function typeOf(status: number): string {
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
