import { foundAnti } from './anti-pattern-finding.js';
import { patternSpec } from './catalogue.js';
import { type Context, FEW_TOOLS, presentIn } from './context.js';
import type { Finding } from './finding.js';
import { type AgentFacts, seatedSessions, sessionsBy } from './subject.js';
import type { AntiPatternId } from './types.js';

export type Rule = (context: Context) => readonly Finding[];

const MOST_TOOLS = 40;
const MOST_SHARE = 0.1;
const INSTRUCTION_LIMIT = 2_000;
const NEARLY_EQUAL = 0.8;

const agentsOf = ({ system }: Context): readonly (readonly [string, AgentFacts])[] =>
  Object.entries(system.agents ?? {});

/** What an agent and the host have. One that is a part of others goes by a name of its own: all that there is. */
export function presentFor({ placed, host, present, subject }: Context, agent: string): ReadonlySet<string> {
  const own = placed.filter((each) => each.agent === agent);
  return agent in subject.agents ? presentIn(own, host) : present;
}

function godPrompt(context: Context): readonly Finding[] {
  const limit = context.system.instructionLimit ?? INSTRUCTION_LIMIT;
  const change = 'Divide the work: {O2} or {O6}.';
  return agentsOf(context).flatMap(([at, { instructionTokens = 0, taskTypes = 1 }]) => {
    const present = presentFor(context, at);
    if (present.has('O2') || present.has('O6')) return [];
    if (instructionTokens > limit) {
      const why = `its instructions take ${instructionTokens} tokens, more than ${limit}.`;
      return [foundAnti('A1', { at, why, change })];
    }
    return taskTypes > 1
      ? [foundAnti('A1', { at, why: `its instructions cover ${taskTypes} kinds of task.`, change })]
      : [];
  });
}

const TWO = 2;

/**
 * With one tool there is nothing to choose between, and with none and a fixed answer nothing to repeat. A loop that may call
 * its one tool again after it has read what came back still decides something: then it is only information.
 */
function overAgentified({ placed }: Context): readonly Finding[] {
  return placed.flatMap(({ use, at }) => {
    if (use.id !== 'R4' && (use.id !== 'O1' || use.params['how'] === 'once')) return [];
    const tools = Math.max(0, ...sessionsBy(use).map(({ session }) => session.tools));
    const isFixed = (): boolean => seatedSessions(use).some(({ output }) => output !== undefined);
    if (tools === 0 && use.id === 'R4' && isFixed())
      return [foundAnti('A2', { at, why: 'it has no tool and one form of answer.', change: 'Ask once: {S1}.' })];
    if (tools !== 1) return [];
    const isShort = Number(use.params['maxIterations']) <= TWO;
    const why = isShort
      ? 'it loops over one tool and may call it once.'
      : 'it loops over one tool. If it calls that once, code can.';
    const change = 'Let a model give the arguments, and call it from code: {O2} and {I1}.';
    return [foundAnti('A2', { at, why, change, level: isShort ? 'warning' : 'info' })];
  });
}

/** Bounds that an option sets, or that the budget of the host sets for every run. */
function unbounded({ placed, host, system: { delegates = [] } }: Context): readonly Finding[] {
  const own = placed.flatMap(({ use, at, ancestors }) => {
    const spec = patternSpec(use.id);
    if (spec?.isLoop !== true || host.has('V9') || ancestors.some(({ id }) => id === 'V9')) return [];
    if (spec.bounds.some((bound) => typeof use.params[bound] === 'number')) return [];
    const names = spec.bounds.join(', ');
    const change = `Set one of ${names}, or put it into {V9}.`;
    return [foundAnti('A3', { at, why: `it repeats, and none of ${names} is set.`, change })];
  });
  if (delegates.length < 2) return own;
  const deep = delegates.flatMap(({ name, maxDepth }) => (maxDepth === undefined ? [name] : []));
  if (deep.length === 0) return own;
  const why = 'agents delegate to agents, and nothing limits how deep.';
  return [...own, foundAnti('A3', { at: deep.join(', '), why, change: 'Give each a maxDepth.' })];
}

function sprawl(context: Context): readonly Finding[] {
  const agents = agentsOf(context);
  const isProduction = context.profile.has('production');
  const alone = agents.flatMap(([at, { owner, policy, traced, unused }]) => [
    ...(owner === undefined && isProduction
      ? [foundAnti('A4', { at, why: 'it has no owner.', change: 'Name its owner in `ownership`.' })]
      : []),
    ...(policy === undefined && isProduction && !presentFor(context, at).has('V7')
      ? [foundAnti('A4', { at, why: 'it has no policy.', change: 'Hold it to a policy: {V7}.' })]
      : []),
    ...(traced === false
      ? [foundAnti('A4', { at, why: 'it has no trace.', change: 'Run it where its runs are recorded: {V14}.' })]
      : []),
    ...(unused === true
      ? [foundAnti('A4', { at, why: 'nothing uses it.', change: 'Remove it.', level: 'warning' })]
      : []),
  ]);
  const alike = agents.flatMap(([at, { description = '' }], index) =>
    agents.slice(index + 1).flatMap(([other, { description: another = '' }]) => {
      if (likeness(description, another) < NEARLY_EQUAL) return [];
      const why = `its description nearly equals that of ${other}.`;
      const change = `Make one agent of it and ${other}, or say what each is for that the other is not.`;
      return [foundAnti('A4', { at, why, change, level: 'warning' })];
    }),
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

function outputOnly({ system: { crossings = {} } }: Context): readonly Finding[] {
  const withGuard = (wanted: boolean) =>
    Object.entries(crossings)
      .filter(([, hasGuard]) => hasGuard === wanted)
      .map(([name]) => name);
  const [guarded, open] = [withGuard(true), withGuard(false)];
  if (open.length === 0 || guarded.length === 0) return [];
  const at = open.join(', ');
  const change = `Add guards there: {V5} at ${at}.`;
  if (guarded.length === 1 && guarded[0] === 'output')
    return [foundAnti('A5', { at, why: 'only the output has a guard.', change })];
  return [foundAnti('A5', { at, why: 'these crossings have no guard.', change, level: 'warning' })];
}

function vibeChecked({ system: { evals }, profile }: Context): readonly Finding[] {
  if (evals === undefined) return [];
  const { changedAt = 0, passedAt, suites = [] } = evals;
  const at = 'suites';
  if (changedAt > (passedAt ?? 0)) {
    const why = 'a prompt or model changed after the last evaluation that passed.';
    return [foundAnti('A6', { at, why, change: 'Evaluate the changed version: {V16}.' })];
  }
  return profile.has('production') && suites.length === 0
    ? [foundAnti('A6', { at, why: 'there is no suite.', change: 'Add a suite: {V16}.' })]
    : [];
}

/** A loop that is given its window says so in its parts. */
function hoarding(context: Context): readonly Finding[] {
  return context.placed.flatMap(({ use, at, agent }) => {
    const present = presentFor(context, agent);
    if (present.has('K6') || present.has('K7')) return [];
    const window = [use.parts['window'] ?? []].flat();
    const change = 'Give its window a policy: {K7} or {K6}.';
    return use.id === 'R4' && 'window' in use.parts && window.length === 0
      ? [foundAnti('A7', { at, why: 'nothing is ever taken out of its window.', change })]
      : [];
  });
}

function synchronous({ system: { steps = [] } }: Context): readonly Finding[] {
  return steps.flatMap(({ name, needs, after }) =>
    after !== undefined && !needs.includes(after)
      ? [
          foundAnti('A8', {
            at: name,
            why: `it waits for ${after} and needs nothing of it.`,
            change: `Run it beside ${after}: {O4}.`,
          }),
        ]
      : [],
  );
}

const stateful: Rule = (context) =>
  agentsOf(context).flatMap(([at, { isPure }]) => {
    const change = 'Keep its state in the run, where it is part of the input, and have that checked: {V12}.';
    return isPure === false ? [foundAnti('A9', { at, why: 'equal input gave different output.', change })] : [];
  });

const silentFailure: Rule = ({ system: { tools = [] } }) =>
  tools.flatMap(({ name, mapsErrors }) => {
    if (mapsErrors !== false) return [];
    const change = 'Let it throw, or return its errors in a form that its description names.';
    return [foundAnti('A10', { at: name, why: 'it does not say how its errors appear.', change, level: 'warning' })];
  });

const lockedIn: Rule = ({ system: { foreignTypes = [], foreignLoop } }) => [
  ...foreignTypes.map((at) =>
    foundAnti('A11', {
      at,
      why: 'it uses types of a provider outside an adapter.',
      change: 'Move what uses them into an adapter.',
    }),
  ),
  ...(foreignLoop === undefined
    ? []
    : [
        foundAnti('A11', {
          at: foreignLoop,
          why: 'the loop belongs to somebody else.',
          change: 'Own the control flow: let the runtime run the loop.',
        }),
      ]),
];

/** Where tools are chosen for each task, the list that there is to choose from may be long. */
export function choosesTools(context: Context, agent: string): boolean {
  return context.system.discovers === true || presentFor(context, agent).has('V13');
}

function proliferation(context: Context): readonly Finding[] {
  const { placed, system, present } = context;
  const { schemaShare = 0, discovers } = system;
  const counted = placed.flatMap(({ use, at, agent }) => {
    const tools = Math.max(0, ...sessionsBy(use).map(({ session }) => session.tools));
    if (tools <= FEW_TOOLS || choosesTools(context, agent)) return [];
    const change = `Show at most ${FEW_TOOLS}, or choose them for each task: {V13}.`;
    const level = tools > MOST_TOOLS ? 'error' : 'warning';
    return [foundAnti('A12', { at, why: `it shows ${tools} tools.`, change, level })];
  });
  if (schemaShare <= MOST_SHARE || discovers === true || present.has('V13')) return counted;
  const why = `their schemas take ${Math.round(schemaShare * 100)}% of the window.`;
  return [...counted, foundAnti('A12', { at: 'tools', why, change: 'Choose them for each task: {V13}.' })];
}

function pilot({ profile, present, system: { evals } }: Context): readonly Finding[] {
  const suites = evals?.suites ?? [];
  const isMadeUp = suites.length > 0 && suites.every(({ cases }) => cases === 'synthetic');
  const isGoverned = present.has('V18') || present.has('V7') || present.has('V1');
  if (!profile.has('production') || !isMadeUp || isGoverned) return [];
  const why = 'all cases are made up, and nothing simulates or governs it.';
  return [foundAnti('A13', { at: 'suites', why, change: 'Add real cases to the suites, or {V18} or {V7}.' })];
}

function trustHandoff({ system: { edges = [] }, present }: Context): readonly Finding[] {
  return edges.flatMap(({ from, to, trust, guards = [] }) => {
    const at = `${from} > ${to}`;
    const isChecked = guards.some((id) => id === 'V4' || id === 'V6') || present.has('V4') || present.has('V6');
    if (trust !== undefined && isChecked) return [];
    if (trust === undefined && !isChecked) {
      const why = 'it says nothing about trust, and nothing checks what passes.';
      return [foundAnti('A14', { at, why, change: 'Say how far it is trusted, and check what passes: {V6} or {V4}.' })];
    }
    const why = 'nobody audited the whole system.';
    return present.has('V3')
      ? []
      : [foundAnti('A14', { at, why, change: 'Audit the system as a whole: {V3}.', level: 'warning' })];
  });
}

const untraced: Rule = ({ host, system: { sinks } }) => {
  const why = 'nothing records what happens.';
  if (sinks === 0) return [foundAnti('A15', { at: 'host', why, change: 'Add a sink for traces.' })];
  return sinks === undefined && !host.has('V14')
    ? [foundAnti('A15', { at: 'host', why, change: 'Record every run: {V14}.' })]
    : [];
};

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
