import { currentKey, needsLogin } from './credentials.js';
import { problemIn, unreachableServer } from './problem.js';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface PostOptions {
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** The one way to the server. Refusals are thrown as `ApiError`; a missing or refused key brings up the login page. */
export const api = {
  get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return request<T>(withQuery(path, query), { method: 'GET', ...(signal === undefined ? {} : { signal }) });
  },

  post<T>(path: string, body: unknown = {}, { idempotencyKey, signal }: PostOptions = {}): Promise<T> {
    return request<T>(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(signal === undefined ? {} : { signal }),
    });
  },

  delete<T>(path: string): Promise<T> {
    return request<T>(path, { method: 'DELETE' });
  },
};

async function request<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(path, {
    ...init,
    headers: { accept: 'application/json', ...credentials(), ...(init.headers as Record<string, string> | undefined) },
  }).catch((error: unknown) => {
    if (init.signal?.aborted === true) throw error;
    throw unreachableServer(error);
  });
  if (!response.ok) {
    if (response.status === 401) needsLogin.value = true;
    throw await problemIn(response);
  }
  return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
}

function credentials(): Record<string, string> {
  const key = currentKey();
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
