import type { IncomingHttpHeaders } from 'node:http';
import { FlyballError } from '../../core/errors.js';
import { isPassingStatus, mayHaveBeenWorked, retryAfterMs, saysPromptIsTooLong } from '../../core/http-answer.js';
import { fieldsOf, textOf } from './json-fields.js';

/** Who was called, and what must never be repeated: providers echo keys in their error messages. */
export interface Callee {
  /** `provider/model`. */
  readonly id: string;
  readonly provider: string;
  /** Without user, password and query. */
  readonly address: string;
  readonly secrets: readonly string[];
}

const NEXT: Readonly<Record<number, string>> = {
  401: ' Check the API key.',
  403: ' Check what the API key may do.',
  404: ' Check the name of the model and the base URL.',
};

export function statusFailure(
  callee: Callee,
  answer: {
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
    readonly now: number;
  },
): FlyballError {
  const { status } = answer;
  const said = sentenceIn(callee, answer.body);
  if (status < 500 && status !== 429 && saysPromptIsTooLong(answer.body)) {
    return new FlyballError('WINDOW_EXCEEDED', `${callee.id} cannot take a prompt this long: ${said}`, {
      detail: { status, provider: callee.provider, mayHaveCost: false },
    });
  }
  const retryable = isPassingStatus(status);
  const wait = retryable ? retryAfterMs(answer.headers, answer.now) : undefined;
  const detail = { status, provider: callee.provider, mayHaveCost: retryable && mayHaveBeenWorked(status) };
  if (retryable) {
    const when = wait === undefined ? '' : ` It asks to wait for ${Math.ceil(wait / 1000)} s.`;
    return new FlyballError('MODEL_UNAVAILABLE', `${callee.id} answered ${status}: ${said}${when}`, {
      retryable,
      detail: { ...detail, ...(wait === undefined ? {} : { retryAfterMs: wait }) },
    });
  }
  const next = status < 400 ? ' It points elsewhere: check the base URL.' : (NEXT[status] ?? '');
  return new FlyballError('MODEL_REJECTED', `${callee.id} refused the call (${status}): ${said}${next}`, { detail });
}

/** An `error` inside an answer that began well: by its own status where it has one, else as a call that broke. */
export function spokenFailure(callee: Callee, error: unknown): FlyballError {
  const code = Number(fieldsOf(error)['code'] ?? fieldsOf(error)['status_code']);
  const body = JSON.stringify({ error });
  if (code >= 400 && code < 600) return statusFailure(callee, { status: code, headers: {}, body, now: 0 });
  if (saysPromptIsTooLong(body)) return statusFailure(callee, { status: 400, headers: {}, body, now: 0 });
  return unreadable(callee, `an error instead of a reply: ${sentenceIn(callee, body)}`);
}

/** Nothing was sent when connecting failed; after that the provider may have done the work. */
export function networkFailure(callee: Callee, cause: Error): FlyballError {
  const { code = '', syscall = '' } = cause as NodeJS.ErrnoException;
  const unsent = syscall === 'connect' || syscall === 'getaddrinfo' || isCertificate(code);
  const what = unsent ? `cannot be reached at ${callee.address}` : 'broke off the connection';
  return new FlyballError('MODEL_UNAVAILABLE', `${callee.id} ${what}: ${shown(callee, cause.message)}.`, {
    retryable: !isCertificate(code), // a certificate is not trusted the second time either
    detail: { provider: callee.provider, mayHaveCost: !unsent, ...(code === '' ? {} : { reason: code }) },
    cause,
  });
}

/** An answer that is none: cut, malformed, or of another kind. The work behind it may have been paid for. */
export function unreadable(callee: Callee, what: string): FlyballError {
  return new FlyballError('MODEL_UNAVAILABLE', `${callee.id} sent ${shown(callee, what)}`, {
    retryable: true,
    detail: { provider: callee.provider, mayHaveCost: true },
  });
}

/** What was said, in short. Secrets are taken out of the whole text: a cut through one would leave its beginning. */
export function excerpt(callee: Callee, text: string): string {
  const line = shown(callee, text).replaceAll(/\s+/g, ' ').trim();
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`;
}

function isCertificate(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|^ERR_TLS|^ERR_SSL/.test(code);
}

/** The provider's own sentence, wherever it keeps it. */
function sentenceIn(callee: Callee, body: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return excerpt(callee, body) || 'nothing'; // a proxy's page, or no text at all
  }
  const fields = fieldsOf(parsed);
  const error = fields['error'];
  const sentence =
    textOf(error) || textOf(fieldsOf(error)['message']) || textOf(fields['message']) || textOf(fields['detail']);
  return excerpt(callee, sentence || body);
}

function shown({ secrets }: Callee, text: string): string {
  const whole = secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
  return secrets.reduce(withoutOpenSecret, whole);
}

/** Fewer characters of a secret than this tell nothing, and end many a word. */
const TELLING = 4;

/** The connection may break, or what is kept of an answer may end, in the middle of a secret. */
function withoutOpenSecret(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= TELLING; length--)
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}[secret]`;
  return text;
}
