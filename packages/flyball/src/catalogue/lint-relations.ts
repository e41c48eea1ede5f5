import type { PatternId } from '../core/use.js';
import { patternSpec, relations } from './catalogue.js';
import { checks } from './checks.js';
import { isFrom, isPattern, unsatisfied } from './closure.js';
import { type Context, isKept, loops, presentIn } from './context.js';
import { ruleOf } from './decidable.js';
import type { Finding } from './finding.js';
import type { Placed } from './subject.js';
import type { Condition, Relation, RelationEnd } from './types.js';

/** What the conflict map says about a composition. */
export function relationFindings(context: Context): readonly Finding[] {
  const others = relations.flatMap((relation) => {
    if (!isFrom(relation.from, context.present, loops)) return [];
    if (relation.kind === 'conflicts') return conflicts(context, relation);
    if (relation.kind === 'upgrades-to') return upgrades(context, relation);
    return relation.kind === 'tension' ? tensions(context, relation) : [];
  });
  return [...Object.keys(context.subject.agents).flatMap((agent) => missingIn(context, agent)), ...others];
}

/** What an agent needs and neither it nor the host has, and what that would need in turn. */
function missingIn(context: Context, agent: string): readonly Finding[] {
  const own = context.placed.filter((each) => each.agent === agent);
  const isWhole = own.every(({ opaque }) => opaque.length === 0);
  const active = relations.filter(
    (relation) =>
      relation.kind === 'requires' && isTrue(context, relation.when, agent) === true && !isKept(relation, own),
  );
  return unsatisfied(presentIn(own, context.host), active, loops).map(({ from, to, why }) => {
    const wanted = to.filter(isPattern);
    const start = own.find(({ use }) => (from === '*loop' ? loops.some(({ id }) => id === use.id) : has(use, from)));
    return {
      rule: ruleOf({ from, kind: 'requires', to }),
      level: levelOf(start, wanted, isWhole || from.startsWith('*')),
      at: start?.at ?? agent,
      why,
      change: `Add ${wanted.map(shown).join(' or ')}.`,
      patterns: wanted,
    };
  });
}

/** A part that nobody described may bring what is missing, and a test that is code may ask a judge. */
function levelOf(start: Placed | undefined, wanted: readonly PatternId[], isWhole: boolean): Finding['level'] {
  const tests = [start?.use.parts['test'] ?? []].flat();
  if (wanted.includes('V15') && tests.some((part) => 'opaque' in part)) return 'info';
  return isWhole ? 'error' : 'warning';
}

const has = ({ id, provides }: Placed['use'], wanted: string): boolean =>
  id === wanted || provides.includes(wanted as PatternId);

function conflicts(context: Context, relation: Relation): readonly Finding[] {
  const { from, to, why, when } = relation;
  const rule = ruleOf(relation);
  const profile = to.find(
    (end) => end.startsWith('profile:') && context.profile.has(end.slice('profile:'.length) as never),
  );
  if (profile !== undefined && isPattern(from as RelationEnd))
    return [
      finding(rule, 'error', atOf(context, from), why, `Remove ${shown(from as PatternId)}, or leave this profile.`, [
        from as PatternId,
      ]),
    ];
  const [other] = to;
  if (other === undefined || !isPattern(other)) return [];
  if (typeof when === 'object')
    return isTrue(context, when) === true && context.present.has(other)
      ? [
          finding(rule, 'error', atOf(context, from), why, `Keep ${from} and ${other} apart.`, [
            from as PatternId,
            other,
          ]),
        ]
      : [];
  return meetings(context, from, other, when).map((at) =>
    finding(rule, 'error', at, why, `Keep one of ${shown(from as PatternId)} and ${shown(other)} here.`, [
      from as PatternId,
      other,
    ]),
  );
}

/** Where two patterns are given the same task; in one span, where one of them is inside the other. */
function meetings({ placed }: Context, from: string, other: string, when: Condition): readonly string[] {
  return pairs(placed, from, other)
    .filter(([one, another]) => when !== 'span' || isInside(one, another) || isInside(another, one))
    .map(([one, another]) => (another.at.length > one.at.length ? another.at : one.at));
}

function pairs(placed: readonly Placed[], from: string, other: string): readonly (readonly [Placed, Placed])[] {
  const ofOther = placed.filter(({ use }) => has(use, other));
  return placed
    .filter(({ use }) => has(use, from))
    .flatMap((one) =>
      ofOther
        .filter((another) => another.task === one.task && another.agent === one.agent && another.use !== one.use)
        .map((another) => [one, another] as const),
    );
}

const isInside = (inner: Placed, outer: Placed): boolean => inner.ancestors.includes(outer.use);

/** What fills the same place as another: around or inside each other two of them do one job twice. */
const WORKS: ReadonlySet<string> = new Set(['agent', 'retriever']);

/**
 * A pattern and what would replace it, on one job. One that the better one needs, or a plain call or block that it is made
 * of, does its own part of it.
 */
function twice({ placed }: Context, { from, to }: Relation): readonly Finding['at'][] {
  const spec = patternSpec(from);
  return to.filter(isPattern).flatMap((better) => {
    if (spec === undefined || needs(better, from as PatternId)) return [];
    const isPartOf = (one: Placed, another: Placed): boolean =>
      (isInside(one, another) || isInside(another, one)) && (!WORKS.has(spec.kind) || spec.category === 'signal');
    return pairs(placed, from, better)
      .filter(([one, another]) => one.use.id === from && another.use.id === better && !isPartOf(one, another))
      .map(([one]) => one.at);
  });
}

/** Whether a pattern requires another, whatever else is there. */
function needs(id: PatternId, other: PatternId): boolean {
  return relations.some(
    ({ from, kind, when, to }) => from === id && kind === 'requires' && when === 'always' && to.includes(other),
  );
}

/** Only what a journal measured, or a person answered, makes it more than a possibility. Both for one job is one too many. */
function upgrades(context: Context, relation: Relation): readonly Finding[] {
  const { from, to, why, when } = relation;
  const better = to.filter(isPattern);
  const both = isTrue(context, when) === false ? [] : twice(context, relation);
  if (both.length > 0)
    return both.map((at) => {
      const change = `Keep ${better.map(shown).join(' or ')}, and take ${shown(from as PatternId)} out here.`;
      return finding(ruleOf(relation), 'warning', at, `Both do one job. ${why}`, change, [
        from as PatternId,
        ...better,
      ]);
    });
  if (isTrue(context, when) !== true || better.some((id) => context.present.has(id))) return [];
  return [
    finding(
      ruleOf(relation),
      'info',
      atOf(context, from),
      why,
      `Consider ${better.map(shown).join(' or ') || "the provider's own structured output"}.`,
      better,
    ),
  ];
}

/** A tension is a warning where its check says that it is not resolved; where there is no check it is information. */
function tensions(context: Context, relation: Relation): readonly Finding[] {
  const { from, to, why, when, resolvedBy } = relation;
  const others = to.filter(isPattern);
  const isThere = others.length === 0 || others.some((id) => isBeside(context, from, id));
  if (!isThere || isTrue(context, when) === false) return [];
  if (typeof when === 'object' && isTrue(context, when) === undefined && !('person' in when)) return [];
  const resolved = resolvedBy === undefined ? undefined : checks[resolvedBy](context);
  if (resolved === true) return [];
  const change =
    resolvedBy === undefined ? 'Nothing has to change: know it.' : `Show that it is resolved: ${resolvedBy}.`;
  return [finding(ruleOf(relation), resolved === false ? 'warning' : 'info', atOf(context, from), why, change, others)];
}

/** Two patterns of the host alone are the host's business. */
function isBeside({ placed, present, host }: Context, from: string, other: string): boolean {
  const isOwn = placed.some(({ use }) => has(use, from) || has(use, other));
  return present.has(other) && (isOwn || !host.has(from) || !host.has(other));
}

/** Whether a condition holds; undefined where nobody knows. */
export function isTrue(context: Context, when: Condition, agent?: string): boolean | undefined {
  if (typeof when === 'string') return true;
  if ('anyOf' in when) return anyTrue(when.anyOf.map((each) => isTrue(context, each, agent)));
  if ('allOf' in when) return not(anyTrue(when.allOf.map((each) => not(isTrue(context, each, agent)))));
  if ('present' in when) return context.present.has(when.present);
  if ('fact' in when) return context.fact(when.fact, agent);
  if ('profile' in when) return context.profile.has(when.profile);
  if ('person' in when) return context.subject.decisions?.questions?.[when.person];
  const measured = context.measure(when.measured);
  return measured === undefined
    ? undefined
    : measured > (when.above ?? Infinity) || measured < (when.below ?? -Infinity);
}

function anyTrue(values: readonly (boolean | undefined)[]): boolean | undefined {
  if (values.includes(true)) return true;
  return values.includes(undefined) ? undefined : false;
}

const not = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value);

function atOf({ placed, subject: { agents } }: Context, from: string): string {
  return placed.find(({ use }) => has(use, from))?.at ?? Object.keys(agents)[0] ?? 'host';
}

function finding(
  rule: string,
  level: Finding['level'],
  at: string,
  why: string,
  change: string,
  patterns: readonly PatternId[],
): Finding {
  return { rule, level, at, why, change, patterns };
}

/** `O17 (isolated)`. */
export function shown(id: PatternId): string {
  const name = patternSpec(id)?.exports[0];
  return name === undefined ? id : `${name} (${id})`;
}
