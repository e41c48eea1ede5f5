import { foundAnti } from './anti-pattern-finding.js';
import { patternSpec } from './catalogue.js';
import { type Context, FEW_TOOLS, presentIn } from './context.js';
import type { Finding } from './finding.js';
import { type AgentFacts, sessionsBy } from './subject.js';
import type { AntiPatternId } from './types.js';

export type Rule = (context: Context) => readonly Finding[];

const MOST_TOOLS = 40;
const MOST_SHARE = 0.1;
const INSTRUCTION_LIMIT = 2_000;
const NEARLY_EQUAL = 0.8;

const agentsOf = ({ system }: Context): readonly (readonly [string, AgentFacts])[] =>
  Object.entries(system.agents ?? {});

/** What an agent and the host have. One that is a part of others goes by a name of its own: all that there is. */
function presentFor({ placed, host, present, subject }: Context, agent: string): ReadonlySet<string> {
  const own = placed.filter((each) => each.agent === agent);
  return agent in subject.agents ? presentIn(own, host) : present;
}

function godPrompt(context: Context): readonly Finding[] {
  const limit = context.system.instructionLimit ?? INSTRUCTION_LIMIT;
  return agentsOf(context).flatMap(([name, { instructionTokens = 0, taskTypes = 1 }]) => {
    const present = presentFor(context, name);
    if (present.has('O2') || present.has('O6')) return [];
    if (instructionTokens > limit)
      return [foundAnti('A1', name, `its instructions take ${instructionTokens} tokens, more than ${limit}.`)];
    return taskTypes > 1 ? [foundAnti('A1', name, `its instructions cover ${taskTypes} kinds of task.`)] : [];
  });
}

/** A loop over one tool calls it once, or code could. */
function overAgentified({ placed }: Context): readonly Finding[] {
  return placed.flatMap(({ use, at }) => {
    if (use.id !== 'R4' && use.id !== 'O1') return [];
    const tools = Math.max(0, ...sessionsBy(use).map(({ session }) => session.tools));
    return tools === 1 && use.params['maxIterations'] === 1
      ? [foundAnti('A2', at, 'it loops over one tool and may call it once.')]
      : [];
  });
}

/** Bounds that an option sets, or that the budget of the host sets for every run. */
function unbounded({ placed, host, system }: Context): readonly Finding[] {
  const own = placed.flatMap(({ use, at, ancestors }) => {
    const spec = patternSpec(use.id);
    if (spec?.isLoop !== true || host.has('V9') || ancestors.some(({ id }) => id === 'V9')) return [];
    const isBounded = spec.bounds.some((bound) => typeof use.params[bound] === 'number');
    return isBounded ? [] : [foundAnti('A3', at, `it repeats, and none of ${spec.bounds.join(', ')} is set.`)];
  });
  const deep =
    (system.delegates ?? []).length > 1 && (system.delegates ?? []).some(({ maxDepth }) => maxDepth === undefined);
  return deep ? [...own, foundAnti('A3', 'delegates', 'agents delegate to agents, and nothing limits how deep.')] : own;
}

function sprawl(context: Context): readonly Finding[] {
  const agents = agentsOf(context);
  const alone = agents.flatMap(([name, { owner, policy, traced, unused }]) => [
    ...(owner === undefined ? [foundAnti('A4', name, 'it has no owner.')] : []),
    ...(policy === undefined && context.profile.has('production') ? [foundAnti('A4', name, 'it has no policy.')] : []),
    ...(traced === false ? [foundAnti('A4', name, 'it has no trace.')] : []),
    ...(unused === true ? [foundAnti('A4', name, 'nothing uses it.', 'warning')] : []),
  ]);
  const alike = agents.flatMap(([name, { description = '' }], index) =>
    agents
      .slice(index + 1)
      .flatMap(([other, { description: another = '' }]) =>
        likeness(description, another) >= NEARLY_EQUAL
          ? [foundAnti('A4', name, `its description nearly equals that of ${other}.`, 'warning')]
          : [],
      ),
  );
  return [...alone, ...alike];
}

/** The share of words that two texts have in common. */
function likeness(one: string, other: string): number {
  const words = (text: string) => new Set(text.toLowerCase().match(/\p{L}+/gu) ?? []);
  const [a, b] = [words(one), words(other)];
  if (a.size === 0 || b.size === 0) return 0;
  const both = [...a].filter((word) => b.has(word)).length;
  return both / Math.min(a.size, b.size);
}

function outputOnly({ system: { crossings } }: Context): readonly Finding[] {
  if (crossings === undefined) return [];
  const guarded = Object.entries(crossings)
    .filter(([, hasGuard]) => hasGuard === true)
    .map(([name]) => name);
  const open = Object.entries(crossings)
    .filter(([, hasGuard]) => hasGuard === false)
    .map(([name]) => name);
  if (open.length === 0) return [];
  if (guarded.length === 1 && guarded[0] === 'output')
    return [foundAnti('A5', open.join(', '), 'only the output has a guard.')];
  return guarded.length === 0 ? [] : [foundAnti('A5', open.join(', '), 'these crossings have no guard.', 'warning')];
}

function vibeChecked({ system: { evals }, profile }: Context): readonly Finding[] {
  const { changedAt = 0, passedAt, suites = [] } = evals ?? {};
  if (evals !== undefined && changedAt > (passedAt ?? 0))
    return [foundAnti('A6', 'suites', 'a prompt or model changed after the last evaluation that passed.')];
  return profile.has('production') && evals !== undefined && suites.length === 0
    ? [foundAnti('A6', 'suites', 'there is no suite.')]
    : [];
}

/** A loop that is given its window says so in its parts. */
function hoarding(context: Context): readonly Finding[] {
  return context.placed.flatMap(({ use, at, agent }) => {
    const present = presentFor(context, agent);
    if (present.has('K6') || present.has('K7')) return [];
    const window = [use.parts['window'] ?? []].flat();
    return use.id === 'R4' && 'window' in use.parts && window.length === 0
      ? [foundAnti('A7', at, 'nothing is ever taken out of its window.')]
      : [];
  });
}

function synchronous({ system: { steps = [] } }: Context): readonly Finding[] {
  return steps.flatMap(({ name, needs, after }) =>
    after !== undefined && !needs.includes(after)
      ? [foundAnti('A8', name, `it waits for ${after} and needs nothing of it.`)]
      : [],
  );
}

const stateful: Rule = (context) =>
  agentsOf(context).flatMap(([name, { isPure }]) =>
    isPure === false ? [foundAnti('A9', name, 'equal input gave different output.')] : [],
  );

const silentFailure: Rule = ({ system: { tools = [] } }) =>
  tools.flatMap(({ name, mapsErrors }) =>
    mapsErrors === false ? [foundAnti('A10', name, 'it does not say how its errors appear.', 'warning')] : [],
  );

const lockedIn: Rule = ({ system: { foreignTypes = [], foreignLoop } }) => [
  ...foreignTypes.map((module) => foundAnti('A11', module, 'it uses types of a provider outside an adapter.')),
  ...(foreignLoop === undefined ? [] : [foundAnti('A11', foreignLoop, 'the loop belongs to somebody else.')]),
];

function proliferation({ placed, system: { schemaShare = 0, discovers } }: Context): readonly Finding[] {
  const counted = placed.flatMap(({ use, at }) => {
    const tools = Math.max(0, ...sessionsBy(use).map(({ session }) => session.tools));
    if (tools <= FEW_TOOLS || discovers === true) return [];
    return [foundAnti('A12', at, `it shows ${tools} tools.`, tools > MOST_TOOLS ? 'error' : 'warning')];
  });
  return schemaShare > MOST_SHARE
    ? [...counted, foundAnti('A12', 'tools', `their schemas take ${Math.round(schemaShare * 100)}% of the window.`)]
    : counted;
}

function pilot({ profile, present, system: { evals } }: Context): readonly Finding[] {
  const suites = evals?.suites ?? [];
  const isMadeUp = suites.length > 0 && suites.every(({ cases }) => cases === 'synthetic');
  const isGoverned = present.has('V18') || present.has('V7') || present.has('V1');
  return profile.has('production') && isMadeUp && !isGoverned
    ? [foundAnti('A13', 'suites', 'all cases are made up, and nothing simulates or governs it.')]
    : [];
}

function trustHandoff({ system: { edges = [] }, present }: Context): readonly Finding[] {
  return edges.flatMap(({ from, to, trust, guards = [] }) => {
    const isChecked = guards.some((id) => id === 'V4' || id === 'V6') || present.has('V4') || present.has('V6');
    if (trust !== undefined && isChecked) return [];
    if (trust === undefined && !isChecked)
      return [foundAnti('A14', `${from} > ${to}`, 'it says nothing about trust, and nothing checks what passes.')];
    return present.has('V3')
      ? []
      : [foundAnti('A14', `${from} > ${to}`, 'nobody audited the whole system.', 'warning')];
  });
}

const untraced: Rule = ({ host, system: { sinks } }) =>
  sinks === 0 || (sinks === undefined && !host.has('V14'))
    ? [foundAnti('A15', 'host', 'nothing records what happens.')]
    : [];

/** The 15 of agents. */
export const agentRules: Readonly<Partial<Record<AntiPatternId, Rule>>> = {
  A1: godPrompt,
  A2: overAgentified,
  A3: unbounded,
  A4: sprawl,
  A5: outputOnly,
  A6: vibeChecked,
  A7: hoarding,
  A8: synchronous,
  A9: stateful,
  A10: silentFailure,
  A11: lockedIn,
  A12: proliferation,
  A13: pilot,
  A14: trustHandoff,
  A15: untraced,
};
