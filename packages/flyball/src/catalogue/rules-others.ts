import { claimsFeeling } from './affect.js';
import { foundAnti } from './anti-pattern-finding.js';
import { variesLast } from './checks.js';
import type { Context } from './context.js';
import type { Finding } from './finding.js';
import type { Rule } from './rules-agents.js';
import { sessionsBy } from './subject.js';
import type { AntiPatternId } from './types.js';

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
  segments.flatMap(({ name, text = '' }) =>
    claimsFeeling(text) ? [foundAnti('HA1', name, 'it says how the agent feels.')] : [],
  );

const relationshipDepth: Rule = (context) => {
  const { present, system } = context;
  const { relationship } = system;
  if (!present.has('H10')) return [];
  const needed = ['outputGuard', 'retention', 'depthLimit', 'consent', 'erasure'] as const;
  const missing = needed.filter((each) => relationship?.[each] !== true);
  return missing.length === 0 ? [] : [foundAnti('HA2', placeOf(context, 'H10'), `it has no ${missing.join(', ')}.`)];
};

const identityDrift: Rule = (context) => {
  const { present, system } = context;
  const { identityFields = [], styleFields = [] } = system;
  const adapts = ['H7', 'H10'].filter((id) => present.has(id));
  if (adapts.length > 0 && !present.has('H1'))
    return [foundAnti('HA3', placeOf(context, ...adapts), 'it adapts without an identity.')];
  const both = styleFields.filter((field) => identityFields.includes(field));
  return both.length === 0
    ? []
    : [foundAnti('HA3', placeOf(context, 'H7'), `style may write ${both.join(', ')} of the identity.`)];
};

const principleAdoption: Rule = (context) => {
  const { present, host, system } = context;
  const { principles } = system;
  if (!present.has('H5')) return [];
  const at = placeOf(context, 'H5');
  const found: Finding[] = [];
  if (!present.has('V1') && !host.has('V1')) found.push(foundAnti('HA4', at, 'no person decides.'));
  if (principles?.needsVerdict === false) found.push(foundAnti('HA4', at, 'a change is possible without a verdict.'));
  if (principles?.signer === 'model') found.push(foundAnti('HA4', at, 'a model signs the verdict.'));
  if ((principles?.approvalRate ?? 0) >= ALL_APPROVED)
    found.push(foundAnti('HA4', at, 'nearly everything is approved.', 'warning'));
  return found;
};

const staleSelf: Rule = (context) => {
  const { present, system } = context;
  const { trackRecord } = system;
  if (!present.has('H9')) return [];
  const at = placeOf(context, 'H9');
  if (trackRecord?.decays !== true) return [foundAnti('HA5', at, 'entries never fade.')];
  return (trackRecord.incomplete ?? 0) > 0
    ? [foundAnti('HA5', at, `${trackRecord.incomplete} entries lack attempts, successes, date or confidence.`)]
    : [];
};

const uncountedServers: Rule = ({ system: { servers = [] } }) => {
  const total = servers.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
  const each = servers.flatMap(({ name, tokens, filtered }) => {
    if (tokens === undefined) return [foundAnti('IA1', name, 'nobody counted its schemas.')];
    if (tokens > SERVER_LIMIT) return [foundAnti('IA1', name, `its schemas take ${tokens} tokens.`)];
    return tokens >= SERVER_WARNS && filtered !== true
      ? [foundAnti('IA1', name, `its schemas take ${tokens} tokens, and nothing filters them.`, 'warning')]
      : [];
  });
  return total > TOTAL_LIMIT ? [...each, foundAnti('IA1', 'servers', `all schemas take ${total} tokens.`)] : each;
};

const shellString: Rule = ({ system: { tools = [] } }) =>
  tools.flatMap(({ name, runs, sandboxed, lists }) => {
    if (runs === undefined) return [];
    if (runs === 'shell-string') return [foundAnti('IA2', name, 'it runs a string in a shell.')];
    if (sandboxed !== true) return [foundAnti('IA2', name, 'it runs programs without a sandbox.')];
    return lists === 'denied'
      ? [foundAnti('IA2', name, 'it lists what is denied, so everything else is allowed.')]
      : [];
  });

const flatList: Rule = ({ placed, system: { discovers } }) =>
  placed.flatMap(({ use, at }) => {
    const tools = Math.max(0, ...sessionsBy(use).map(({ session }) => session.tools));
    if (tools < FLAT_WARNS || discovers === true) return [];
    return [foundAnti('IA3', at, `${tools} tools stand in one fixed list.`, tools >= FLAT_LIMIT ? 'error' : 'warning')];
  });

const undiscovered: Rule = ({ system: { delegates = [] } }) =>
  delegates.flatMap(({ name, url, card, cardTtlMs }) =>
    url !== undefined && (card !== 'verified' || cardTtlMs === undefined)
      ? [foundAnti('IA4', name, 'it is reached by its address, without a verified card that expires.')]
      : [],
  );

const forgotten: Rule = ({ host, system: { delegates = [] } }) =>
  delegates.flatMap(({ name, wallMs, idleMs, cancels, handlesEnd, maxDepth, traced }) => {
    const missing = [
      ...(wallMs === undefined ? ['a time limit'] : []),
      ...(idleMs === undefined ? ['an idle limit'] : []),
      ...(cancels === true ? [] : ['a way to cancel']),
      ...(handlesEnd === true ? [] : ['a handler for its end']),
      ...(maxDepth === undefined ? ['a cap on depth'] : []),
      ...(traced === true || host.has('V14') ? [] : ['a trace']),
    ];
    return missing.length === 0 ? [] : [foundAnti('IA5', name, `it lacks ${missing.join(', ')}.`)];
  });

const softOnly: Rule = (context) =>
  context.profile.has('safety-critical') && context.present.has('S9') && !context.present.has('V7')
    ? [foundAnti('CE1', placeOf(context, 'S9'), 'principles stand alone in a safety-critical system.')]
    : [];

const watched: Rule = ({ system: { actions = {} } }) =>
  Object.entries(actions).flatMap(([name, { gate, irreversible, novel, blastRadius = 0 }]) => {
    if (gate === undefined) return [foundAnti('CE2', name, 'nobody said who decides about it.')];
    const isGrave = irreversible === true || novel === true || blastRadius >= WIDE;
    return gate === 'V2' && isGrave
      ? [foundAnti('CE2', name, 'it is only supervised, and should wait for a person.')]
      : [];
  });

const wrongPlanner: Rule = ({ present, system: { decidingEdges = [] } }) =>
  present.has('R5')
    ? decidingEdges.map((edge) => foundAnti('CE3', edge, 'a plan of R5 has to decide something here.'))
    : [];

const onePolicy: Rule = ({ present, system: { agents = {} } }) => {
  if (!present.has('O6')) return [];
  const named = Object.entries(agents).filter(([, { policy, role }]) => policy !== undefined && role !== undefined);
  return [...new Set(named.map(([, { policy }]) => policy))].flatMap((policy) => {
    const all = named.filter(([, each]) => each.policy === policy);
    const roles = new Set(all.map(([, { role }]) => role));
    return roles.size > 1 ? [foundAnti('CE4', all.map(([name]) => name).join(', '), 'roles share one policy.')] : [];
  });
};

const inNameOnly: Rule = ({ system: { agents = {} } }) =>
  Object.entries(agents).flatMap(([name, { readsParentHistory }]) =>
    readsParentHistory === true ? [foundAnti('CE5', name, "it reads its parent's history.")] : [],
  );

const selfModifying: Rule = (context) => {
  const { present, system } = context;
  const { selfTuning } = system;
  if (!present.has('H8')) return [];
  const at = placeOf(context, 'H8');
  const missing = (['surface', 'gate', 'reviewer', 'wayBack', 'caps'] as const).filter(
    (each) => selfTuning?.[each] !== true,
  );
  const found = missing.length === 0 ? [] : [foundAnti('CE6', at, `it has no ${missing.join(', ')}.`)];
  if (selfTuning?.proposerReadsCases === true)
    return [...found, foundAnti('CE6', at, 'the proposer can read the cases.')];
  return selfTuning?.sharesData === true
    ? [...found, foundAnti('CE6', at, 'monitoring and evaluation share data or a judge.')]
    : found;
};

const variableFirst: Rule = (context) => {
  const { segments = [] } = context.system;
  const late =
    variesLast(context) === false
      ? [
          foundAnti(
            'CE7',
            segments.find(({ varies }) => varies !== 'never')?.name ?? 'prompt',
            'it varies and stands before what is shared.',
          ),
        ]
      : [];
  return [
    ...late,
    ...segments.flatMap(({ name, varies, holdsTimeOrId }) =>
      varies === 'never' && holdsTimeOrId === true
        ? [foundAnti('CE7', name, 'it is shared and holds a time or an id.')]
        : [],
    ),
  ];
};

const wrongTier: Rule = ({ system: { segments = [] } }) =>
  segments.flatMap(({ name, varies, cached, everyTurn }) =>
    varies === 'never' && everyTurn === true && cached === false
      ? [foundAnti('CE8', name, 'it never changes and is sent uncached every turn.')]
      : [],
  );

const residue: Rule = ({ system: { segments = [] } }) =>
  segments.flatMap(({ name, decided }) =>
    decided === true ? [foundAnti('CE9', name, 'its decision is made, and it is still sent.')] : [],
  );

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
