/** A path inside a skill, or why it is refused. */
export type CheckedPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly why: string };

const LONGEST = 500;

/**
 * A path inside a skill's folder in its one spelling, by its text alone. Where it really leads is checked again by who
 * opens it: a link can point anywhere.
 */
export function resourcePath(given: string): CheckedPath {
  const refuse = (why: string): CheckedPath => ({ ok: false, why });
  if (given === '' || given.length > LONGEST) return refuse(`A path has 1 to ${LONGEST} characters.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a NUL ends a path for the system, so it may not be in one
  if (/[\u0000-\u001f\u007f]/.test(given)) return refuse('The path holds control characters.');
  if (given.includes('\\')) return refuse('Write / between folders.');
  if (given.startsWith('/') || /^[a-z]:/i.test(given) || given.startsWith('~'))
    return refuse('The path must be relative to the folder of the skill.');
  const names = given.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) return refuse('A path with ".." may lead out of the skill. Name the file itself.');
  if (names.length === 0) return refuse('Name a file of the skill.');
  return { ok: true, path: names.join('/') };
}
