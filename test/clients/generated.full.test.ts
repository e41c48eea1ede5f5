import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerStage, serverStage } from '../server/stage-server.js';
import { hasPackages, hasPython, NODE_PEERS, run, runPython } from './peers.js';

let stage: ServerStage;
let place: string;
let document: string;
let env: Record<string, string>;
beforeAll(async () => {
  stage = await serverStage();
  place = mkdtempSync(join(tmpdir(), 'flyball-generated-'));
  document = join(place, 'openapi.json');
  writeFileSync(document, (await stage.call('GET', '/openapi.json')).text);
  const keyOf = (subject: string) => stage.keyFor('default', ['admin'], { subject });
  env = { URL: stage.url, STARTER: await keyOf('ada'), DECIDER: await keyOf('ben') };
});
afterAll(async () => {
  await stage.close();
  rmSync(place, { recursive: true, force: true });
});

/** The last line that a program printed. */
const lastOf = (output: string): unknown => JSON.parse(output.trim().split('\n').at(-1) ?? '');
const RESULT = { outcome: expect.objectContaining({ stop: 'done', value: 'paid 7' }), refused: 'NOT_FOUND' };

describe.skipIf(!hasPackages('@seriousme/openapi-schema-validator', 'openapi-typescript', 'openapi-fetch'))(
  'for TypeScript, the document',
  () => {
    it('is valid OpenAPI 3.1 [R8-CLIENTS-GENERATED]', async () => {
      const at = join(NODE_PEERS, 'node_modules/@seriousme/openapi-schema-validator/index.js');
      const { Validator } = await import(pathToFileURL(at).href);
      const validator = new Validator();
      expect(await validator.validate((await stage.call('GET', '/openapi.json')).body)).toMatchObject({ valid: true });
      expect(validator.version).toBe('3.1');
    });

    it('makes a client that type-checks strictly and drives a run to its result [R8-CLIENTS-GENERATED]', async () => {
      const at = join(place, 'typescript');
      mkdirSync(at);
      symlinkSync(join(NODE_PEERS, 'node_modules'), join(at, 'node_modules'));
      const generator = join(NODE_PEERS, 'node_modules/openapi-typescript/bin/cli.js');
      const made = await run(process.execPath, [generator, document, '-o', join(at, 'api.d.ts')]);
      expect(made.code, made.output).toBe(0);
      copyFileSync(resolve('test/clients/generated/drive.ts'), join(at, 'drive.ts'));
      writeFileSync(join(at, 'package.json'), '{"type":"module"}');
      const options = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2023'];
      const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types'), '--skipLibCheck'];
      const compiler = resolve('node_modules/typescript/bin/tsc');
      const checked = await run(process.execPath, [compiler, ...options, ...types, 'drive.ts'], { cwd: at });
      expect(checked, checked.output).toMatchObject({ code: 0 });
      const { output } = await run(process.execPath, [join(at, 'drive.js')], { env });
      expect(lastOf(output)).toEqual(RESULT);
    });
  },
);

describe.skipIf(!hasPython('openapi_spec_validator', 'openapi_python_client'))('for Python, the document', () => {
  it('is valid, and makes a client of every route that drives a run to its result [R8-CLIENTS-GENERATED]', async () => {
    const validated = await runPython('openapi-spec-validator', [document]);
    expect(validated, validated.output).toMatchObject({ code: 0 });
    const to = join(place, 'flyball_api');
    const path = `${resolve('.cache/peers/python/bin')}:${process.env['PATH']}`; // it formats with a program beside it
    const args = ['generate', '--path', document, '--output-path', to, '--meta', 'none', '--fail-on-warning'];
    const made = await runPython('openapi-python-client', args, { env: { PATH: path } });
    expect(made, made.output).toMatchObject({ code: 0 });
    const drive = resolve('test/clients/python/drive.py');
    const { output } = await runPython('python', [drive], { env: { ...env, PYTHONPATH: place } });
    expect(lastOf(output)).toEqual(RESULT);
  });
});
