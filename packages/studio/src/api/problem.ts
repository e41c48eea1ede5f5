/** A refusal of the server, as `application/problem+json` tells it. */
export interface ApiProblem {
  readonly title: string;
  readonly status: number;
  /** One sentence for a person. */
  readonly detail: string;
  readonly code: string;
  readonly retryable: boolean;
  /** What to do next. */
  readonly next?: string;
  readonly requestId?: string;
}

export class ApiError extends Error {
  readonly problem: ApiProblem;

  constructor(problem: ApiProblem, options?: ErrorOptions) {
    super(problem.detail, options);
    this.name = 'ApiError';
    this.problem = problem;
  }

  get status(): number {
    return this.problem.status;
  }
}

/** An answer that is not a success. A proxy in between may answer with something that is not ours: that is told as such. */
export async function problemIn(response: Response): Promise<ApiError> {
  const body = await response.json().catch(() => undefined);
  return new ApiError(isProblem(body) ? body : foreignAnswer(response));
}

/** The request never got an answer: nobody listens, or the network is away. */
export function unreachableServer(cause: unknown): ApiError {
  return new ApiError(
    {
      title: 'No response',
      status: 0,
      detail: 'The server is not responding.',
      code: 'UNREACHABLE',
      retryable: true,
      next: 'Check whether it is running. The studio reconnects automatically.',
    },
    { cause },
  );
}

function foreignAnswer({ status, headers }: Response): ApiProblem {
  const requestId = headers.get('x-request-id');
  return {
    title: 'Unexpected response',
    status,
    detail: `The server responded with status ${status} and no explanation.`,
    code: 'UNEXPLAINED',
    retryable: status >= 500,
    next: 'Check the server log.',
    ...(requestId === null ? {} : { requestId }),
  };
}

function isProblem(body: unknown): body is ApiProblem {
  if (typeof body !== 'object' || body === null) return false;
  const { detail, status, code } = body as Partial<Record<keyof ApiProblem, unknown>>;
  return typeof detail === 'string' && typeof status === 'number' && typeof code === 'string';
}
