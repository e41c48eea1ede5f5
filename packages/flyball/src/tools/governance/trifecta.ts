import type { GuardContext } from '../../core/seams.js';
import type { ToolRef, TrifectaLeg } from '../../core/tool.js';
import { escalate, PASS, refuse, type ToolGuard } from './guard-answer.js';

/**
 * Private data, text of strangers and a way out: together they let injected text carry data away, whatever the prompt
 * says. Each call stands on some of these legs; the calls of a run are read off its journal, so a resumed run has not
 * forgotten what it has seen. Calls that are let pass count from then on: those of one reply run side by side.
 */
export const TRIFECTA_LEGS = [
  'private-data',
  'untrusted-content',
  'outbound',
] as const satisfies readonly TrifectaLeg[];

/** Legs by tool name; undefined where nobody knows the tool. */
export type LegsOf = (name: string) => readonly TrifectaLeg[] | undefined;

export function trifectaGuard(how: 'escalate' | 'deny', legsOf: LegsOf): ToolGuard {
  return {
    name: 'trifecta',
    check({ tool, legs }, ctx) {
      const before = legsOfRun(ctx, legsOf);
      if (!completes(before, legs)) return PASS;
      const why =
        `With ${tool.name} this run would combine private data, text from outside and a way out (` +
        `${legs.join(', ')} after ${[...before].join(', ')}).`;
      if (how === 'escalate') return escalate('trifecta', why);
      return refuse('trifecta', `${why} That is not permitted: finish without it, or in a run of its own.`);
    },
  };
}

/** Where all three have come together, every further way out is judged again: each one can carry data. */
function completes(before: ReadonlySet<TrifectaLeg>, legs: readonly TrifectaLeg[]): boolean {
  const isComplete = (set: ReadonlySet<TrifectaLeg>): boolean => TRIFECTA_LEGS.every((leg) => set.has(leg));
  if (!isComplete(new Set([...before, ...legs]))) return false;
  return !isComplete(before) || legs.includes('outbound');
}

/** A tool that was tried and is no longer known may have stood on any leg. */
function legsOfRun({ triedTools }: GuardContext, legsOf: LegsOf): ReadonlySet<TrifectaLeg> {
  return new Set(triedTools.flatMap((name) => legsOf(name) ?? TRIFECTA_LEGS));
}

/** Looks tools up when asked, so that a registry may grow; falls back on what this process has seen called. */
export function legsFrom(tools: () => Iterable<ToolRef>): LegsOf & { learn(tool: ToolRef): void } {
  const seen = new Map<string, readonly TrifectaLeg[]>();
  const legsOf = (name: string): readonly TrifectaLeg[] | undefined => {
    for (const tool of tools()) if (tool.name === name) return tool.legs ?? [];
    return seen.get(name);
  };
  // one entry a tool: bounded by the tools that exist
  return Object.assign(legsOf, { learn: (tool: ToolRef) => void seen.set(tool.name, tool.legs ?? []) });
}

/** Whether tools together provide private data, untrusted content and a way out. */
export interface TrifectaAudit {
  /** standard: at most one leg. elevated: two. block: all three. incomplete: fewer, but some tools do not say. */
  readonly verdict: 'standard' | 'elevated' | 'block' | 'incomplete';
  /** Which tools stand on which leg. */
  readonly legs: Readonly<Record<TrifectaLeg, readonly string[]>>;
  /** Tools that declare no legs: `legs: []` says that there are none, silence says nothing. */
  readonly undeclared: readonly string[];
  readonly why: string;
}

/** Reports which risks a set of tools creates together. */
export function auditTrifecta(tools: Iterable<ToolRef>): TrifectaAudit {
  const all = [...tools];
  const on = (leg: TrifectaLeg): readonly string[] =>
    all.filter(({ legs }) => legs?.includes(leg) === true).map(({ name }) => name);
  const legs = {
    'private-data': on('private-data'),
    'untrusted-content': on('untrusted-content'),
    outbound: on('outbound'),
  };
  const undeclared = all.filter((tool) => tool.legs === undefined).map(({ name }) => name);
  const count = TRIFECTA_LEGS.filter((leg) => legs[leg].length > 0).length;
  return { legs, undeclared, ...auditVerdict(count, undeclared) };
}

function auditVerdict(count: number, undeclared: readonly string[]): Pick<TrifectaAudit, 'verdict' | 'why'> {
  if (count === 3)
    return {
      verdict: 'block',
      why: 'These tools combine private data, text from outside and a way out: take one leg away.',
    };
  if (undeclared.length > 0)
    return {
      verdict: 'incomplete',
      why: `Nobody knows the legs of ${undeclared.join(', ')}: declare them, [] for none.`,
    };
  return count === 2
    ? { verdict: 'elevated', why: 'Two of the three legs are there: keep the third one out.' }
    : { verdict: 'standard', why: 'At most one of the three legs is there.' };
}
