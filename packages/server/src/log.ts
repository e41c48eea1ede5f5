import { inertJson } from 'flyball/internal';

/** The log levels, lowest first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
/** A log level. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One line a thing that happened. Fields hold ids, codes and numbers; never bodies, headers or credentials. */
export interface Log {
  /** What only somebody who looks for a fault wants to know. */
  debug(what: string, fields?: Fields): void;
  info(what: string, fields?: Fields): void;
  warn(what: string, fields?: Fields): void;
  /** With the error itself: its words stay on this side. `what` is empty where they say everything. */
  error(what: string, error: unknown, fields?: Fields): void;
}
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** A log that writes lines of JSON. */
export function jsonLog(write: (line: string) => void, now: () => number): Log {
  const line = (level: LogLevel, what: string, fields: Fields, error?: unknown): void =>
    write(
      `${inertJson(JSON.stringify({ at: new Date(now()).toISOString(), level, ...(what === '' ? {} : { what }), ...fields, ...told(error) }))}\n`,
    );
  return {
    debug: (what, fields = {}) => line('debug', what, fields),
    info: (what, fields = {}) => line('info', what, fields),
    warn: (what, fields = {}) => line('warn', what, fields),
    error: (what, error, fields = {}) => line('error', what, fields, error),
  };
}

const nothing = (): void => undefined;

/** The same log, without entries below this level. */
export function atLevel(log: Log, level: LogLevel): Log {
  const kept = (each: LogLevel): boolean => LOG_LEVELS.indexOf(each) >= LOG_LEVELS.indexOf(level);
  return {
    debug: kept('debug') ? log.debug : nothing,
    info: kept('info') ? log.info : nothing,
    warn: kept('warn') ? log.warn : nothing,
    error: log.error,
  };
}

/** A log that drops everything. */
export const SILENT: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

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
