import { canonicalJson, sha256 } from '../core/canonical.js';
import type { Entry } from '../core/events.js';

/**
 * The journal as lines of JSON, each holding the hash of the one before, so that a line altered, removed, inserted or
 * moved is found, and a closing line with count and head, so that a removed tail is found too.
 *
 * Whoever can rewrite the whole file can write a new chain: keep the head hash of the closing line somewhere else.
 */
const FORMAT = 'flyball-audit/1';

type Line =
  | { readonly kind: 'open'; readonly n: number; readonly prev: string; readonly format: string; readonly run: string }
  | { readonly kind: 'entry'; readonly n: number; readonly prev: string; readonly entry: Entry }
  | {
      readonly kind: 'close';
      readonly n: number;
      readonly prev: string;
      readonly count: number;
      readonly head: string;
    };

export type AuditVerdict =
  | { readonly ok: true; readonly count: number; readonly run: string; readonly head: string }
  /** `line` counts from 1; one past the end where something is missing there. */
  | { readonly ok: false; readonly line: number; readonly why: string };

export function auditLines(runId: string, entries: readonly Entry[]): string[] {
  const lines: string[] = [];
  let prev = '';
  const write = (line: Line): void => {
    const hash = sha256(canonicalJson(line));
    lines.push(canonicalJson({ ...line, hash }));
    prev = hash;
  };
  write({ kind: 'open', n: 0, prev, format: FORMAT, run: runId });
  for (const { generation, seq, at, activeMs, event } of entries) {
    write({ kind: 'entry', n: lines.length, prev, entry: { generation, seq, at, activeMs, event } });
  }
  write({ kind: 'close', n: lines.length, prev, count: entries.length, head: prev });
  return lines;
}

export function verifyAudit(lines: readonly string[]): AuditVerdict {
  const given = lines.at(-1) === '' ? lines.slice(0, -1) : lines; // a file ends in a newline
  let prev = '';
  let run = '';
  for (const [index, text] of given.entries()) {
    const wrong = (why: string): AuditVerdict => ({ ok: false, line: index + 1, why });
    const line = parsed(text);
    if (line === undefined) return wrong('it is not a line of an audit file');
    const { hash, ...content } = line;
    if (sha256(canonicalJson(content)) !== hash || canonicalJson(line) !== text)
      return wrong('its content was altered');
    if (line['n'] !== index)
      return wrong(`it is number ${String(line['n'])} where ${index} belongs: lines were removed, inserted or moved`);
    if (line['prev'] !== prev) return wrong('it does not follow the line before it: one of the two was replaced');
    if ((index === 0) !== (line['kind'] === 'open')) return wrong('the file does not begin where an audit begins');
    if (index === 0) {
      if (line['format'] !== FORMAT)
        return wrong(`its format is ${String(line['format'])}, this version reads ${FORMAT}`);
      run = String(line['run']);
    }
    if (line['kind'] === 'close') {
      if (line['count'] !== index - 1 || line['head'] !== prev)
        return wrong('its count or head is not that of the lines before it');
      if (index < given.length - 1) return { ok: false, line: index + 2, why: 'it stands after the closing line' };
      return { ok: true, count: index - 1, run, head: prev };
    }
    prev = hash;
  }
  return { ok: false, line: given.length + 1, why: 'the closing line is missing: the end of the file was cut off' };
}

function parsed(text: string): (Record<string, unknown> & { readonly hash: string }) | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
    return typeof (value as { hash?: unknown }).hash === 'string'
      ? (value as Record<string, unknown> & { hash: string })
      : undefined;
  } catch {
    return undefined; // text that is no JSON is answered like any other line that is not ours
  }
}
