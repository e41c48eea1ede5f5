import { FlyballError } from '../../core/errors.js';
import { isPassingStatus, mayHaveBeenWorked, retryAfterMs, saysPromptIsTooLong } from '../../core/http-answer.js';
import { isUnsentCode } from '../../core/retry.js';

export interface Callee {
  readonly id: string;
  readonly provider: string;
  readonly secrets: readonly string[];
}

/** Errors of the SDK that no second try mends. */
const FINAL = new Set([
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
  'AI_NoSuchModelError',
]);

interface ApiFailure {
  readonly message: string;
  readonly statusCode?: number;
  readonly isRetryable?: boolean;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
  readonly cause?: unknown;
}

/** Whatever the SDK threw or streamed as an error, in our words. */
export function failureFrom(callee: Callee, error: unknown): FlyballError {
  if (error instanceof FlyballError) return error;
  const { name = '', message = '' } = (error ?? {}) as { name?: string; message?: string };
  if (name === 'AI_APICallError') return apiFailure(callee, error as ApiFailure);
  if (name === 'AI_LoadAPIKeyError' || name === 'AI_LoadSettingError') {
    return new FlyballError('CONFIG_INVALID', `${callee.id} cannot be called: ${shown(callee, message)}`);
  }
  if (FINAL.has(name)) {
    return new FlyballError('MODEL_REJECTED', `${callee.id} does not take this request: ${shown(callee, message)}`, {
      detail: { provider: callee.provider, mayHaveCost: false },
    });
  }
  const said = message === '' ? JSON.stringify(error) : message;
  if (saysPromptIsTooLong(said)) return tooLong(callee, said);
  return unreadable(callee, `an answer that broke: ${excerpt(callee, said)}`);
}

/** An answer that is none: cut, malformed, or of another kind. The work behind it may have been paid for. */
export function unreadable(callee: Callee, what: string): FlyballError {
  return new FlyballError('MODEL_UNAVAILABLE', `${callee.id} sent ${shown(callee, what)}`, {
    retryable: true,
    detail: { provider: callee.provider, mayHaveCost: true },
  });
}

function apiFailure(callee: Callee, error: ApiFailure): FlyballError {
  const { statusCode: status, responseBody = '' } = error;
  if (status === undefined) return networkFailure(callee, error);
  const said = excerpt(callee, error.message || responseBody) || 'nothing';
  if (status < 300) return unreadable(callee, `no reply: ${said} ${excerpt(callee, responseBody)}`.trimEnd());
  if (status < 500 && status !== 429 && saysPromptIsTooLong(`${error.message} ${responseBody}`))
    return tooLong(callee, said, status);
  const retryable = isPassingStatus(status) || error.isRetryable === true;
  const detail = { status, provider: callee.provider, mayHaveCost: retryable && mayHaveBeenWorked(status) };
  if (!retryable) {
    return new FlyballError('MODEL_REJECTED', `${callee.id} refused the call (${status}): ${said}`, { detail });
  }
  const headers = error.responseHeaders ?? {};
  // a date is measured against the provider's own clock, which it sends along
  const wait = retryAfterMs(headers, Date.parse(headers['date'] ?? ''));
  return new FlyballError('MODEL_UNAVAILABLE', `${callee.id} answered ${status}: ${said}`, {
    retryable,
    detail: { ...detail, ...(wait === undefined ? {} : { retryAfterMs: wait }) },
  });
}

function networkFailure(callee: Callee, error: ApiFailure): FlyballError {
  const reason = codeIn(error.cause);
  const unsent = isUnsentCode(reason);
  return new FlyballError('MODEL_UNAVAILABLE', `${callee.id} cannot be reached: ${shown(callee, error.message)}`, {
    retryable: true,
    detail: { provider: callee.provider, mayHaveCost: !unsent, ...(reason === '' ? {} : { reason }) },
  });
}

/** fetch hides the system's code one or two causes down. */
function codeIn(cause: unknown, depth = 0): string {
  if (typeof cause !== 'object' || cause === null || depth > 4) return '';
  const { code, cause: deeper, errors } = cause as { code?: unknown; cause?: unknown; errors?: unknown };
  if (typeof code === 'string') return code;
  return codeIn(deeper, depth + 1) || codeIn(Array.isArray(errors) ? errors[0] : undefined, depth + 1);
}

function tooLong(callee: Callee, said: string, status = 400): FlyballError {
  return new FlyballError('WINDOW_EXCEEDED', `${callee.id} cannot take a prompt this long: ${shown(callee, said)}`, {
    detail: { status, provider: callee.provider, mayHaveCost: false },
  });
}

/** What was said, in short. Secrets are taken out of the whole text: a cut through one would leave its beginning. */
function excerpt(callee: Callee, text: string): string {
  const line = shown(callee, text).replaceAll(/\s+/g, ' ').trim();
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`;
}

function shown(callee: Callee, text: string): string {
  return callee.secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
}
