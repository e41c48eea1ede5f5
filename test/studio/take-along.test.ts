import { describe, expect, it } from 'vitest';
import type { Entry } from '../../packages/flyball/src/core/events.js';
import { toolsText } from '../../packages/studio/src/agents/tools-text.js';
import { fileNameFor, journalText } from '../../packages/studio/src/run/export-run.js';

describe('the export of a run', () => {
  it('is its journal, one entry a line, under a name that every file system takes [F-D7]', () => {
    const entries = [0, 1].map(
      (seq) =>
        ({
          generation: 0,
          seq,
          at: 1,
          activeMs: 0,
          event: { type: 'note', note: { text: 'a\nb' } },
        }) as unknown as Entry,
    );
    const lines = journalText(entries).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(entries);
    expect(fileNameFor('run_1')).toBe('run_1.jsonl');
    expect(fileNameFor('../etc/pass wd')).toBe('etc-pass-wd.jsonl');
    expect(fileNameFor('///')).toBe('run.jsonl');
  });
});

describe('the tools of an agent', () => {
  it('are none only where that is known [F-D7]', () => {
    expect(toolsText([])).toBe('none');
    expect(toolsText(['look_up', 'pay'])).toBe('look_up, pay');
    expect(toolsText(undefined)).toBe('chosen by its code');
  });
});
