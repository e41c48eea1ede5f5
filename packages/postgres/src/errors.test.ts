import { describe, expect, it } from 'vitest';
import { isLost, isRefused, storageError, uncertain } from './errors.js';

const thrown = (given: object): Error => Object.assign(new Error('said'), given);

describe('what the driver throws', () => {
  it('a connection that is reset while it is read is lost, and is no file that cannot be read [R10-PG-LOST-ANSWERS]', () => {
    const reset = thrown({ code: 'ECONNRESET', syscall: 'read' });
    expect([isLost(reset), isRefused(reset)]).toEqual([true, false]);
    expect(storageError(reset)).toMatchObject({ code: 'STORAGE_BUSY' });
    for (const missing of [
      { code: 'ENOENT', syscall: 'open' },
      { code: 'EISDIR', syscall: 'read' },
    ]) {
      expect([isLost(thrown(missing)), isRefused(thrown(missing))]).toEqual([false, true]);
      expect(storageError(thrown(missing))).toMatchObject({ code: 'CONFIG_INVALID' });
    }
  });

  it('a server that stops may have written what was sent [R10-PG-LOST-ANSWERS]', () => {
    const full = { code: '53100', severity: 'ERROR' };
    expect(isLost(thrown(full))).toBe(false);
    expect(isLost(thrown({ ...full, severity: 'PANIC' }))).toBe(true);
    expect(uncertain('r', thrown({ ...full, severity: 'PANIC' })).message).toContain('its disk is full (said)');
    expect(uncertain('r', thrown({ severity: 'PANIC' })).message).toMatch(/^PostgreSQL stopped \(said\)/);
    expect(uncertain('r', thrown({ code: '08006' }))).toMatchObject({ code: 'STORAGE_UNCERTAIN' });
  });
});
