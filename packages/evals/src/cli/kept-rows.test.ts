import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { flyball } from '../../../../test/cli/in-process.js';
import { claimsNamed } from '../lab/registry.js';
import { type Row, runClaims } from '../lab/run-claims.js';
import { keptRows } from './kept-rows.js';

const folder = mkdtempSync(join(tmpdir(), 'flyball-lab-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const claims = claimsNamed(['O5-fair', 'V20-retries']);
const [fair, retries] = claims;
if (fair === undefined || retries === undefined) throw new Error('There are two claims.');

describe('a report that was interrupted', () => {
  it('goes on where it stopped, and leaves nothing behind [R13-LAB-5000]', async () => {
    const out = join(folder, 'page.md');
    const rows = join(folder, 'page.rows.jsonl');
    const [row] = await runClaims([fair], { items: 8, seed: 3 });
    const marked = { ...row, measured: { ...row?.measured, value: 0.123 } } as Row;
    keptRows(rows, { items: 8, seed: 3 }).keep({ ...marked, holds: true });
    writeFileSync(rows, `${readFileSync(rows, 'utf8')}{"id":"V20-retries","ho`); // cut in the middle of a line
    const words = ['lab', 'report', '--claims', 'O5-fair,V20-retries', '--items', '8', '--seed', '3', '--out', out];
    const { out: said, error } = await flyball(words);
    expect(error).toBe('');
    expect(said).toContain('1 of 2 claims were measured before.');
    const page = readFileSync(out, 'utf8');
    expect(page).toMatch(/O5-fair .*\| 0\.123 /);
    expect(page).toContain('| V20-retries (gains) |');
    expect(existsSync(rows)).toBe(false);
  });

  it('measures again what belongs to another seed, has changed since, or did not hold', async () => {
    const file = join(folder, 'kept.jsonl');
    const [row] = await runClaims([fair], { items: 8, seed: 3 });
    if (row === undefined) throw new Error('There is no row.');
    keptRows(file, { items: 8, seed: 3 }).keep({ ...row, holds: true });
    const again = () => keptRows(file, { items: 8, seed: 3 });
    expect(again().rowOf(fair)?.id).toBe('O5-fair');
    expect(again().rowOf(retries)).toBeUndefined();
    expect(again().rowOf({ ...fair, parameters: { ...fair.parameters, rounds: 9 } })).toBeUndefined();
    again().keep({ ...row, holds: false });
    expect(again().rowOf(fair)).toBeUndefined();
    expect(keptRows(file, { items: 8, seed: 4 }).rowOf(fair)).toBeUndefined();
  });
});

describe('a report that is joined', () => {
  it.each([
    ['no JSON', '{"rows": [', 'is not JSON'],
    ['other JSON', '{"name": "flyball"}', 'is not a report of the laboratory'],
    ['nothing', 'null', 'is not a report of the laboratory'],
    ['rows of something else', '{"rows": [{"id": 1}]}', 'is not a report of the laboratory'],
  ])('is refused in a sentence where a file holds %s', async (_what, text, says) => {
    const file = join(folder, 'other.json');
    writeFileSync(file, text);
    const { code, error } = await flyball(['lab', 'report', '--from', file]);
    expect([code, error]).toEqual([2, expect.stringContaining(`${file} ${says}. Pass files that`)]);
  });
});
