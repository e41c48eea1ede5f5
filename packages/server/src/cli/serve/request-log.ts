import type { Screen } from 'flyball/internal';
import { shorten } from 'flyball/internal';
import { atLevel, type Fields, jsonLog, type Log, type LogLevel } from '../../log.js';

/** Words of a vendor, a tool or a file: on one line, and none of them obeyed by the terminal. */
const LONGEST = 1_000;

/** For programs lines of JSON on standard output; for people one short line, and only about what they may want to know. */
export function requestLog(
  screen: Screen,
  { level, now }: { readonly level: LogLevel; readonly now: () => number },
): Log {
  if (screen.json)
    return atLevel(
      jsonLog((line) => screen.log(line), now),
      level,
    );
  const dim = (what: string, fields: Fields = {}): void => screen.line(screen.paint('dim', lineOf(what, fields)));
  const log: Log = {
    debug: dim,
    info: dim,
    warn: (what, fields = {}) => screen.complain(screen.paint('yellow', lineOf(what, fields))),
    error: (what, error, fields = {}) => {
      const said = shorten(error instanceof Error ? error.message : String(error), LONGEST);
      if (what === '') screen.complain(screen.paint('red', lineOf(said, fields)));
      else screen.complain(`${screen.paint('red', lineOf(what, fields))}: ${said}`);
    },
  };
  return atLevel(log, level);
}

function lineOf(what: string, { id, method, path, route, status, ms, remote, ...rest }: Fields): string {
  if (what === 'request')
    return `  ${String(status)} ${String(method)} ${shorten(String(path), LONGEST)} ${Math.round(Number(ms))} ms`;
  const about = {
    ...(route === undefined ? {} : { route }),
    ...(status === undefined ? {} : { status }),
    ...rest,
    ...(id === undefined ? {} : { request: id }),
  };
  const words = Object.entries(about).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${shorten(String(value), LONGEST)}`],
  );
  return `  ${what}${words.length === 0 ? '' : ` (${words.join(', ')})`}`;
}
