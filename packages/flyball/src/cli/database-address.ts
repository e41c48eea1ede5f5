/** `postgres://…`, and not a path: a letter alone before the colon is a drive. */
export function isAddress(database: string): boolean {
  return schemeOf(database) !== undefined;
}

/** `postgres` of postgres://user@host/name. */
export function schemeOf(database: string): string | undefined {
  return /^([a-z][a-z\d+.-]+):\/\//i.exec(database)?.[1]?.toLowerCase();
}

/** As it may be shown and written down. */
export function withoutPassword(address: string): string {
  const [place = '', ...queries] = address.split('?');
  const at = place.lastIndexOf('@');
  const begin = place.indexOf('://') + '://'.length;
  const [user = ''] = place.slice(begin, Math.max(begin, at)).split(':');
  const shown = at < begin ? place : `${place.slice(0, begin)}${user}${place.slice(at)}`;
  const query = queries
    .join('?')
    .split('&')
    .filter((each) => each !== '' && !/^[^=]*pass/i.test(each));
  return query.length === 0 ? shown : `${shown}?${query.join('&')}`;
}
