/** Where an absolute path to a program may lead. An ordinary user cannot write there. */
export const PROGRAM_FOLDERS: readonly string[] = [
  '/bin',
  '/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/usr/local/sbin',
];

export type ResolvedProgram =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly why: string };

/** The name under which rules know a program. A copy elsewhere, or a name that only looks the same, is another program. */
export function resolveProgram(
  word: string,
  known: Readonly<Record<string, unknown>>,
  folders: readonly string[],
): ResolvedProgram {
  if (/^[A-Za-z_]\w*=/.test(word)) return refusal('Setting variables before a command (NAME=value …) is not allowed.');
  const slash = word.lastIndexOf('/');
  const name = word.slice(slash + 1);
  if (slash >= 0 && !folders.includes(word.slice(0, slash)))
    return refusal(
      `${shown(word)} is a path to a program. Name an allowed program by its name alone, such as ${example(known)}.`,
    );
  if (!/^[A-Za-z0-9][A-Za-z0-9._+-]*$/.test(name)) return refusal(oddName(word, name, known));
  if (Object.hasOwn(known, name)) return { ok: true, name };
  const twin = Object.keys(known).find((each) => each.toLowerCase() === name.toLowerCase());
  if (twin !== undefined) return refusal(`${name} is not ${twin}: names of programs are compared letter by letter.`);
  return refusal(`${name} is not among the allowed programs: ${listed(known)}.`);
}

function refusal(why: string): ResolvedProgram {
  return { ok: false, why };
}

function oddName(word: string, name: string, known: Readonly<Record<string, unknown>>): string {
  if (word === '') return 'The name of the program is empty.';
  const plain = name.normalize('NFKC').replaceAll(/[\p{Cf}\p{Cc}\p{Z}\p{M}]/gu, '');
  const twin = Object.hasOwn(known, plain) ? `; it only looks like ${plain}` : '';
  return `${shown(word)} is not a plain name of a program${twin}.`;
}

function example(known: Readonly<Record<string, unknown>>): string {
  return Object.keys(known)[0] ?? 'none';
}

function listed(known: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(known).sort();
  return names.length <= 60 ? names.join(', ') : `${names.slice(0, 60).join(', ')} and ${names.length - 60} more`;
}

/** Invisible characters written out, so that the reader sees what was there. */
function shown(word: string): string {
  const visible = word.replaceAll(/[\p{Cf}\p{Cc}\p{Z}]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  return `“${visible.length > 100 ? `${visible.slice(0, 100)}…` : visible}”`;
}
