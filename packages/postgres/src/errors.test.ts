import { describe, expect, it } from 'vitest';
import { isLost, isRefused, servingError, storageError, uncertain } from './errors.js';

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

  it('what is wrong with the address while the engine serves is no fault of whoever asks [R10-PG-SERVING-ERRORS]', () => {
    for (const code of ['26000', '42P05', '28P01', '3D000', 'IGNORES_SETTINGS']) {
      expect(storageError(thrown({ code }))).toMatchObject({ code: 'CONFIG_INVALID' });
      expect(servingError(thrown({ code }))).toMatchObject({ code: 'STORAGE_FAILED' });
      expect(servingError(thrown({ code })).message).toBe(storageError(thrown({ code })).message);
    }
    expect(servingError(thrown({ code: 'ECONNRESET' }))).toMatchObject({ code: 'STORAGE_BUSY', retryable: true });
  });

  it.each([
    ['ERR_TLS_CERT_ALTNAME_INVALID', /is for another host name .*Connect with a host name/],
    ['CERT_HAS_EXPIRED', /is not valid at this time .*Renew it/],
    ['CERT_NOT_YET_VALID', /is not valid at this time .*the clock of this machine/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /cannot be verified .*Add the certificate of its authority/],
  ])('a certificate that is refused with %s is answered with what helps [R19-PG-CERTIFICATES]', (code, says) => {
    expect(storageError(thrown({ code }))).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(says),
    });
    expect(isRefused(thrown({ code }))).toBe(true);
  });

  it.each(['25P03', '25P04'])(
    'a connection that the server ends by a timeout of its own is lost: %s [R19-PG-TIMEOUTS]',
    (code) => {
      expect(isLost(thrown({ code, severity: 'FATAL' }))).toBe(true);
      expect(isLost(thrown({ code: '25P02' }))).toBe(false); // in a transaction that has failed
    },
  );

  it('a server that stops may have written what was sent [R10-PG-LOST-ANSWERS]', () => {
    const full = { code: '53100', severity: 'ERROR' };
    expect(isLost(thrown(full))).toBe(false);
    expect(isLost(thrown({ ...full, severity: 'PANIC' }))).toBe(true);
    expect(uncertain('r', thrown({ ...full, severity: 'PANIC' })).message).toContain('its disk is full (said)');
    expect(uncertain('r', thrown({ severity: 'PANIC' })).message).toMatch(/^PostgreSQL stopped \(said\)/);
    expect(uncertain('r', thrown({ code: '08006' }))).toMatchObject({ code: 'STORAGE_UNCERTAIN' });
  });
});
