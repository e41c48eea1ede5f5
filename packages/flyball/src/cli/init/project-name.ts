import { FlyballError } from '../../core/errors.js';

/** npm takes no longer one. */
const LONGEST = 200;
/** A package cannot depend on one that is called like itself, and npm keeps two names for its own use. */
const TAKEN = ['flyball', 'node_modules', 'favicon.ico'];

/** What both an agent and a package may be called, made of what a folder is called. */
export function projectName(given: string): string {
  const name = given
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .slice(0, LONGEST)
    .replaceAll(/^[-_]+|[-_]+$/g, '');
  if (name === '')
    throw new FlyballError(
      'INPUT_INVALID',
      `"${given}" cannot be used as a name. Set one with letters and digits: --name <name>.`,
    );
  return TAKEN.includes(name) ? `${name}-agent` : name;
}
