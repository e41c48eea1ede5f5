import { createHash } from 'node:crypto';
import { canonicalJson, sha256 } from '../core/canonical.js';
import type { SkillFile } from './skill.js';

/** The SHA-256 hash of bytes. */
export function bytesHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** One hash for a skill: over the paths and contents of all its files, in whatever order they were found. */
export function skillHash(files: readonly SkillFile[]): string {
  const pairs = files.map(({ path, sha256: hash }) => [path, hash]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return sha256(canonicalJson(pairs));
}
