import { bothAre, sessionsIn } from '../core/about.js';
import { budget } from '../core/budget.js';
import type { Interval } from '../core/formula.js';
import { isOneSession, type SeatedSession } from '../core/use.js';
import { patternSpec } from './catalogue.js';
import type { Context } from './context.js';
import { budgetOf } from './derived.js';
import type { Finding } from './finding.js';
import { shown } from './lint-relations.js';
import { opaqueIn, type Placed } from './subject.js';
import type { SeatSpec } from './types.js';

/** Numbers that were given to something else and never come back. */
const RESERVED: Readonly<Record<string, string>> = { S7: 'R17', S10: 'K6', R15: 'H6' };

/** What the description of each use says by itself: seats, worst case, ids, and parts that say nothing. */
export function useFindings(context: Context): readonly Finding[] {
  return [
    ...context.placed.flatMap((placed) => [...reserved(placed), ...seats(placed)]),
    ...worstCase(context),
    ...tooSmall(context),
    ...width(context),
    ...opaque(context),
  ];
}

function reserved({ use: { id }, at }: Placed): readonly Finding[] {
  const instead = RESERVED[id];
  if (instead === undefined) return [];
  const why = `${id} is no pattern any more.`;
  return [{ rule: 'RESERVED', level: 'error', at, why, change: `Use ${instead}.`, patterns: [] }];
}

/** Every session of a role, of an agent that plays it too. */
function sessionsOf({ parts }: Placed['use']): readonly { readonly role: string; readonly session: SeatedSession }[] {
  return Object.entries(parts).flatMap(([role, part]) =>
    [part].flat().flatMap((each) => sessionsIn(each).map((session) => ({ role, session }))),
  );
}

/** Who judges has no tools and is nobody else. */
function seats({ use, at }: Placed): readonly Finding[] {
  const spec = patternSpec(use.id);
  if (spec === undefined) return [];
  const seated = sessionsOf(use);
  return seated.flatMap(({ role, session }) => {
    const seat: SeatSpec | undefined = spec.seats[role];
    if (seat === undefined) return [];
    const others = seated.filter((other) => seat.apartFrom?.includes(other.role));
    const tools: readonly Finding[] =
      seat.tools === 'none' && session.tools > 0
        ? [
            {
              rule: 'SEAT-TOOLS',
              level: 'error',
              at,
              why: `The ${role} of ${shown(use.id)} has ${session.tools} tools, and needs none.`,
              change: `Give the ${role} a session without tools.`,
              patterns: [],
            },
          ]
        : [];
    const twice = others.find((other) => isOneSession(other.session, session));
    const apart: readonly Finding[] =
      twice === undefined
        ? []
        : [
            {
              rule: 'SEAT-APART',
              level: 'error',
              at,
              why: `${role} and ${twice.role} are not apart: ${bothAre(session, twice.session)}.`,
              change: `Give the ${role} a session of its own.`,
              patterns: [],
            },
          ];
    const model =
      seat.otherModel === undefined ? undefined : others.find((other) => other.session.model === session.model);
    const same: readonly Finding[] =
      model === undefined
        ? []
        : [
            {
              rule: 'SEAT-MODEL',
              level: seat.otherModel === 'required' ? 'error' : 'info',
              at,
              why: `${role} and ${model.role} are the same model, and share its mistakes.`,
              change: `Give the ${role} another model.`,
              patterns: [],
            },
          ];
    return [...tools, ...apart, ...same];
  });
}

/**
 * The most calls that a composition can make, against what its budget allows. A budget that an agent brings along is meant
 * to end it: then only the least counts, because what does not even reach that ends bounded every time.
 */
function worstCase({ placed, subject: { agents, budget: given } }: Context): readonly Finding[] {
  const tops = placed.filter(({ ancestors }) => ancestors.length === 0);
  return tops.flatMap(({ use: { predicted }, at, agent }): readonly Finding[] => {
    const { min, max } = predicted;
    const own = budgetOf(agents[agent]).modelCalls;
    const limit = given?.modelCalls ?? own;
    if (limit === undefined) return [];
    const calls = callsText({ min, max }); // of an unknown most only the least counts
    if (min > limit) return [overBudget(at, calls, limit, `Allow at least ${min} model calls, or make it smaller.`)];
    if (given?.modelCalls === undefined || max <= limit || !Number.isFinite(max)) return [];
    const change = `Allow ${max} model calls, or end it at ${limit}: ${shown('V9')}.`;
    return [overBudget(at, calls, limit, change, ['V9'])];
  });
}

/** What `withBudget` leaves an agent that needs more than that at the least: it ends bounded every time. */
function tooSmall({ placed }: Context): readonly Finding[] {
  return placed.flatMap(({ use: { id, params, parts }, at }): readonly Finding[] => {
    const limit = Number((params['slice'] as { readonly modelCalls?: unknown } | undefined)?.modelCalls ?? Infinity);
    const agent = [parts['agent'] ?? []].flat().find((part) => 'predicted' in part);
    if (id !== 'V9' || agent === undefined || !('predicted' in agent) || agent.predicted.min <= limit) return [];
    const { min, max } = agent.predicted;
    const change = `Allow at least ${min} model calls, or make it smaller.`;
    return [overBudget(at, callsText({ min, max }), limit, change)];
  });
}

function callsText({ min, max }: Interval): string {
  if (min === max) return `${min}`;
  return Number.isFinite(max) ? `${min} to ${max}` : `at least ${min}`;
}

function overBudget(
  at: string,
  calls: string,
  limit: number,
  change: string,
  patterns: Finding['patterns'] = [],
): Finding {
  const why = `It makes ${calls} model calls, and the budget allows ${limit}.`;
  return { rule: 'WORST-CASE', level: 'error', at, why, change, patterns };
}

/** All samples are drawn at once, and branches that do not fit the width are not begun. */
function width({ placed, subject: { agents, budget: stated } }: Context): readonly Finding[] {
  return placed.flatMap(({ use: { id, params }, at, agent }): readonly Finding[] => {
    const own = budgetOf(agents[agent]);
    const given = stated ?? (own.width === undefined ? undefined : own);
    if (given === undefined) return [];
    const allowed = given.width ?? budget().width;
    const samples = Number(params['samples']);
    if (id !== 'R17' || !(samples > allowed)) return [];
    return [
      {
        rule: 'WIDTH',
        level: given.width === undefined ? 'warning' : 'error', // the default may not be what the run is given
        at,
        why: `It draws ${samples} samples at once, and the budget allows ${allowed} branches (width)${given.width === undefined ? ' by default' : ''}. It would end bounded before the first call.`,
        change: `Start it with \`budget({ width: ${samples} })\`, or take at most ${allowed} samples.`,
        patterns: [],
      },
    ];
  });
}

function opaque({ subject: { agents } }: Context): readonly Finding[] {
  const names = opaqueIn(agents);
  if (names.length === 0) return [];
  return [
    {
      rule: 'OPAQUE',
      level: 'warning',
      at: names.join(', '),
      why: 'Nobody described what these do, so nothing inside them is checked.',
      change: 'Make them with a pattern, or describe them with `described(agent, use)`.',
      patterns: [],
    },
  ];
}
