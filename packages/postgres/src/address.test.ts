import { expect, it } from 'vitest';
import { optionsIn } from './address.js';
import { settle } from './options.js';

it('an address sets options of the engine, and leaves the others to the driver [R10-WORK-DB]', () => {
  expect(optionsIn('postgres://ada:p%40ss@host/runs?sslmode=require&schema=agents&replicated=true')).toEqual({
    url: ['postgres://ada:p%40ss@host/runs?sslmode=require'],
    schema: 'agents',
    replicated: true,
  });
  expect(optionsIn('postgresql://ada@one:5433,two/runs?pooled=false')).toEqual({
    url: ['postgresql://ada@one:5433/runs', 'postgresql://ada@two/runs'],
    pooled: false,
  });
  expect(optionsIn('postgres://host')).toEqual({ url: ['postgres://host'] });
  expect(() => optionsIn('postgres://host/x?replicated=yes')).toThrow('must be true or false');
  expect(() => optionsIn('postgres://host/x?synchronous_commit=never')).toThrow('must be one of on, remote_write');
  expect(() => optionsIn('postgres://host/x?schema=%')).toThrow('write % as %25');
});

it('an address sets connections and timeouts, and code takes precedence over it [R10-PG-ADDRESS]', () => {
  const address = 'postgres://host/x?writers=4&readers=8&statement_timeout=5000&patience_ms=9000&connect_timeout=3';
  expect(optionsIn(address)).toEqual({
    url: ['postgres://host/x?connect_timeout=3'],
    connections: { writers: 4, readers: 8 },
    statementMs: 5_000,
    patienceMs: 9_000,
  });
  expect(settle({ url: `${address}&schema=agents&replicated=true`, connections: { readers: 3 } })).toMatchObject({
    urls: ['postgres://host/x?connect_timeout=3'],
    schema: 'agents',
    replicated: true,
    writers: 4,
    readers: 3,
    statementMs: 5_000,
  });
  expect(() => optionsIn('postgres://host/x?writers=none')).toThrow('must be a whole number above 0');
});

it('a parameter that is misspelled, or that nobody knows, is refused by name [R10-PG-ADDRESS]', () => {
  const refused = (url: string) => () => settle({ url });
  expect(refused('postgres://host/x?replicted=true')).toThrow('replicted. Did you mean replicated?');
  expect(refused('postgres://host/x?pgbouncer=true')).toThrow('write pooled=true');
  expect(refused('postgres://host/x?sslmode=require&channel_binding=require')).not.toThrow();
});

it('an address that cannot be read is refused without showing its password [R10-PG-ADDRESS]', () => {
  expect(() => settle({ url: 'postgres://ada:pa#ss@host/x' })).toThrow(/(?=.*# is %23)(?!.*pa#ss)/);
  expect(() => settle({ url: 'postgres://ada@/x?host=/run/postgresql' })).not.toThrow();
});

it('a port that is none is refused as that, and nothing that may be a password is taken for one [R19-PG-WORDS]', () => {
  const refused = (url: string) => () => settle({ url });
  for (const place of ['ada@host:99999/x', 'host:0', 'ada:pw@host:54x2/x', '[::1]:70000/x', 'one:5432,two:99999/x'])
    expect(refused(`postgres://${place}`), place).toThrow(
      /^The port in the address of PostgreSQL must be a number from/,
    );
  for (const place of ['ada@host:5432/x', '[::1]:5432/x', '[::1]/x', 'ada:p%40w@host', 'ada@/x?host=/run/postgresql'])
    expect(refused(`postgres://${place}`), place).not.toThrow();
  expect(refused('postgres://ada:123456#x@host/x')).toThrow('Encode special characters');
});

it('with a question mark in its password is refused, and not shown [R10-WORK-DB-SLIPS]', () => {
  for (const slip of ['postgres://u:SECR?ETpw@h/db', 'postgres://u:SECR?ET=pw@h/db', 'postgres://u:S@R?ET=pw@h/db']) {
    expect(() => optionsIn(slip)).toThrow('? is %3F');
    expect(() => optionsIn(slip)).toThrow(expect.not.objectContaining({ message: expect.stringMatching(/SECR|ET/) }));
  }
});
