import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

/** The lines of an archive, for somebody who knows the format and can write where it lies. */
export type Lines = [{ run: Record<string, unknown> }, ...unknown[][]];

export function linesOf(path: string): Lines {
  const lines = gunzipSync(readFileSync(path)).toString().trimEnd().split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as unknown) as Lines;
}

/** With a digest that fits. */
export function forge(path: string, lines: readonly unknown[]): void {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, gzipSync(`${text}${JSON.stringify({ end: { lines: lines.length, sha256 } })}\n`));
}
