import { FlyballError } from '../core/errors.js';
import type { TokenUsage } from '../core/model.js';

/** What a model of the chain ended with that did not answer. */
export interface Ended {
  readonly model: string;
  readonly error: FlyballError;
  /** 0 where its circuit was open, or its line full, from the start. */
  readonly tries: number;
}

/** The failure of the model that was asked, told with what became of the others and what it all may have cost. */
export function chainError(ended: readonly Ended[], wasted: TokenUsage | undefined): FlyballError {
  const [first, ...others] = ended;
  if (first === undefined) return new FlyballError('MODEL_UNAVAILABLE', 'No model was asked.');
  const { error } = first;
  if (first.tries <= 1 && others.length === 0 && wasted === undefined) return error;
  const tried = ended.map(({ model, error: { code, message }, tries }) => ({ model, code, message, tries }));
  return new FlyballError(error.code, ended.map(sentence).join(' '), {
    retryable: ended.some((each) => each.error.retryable),
    detail: { ...error.detail, tried, ...(wasted === undefined ? {} : { wasted }) },
    cause: error,
  });
}

function sentence({ model, error, tries }: Ended): string {
  if (tries === 0) return `${model} was not asked: ${error.message}`;
  return `${model} gave no answer in ${tries} ${tries === 1 ? 'try' : 'tries'}: ${error.message}`;
}
