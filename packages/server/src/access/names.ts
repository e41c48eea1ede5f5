import { ConfigError } from 'flyball';
import { ANONYMOUS, comparableName, KEPT_ANSWERS, samePerson } from 'flyball/internal';

/** Where the server keeps what is its own. No tenant can be called this: names of tenants begin with a letter or a digit. */
export const SERVER_TENANT = KEPT_ANSWERS.tenant;

const TENANT = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const SCOPE = /^(?:\*|[a-z0-9][a-z0-9._-]{0,31}(?::(?:\*|[a-z0-9][a-z0-9._-]{0,31})){0,3})$/;
const MOST_SCOPES = 50;

export function isTenant(name: unknown): name is string {
  return typeof name === 'string' && TENANT.test(name);
}

export function isScope(name: unknown): name is string {
  return typeof name === 'string' && SCOPE.test(name);
}

/** A name for people: one line that a terminal and a log can print. */
export function isLabel(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== '' && text.length <= 200 && !/\p{C}/u.test(text);
}

/** What the server calls its triggers, and the runtime a run that acts for others. */
const NO_PEOPLE = /^(?:run|trigger):/;

/** Somebody in particular: what nobody in particular asked for, anybody may decide. */
export function isSubject(text: unknown): text is string {
  return isLabel(text) && !samePerson(text, ANONYMOUS) && !NO_PEOPLE.test(comparableName(text));
}

export function checkedSubject(text: string): string {
  if (isSubject(text)) return text;
  throw new ConfigError(
    `The subject of a key must be one line of 1 to 200 characters, not "${ANONYMOUS}", and not begin with "run:" or "trigger:".`,
  );
}

export function checkedTenant(name: string): string {
  if (isTenant(name)) return name;
  throw new ConfigError(
    'The name of a tenant must have 1 to 64 lowercase letters, digits, ".", "_" and "-", and start with a letter or a digit.',
  );
}

export function checkedScopes(scopes: readonly string[]): readonly string[] {
  if (scopes.length === 0) throw new ConfigError('A key needs at least one scope, such as agents:invoke or runs:*.');
  if (scopes.length > MOST_SCOPES) throw new ConfigError(`A key can have at most ${MOST_SCOPES} scopes.`);
  if (!scopes.every(isScope))
    throw new ConfigError('A scope must look like agents:invoke, runs:* or admin, in lowercase letters.');
  return [...new Set(scopes)];
}

export function checkedLabel(what: string, text: string): string {
  if (isLabel(text)) return text;
  throw new ConfigError(`The ${what} must be one line of 1 to 200 characters.`);
}
