import { runProgram } from '../../packages/flyball/src/cli/program.js';

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** The command line without a process of its own: what it writes, and how it would end. */
export async function flyball(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Said> {
  const [out, error]: [string[], string[]] = [[], []];
  const code = await runProgram(words, {
    out: { write: (text) => out.push(text) },
    error: { write: (text) => error.push(text) },
    env,
  });
  return { code, out: out.join(''), error: error.join('') };
}
