import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SHIPPED } from './open-domain.js';
import { unknownName } from './unknown-name.js';

const FOLDER = join(SHIPPED, 'evals');
const ENDING = '.yaml';

/** Settings that come with the package. */
export function presetNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length));
}

export function presetFile(preset: string): string {
  const file = join(FOLDER, `${preset}${ENDING}`);
  if (!/^[\w-]+$/.test(preset) || !existsSync(file)) throw unknownName('preset', preset, presetNames());
  return file;
}
