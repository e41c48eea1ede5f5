import { describe, expect, it } from 'vitest';
import type { Entry, RunEvent } from '../core/events.js';
import { askStart, attemptStart, runStart } from '../views/fixtures.test-data.js';
import { Progress } from './progress.js';
import { screenOn } from './screen.js';

function fakeTerminal(options: { readonly isTTY?: boolean; readonly env?: Record<string, string> } = {}) {
  const written = { out: '', error: '' };
  const into = (stream: 'out' | 'error') => (text: string) => {
    written[stream] += text;
  };
  const streams = {
    out: { isTTY: options.isTTY ?? true, columns: 80, write: into('out') },
    error: { write: into('error') },
    env: options.env ?? {},
  };
  return { written, streams };
}

const COLOR = new RegExp(`${'\u001b'}\\[\\d+m`, 'g');

/** What a reader sees in the end: erased lines are gone. */
function visible(output: string): string {
  return output
    .split('\n')
    .map((line) => line.split('\u001b[2K').at(-1)?.replaceAll('\r', '') ?? '')
    .join('\n')
    .replaceAll(COLOR, '');
}

describe('the screen', () => {
  it('keeps the status line last while lines go by above it [R2-CLI-OUTPUT]', () => {
    const { written, streams } = fakeTerminal();
    const screen = screenOn(streams, false);
    screen.status('asking writer');
    screen.line('first');
    screen.line('second');
    expect(visible(written.out)).toBe('first\nsecond\nasking writer');
    screen.status('');
    expect(visible(written.out)).toBe('first\nsecond\n');
  });

  it.each([
    ['a pipe', { isTTY: false }],
    ['NO_COLOR', { env: { NO_COLOR: '1' } }],
    ['a dumb terminal', { env: { TERM: 'dumb' } }],
  ])('writes no escape sequence to %s [R2-CLI-OUTPUT]', (_, options) => {
    const { written, streams } = fakeTerminal(options);
    const screen = screenOn(streams, false);
    screen.status('asking');
    screen.line(screen.paint('red', 'text'));
    expect(written.out).toBe('text\n');
  });

  it('writes JSON or lines, never both [R2-CLI-OUTPUT]', () => {
    const { written, streams } = fakeTerminal();
    const json = screenOn(streams, true);
    json.line('for people');
    json.data({ for: 'programs' });
    expect(written.out).toBe('{"for":"programs"}\n');
    screenOn(streams, false).data({ never: true });
    expect(written.out).toBe('{"for":"programs"}\n');
  });

  it('writes JSON that steers no terminal [R8-TRIAL3-A12]', () => {
    const { written, streams } = fakeTerminal();
    screenOn(streams, true).data({ said: 'a\u009b2J\u202e\u2028\u007f' });
    expect(written.out).toBe('{"said":"a\\u009b2J\\u202e\\u2028\\u007f"}\n');
  });
});

describe('progress on a terminal', () => {
  it('says what the run does now and what it has spent [R2-CLI-OUTPUT]', () => {
    const { written, streams } = fakeTerminal();
    const progress = new Progress(screenOn(streams, false), 'r1');
    const events: RunEvent[] = [runStart(), attemptStart(1), askStart('#0', { session: 'writer' })];
    for (const [seq, event] of events.entries())
      progress.happened({ generation: 0, seq, at: seq, activeMs: 0, event } as Entry);
    const last = visible(written.out).split('\n').at(-1);
    expect(last).toContain('asking writer');
    progress.stop();
    expect(visible(written.out).split('\n').at(-1)).toBe('');
  });
});
