import { foundAnti, notStated, placeOf } from './anti-pattern-finding.js';
import { variesLast } from './checks.js';
import type { Rule } from './rules-agents.js';
import type { AntiPatternId } from './types.js';

const WIDE = 4;

const softOnly: Rule = (context) => {
  const { profile, present } = context;
  if (!profile.has('safety-critical') || !present.has('S9') || present.has('V7')) return [];
  const why = 'principles stand alone in a safety-critical system.';
  return [foundAnti('CE1', { at: placeOf(context, 'S9'), why, change: 'Have code enforce the rules: {V7}.' })];
};

const watched: Rule = ({ system: { actions = {} } }) =>
  Object.entries(actions).flatMap(([at, { gate, irreversible, novel, blastRadius = 0 }]) => {
    const isGrave = irreversible === true || novel === true || blastRadius >= WIDE;
    const change = isGrave ? 'Have a person approve it: {V1}.' : 'Have it approved ({V1}) or watched ({V2}).';
    if (gate === undefined) return [foundAnti('CE2', { at, why: 'nobody said who decides about it.', change })];
    const why = 'it is only supervised, and should wait for a person.';
    return gate === 'V2' && isGrave ? [foundAnti('CE2', { at, why, change })] : [];
  });

const wrongPlanner: Rule = ({ present, system: { decidingEdges = [] } }) => {
  const why = 'a plan of R5 has to decide something here.';
  const change = 'Let each call see what came before: {R4} in its place.';
  return present.has('R5') ? decidingEdges.map((at) => foundAnti('CE3', { at, why, change })) : [];
};

const onePolicy: Rule = ({ present, system: { agents = {} } }) => {
  if (!present.has('O6')) return [];
  const named = Object.entries(agents).filter(([, { policy, role }]) => policy !== undefined && role !== undefined);
  return [...new Set(named.map(([, { policy }]) => policy))].flatMap((policy) => {
    const all = named.filter(([, each]) => each.policy === policy);
    if (new Set(all.map(([, { role }]) => role)).size < 2) return [];
    const at = all.map(([name]) => name).join(', ');
    return [
      foundAnti('CE4', { at, why: 'roles share one policy.', change: 'Give each role a policy of its own: {V7}.' }),
    ];
  });
};

const inNameOnly: Rule = ({ system: { agents = {} } }) =>
  Object.entries(agents).flatMap(([at, { readsParentHistory }]) => {
    const change = 'Give it its brief and nothing else: {O17}.';
    return readsParentHistory === true ? [foundAnti('CE5', { at, why: "it reads its parent's history.", change })] : [];
  });

const TUNING = {
  surface: 'a list of what may be tuned',
  gate: 'a suite as a gate ({V16})',
  reviewer: 'a reviewer ({V1})',
  wayBack: 'a way back ({V10})',
  caps: 'caps ({V9})',
} as const;

const selfModifying: Rule = (context) => {
  const { present, system } = context;
  const { selfTuning } = system;
  if (!present.has('H8')) return [];
  const at = placeOf(context, 'H8');
  const names = Object.keys(TUNING) as (keyof typeof TUNING)[];
  if (selfTuning === undefined) return [notStated('CE6', at, 'selfTuning', names)];
  const missing = names.filter((each) => selfTuning[each] !== true);
  const tell = (why: string, change: string) => foundAnti('CE6', { at, why, change });
  return [
    ...(missing.length === 0
      ? []
      : [tell(`it has no ${missing.join(', ')}.`, `Add ${missing.map((each) => TUNING[each]).join(', ')}.`)]),
    ...(selfTuning.proposerReadsCases === true
      ? [tell('the proposer can read the cases.', 'Keep the cases out of its reach.')]
      : []),
    ...(selfTuning.sharesData === true
      ? [tell('monitoring and evaluation share data or a judge.', 'Give each its own data and judge.')]
      : []),
  ];
};

const variableFirst: Rule = (context) => {
  const { segments = [] } = context.system;
  const at = segments.find(({ varies }) => varies !== 'never')?.name ?? 'prompt';
  const why = 'it varies and stands before what is shared.';
  return [
    ...(variesLast(context) === false
      ? [foundAnti('CE7', { at, why, change: 'Put it behind everything that is shared.' })]
      : []),
    ...segments.flatMap(({ name, varies, holdsTimeOrId }) => {
      const change = 'Put what differs by time or call into the task, and what is stable first.';
      return varies === 'never' && holdsTimeOrId === true
        ? [foundAnti('CE7', { at: name, why: 'it is shared and holds a time or an id.', change })]
        : [];
    }),
  ];
};

const wrongTier: Rule = ({ system: { segments = [] } }) =>
  segments.flatMap(({ name, varies, cached, everyTurn }) => {
    const why = 'it never changes and is sent uncached every turn.';
    const change = 'Cache it, or read it when it is needed.';
    return varies === 'never' && everyTurn === true && cached === false
      ? [foundAnti('CE8', { at: name, why, change })]
      : [];
  });

const residue: Rule = ({ system: { segments = [] } }) =>
  segments.flatMap(({ name, decided }) => {
    const why = 'its decision is made, and it is still sent.';
    return decided === true ? [foundAnti('CE9', { at: name, why, change: 'Drop it once the decision is made.' })] : [];
  });

/** The 9 that the conflict map names. */
export const namedRules: Readonly<Partial<Record<AntiPatternId, Rule>>> = {
  CE1: softOnly,
  CE2: watched,
  CE3: wrongPlanner,
  CE4: onePolicy,
  CE5: inNameOnly,
  CE6: selfModifying,
  CE7: variableFirst,
  CE8: wrongTier,
  CE9: residue,
};
