import { claimsFeeling } from './affect.js';
import { foundAnti } from './anti-pattern-finding.js';
import { variesLast } from './checks.js';
import type { Context } from './context.js';
import type { Finding } from './finding.js';
import { choosesTools, presentFor, type Rule } from './rules-agents.js';
import { type System, sessionsBy } from './subject.js';
import type { AntiPatternId, Level } from './types.js';

const ALL_APPROVED = 0.99;
const SERVER_LIMIT = 55_000;
const SERVER_WARNS = 20_000;
const TOTAL_LIMIT = 60_000;
const FLAT_WARNS = 16;
const FLAT_LIMIT = 20;
const WIDE = 4;

/** Where the first of these patterns stands; its id where the host brings it. */
const placeOf = ({ placed }: Context, ...ids: readonly string[]): string =>
  placed.find(({ use }) => ids.includes(use.id))?.at ?? ids.join(', ');

const simulatedEmotion: Rule = ({ system: { segments = [] } }) =>
  segments.flatMap(({ name, text = '' }) => {
    const change = 'Take the feeling out of the text: say what it does.';
    return claimsFeeling(text) ? [foundAnti('HA1', { at: name, why: 'it says how the agent feels.', change })] : [];
  });

const SAFEGUARDS = {
  outputGuard: 'a guard on what it says ({V5})',
  retention: 'a retention policy',
  depthLimit: 'a limit of depth',
  consent: 'consent, which a person can check ({V1})',
  erasure: 'a way to erase all of it',
} as const;

const relationshipDepth: Rule = (context) => {
  const { present, system } = context;
  const { relationship } = system;
  if (!present.has('H10')) return [];
  const at = placeOf(context, 'H10');
  if (relationship === undefined) return [unknown('HA2', at, 'relationship', Object.keys(SAFEGUARDS))];
  const names = Object.keys(SAFEGUARDS) as (keyof typeof SAFEGUARDS)[];
  const missing = names.filter((each) => relationship[each] !== true);
  if (missing.length === 0) return [];
  const change = `Add ${missing.map((each) => SAFEGUARDS[each]).join(', ')}.`;
  return [foundAnti('HA2', { at, why: `it has no ${missing.join(', ')}.`, change })];
};

/** What no definition says is not held against it: whoever reads the finding is told what to state. */
function unknown(rule: AntiPatternId, at: string, key: keyof System, fields: readonly string[]): Finding {
  const why = `nobody says whether it has ${fields.join(', ')}.`;
  return foundAnti(rule, { at, why, change: `State it in \`system.${key}\`.`, level: 'info' });
}

const identityDrift: Rule = (context) => {
  const { present, system } = context;
  const { identityFields = [], styleFields = [] } = system;
  const adapts = ['H7', 'H10'].filter((id) => present.has(id));
  if (adapts.length > 0 && !present.has('H1')) {
    const change = 'Give it an identity that nothing else may write: {H1}.';
    return [foundAnti('HA3', { at: placeOf(context, ...adapts), why: 'it adapts without an identity.', change })];
  }
  const both = styleFields.filter((field) => identityFields.includes(field)).join(', ');
  const change = `Take ${both} out of what style may write.`;
  return both === ''
    ? []
    : [foundAnti('HA3', { at: placeOf(context, 'H7'), why: `style may write ${both} of the identity.`, change })];
};

const principleAdoption: Rule = (context) => {
  const { present, host, system } = context;
  const { needsVerdict, signer, approvalRate = 0 } = system.principles ?? {};
  if (!present.has('H5')) return [];
  const at = placeOf(context, 'H5');
  const found: Finding[] = [];
  const tell = (why: string, change: string, level?: Level) =>
    found.push(foundAnti('HA4', { at, why, change, ...(level === undefined ? {} : { level }) }));
  if (!present.has('V1') && !host.has('V1')) tell('no person decides.', 'Have a person decide: {V1}.');
  if (needsVerdict === false) tell('a change is possible without a verdict.', 'Merge nothing without a verdict.');
  if (signer === 'model') tell('a model signs the verdict.', 'Have a person sign it.');
  if (approvalRate >= ALL_APPROVED)
    tell('nearly everything is approved.', 'Find out whether people read what they approve.', 'warning');
  return found;
};

const staleSelf: Rule = (context) => {
  const { present, system } = context;
  const { trackRecord } = system;
  if (!present.has('H9')) return [];
  const at = placeOf(context, 'H9');
  if (trackRecord === undefined) return [unknown('HA5', at, 'trackRecord', ['entries that fade'])];
  if (trackRecord.decays !== true)
    return [foundAnti('HA5', { at, why: 'entries never fade.', change: 'Let entries fade.' })];
  const { incomplete = 0 } = trackRecord;
  const why = `${incomplete} entries lack attempts, successes, date or confidence.`;
  return incomplete > 0 ? [foundAnti('HA5', { at, why, change: 'Complete these entries, or remove them.' })] : [];
};

const uncountedServers: Rule = ({ system: { servers = [] } }) => {
  const total = servers.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
  const each = servers.flatMap(({ name: at, tokens, filtered }) => {
    if (tokens === undefined)
      return [
        foundAnti('IA1', { at, why: 'nobody counted its schemas.', change: 'Count the tokens of its `tools/list`.' }),
      ];
    const filter = 'Take only the tools that are needed';
    if (tokens > SERVER_LIMIT) {
      const change = `${filter}, at most ${SERVER_LIMIT} tokens, or use a program in its place: {I4}.`;
      return [foundAnti('IA1', { at, why: `its schemas take ${tokens} tokens.`, change })];
    }
    if (tokens < SERVER_WARNS || filtered === true) return [];
    const why = `its schemas take ${tokens} tokens, and nothing filters them.`;
    return [foundAnti('IA1', { at, why, change: `${filter}.`, level: 'warning' })];
  });
  if (total <= TOTAL_LIMIT) return each;
  const change = `Take fewer tools of them, at most ${TOTAL_LIMIT} tokens together.`;
  return [...each, foundAnti('IA1', { at: 'servers', why: `all schemas take ${total} tokens.`, change })];
};

const shellString: Rule = ({ system: { tools = [] } }) =>
  tools.flatMap(({ name: at, runs, sandboxed, lists }) => {
    if (runs === undefined) return [];
    if (runs === 'shell-string') {
      const change = 'Use {I4}: arguments as a list, programs that are allowed, and a sandbox.';
      return [foundAnti('IA2', { at, why: 'it runs a string in a shell.', change })];
    }
    if (sandboxed !== true)
      return [
        foundAnti('IA2', { at, why: 'it runs programs without a sandbox.', change: 'Run it in a sandbox: {V8}.' }),
      ];
    const why = 'it lists what is denied, so everything else is allowed.';
    return lists === 'denied' ? [foundAnti('IA2', { at, why, change: 'List what is allowed.' })] : [];
  });

const flatList: Rule = (context) =>
  context.placed.flatMap(({ use, at, agent }) => {
    const tools = Math.max(0, ...sessionsBy(use).map(({ session }) => session.tools));
    if (tools < FLAT_WARNS || choosesTools(context, agent) || presentFor(context, agent).has('I3')) return [];
    const why = `${tools} tools stand in one fixed list.`;
    const change = `Show fewer than ${FLAT_WARNS}, or let them be discovered: {I3}.`;
    return [foundAnti('IA3', { at, why, change, level: tools >= FLAT_LIMIT ? 'error' : 'warning' })];
  });

const undiscovered: Rule = ({ system: { delegates = [] } }) =>
  delegates.flatMap(({ name, url, card, cardTtlMs }) => {
    if (url === undefined || (card === 'verified' && cardTtlMs !== undefined)) return [];
    const why = 'it is reached by its address, without a verified card that expires.';
    return [foundAnti('IA4', { at: name, why, change: 'Read and verify its card, and let that expire: {I5}.' })];
  });

const forgotten: Rule = ({ host, system: { delegates = [] } }) =>
  delegates.flatMap(({ name, wallMs, idleMs, cancels, handlesEnd, maxDepth, traced }) => {
    const missing = [
      ...(wallMs === undefined ? ['a time limit'] : []),
      ...(idleMs === undefined ? ['an idle limit'] : []),
      ...(cancels === true ? [] : ['a way to cancel']),
      ...(handlesEnd === true ? [] : ['a handler for its end']),
      ...(maxDepth === undefined ? ['a cap on depth'] : []),
      ...(traced === true || host.has('V14') ? [] : ['a trace ({V14})']),
    ].join(', ');
    const why = `it lacks ${missing.replace(' ({V14})', '')}.`;
    return missing === '' ? [] : [foundAnti('IA5', { at: name, why, change: `Give it ${missing}.` })];
  });

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
  if (selfTuning === undefined) return [unknown('CE6', at, 'selfTuning', names)];
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

/** Those of humanizers and of integration, and those that the conflict map names. */
export const otherRules: Readonly<Partial<Record<AntiPatternId, Rule>>> = {
  HA1: simulatedEmotion,
  HA2: relationshipDepth,
  HA3: identityDrift,
  HA4: principleAdoption,
  HA5: staleSelf,
  IA1: uncountedServers,
  IA2: shellString,
  IA3: flatList,
  IA4: undiscovered,
  IA5: forgotten,
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
