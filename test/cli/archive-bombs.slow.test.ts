import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { patient } from '../patience.js';
import { AGENTS, newDesk } from './flyball.js';

const MIB = 1024 * 1024;
/** Far more than the command needs, and far less than objects made of these files would. */
const desk = newDesk({ env: { NODE_OPTIONS: '--max-old-space-size=192' } });
const place = join(desk.folder, 'archive');
const write = (id: string, content: Buffer): void => {
  mkdirSync(join(place, 'default'), { recursive: true });
  writeFileSync(join(place, 'default', `${id}.jsonl.gz`), gzipSync(content, { level: 1 }));
};
/** With a last line that fits. */
const ended = (content: Buffer, lines: number): Buffer => {
  const end = { lines, sha256: createHash('sha256').update(content).digest('hex') };
  return Buffer.concat([content, Buffer.from(`${JSON.stringify({ end })}\n`)]);
};
const repeated = (text: string, times: number): Buffer => Buffer.alloc(text.length * times, text);
const nested = Buffer.concat([Buffer.from('['), repeated('{},', 20 * MIB), Buffer.from('{}]\n')]);

beforeAll(async () => {
  const echo = ['run', AGENTS, '--agent', 'greet', '--id', 'logged', '--input', '{"name":"x"}', '--db', desk.database];
  expect(await desk.flyball(...echo)).toMatchObject({ code: 0 });
  const add = ['archive', 'add', place, '--older', '0s', '--yes', '--db', desk.database];
  expect(await desk.flyball(...add)).toMatchObject({ code: 0 });
}, patient(60_000));
afterAll(() => desk.clear());

it.each([
  ['empty lines', repeated('\n', 64 * MIB), 'a line of it is not JSON'],
  ['entries, with a fitting end', ended(repeated('["e",0,0,0,0,"x"]\n', 3 * MIB), 3 * MIB), 'more than 1000000 lines'],
  ['objects in one line, with a fitting end', ended(nested, 1), 'has more than 10000000 values'],
  ['one line without an end', repeated('{"a":', 12 * MIB), 'its last line is not the end of an archive'],
  ['more than an archive can have', repeated('\n', 257 * MIB), 'holds more than 268435456 bytes'],
])(
  'flyball archive refuses a small file of %s before it fills the memory [R19-ARCHIVE-BOMB]',
  async (_what, content, why) => {
    write('bomb', content);
    for (const words of [['show'], ['restore'], ['restore', '--trust-file']]) {
      const refused = await desk.flyball(
        'archive',
        words[0] ?? '',
        place,
        'bomb',
        ...words.slice(1),
        '--db',
        desk.database,
      );
      expect(refused).toMatchObject({ code: 9, error: expect.stringContaining(why) });
    }
  },
  patient(120_000),
);

it(
  'flyball archive compares a file with the operations log before it reads its lines [R19-ARCHIVE-BOMB]',
  async () => {
    write('logged', ended(repeated('["e",0,0,0,0,"x"]\n', 3 * MIB), 3 * MIB));
    for (const verb of ['show', 'restore']) {
      const refused = await desk.flyball('archive', verb, place, 'logged', '--db', desk.database);
      expect(refused.error).toContain('it is not the file that the operations log has the digest of');
    }
  },
  patient(120_000),
);
