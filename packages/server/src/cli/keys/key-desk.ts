import { systemClock } from 'flyball';
import type { Call } from 'flyball/internal';
import { EXIT, type ExitCode, isThere, openDatabase, printable } from 'flyball/internal';
import type { ApiKey, ApiKeys } from '../../access/api-keys.js';
import { apiKeys } from '../../access/stored-keys.js';

/** Opens the keys of the database for one command. */
export async function withKeys<T>({ place }: Pick<Call, 'place'>, work: (keys: ApiKeys) => Promise<T>): Promise<T> {
  const engine = await openDatabase(place);
  try {
    return await work(apiKeys(engine.store, systemClock()));
  } finally {
    await engine.close();
  }
}

/** For a command about a key that must exist: tells so where it does not, and makes no database on the way. */
export async function withKey(
  call: Call,
  prefix: string,
  work: (keys: ApiKeys, key: ApiKey) => Promise<ExitCode>,
): Promise<ExitCode> {
  const name = prefixIn(prefix);
  if (!(await isThere(call.place))) return unknownKey(call, name);
  return withKeys(call, async (keys) => {
    const key = await keys.get(name);
    return key === undefined ? unknownKey(call, name) : work(keys, key);
  });
}

/** The prefix alone, also where somebody pasted more of a key than is needed: the rest is never repeated. */
function prefixIn(text: string): string {
  return /^fb_([a-z0-9]{8})(?:_|$)/.exec(text)?.[1] ?? text;
}

function unknownKey({ screen, place }: Call, prefix: string): ExitCode {
  const shown = prefix.length > 8 ? `${prefix.slice(0, 8)}…` : prefix;
  const message = `There is no key ${shown}.`;
  const next = `To list keys, run: ${place.command('keys', 'list')}`;
  screen.data({ kind: 'error', code: 'KEY_NOT_FOUND', message, next, exitCode: EXIT.notFound, retryable: false });
  screen.complain(`${screen.paint('red', 'flyball:')} ${printable(message)}`);
  screen.complain(`  ${next}`);
  return EXIT.notFound;
}

/** The one time that a secret is shown. */
export function showSecret({ screen }: Pick<Call, 'screen'>, secret: string): void {
  screen.line();
  screen.line(`  ${screen.paint('bold', secret)}`);
  screen.line();
  screen.line('Store it now, for example in a password manager. It is not shown again; only its hash is stored.');
  screen.line('Send it as a header: Authorization: Bearer <key>');
}
