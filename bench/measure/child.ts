import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ChildEnd<T> {
  /** What the child said in its last line, as JSON; undefined when it said nothing or was killed first. */
  readonly said: T | undefined;
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program of the benchmarks in a process of its own. */
export function runChild<T>(
  program: URL | string,
  parameters: readonly string[] = [],
  options: { readonly node?: string; readonly cwd?: string; readonly nodeOptions?: readonly string[] } = {},
): Promise<ChildEnd<T>> {
  const file = typeof program === 'string' ? program : fileURLToPath(program);
  return new Promise((resolve, reject) => {
    const flags = options.nodeOptions ?? ['--expose-gc'];
    const child = spawn(options.node ?? process.execPath, [...flags, file, ...parameters], {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    let output = '';
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ said: lastLine<T>(said), signal, code, output }));
  });
}

/** As `runChild`, for a child that must succeed. */
export async function ask<T>(program: URL, parameters: readonly string[] = []): Promise<T> {
  const { said, code, signal, output } = await runChild<T>(program, parameters);
  if (code !== 0 || said === undefined) throw new Error(`${program.pathname} ended with ${code ?? signal}:\n${output}`);
  return said;
}

function lastLine<T>(output: string): T | undefined {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  try {
    return JSON.parse(line) as T;
  } catch {
    return undefined;
  }
}
