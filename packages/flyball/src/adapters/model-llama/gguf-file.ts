import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigError } from '../../core/errors.js';

const MAGIC = 'GGUF';

/** The absolute path of a GGUF file. Looked at before anything is loaded, so that a wrong name fails at once. */
export async function ggufFile(given: string): Promise<string> {
  const file = resolve(given);
  const found = await stat(file).catch(() => undefined);
  if (found === undefined)
    throw new ConfigError(
      `The model file ${file} does not exist. Write the path of a GGUF file after llama/, relative to the working directory or absolute: llama/models/small.gguf or llama//models/small.gguf.`,
    );
  if (!found.isFile()) throw new ConfigError(`${file} is not a file. Name a GGUF file in it.`);
  if ((await beginning(file)) !== MAGIC)
    throw new ConfigError(
      `${file} is not a GGUF file. Download the model in GGUF format, or convert it with llama.cpp.`,
    );
  return file;
}

async function beginning(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
