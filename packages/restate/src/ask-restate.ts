import { FlyballError } from 'flyball';
import { bodyAtMost, redactSecrets } from 'flyball/internal';

/** What Restate says of deployments and invocations is far smaller. */
const MOST_BYTES = 1024 * 1024;

/**
 * As `fetch`, for whoever answers where Restate is expected. A redirect is not followed: it would take the token to whoever
 * it names. An answer that is too long is not received, and one that repeats the token, as proxies do when they complain,
 * comes without it: answers are logged.
 */
export const askRestate: typeof fetch = async (input, init) => {
  const answer = await fetch(input, { ...init, redirect: 'manual' });
  const { status, statusText, headers } = answer;
  if (status >= 300 && status < 400) {
    await answer.body?.cancel();
    throw refused(`it redirects (${status}), and redirects are not followed because requests carry the token`);
  }
  const body = await bodyAtMost(answer, MOST_BYTES);
  if (body === undefined) throw refused(`its answer has more than ${MOST_BYTES} bytes`);
  const text = withoutToken(body, init?.headers);
  return new Response(text === '' ? null : text, { status, statusText, headers });
};

function withoutToken(body: Uint8Array, headers: RequestInit['headers']): string {
  const [, token] = /^Bearer (.+)$/.exec(new Headers(headers).get('authorization') ?? '') ?? [];
  const text = Buffer.from(body).toString();
  return token === undefined ? text : redactSecrets(text, [token]);
}

function refused(why: string): FlyballError {
  return new FlyballError('STORAGE_BUSY', `${why}. Check the address of Restate`, { retryable: true });
}
