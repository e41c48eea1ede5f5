import { expect, it } from 'vitest';
import { screenOn } from '../../../../flyball/src/cli/screen.js';
import { requestLog } from './request-log.js';

it('writes each problem as one line that the terminal only shows, whatever is in its words [R6-CLI-SERVE]', () => {
  let written = '';
  const write = (text: string): void => {
    written += text;
  };
  const stream = { isTTY: false, columns: 80, write };
  const log = requestLog(screenOn({ out: stream, error: stream, env: {} }, false), { level: 'info', now: () => 0 });
  log.error('request failed', new Error('no\n\u001b[2J  200 getHealth'), { run: 'a\r\nb' });
  log.warn('a hook was called', { trigger: 'x\u001b]0;y' });
  expect(written.trimEnd().split('\n')).toHaveLength(2);
  expect(written).not.toContain('\u001b');
});

it('writes a problem whose message says everything without words in front of it [R19-RESTATE-LOG]', () => {
  let written = '';
  const write = (text: string): void => {
    written += text;
  };
  const stream = { isTTY: false, columns: 80, write };
  const given = { level: 'info', now: () => 0 } as const;
  requestLog(screenOn({ out: stream, error: stream, env: {} }, false), given).error('', new Error('It waits.'));
  expect(written).toBe('  It waits.\n');
  written = '';
  requestLog(screenOn({ out: stream, error: stream, env: {} }, true), given).error('', new Error('It waits.'));
  expect(JSON.parse(written)).toMatchObject({ level: 'error', error: 'It waits.' });
  expect(JSON.parse(written)).not.toHaveProperty('what');
});
