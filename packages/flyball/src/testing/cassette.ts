import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { FlyballError } from '../core/errors.js';
import type { ModelCapabilities, ModelReply, ModelRequest } from '../core/model.js';

/** Version history: 1 (first release). */
export const CASSETTE_VERSION = 1;

/** What a model was asked and answered: request and reply content, and nothing of how the call was made. */
export interface Interaction {
  readonly key: string;
  readonly request: ModelRequest;
  /** What the model counted for the prompt before the call. */
  readonly counted: number;
  readonly reply: ModelReply;
}

export interface Cassette {
  readonly version: number;
  readonly model: { readonly id: string; readonly capabilities: ModelCapabilities };
  readonly interactions: readonly Interaction[];
}

/** Undefined when there is no such file. */
export function readCassette(file: string): Cassette | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
  return parseCassette(text, file);
}

/** Whole or not at all: a reader or a crash never meets half a cassette. */
export function writeCassette(file: string, cassette: Cassette): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}.tmp`;
  const handle = openSync(draft, 'wx');
  try {
    writeFileSync(handle, `${JSON.stringify(cassette, null, 2)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}

function parseCassette(text: string, file: string): Cassette {
  const refuse = (why: string, cause?: unknown): never => {
    throw new FlyballError('CONFIG_INVALID', `Cassette ${file} ${why}`, { detail: { file }, cause });
  };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    return refuse('is not JSON. Restore it, or delete it and record again.', cause);
  }
  if (!isCassette(parsed)) return refuse('is not a cassette. Restore it, or delete it and record again.');
  if (parsed.version > CASSETTE_VERSION) {
    return refuse(`has version ${parsed.version}; this release reads up to ${CASSETTE_VERSION}. Update flyball.`);
  }
  return parsed;
}

function isCassette(value: unknown): value is Cassette {
  if (typeof value !== 'object' || value === null) return false;
  const { version, model, interactions } = value as Partial<Record<keyof Cassette, unknown>>;
  return typeof version === 'number' && typeof model === 'object' && model !== null && Array.isArray(interactions);
}
