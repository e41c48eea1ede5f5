import type { Say } from './check-fields.js';

/** A path that the instructions name, with its place in the body. */
interface Mention {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly kind: 'link' | 'mention';
}

const LINK = /!?\[[^\]\n]*\]\(\s*(?:<([^>\n]+)>|([^\s)]+))[^)\n]*\)/g;
const MENTION = /(?<![\p{L}\p{N}_/.:-])(?:scripts|references|assets)\/[\p{L}\p{N}_./-]*\.[\p{L}\p{N}]+/gu;
/** `https:`, `mailto:`, `//host` and a place in the page itself. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

/** Files that the instructions name have to be there: a link for certain, a path in the text most likely. */
export function checkReferences(
  body: { readonly text: string; readonly line: number },
  files: ReadonlySet<string>,
  say: Say,
): void {
  for (const { path, kind, line, column } of mentionsIn(body.text, body.line)) {
    const at = { line, column };
    if (path.startsWith('/') || path.split('/').includes('..')) {
      if (kind === 'link')
        say('error', at, `"${path}" leads out of the skill's folder. Name files by their path inside it.`);
      continue;
    }
    if (files.has(path) || isFolderOf(files, path)) continue;
    const advice = `Add the file, or correct the path; it begins at the folder of SKILL.md.`;
    say(kind === 'link' ? 'error' : 'warning', at, `"${path}" is named here, but there is no such file. ${advice}`);
  }
}

function isFolderOf(files: ReadonlySet<string>, path: string): boolean {
  const folder = path.endsWith('/') ? path : `${path}/`;
  return [...files].some((file) => file.startsWith(folder));
}

function mentionsIn(text: string, firstLine: number): readonly Mention[] {
  const found: Mention[] = [];
  let fence: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    found.push(...mentionsOn(line, fence !== undefined).map((each) => ({ ...each, line: firstLine + index })));
  }
  return found;
}

function mentionsOn(line: string, isCode: boolean): readonly Omit<Mention, 'line'>[] {
  // links inside code are examples of links
  const prose = isCode ? '' : line.replaceAll(/`[^`]*`/g, (code) => ' '.repeat(code.length));
  const links = [...prose.matchAll(LINK)].flatMap((match) => {
    const target = match[1] ?? match[2] ?? '';
    const path = pathOf(target);
    if (path === '' || ELSEWHERE.test(target)) return [];
    return [{ path, kind: 'link' as const, column: match.index + match[0].indexOf(target) + 1 }];
  });
  const linked = new Set(links.map(({ path }) => path));
  const mentions = [...line.matchAll(MENTION)].flatMap((match) =>
    linked.has(match[0]) ? [] : [{ path: match[0], kind: 'mention' as const, column: match.index + 1 }],
  );
  return [...links, ...mentions];
}

function pathOf(target: string): string {
  const bare = (target.split(/[?#]/)[0] ?? '').replace(/^\.\//, '');
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare; // a stray % is part of the name
  }
}
