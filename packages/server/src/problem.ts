import { type ErrorCode, FlyballError } from 'flyball';
import { isRunDamage } from 'flyball/internal';

/** What can go wrong between a request and its handler, beside what the runtime raises. */
export type ProblemCode =
  | ErrorCode
  | 'REQUEST_INVALID'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'ORIGIN_REFUSED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'TOO_LARGE'
  | 'UNSUPPORTED_MEDIA'
  | 'TIMEOUT'
  | 'RATE_LIMITED'
  | 'COST_LIMITED'
  | 'QUEUE_FULL'
  | 'KEY_REUSED'
  | 'RUN_ENDED'
  | 'RUN_WAITS'
  | 'BUSY'
  | 'INTERNAL';

export interface ProblemOptions {
  readonly retryable?: boolean;
  /** What to do next. */
  readonly next?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error response. Contains nothing that a client may not see. */
export class Problem extends Error {
  readonly status: number;
  readonly code: ProblemCode;
  readonly retryable: boolean;
  readonly next: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.next = options.next;
    this.headers = options.headers ?? {};
  }
}

/** Of a request that does not say where it goes: its Host header or its path is none. */
export function noAddress(): Problem {
  return new Problem(400, 'REQUEST_INVALID', 'The Host header and the path of the request are not a valid address.');
}

/** An id that is not there and one of another tenant are the same to whoever asks. */
export function notFound(what: string, id: string): Problem {
  return new Problem(404, 'NOT_FOUND', `There is no ${what} ${id}.`, {
    next: `List the available ones to find the id.`,
  });
}

const STATUS: Partial<Record<ErrorCode, number>> = {
  CONFIG_INVALID: 400,
  INPUT_INVALID: 400,
  VALUE_NOT_SERIALIZABLE: 400,
  SIGNAL_INVALID: 400,
  DENIED: 403,
  APPROVAL_REJECTED: 403,
  RUN_NOT_FOUND: 404,
  AGENT_UNKNOWN: 404,
  TOOL_UNKNOWN: 404,
  RUN_EXISTS: 409,
  ALREADY_TERMINAL: 409,
  JOURNAL_CONFLICT: 409,
  SIGNAL_UNEXPECTED: 409,
  FORK_REFUSED: 409,
  CONTINUE_REFUSED: 409,
  RECORD_CONFLICT: 409,
  RUN_STALLED: 409,
  RUN_KEPT: 409,
  BOUND_REACHED: 409,
  STORAGE_BUSY: 503,
  STORAGE_READ_ONLY: 503,
  RUN_UNLOADED: 503,
  STORAGE_FULL: 507,
  MODEL_UNAVAILABLE: 503,
};

/** Errors whose own words name a place on the disk: those stay in the log. */
const OF_STORAGE: Partial<Record<ErrorCode, string>> = {
  STORAGE_BUSY: 'The storage of this server is busy.',
  STORAGE_FULL: 'The disk of this server is full.',
  STORAGE_READ_ONLY: 'The storage of this server accepts no writes.',
};

/** A run that is stored goes on once that is over: whoever made it again would have two. */
function aboutStorage({ code, detail }: FlyballError): string | undefined {
  const what = OF_STORAGE[code];
  if (what === undefined) return undefined;
  const { runId } = detail;
  return typeof runId !== 'string'
    ? `${what} Nothing was done.`
    : `${what} Run ${runId} is stored and continues when this is resolved. Do not start it again.`;
}

const DAMAGED = 'Start a new run. The operator of the server can restore a backup.';

/** Any error as a problem. What is not ours to explain is told as a fault of the server, and its words stay here. */
export function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof FlyballError) {
    const status = STATUS[error.code];
    // what is wrong with one run may be told; what is wrong with the file names its place, and stays in the log
    if (isRunDamage(error)) return new Problem(500, error.code, error.message, { next: DAMAGED, cause: error });
    const told = aboutStorage(error);
    if (status !== undefined)
      return new Problem(status, error.code, told ?? error.message, { retryable: error.retryable, cause: error });
  }
  return new Problem(
    500,
    'INTERNAL',
    'The server failed to handle this request. See the server log under the id of the request.',
    {
      retryable: true,
      cause: error,
    },
  );
}

/** The body of `application/problem+json` (RFC 9457). */
export function problemBody(problem: Problem, requestId: string): Readonly<Record<string, unknown>> {
  const { status, code, message, retryable, next } = problem;
  return {
    title: TITLES[status] ?? 'Refused',
    status,
    detail: message,
    code,
    retryable,
    ...(next === undefined ? {} : { next }),
    requestId,
  };
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'Credentials are required',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Timeout',
  409: 'Conflict',
  413: 'Too large',
  415: 'Not JSON',
  422: 'Does not match the first request',
  429: 'Too many requests',
  500: 'Server error',
  503: 'Not ready',
  507: 'No storage left',
};
