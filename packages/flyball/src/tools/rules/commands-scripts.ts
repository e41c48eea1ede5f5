/** Programs that read their arguments in a way of their own. Only what is certain to be harmless is let through. */

const SED_FLAGS = /^(?:-[nrEsuz]+|--(?:quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|debug))$/;
const SED_ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)`;
const SED_RANGE = String.raw`${SED_ADDRESS}(?:,[+~]?${SED_ADDRESS}|~\d+)?`;
const SED_SUBSTITUTION = String.raw`s([/|#,:@%_])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpIi0-9]*`;
/**
 * Printing, deleting, quitting and substituting; not `e` (runs a command), `w` (writes), `r` (reads other files).
 * Blanks belong to what stands before them: where two parts could take the same ones, a long script takes for ever.
 */
const SED_COMMAND = new RegExp(String.raw`^\s*(?:${SED_RANGE}\s*)?(?:!\s*)?(?:[pdqQ=]|${SED_SUBSTITUTION})\s*$`);
const MAX_SHOWN = 100;

export function sedProblem(args: readonly string[]): string | undefined {
  const scripts: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    const inline = /^(?:-[nrEsuz]*e(?=.)|--expression=)/.exec(word)?.[0];
    if (/^-[nrEsuz]*e$|^--expression$/.test(word)) scripts.push(args[++at] ?? '');
    else if (inline !== undefined) scripts.push(word.slice(inline.length));
    else if (word.startsWith('-') && word !== '-' && word !== '--') {
      if (!SED_FLAGS.test(word))
        return `sed may not be given ${word}: it could change a file or read its script from one.`;
    } else if (scripts.length === 0) scripts.push(word);
  }
  const odd = scripts.flatMap((script) => commandsOf(script)).find((command) => !SED_COMMAND.test(command));
  if (odd === undefined) return undefined;
  const shown = odd.trim();
  return `sed may not be given “${shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown}”: only printing (p), deleting (d), quitting (q), = and s/// without e and w are allowed.`;
}

/** Split at semicolons and line breaks; one inside an expression leaves halves that are then refused. */
function commandsOf(script: string): string[] {
  return script.split(/[;\n]/).filter((command) => command.trim() !== '');
}

export function awkProblem(args: readonly string[]): string | undefined {
  let program: string | undefined;
  for (let at = 0; at < args.length && program === undefined; at++) {
    const word = args[at] ?? '';
    if (word === '-F' || word === '-v') at++;
    else if (word.startsWith('-') && word !== '--' && !/^-[Fv]./.test(word))
      return `awk may not be given ${word}: it could load code or change a file.`;
    else if (word !== '--' && !word.startsWith('-')) program = word;
  }
  if (program === undefined) return 'awk needs its program as an argument.';
  const found = /\bsystem\b|\bgetline\b|[|>@]/.exec(program.replaceAll('||', ''))?.[0];
  if (found === undefined) return undefined;
  const hint = found === '>' ? ' Write a comparison the other way round, as in 5 < $3.' : '';
  return `The awk program may not contain ${found}: it can run a program or write a file.${hint}`;
}

const XXD_FLAGS =
  /^--?(?:[abCdEeiuvh]|p|ps|plain|postscript|autoskip|bits|ebcdic|include|uppercase|decimal|version|help)$/;
const XXD_NUMBERED = /^-(?:[cglos]|cols|groupsize|len|seek)$/;
const XXD_NUMBER = /^[+-]{0,2}(?:0x[0-9a-f]+|\d+)$/i;

/** xxd reads flags as words: the s of `-ps` takes no value, so what follows it is a file already. */
export function xxdProblem(args: readonly string[]): string | undefined {
  const files: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (XXD_NUMBERED.test(word) && XXD_NUMBER.test(args[at + 1] ?? '')) at++;
    else if (!word.startsWith('-') || word === '-') files.push(word);
    else if (!XXD_FLAGS.test(word) && !(/^-[cglos]/.test(word) && XXD_NUMBER.test(word.slice(2))))
      return `xxd may not be given ${word}: that writes a file or is not known to be harmless. Allowed are -a, -b, -C, -d, -E, -e, -i, -ps, -u, and -c, -g, -l, -o, -s with a number.`;
  }
  return files.length <= 1 ? undefined : `xxd may not be given “${files.at(-1)}”: a second file name is written to.`;
}
