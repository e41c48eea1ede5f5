/**
 * A tool as a skill names it: `Read`, or `Bash(git:*)` for some of its calls only. The part in parentheses is a command
 * (`git status`, `git:*` for all that begin so), a path glob (`docs/**`), or `domain:` with a host.
 */
export interface ToolPattern {
  readonly text: string;
  readonly tool: string;
  readonly argument?: string;
}

export type ReadPattern =
  | { readonly ok: true; readonly pattern: ToolPattern }
  | { readonly ok: false; readonly problem: string };

const LONGEST = 300;

/** Parses a pattern such as `Bash(git:*)`. */
export function toolPattern(text: string): ReadPattern {
  if (text.length > LONGEST) return { ok: false, problem: `is longer than ${LONGEST} characters` };
  const [, tool, inside] = /^([\p{L}_][\p{L}\p{N}_.-]*\*?)(?:\((.*)\))?$/su.exec(text) ?? [];
  if (tool === undefined)
    return { ok: false, problem: `"${text}" names no tool; write a name such as Read, or Bash(git:*) for some calls` };
  if (inside === undefined) return { ok: true, pattern: { text, tool } };
  const argument = inside.trim();
  if (argument === '')
    return { ok: false, problem: `"${text}" says nothing in its parentheses; write ${tool}, or ${tool}(git:*)` };
  return { ok: true, pattern: { text, tool, argument } };
}

/** A tool pattern, and where it is in the file. */
export interface ListedPattern {
  readonly text: string;
  /** Where it begins in the list. */
  readonly at: number;
}

/** The entries of a list with spaces between them; a space inside parentheses belongs to its entry. */
export function splitPatterns(list: string): readonly ListedPattern[] {
  const found: ListedPattern[] = [];
  let depth = 0;
  let from = -1;
  for (let at = 0; at <= list.length; at++) {
    const sign = list[at];
    const isGap = sign === undefined || (depth <= 0 && /\s/.test(sign));
    if (isGap) {
      if (from >= 0) found.push({ text: list.slice(from, at), at: from });
      from = -1;
      continue;
    }
    if (from < 0) from = at;
    if (sign === '(') depth++;
    if (sign === ')') depth--;
  }
  return found;
}
