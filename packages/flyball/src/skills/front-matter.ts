/** SKILL.md cut in two, with the lines on which each part begins. */
export type SplitSkill =
  | {
      readonly ok: true;
      readonly yaml: string;
      /** Offset of the YAML in the text. */
      readonly yamlAt: number;
      readonly body: string;
      /** Line on which the body begins, from 1. */
      readonly bodyLine: number;
    }
  | { readonly ok: false; readonly line: number; readonly problem: string };

const FENCE = '---';

/**
 * Cuts at the two lines that hold nothing but `---`. The first has to be the first line of the file: other tools look
 * for it nowhere else. Line ends of both kinds are read.
 */
export function splitSkill(text: string): SplitSkill {
  const lines = linesOf(text);
  const [first] = lines;
  if (first === undefined || first.text.trimEnd() !== FENCE)
    return {
      ok: false,
      line: 1,
      problem:
        'the front matter is missing; let the file begin with a line "---", then name and description, then a line "---"',
    };
  const end = lines.findIndex(({ text: line }, index) => index > 0 && line.trimEnd() === FENCE);
  const close = lines[end];
  if (close === undefined)
    return {
      ok: false,
      line: lines.length,
      problem: 'the front matter does not end; write a line "---" between it and the instructions',
    };
  const yamlAt = lines[1]?.at ?? text.length;
  const bodyAt = lines[end + 1]?.at ?? text.length;
  return { ok: true, yaml: text.slice(yamlAt, close.at), yamlAt, body: text.slice(bodyAt), bodyLine: end + 2 };
}

interface Line {
  readonly text: string;
  readonly at: number;
}

export function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    lines.push({ text: line.endsWith('\r') ? line.slice(0, -1) : line, at });
    at += line.length + 1;
  }
  return lines;
}
