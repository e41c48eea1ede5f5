import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeModels } from '../../create-models.js';
import { checkLlama, llamaModel } from './llama-model.js';

describe('a model that cannot be loaded', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flyball-llama-'));
    await writeFile(join(folder, 'page.gguf'), '<html>Not found</html>');
    await writeFile(join(folder, 'empty.gguf'), '');
    await writeFile(join(folder, 'cut.gguf'), 'GGUF');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is refused at once where its file is missing, is a folder, or is something else [R13-LLAMA-ERRORS]', async () => {
    const opened = (name: string) => llamaModel({ file: join(folder, name) });
    await expect(opened('none.gguf')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/none\.gguf does not exist\. Write the path of a GGUF file after llama\//),
    });
    await expect(opened('.')).rejects.toThrow(/is not a file/);
    for (const name of ['page.gguf', 'empty.gguf']) await expect(opened(name)).rejects.toThrow(/is not a GGUF file\./);
  });

  it('says how to install the package for this machine only [R13-LLAMA-ERRORS]', async () => {
    const load = () => Promise.reject(new Error('Cannot find package'));
    for (const opened of [checkLlama({ load }), llamaModel({ file: join(folder, 'cut.gguf'), load })])
      await expect(opened).rejects.toMatchObject({
        code: 'DRIVER_MISSING',
        message: expect.stringMatching(
          /npm install --omit=optional node-llama-cpp@3 @node-llama-cpp\/[a-z]+-[a-z0-9-]+@3 \(Cannot find package\)$/,
        ),
      });
  });

  it('says which binary is missing beside the package [R13-LLAMA-ERRORS]', async () => {
    class NoBinaryFoundError extends Error {}
    const load = async () => ({ NoBinaryFoundError, getLlama: () => Promise.reject(new NoBinaryFoundError()) });
    await expect(llamaModel({ file: join(folder, 'cut.gguf'), load })).rejects.toMatchObject({
      code: 'DRIVER_MISSING',
      message: expect.stringMatching(/^node-llama-cpp has no binary for this machine\. Install @node-llama-cpp\//),
    });
  });

  it.each([{ sequences: 0 }, { threads: 1.5 }, { capabilities: { window: 0 } }])(
    'is refused with %j',
    async (options) => {
      await expect(llamaModel({ file: join(folder, 'cut.gguf'), ...options })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
      });
    },
  );

  it('is described as a problem wherever models are described, without loading anything [R13-LLAMA-NAMED]', async () => {
    const described = await describeModels({ FLYBALL_MODEL: `llama/${join(folder, 'none.gguf')}` });
    expect(described.roles[0]?.problem).toMatch(/needs the package node-llama-cpp|does not exist/);
  });
});
