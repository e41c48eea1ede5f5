/** One line a thing that happened. Fields hold ids, codes and numbers; never bodies, headers or credentials. */
export interface Log {
  info(what: string, fields?: Fields): void;
  warn(what: string, fields?: Fields): void;
  /** With the error itself: its words stay on this side. */
  error(what: string, error: unknown, fields?: Fields): void;
}
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Lines of JSON, for whoever collects them. */
export function jsonLog(write: (line: string) => void, now: () => number): Log {
  const line = (level: string, what: string, fields: Fields, error?: unknown): void =>
    write(`${JSON.stringify({ at: new Date(now()).toISOString(), level, what, ...fields, ...told(error) })}\n`);
  return {
    info: (what, fields = {}) => line('info', what, fields),
    warn: (what, fields = {}) => line('warn', what, fields),
    error: (what, error, fields = {}) => line('error', what, fields, error),
  };
}

export const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

function told(error: unknown): Readonly<Record<string, unknown>> {
  if (error === undefined) return {};
  if (!(error instanceof Error)) return { error: String(error) };
  const { code } = error as { readonly code?: unknown };
  return {
    error: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: told(error.cause) }),
  };
}
