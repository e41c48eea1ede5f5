import { describe, expect, it } from 'vitest';
import { isAddress, withoutPassword } from './database-address.js';
import { filesOf, placeOf } from './place.js';

describe('the address of a database', () => {
  it('is told from a path [R10-WORK-DB]', () => {
    for (const address of ['postgres://ada@host/runs', 'postgresql://host', 'POSTGRES://host/x'])
      expect(isAddress(address)).toBe(true);
    for (const path of ['runs.db', '/var/lib/flyball/flyball.db', './postgres:/x', 'c://runs.db', 'postgres:runs'])
      expect(isAddress(path)).toBe(false);
  });

  it('is shown without its password, wherever that stands [R10-WORK-DB]', () => {
    expect(withoutPassword('postgres://ada:se:cr@et@host:5432/runs?sslmode=require')).toBe(
      'postgres://ada@host:5432/runs?sslmode=require',
    );
    expect(withoutPassword('postgres://host/runs?user=ada&password=secret&sslpassword=secret')).toBe(
      'postgres://host/runs?user=ada',
    );
    expect(withoutPassword('postgres://host/runs')).toBe('postgres://host/runs');
    expect(withoutPassword('postgres://ada:secret@one,two/runs')).toBe('postgres://ada@one,two/runs');
  });

  it('is a place without files, whose commands can be pasted and shown [R10-WORK-DB]', () => {
    const place = placeOf('postgres://ada:secret@host/runs', {});
    expect(place).toMatchObject({ database: 'postgres://ada@host/runs', address: 'postgres://ada:secret@host/runs' });
    expect(place.command('show', 'x')).toBe('flyball show x --db postgres://ada@host/runs');
    expect(filesOf(place)).toEqual([]);
    expect(placeOf(undefined, { FLYBALL_DB: 'postgres://host/runs' }).command('runs')).toBe('flyball runs');
    expect(placeOf('runs.db', {})).not.toHaveProperty('address');
  });
});
