import { canonicalJson, sha256 } from '../core/canonical.js';
import type { Defect, DimensionName, EvidenceBundle, Location, RootCause } from '../core/work.js';
import type { JudgedClaim, Subject } from './contracts.js';
import { answerOf } from './material.js';
import type { RubricDimension } from './rubric.js';

/**
 * How bad a finding is, where a check made it. A violated schema and a blocking dimension are as bad as can be; a claim
 * that merely rests on nothing may still be true.
 */
const SEVERITY = { schema: 1, contradicted: 0.8, requirement: 0.7, gap: 0.6, ungrounded: 0.5 };
/** What an authority contradicts is wrong, and not only in doubt. */
const BY_AUTHORITY = 0.9;
const LEAST_SEVERITY = 0.1;
const LONGEST_FACT = 2000;

/** The same for the same thing in every iteration: taken over what a defect is about, never over how it is worded. */
export function defectId(kind: string, ...about: readonly unknown[]): string {
  return `${kind}-${sha256(canonicalJson(about)).slice(0, 12)}`;
}

/** Where defects are known to be, the gravest first. */
export function placesOf(defects: readonly Defect[]): readonly Location[] {
  return defects
    .toSorted((a, b) => b.severity - a.severity)
    .flatMap(({ location }) => (location === undefined ? [] : [location]));
}

export function schemaDefect({ outputs }: Subject, problems: readonly string[]): Defect {
  const answer = answerOf(outputs);
  return {
    id: defectId('schema'),
    dimension: 'correctness',
    description: `The answer does not match its schema: ${problems.join('; ')}`,
    severity: SEVERITY.schema,
    ...(answer === undefined ? {} : { location: { artefact: answer.name } }),
    scope: 'global',
    cause: 'schema-violation',
    foundBy: 'schema',
    facts: { problems },
  };
}

/** What the evidence contradicts, and what it does not carry. Without evidence nothing can be said about either. */
export function claimDefects(claims: readonly JudgedClaim[], { items }: EvidenceBundle): readonly Defect[] {
  if (items.length === 0) return [];
  return claims.flatMap((claim): readonly Defect[] => {
    if (claim.verdict === 'entail') return [];
    const rests = items.filter(({ id }) => claim.evidence.includes(id));
    const isWrong = claim.verdict === 'contradict';
    return [
      {
        id: defectId('claim', claim.id),
        dimension: 'correctness',
        description: `${isWrong ? 'The evidence contradicts' : 'No evidence carries'} the claim: ${claim.text}`,
        severity: isWrong
          ? rests.some(({ authority }) => authority)
            ? BY_AUTHORITY
            : SEVERITY.contradicted
          : SEVERITY.ungrounded,
        location: { artefact: claim.artefact, ...(claim.line === undefined ? {} : { line: claim.line }) },
        scope: 'bounded',
        cause: isWrong ? 'factual-error' : 'hallucination',
        foundBy: 'claim',
        facts: {
          claim: claim.text,
          evidence: rests.map(({ id, source, place, text }) => ({
            id,
            source,
            place,
            text: text.slice(0, LONGEST_FACT),
          })),
        },
      },
    ];
  });
}

export function requirementDefect(requirement: string): Defect {
  return {
    id: defectId('requirement', requirement),
    dimension: 'completeness',
    description: `A requirement is not covered: ${requirement}`,
    severity: SEVERITY.requirement,
    scope: 'global',
    cause: 'incompleteness',
    foundBy: 'requirement',
    facts: { requirement },
  };
}

export function gapDefect(query: string): Defect {
  return {
    id: defectId('gap', query.trim().replaceAll(/\s+/g, ' ').toLowerCase()),
    dimension: 'completeness',
    description: `There is no evidence for: ${query}`,
    severity: SEVERITY.gap,
    scope: 'global',
    cause: 'retrieval-gap',
    foundBy: 'gap',
    facts: { query },
  };
}

/** What falls short of a dimension can come from many causes; only some dimensions tell which. */
const CAUSE_OF: Readonly<Record<DimensionName, RootCause | undefined>> = {
  correctness: undefined,
  completeness: 'incompleteness',
  coherence: 'coherence-failure',
  safety: 'safety-violation',
};

export function rubricDefect(
  { name, minimum, blocking }: RubricDimension,
  said: { readonly score: number; readonly reasoning: string },
): Defect {
  const cause = CAUSE_OF[name];
  const short = minimum === 0 ? 0 : (minimum - said.score) / minimum;
  return {
    id: defectId('rubric', name),
    dimension: name,
    description: `${name} scores ${said.score}, below ${minimum}: ${said.reasoning}`,
    severity: blocking === true ? 1 : Math.min(1, Math.max(LEAST_SEVERITY, short)),
    scope: 'global',
    ...(cause === undefined ? {} : { cause }),
    foundBy: 'rubric',
    facts: { score: said.score, minimum, reasoning: said.reasoning },
  };
}
