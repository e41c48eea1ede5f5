import { parsedUrl } from '../core/parsed-url.js';
import type { ToolRef, Touch } from '../core/tool.js';
import { type ProposedCall, proposedCall } from '../tools/governance/proposed-call.js';
import { matchesText } from '../tools/governance/text-glob.js';
import { parseCommandLine } from '../tools/rules/command-line.js';
import { matchesGlob, readGlob } from '../tools/rules/glob.js';
import type { ActiveSkill } from './active-skills.js';
import { ACTIVATE_SKILL, READ_SKILL_RESOURCE } from './skill.js';
import { type ToolPattern, toolPattern } from './tool-pattern.js';

/** What skills call a tool, and what it is called here. */
export type ToolAliases = Readonly<Record<string, readonly string[]>>;

/** The names that published skills use for what the toolbox has. */
export const TOOLBOX_ALIASES: ToolAliases = {
  Bash: ['shell'],
  Shell: ['shell'],
  Read: ['read_file'],
  Write: ['write_file'],
  Edit: ['edit_file'],
  MultiEdit: ['edit_file'],
  Glob: ['list_files'],
  LS: ['list_files'],
  Grep: ['search_files'],
  WebFetch: ['web_fetch'],
};

/** Working with skills is taken away by no list of what is allowed, only by name. */
const ALWAYS: readonly string[] = [ACTIVATE_SKILL, READ_SKILL_RESOURCE];

/** How patterns are matched with tools. */
export interface NarrowOptions {
  readonly aliases?: ToolAliases;
  /** Tools that no list takes away, such as those of the loop itself. */
  readonly always?: readonly string[];
}

/** Whether active skills allow a call. */
export type Narrowed = { readonly ok: true } | { readonly ok: false; readonly skill: string; readonly why: string };

/**
 * Whether active skills leave a call: each of those that name tools has to allow it, and none may disallow it. Skills
 * that name none allow all, so without such a list everything stays allowed.
 */
export function callAllowed(active: readonly ActiveSkill[], call: ProposedCall, options: NarrowOptions = {}): Narrowed {
  const { name } = call.tool;
  for (const skill of active) {
    const against = skill.disallowed.find((text) => matchesCall(text, call, options));
    if (against !== undefined)
      return { ok: false, skill: skill.name, why: `The skill ${skill.name} does not allow ${against}.` };
    if (skill.allowed === undefined || isAlways(name, options)) continue;
    if (!allowsAll(skill.allowed, call, options))
      return {
        ok: false,
        skill: skill.name,
        why: `The skill ${skill.name} allows only ${skill.allowed.join(', ') || 'no tools'}.`,
      };
  }
  return { ok: true };
}

/** The tools of which active skills leave at least some calls: what is still worth offering. */
export function narrowTools<T extends Pick<ToolRef, 'name'>>(
  tools: readonly T[],
  active: readonly ActiveSkill[],
  options: NarrowOptions = {},
): readonly T[] {
  return tools.filter(({ name }) =>
    active.every(({ allowed, disallowed }) => {
      const taken = disallowed.some((text) => {
        const pattern = patternOf(text);
        return pattern.argument === undefined && namesTool(pattern, name, options);
      });
      const left =
        allowed === undefined ||
        isAlways(name, options) ||
        allowed.some((text) => namesTool(patternOf(text), name, options));
      return left && !taken;
    }),
  );
}

/** Whether a pattern is about this call. Throws where the tool cannot say what the call touches. */
export function patternMatches(text: string, tool: ToolRef, args: unknown, options: NarrowOptions = {}): boolean {
  return matchesCall(text, proposedCall(tool, args), options);
}

function isAlways(name: string, { always = [] }: NarrowOptions): boolean {
  return ALWAYS.includes(name) || always.includes(name);
}

function patternOf(text: string): ToolPattern {
  const read = toolPattern(text);
  return read.ok ? read.pattern : { text, tool: text };
}

/** Aliases in whatever case they are written: `bash` that is disallowed and stops nothing would be worse than none. */
function namesTool({ tool }: ToolPattern, name: string, { aliases = TOOLBOX_ALIASES }: NarrowOptions): boolean {
  const lower = tool.toLowerCase();
  const meant = Object.entries(aliases).flatMap(([alias, known]) => (alias.toLowerCase() === lower ? known : []));
  return [tool, ...meant].some((known) => matchesText(known, name));
}

/** Every part of what the call touches has to be allowed by one of the patterns. */
function allowsAll(patterns: readonly string[], call: ProposedCall, options: NarrowOptions): boolean {
  const about = patterns.map(patternOf).filter((pattern) => namesTool(pattern, call.tool.name, options));
  if (about.some(({ argument }) => argument === undefined || argument === '*')) return true;
  const parts = partsOf(call.touch);
  // a call of which nothing is known can only be allowed as a whole
  return parts.length > 0 && parts.every((part) => about.some(({ argument }) => covers(argument ?? '*', part)));
}

/** One part of the call is enough. What cannot be read counts as meant: this is asked to forbid and to ask. */
function matchesCall(text: string, call: ProposedCall, options: NarrowOptions): boolean {
  const pattern = patternOf(text);
  if (!namesTool(pattern, call.tool.name, options)) return false;
  const { argument } = pattern;
  if (argument === undefined || argument === '*') return true;
  const parts = partsOf(call.touch);
  return parts.length === 0 || parts.some((part) => part.kind === 'unread' || covers(argument, part));
}

type Part =
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | { readonly kind: 'path' | 'url'; readonly text: string }
  /** A command line that has more than one reading. */
  | { readonly kind: 'unread' };

function partsOf({ commands = [], reads = [], writes = [], urls = [] }: Touch): readonly Part[] {
  return [
    ...commands.flatMap(commandParts),
    ...[...reads, ...writes.map(({ path }) => path)].map((text) => ({ kind: 'path' as const, text })),
    ...urls.map((text) => ({ kind: 'url' as const, text })),
  ];
}

/** Each command of a line by itself: `git status | sh` is two of them. */
function commandParts(command: string | readonly string[]): readonly Part[] {
  if (typeof command !== 'string') return [{ kind: 'command', words: command }];
  const parsed = parseCommandLine(command);
  if (!parsed.ok) return [{ kind: 'unread' }];
  return parsed.commands.map(({ words, assignments, redirections }) =>
    assignments.length > 0 || redirections.length > 0 || words.some(({ opaque }) => opaque)
      ? { kind: 'unread' }
      : { kind: 'command', words: words.map(({ text }) => text) },
  );
}

function covers(argument: string, part: Part): boolean {
  switch (part.kind) {
    case 'unread':
      return false;
    case 'command':
      return coversCommand(argument, part.words);
    case 'path':
      return coversPath(argument, part.text);
    case 'url':
      return coversUrl(argument, part.text);
  }
}

/** `git:*` is git with whatever follows, `git status` is that command and no other. Compared word by word. */
function coversCommand(argument: string, words: readonly string[]): boolean {
  const open = /(?::\*|\s+\*)$/.exec(argument);
  const wanted = (open === null ? argument : argument.slice(0, open.index)).trim().split(/\s+/);
  if (open === null && wanted.length !== words.length) return false;
  return wanted.every((word, index) => words[index] === word);
}

/** Tools name what they touch by its full path: a glob that begins nowhere may begin anywhere. */
function coversPath(argument: string, path: string): boolean {
  const glob = readGlob(argument.startsWith('/') ? argument : `**/${argument.replace(/^\.\//, '')}`);
  return glob !== undefined && !path.split('/').includes('..') && matchesGlob(glob, path);
}

function coversUrl(argument: string, url: string): boolean {
  const host = /^domain:(.+)$/.exec(argument)?.[1]?.toLowerCase();
  if (host === undefined || parsedUrl(url) === undefined) return false;
  const own = new URL(url).hostname;
  return host.startsWith('*.') ? own.endsWith(host.slice(1)) : own === host;
}
