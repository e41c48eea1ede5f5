import { expect, it, onTestFinished, vi } from 'vitest';
import { type PostgresOptions, postgresEngine } from './index.js';

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

it('verifies certificates in the modes that verify, without the warning of the driver about them [R19-PG-TLS-WARNING]', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
  onTestFinished(() => warned.mockRestore());
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    const url = `postgres://ada@127.0.0.1:1/runs?sslmode=${mode}`;
    await expect(postgresEngine({ url, patienceMs: 1 })).rejects.toMatchObject({ code: 'STORAGE_BUSY' });
  }
  expect(warned).not.toHaveBeenCalled();
});

it.each([
  ['tls', 'yes', /^tls must be true, false or an object such as \{ ca \}, not "yes"\. .*sslmode=verify-full/],
  ['tls', null, /^tls must be true, false or an object/],
  ['tls', ['ca.pem'], /^tls must be true, false or an object/],
  ['schema', ['runs'], /^schema must be a name in quotes/],
  ['schema', 5, /^schema must be a name in quotes/],
  ['connections', null, /^connections takes an object/],
  ['connections', 3, /^connections takes an object/],
  ['connections', { writers: '2' }, /^writers must be a whole number above 0/],
  ['replicated', 'yes', /^replicated must be true or false/],
  ['pooled', 1, /^pooled must be true or false/],
  ['synchronousCommit', true, /^synchronousCommit must be one of on, remote_write/],
  ['statementMs', '30s', /^statementMs must be a whole number/],
  ['patienceMs', Number.NaN, /^patienceMs must be a whole number/],
  ['pollMs', 0, /^pollMs must be a whole number/],
  ['leaseClock', 'mine', /^leaseClock must be database or caller/],
  ['onNotice', 'stderr', /^onNotice must be a function/],
  ['url', { host: 'here' }, /^postgresEngine needs a url/],
])('refuses %s: %j before it connects anywhere [R19-PG-OPTIONS]', async (name, value, says) => {
  const options = { url: 'postgres://ada@127.0.0.1:1/runs', patienceMs: 1, [name]: value } as PostgresOptions;
  await expect((async () => postgresEngine(options))()).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(says),
  });
});
