import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, sha256 } from '../core/canonical.js';
import { auditDigests, auditLines, auditLinesOfRemoved, verifyAudit } from './audit.js';
import { purchase } from './fixtures.test-data.js';

const entries = purchase({ crash: true });
const lines = auditLines('r1', entries);

function without(index: number): string[] {
  return lines.filter((_line, at) => at !== index);
}

describe('audit', () => {
  it('holds every entry in order, and verifies [R2-VIEW-AUDIT]', () => {
    expect(verifyAudit(lines)).toMatchObject({ ok: true, count: entries.length, run: 'r1' });
    const stored = lines.slice(1, -1).map((line) => (JSON.parse(line) as { entry: unknown }).entry);
    expect(stored).toEqual(entries);
  });

  it('verifies as the lines of a file, which ends in a newline', () => {
    expect(verifyAudit(`${lines.join('\n')}\n`.split('\n'))).toMatchObject({ ok: true });
  });

  it('is the same text for the same journal', () => {
    expect(auditLines('r1', purchase({ crash: true }))).toEqual(lines);
  });

  it('finds an altered line, wherever a character was changed [R2-VIEW-AUDIT] [V14.7]', () => {
    fc.assert(
      fc.property(
        fc.nat(lines.length - 1),
        fc.nat(),
        fc.constantFrom('0', 'x', ' ', '"'),
        (index, place, character) => {
          const line = lines[index] ?? '';
          const at = place % line.length;
          fc.pre(line[at] !== character);
          const altered = line.slice(0, at) + character + line.slice(at + 1);
          const verdict = verifyAudit(lines.map((text, of) => (of === index ? altered : text)));
          expect(verdict).toMatchObject({ ok: false, line: index + 1 });
        },
      ),
    );
  });

  it('finds a character that was added, even where JSON would not mind it', () => {
    const spaced = lines.map((line, index) => (index === 2 ? line.replace(':', ': ') : line));
    expect(verifyAudit(spaced)).toMatchObject({ ok: false, line: 3 });
  });

  it('finds a closing line that counts wrongly, although its own hash fits', () => {
    const { hash: _hash, ...closing } = JSON.parse(lines.at(-1) ?? '') as { hash: string; count: number };
    const forged = { ...closing, count: closing.count - 1 };
    const line = canonicalJson({ ...forged, hash: sha256(canonicalJson(forged)) });
    expect(verifyAudit([...lines.slice(0, -1), line])).toMatchObject({ ok: false, line: lines.length });
  });

  it('finds a line whose hash was made to fit again', () => {
    const forged = auditLines(
      'r1',
      entries.map((entry, index) => (index === 4 ? { ...entry, at: 0 } : entry)),
    );
    const spliced = lines.map((line, index) => (index === 5 ? (forged[5] ?? '') : line));
    expect(verifyAudit(spliced)).toMatchObject({ ok: false, line: 7 }); // the line after it no longer follows
  });

  it('finds any removed line, the last ones included [R2-VIEW-AUDIT] [V14.7]', () => {
    for (let index = 0; index < lines.length; index++) {
      expect(verifyAudit(without(index))).toMatchObject({ ok: false, line: index + 1 });
    }
    for (let kept = 0; kept < lines.length; kept++) expect(verifyAudit(lines.slice(0, kept)).ok).toBe(false);
    expect(verifyAudit(lines.slice(0, 5))).toEqual({ ok: false, line: 6, why: expect.stringContaining('cut off') });
  });

  it('finds inserted, repeated and reordered lines [R2-VIEW-AUDIT]', () => {
    const line = lines[3] ?? '';
    expect(verifyAudit([...lines.slice(0, 4), line, ...lines.slice(4)])).toMatchObject({ ok: false, line: 5 });
    expect(verifyAudit([...lines.slice(0, 4), '', ...lines.slice(4)])).toMatchObject({ ok: false, line: 5 });
    const swapped = [...lines];
    [swapped[3], swapped[4]] = [lines[4] ?? '', lines[3] ?? ''];
    expect(verifyAudit(swapped)).toMatchObject({ ok: false, line: 4 });
  });

  it('finds lines after the end, and an end moved forward', () => {
    expect(verifyAudit([...lines, lines[2] ?? ''])).toMatchObject({ ok: false, line: lines.length + 1 });
    const shorter = auditLines('r1', entries.slice(0, 3));
    expect(verifyAudit([...lines.slice(0, 4), lines.at(-1) ?? ''])).toMatchObject({ ok: false, line: 5 });
    expect(verifyAudit([...shorter, ...lines.slice(5)])).toMatchObject({ ok: false, line: 6 });
  });

  it('finds lines of another run', () => {
    const other = auditLines('r2', entries);
    expect(verifyAudit(lines.map((line, index) => (index === 2 ? (other[2] ?? '') : line)))).toMatchObject({
      ok: false,
      line: 3,
    });
  });

  it('closes an empty journal too, and refuses an empty file', () => {
    expect(verifyAudit(auditLines('r1', []))).toMatchObject({ ok: true, count: 0 });
    expect(verifyAudit([])).toMatchObject({ ok: false, line: 1 });
  });

  it('has the same head when only the digests of its entries are left [R8-OPS-ERASE]', () => {
    const removed = { action: 'erase', at: 1, by: 'operator' };
    const { digests, head } = auditDigests('r1', entries);
    const left = auditLinesOfRemoved('r1', digests, removed);
    expect(verifyAudit(left)).toEqual({ ok: true, count: entries.length, run: 'r1', head, removed });
    expect(verifyAudit(lines)).toMatchObject({ ok: true, head });
    expect(left.join()).not.toContain('"event"');
    const changed = digests.map((digest, at) => (at === 3 ? digest.replace(/^./, '0') : digest));
    const other = verifyAudit(auditLinesOfRemoved('r1', changed, removed));
    if (changed[3] !== digests[3]) expect(other.ok && other.head).not.toBe(head);
  });

  it('finds content that somebody took out of a line without saying so [R8-OPS-ERASE]', () => {
    const { entry: _entry, ...rest } = JSON.parse(lines[4] ?? '') as Record<string, unknown>;
    const without5 = lines.map((line, at) => (at === 4 ? canonicalJson(rest) : line));
    expect(verifyAudit(without5)).toEqual({ ok: false, line: 5, why: expect.stringContaining('taken out') });
  });
});
