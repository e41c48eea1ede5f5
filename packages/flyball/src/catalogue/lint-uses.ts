import { patternSpec } from './catalogue.js';
import type { Context } from './context.js';
import type { Finding } from './finding.js';
import { shown } from './lint-relations.js';
import { opaqueIn, type Placed, sessionsBy } from './subject.js';
import type { SeatSpec } from './types.js';

/** Numbers that were given to something else and never come back. */
const RESERVED: Readonly<Record<string, string>> = { S7: 'R17', S10: 'K6', R15: 'H6' };

/** What the description of each use says by itself: seats, worst case, ids, and parts that say nothing. */
export function useFindings(context: Context): readonly Finding[] {
  return [
    ...context.placed.flatMap((placed) => [...reserved(placed), ...seats(placed)]),
    ...worstCase(context),
    ...opaque(context),
  ];
}

function reserved({ use: { id }, at }: Placed): readonly Finding[] {
  const instead = RESERVED[id];
  if (instead === undefined) return [];
  const why = `${id} is no pattern any more.`;
  return [{ rule: 'RESERVED', level: 'error', at, why, change: `Use ${instead}.`, patterns: [] }];
}

/** Who judges has no tools and is nobody else. */
function seats({ use, at }: Placed): readonly Finding[] {
  const spec = patternSpec(use.id);
  if (spec === undefined) return [];
  const seated = sessionsBy(use);
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
    const twice = others.find((other) => other.session.session === session.session);
    const apart: readonly Finding[] =
      twice === undefined
        ? []
        : [
            {
              rule: 'SEAT-APART',
              level: 'error',
              at,
              why: `"${session.session}" is both ${role} and ${twice.role}.`,
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

/** The most calls that a composition can make, against what its budget allows. */
function worstCase({ placed, subject: { budget } }: Context): readonly Finding[] {
  const limit = budget?.modelCalls;
  if (limit === undefined) return [];
  return placed
    .filter(
      ({ ancestors, use }) => ancestors.length === 0 && Number.isFinite(use.predicted.max) && use.predicted.max > limit,
    )
    .map(({ use: { predicted }, at }) => ({
      rule: 'WORST-CASE',
      level: predicted.min > limit ? ('error' as const) : ('warning' as const),
      at,
      why: `It makes ${predicted.min} to ${predicted.max} model calls, and the budget allows ${limit}.`,
      change:
        predicted.min > limit
          ? `Allow at least ${predicted.min} model calls, or make it smaller.`
          : `Allow ${predicted.max} model calls, or expect it to end bounded.`,
      patterns: [],
    }));
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
