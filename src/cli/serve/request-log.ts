import type { Fields, Log } from '../../server/log.js';
import { jsonLog } from '../../server/log.js';
import { shorten } from '../amounts.js';
import type { Screen } from '../screen.js';

/** Words of a vendor, a tool or a file: on one line, and none of them obeyed by the terminal. */
const LONGEST = 1_000;

/** For programs lines of JSON on standard output; for people one short line, and only about what they may want to know. */
export function requestLog(
  screen: Screen,
  { quiet, now }: { readonly quiet: boolean; readonly now: () => number },
): Log {
  if (screen.json) {
    const log = jsonLog((line) => screen.data(JSON.parse(line)), now);
    return quiet ? { ...log, info: () => undefined } : log;
  }
  return {
    info: (what, fields = {}) => {
      if (!quiet) screen.line(screen.paint('dim', lineOf(what, fields)));
    },
    warn: (what, fields = {}) => screen.complain(screen.paint('yellow', lineOf(what, fields))),
    error: (what, error, fields = {}) =>
      screen.complain(
        `${screen.paint('red', lineOf(what, fields))}: ${shorten(error instanceof Error ? error.message : String(error), LONGEST)}`,
      ),
  };
}

function lineOf(what: string, { id, route, status, ms, ...rest }: Fields): string {
  if (what === 'request') return `  ${String(status)} ${String(route)} ${Math.round(Number(ms))} ms`;
  const about = { ...(route === undefined ? {} : { route }), ...rest, ...(id === undefined ? {} : { request: id }) };
  const words = Object.entries(about).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${shorten(String(value), LONGEST)}`],
  );
  return `  ${what}${words.length === 0 ? '' : ` (${words.join(', ')})`}`;
}
