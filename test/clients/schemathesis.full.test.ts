import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerStage, serverStage } from '../server/stage-server.js';
import { hasPython, runPython } from './peers.js';

const HOOKS = resolve('test/clients/schemathesis');
/** More, and others, by hand: SCHEMATHESIS_EXAMPLES=200 SCHEMATHESIS_SEED=7. */
const EXAMPLES = process.env['SCHEMATHESIS_EXAMPLES'] ?? '6';
const SEED = process.env['SCHEMATHESIS_SEED'] ?? '1';

/**
 * Requests made by https://schemathesis.io from /openapi.json: its examples, every boundary of every schema, data at
 * random that fits and that does not, and sequences of requests. All of its checks are on.
 */
describe.skipIf(!hasPython('schemathesis'))('schemathesis', () => {
  let stage: ServerStage;
  let full: string;
  let document: string;
  beforeAll(async () => {
    // whoever tries credentials here is no guesser: each refusal is looked at
    stage = await serverStage({ settings: { requestTimeoutMs: 500, failuresPerMinute: 1_000_000 } });
    full = await stage.keyFor('default', ['admin']);
    document = join(stage.folder, 'openapi.json'); // given its address, it leaves that one out
    writeFileSync(document, (await stage.call('GET', '/openapi.json')).text);
  });
  afterAll(() => stage.close());

  const tried = async (phases: string, key: string | undefined): Promise<string> => {
    const { output } = await runPython(
      'schemathesis',
      [
        ...['--config-file', `${HOOKS}/schemathesis.toml`, 'run', document, '--url', stage.url],
        ...(key === undefined ? [] : ['-H', `Authorization: Bearer ${key}`]),
        ...['--checks', 'all', '--phases', phases, '--max-examples', EXAMPLES, '--seed', SEED, '--continue-on-failure'],
        ...['--request-timeout', '20', '--generation-database', 'none', '--warnings', 'off', '--no-color'],
      ],
      {
        cwd: stage.folder,
        env: { SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: HOOKS, COLUMNS: '200', OWN_KEY: key?.split('_')[1] },
      },
    );
    return output;
  };
  /** Nothing found, on every operation of the document, and nothing that the server takes for a fault of its own. */
  const clean = async (output: string): Promise<void> => {
    const { paths } = (await stage.call('GET', '/openapi.json')).body as { readonly paths: Record<string, object> };
    const operations = Object.values(paths).flatMap((path) => Object.keys(path)).length;
    expect(output).toContain('No issues found');
    expect(output).toContain(`Selected: ${operations}/${operations}`);
    expect(Number(/(\d+) generated/.exec(output)?.[1])).toBeGreaterThan(10 * operations);
    process.stdout.write(`schemathesis: ${/\d+ generated.*/.exec(output)?.[0]}\n`);
    expect(stage.logged.filter(({ level }) => level === 'error')).toEqual([]);
  };

  it('finds nothing with a key of full rights [R8-CLIENTS-SCHEMATHESIS]', async () => {
    await clean(await tried('examples,coverage,fuzzing,stateful', full));
  });

  it('finds nothing with a key of few rights, and nothing without a key [R8-CLIENTS-SCHEMATHESIS] [R8-REST-WIRE]', async () => {
    const few = await stage.keyFor('default', ['agents:read']);
    await clean(await tried('examples,coverage,fuzzing', few));
    await clean(await tried('examples,coverage,fuzzing', undefined));
  });

  it('leaves no run behind whose journal cannot be read [R8-CLIENTS-SCHEMATHESIS]', async () => {
    let cursor = '';
    let read = 0;
    do {
      const page = await stage.call('GET', `/v1/runs?limit=200${cursor}`, { key: full });
      for (const { id } of page.body.runs) {
        const { status } = await stage.call('GET', `/v1/runs/${id}/entries?limit=1000`, { key: full });
        expect(status, id).toBe(200);
        read += 1;
      }
      cursor = page.body.cursor === undefined ? '' : `&cursor=${page.body.cursor}`;
    } while (cursor !== '');
    expect(read).toBeGreaterThan(20);
  });
});
