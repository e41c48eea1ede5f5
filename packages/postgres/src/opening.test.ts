import { expect, it } from 'vitest';
import { postgresEngine } from './index.js';

it('says what it waits for while nobody answers at the address [R10-PG-BAD-INPUT]', async () => {
  const notices: string[] = [];
  const opening = postgresEngine({
    url: 'postgres://ada:secret@127.0.0.1:1/runs',
    patienceMs: 1_500,
    onNotice: (text) => notices.push(text),
  });
  await expect(opening).rejects.toMatchObject({ code: 'STORAGE_BUSY' });
  expect(notices).toEqual([
    expect.stringMatching(/^PostgreSQL does not respond yet \(.*ECONNREFUSED.*\)\. Trying for up to 1\.5 seconds\.$/),
  ]);
  expect(notices[0]).not.toContain('secret');
});
