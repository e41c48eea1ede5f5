import { expect, it } from 'vitest';
import { optionsIn } from './address.js';

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
  expect(() => optionsIn('postgres://host/x?synchronous_commit=never')).toThrow('must be on, remote_write');
});
