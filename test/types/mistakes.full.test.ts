import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const folder = fileURLToPath(new URL('.', import.meta.url));
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

/** Every comment of one line that stands right above the line it is about. */
function expected(source: string): readonly string[] {
  const lines = source.split('\n');
  return lines.flatMap((line, index) => {
    const message = /^\s*\/\/ (.*)$/.exec(line)?.[1];
    return message === undefined ? [] : [`${index + 2}: ${message}`];
  });
}

/** The compiler's messages, each with all of its lines. */
function messages(output: string): readonly string[] {
  return output
    .split(/\n(?=\S)/)
    .filter((text) => text.trim() !== '')
    .map((text) => text.replace(/^.*?\((\d+),\d+\): error TS\d+: /, '$1: ').trimEnd());
}

it('a mistake is one message of one readable line, as the packed types say it [F-N1] [R9-TYPES-MESSAGES]', () => {
  const compiled = compile();
  expect(messages(compiled)).toEqual(expected(readFileSync(`${folder}mistakes.ts`, 'utf8')));
  for (const message of messages(compiled)) expect(message.length).toBeLessThan(140);
});

function compile(): string {
  try {
    return execFileSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout; // it fails where there are mistakes
  }
}
