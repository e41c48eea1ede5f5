import { ConfigError } from '../core/errors.js';

/** `postgres://…`, and not a path: a letter alone before the colon is a drive. */
export function isAddress(database: string): boolean {
  return schemeOf(database) !== undefined;
}

/** `postgres` of postgres://user@host/name. */
export function schemeOf(database: string): string | undefined {
  return /^([a-z][a-z\d+.-]+):\/\//i.exec(database)?.[1]?.toLowerCase();
}

/**
 * An address with a slip in it would be taken for the name of a file, made, and shown with its password. Whoever has a file
 * of such a name writes ./ before it. None of it is repeated: it may hold a password anywhere.
 */
export function refuseSlips(database: string): void {
  const slips = [
    /^\s*(?:postgres(?:ql)?|restates?)\s*(?::|\/\/)/i,
    /(?:^|[^a-z\d+.-])[a-z][a-z\d+.-]+:\/\//i,
    /^[^/\\]*:[^/\\]*@/,
  ];
  if (!isAddress(database) && slips.some((slip) => slip.test(database)))
    throw new ConfigError(
      'The database looks like the address of a server, but it cannot be read as one. Write it as postgres://user@host/name, without spaces or quotes. For a file, write ./ before its name.',
    );
  if (isAddress(database) && isCutOff(database))
    throw new ConfigError(
      'The address of the database cannot be read. Encode special characters in the user and the password: ? is %3F, # is %23, / is %2F, @ is %40.',
    );
}

/** A question mark in the password ends the place too early: what is left of it stands among the parameters. */
function isCutOff(address: string): boolean {
  const [place = '', ...queries] = address.split('?');
  return !place.includes('@') && queries.some((query) => /(?:^|&)(?!user=)[^&]*@/.test(query));
}

/** As it may be shown and written down. */
export function withoutPassword(address: string): string {
  if (isCutOff(address)) return `${schemeOf(address) ?? ''}://…`;
  const [place = '', ...queries] = address.split('?');
  const at = place.lastIndexOf('@');
  const begin = place.indexOf('://') + '://'.length;
  const [user = ''] = place.slice(begin, Math.max(begin, at)).split(':');
  const shown = at < begin ? place : `${place.slice(0, begin)}${user}${place.slice(at)}`;
  const query = queries
    .join('?')
    .split('&')
    .filter((each) => /^[\w.-]+=/.test(each) && !/^[^=]*pass|@.*\//i.test(each));
  return query.length === 0 ? shown : `${shown}?${query.join('&')}`;
}
