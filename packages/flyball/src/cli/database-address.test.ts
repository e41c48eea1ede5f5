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

  it('with a slip in it is neither a file nor shown [R10-WORK-DB-SLIPS]', () => {
    for (const slip of [
      ' postgres://ada:SECRET@host/runs',
      'postgres:/ada:SECRET@host/runs',
      'postgres//ada:SECRET@host/runs',
      'postgres:ada:SECRET@host/runs',
      '"postgres://ada:SECRET@host/runs"',
      'FLYBALL_DB=postgres://ada:SECRET@host/runs',
      'ada:SECRET@host/runs',
      'postgres://ada:SECR?ETpw@host/runs',
      'postgres://ada:SECR?ET=pw@host/runs',
    ]) {
      const refused = () => placeOf(slip, {});
      expect(refused, slip).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
      expect(refused, slip).toThrow(expect.not.objectContaining({ message: expect.stringMatching(/SECR|ET/) }));
      expect(withoutPassword(slip.trim()), slip).not.toMatch(/^postgres:\/\/.*(?:SECR|ET)/);
    }
    for (const path of ['./postgres:/x', 'postgres/runs.db', 'c://runs.db', 'C:\\data\\runs.db', '/var/a:b@c/runs.db'])
      expect(placeOf(path, {}), path).not.toHaveProperty('address');
    expect(placeOf('postgres://host/runs?user=ada@corp', {})).toHaveProperty('address');
    expect(withoutPassword('postgres://a:b@c?ET=pw@host/runs')).not.toContain('ET');
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
