import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from '../scripts/files.mjs';

/** A node of a syntax tree. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { readonly type?: unknown }).type === 'string';

function nodesBelow(value: unknown): readonly Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesBelow);
  if (!isNode(value)) return [];
  return [value, ...Object.values(value).flatMap(nodesBelow)];
}

export function nodesIn(file: string, text: string): readonly Node[] {
  return nodesBelow(parseSync(file, text).program);
}

export function parsed(file: string): { readonly text: string; readonly nodes: readonly Node[] } {
  const text = readFileSync(join(root, file), 'utf8');
  return { text, nodes: nodesIn(file, text) };
}
