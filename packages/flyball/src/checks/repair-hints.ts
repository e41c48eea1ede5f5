import type { Defect, RepairHint, RootCause } from '../core/work.js';

/** What helps against each cause, where nobody looked closer. */
const BY_CAUSE: Readonly<Record<RootCause, string>> = {
  'schema-violation': 'Write the answer again in the form its schema asks for, and change nothing else.',
  'factual-error': 'Replace the claim by what the evidence says.',
  'logic-error': 'Correct the reasoning or the code at this place.',
  incompleteness: 'Add what is missing and do not change the rest.',
  'coherence-failure': 'Rewrite the parts that disagree so that they say the same.',
  'safety-violation': 'Remove or redact what must not be there.',
  hallucination: 'Remove the claim, or replace it by one that the evidence carries.',
  'retrieval-gap': 'Look for the missing evidence first, then write the part that rests on it.',
  'tool-failure': 'Find out why the tool failed, correct its input, or use another one.',
  'capability-limit': 'Give the part to a stronger model or to a person.',
  'complexity-exceeded': 'Divide the task into smaller ones.',
};

/** A hint for a defect that a check found: what the check knows is said in full, so that nothing has to be guessed. */
export function hintFor(defect: Defect): RepairHint {
  const general = defect.cause === undefined ? 'Find the cause and correct it.' : BY_CAUSE[defect.cause];
  const known = knownOf(defect);
  return { defect: defect.id, hint: known === '' ? general : `${general} ${known}` };
}

function knownOf({ facts = {}, foundBy, location }: Defect): string {
  const told = (name: string): string => (typeof facts[name] === 'string' ? facts[name] : JSON.stringify(facts[name]));
  const place = location?.line === undefined ? '' : ` at ${location.artefact}:${location.line}`;
  if (foundBy === 'schema') return `It violates: ${told('problems')}`;
  if (foundBy === 'requirement') return `It has to cover: ${told('requirement')}`;
  if (foundBy === 'gap') return `Query: ${told('query')}`;
  if (foundBy === 'rubric') return `The judge says: ${told('reasoning')}`;
  if (foundBy === 'claim') return claimHint(facts);
  if (foundBy === 'adversary') return `For ${told('input')} it ${told('actual')}, expected ${told('expected')}.`;
  if (foundBy.startsWith('test:'))
    return facts['test'] === undefined
      ? `The command says: ${told('problem')}`
      : `Make the test pass${place}: ${told('test')}${valuesOf(facts)}`;
  return '';
}

function valuesOf({ expected, actual, message }: Readonly<Record<string, unknown>>): string {
  const compared = expected === undefined && actual === undefined ? '' : ` (expected ${expected}, got ${actual})`;
  return compared === '' && typeof message === 'string' ? ` (${message})` : compared;
}

function claimHint({ evidence }: Readonly<Record<string, unknown>>): string {
  const pieces = Array.isArray(evidence) ? (evidence as readonly { readonly id: string; readonly text: string }[]) : [];
  return pieces.map(({ id, text }) => `Evidence ${id} says: ${text}`).join(' ');
}
