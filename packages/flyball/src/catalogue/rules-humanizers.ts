import { claimsFeeling } from './affect.js';
import { foundAnti, notStated, placeOf } from './anti-pattern-finding.js';
import type { Finding } from './finding.js';
import type { Rule } from './rules-agents.js';
import type { AntiPatternId, Level } from './types.js';

const ALL_APPROVED = 0.99;

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
  if (relationship === undefined) return [notStated('HA2', at, 'relationship', Object.keys(SAFEGUARDS))];
  const names = Object.keys(SAFEGUARDS) as (keyof typeof SAFEGUARDS)[];
  const missing = names.filter((each) => relationship[each] !== true);
  if (missing.length === 0) return [];
  const change = `Add ${missing.map((each) => SAFEGUARDS[each]).join(', ')}.`;
  return [foundAnti('HA2', { at, why: `it has no ${missing.join(', ')}.`, change })];
};

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
  if (trackRecord === undefined) return [notStated('HA5', at, 'trackRecord', ['entries that fade'])];
  if (trackRecord.decays !== true)
    return [foundAnti('HA5', { at, why: 'entries never fade.', change: 'Let entries fade.' })];
  const { incomplete = 0 } = trackRecord;
  const why = `${incomplete} entries lack attempts, successes, date or confidence.`;
  return incomplete > 0 ? [foundAnti('HA5', { at, why, change: 'Complete these entries, or remove them.' })] : [];
};

/** The 5 of humanizers. */
export const humanizerRules: Readonly<Partial<Record<AntiPatternId, Rule>>> = {
  HA1: simulatedEmotion,
  HA2: relationshipDepth,
  HA3: identityDrift,
  HA4: principleAdoption,
  HA5: staleSelf,
};
