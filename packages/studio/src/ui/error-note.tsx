import { ApiError } from '../api/problem.js';

/** A refusal in words: what happened, what to do next, and the id under which the server's log tells more. */
export function ErrorNote({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { title, detail, next, requestId } = wordsFor(error);
  return (
    <div class="note bad" role="alert">
      <strong>{title}</strong>
      <p>{detail}</p>
      {next === undefined ? null : <p class="next">{next}</p>}
      {requestId === undefined ? null : (
        <p class="quiet">
          Request <code>{requestId}</code>
        </p>
      )}
      {onRetry === undefined ? null : (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function wordsFor(error: unknown): {
  readonly title: string;
  readonly detail: string;
  readonly next?: string;
  readonly requestId?: string;
} {
  if (error instanceof ApiError) return error.problem;
  return { title: 'Something went wrong', detail: error instanceof Error ? error.message : String(error) };
}
