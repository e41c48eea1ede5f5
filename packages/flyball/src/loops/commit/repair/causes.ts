import type { Defect, DimensionName, RootCause } from '../../../core/work.js';
import type { Strategy } from '../contracts.js';

export interface Cause {
  /** What mends it most of the time. */
  readonly usual: Strategy;
  /** For the repair prompt: what went wrong, and what a repair of it looks like. */
  readonly about: string;
}

export const CAUSES: Readonly<Record<RootCause, Cause>> = {
  'schema-violation': {
    usual: 'full-regeneration',
    about: 'The structure is not the one that was asked for. Keep what it says and give it that structure.',
  },
  'factual-error': {
    usual: 'minimal-edit',
    about: 'The evidence contradicts a statement. Replace it by what the evidence says.',
  },
  'logic-error': {
    usual: 'minimal-edit',
    about: 'The reasoning or the code is wrong. Correct what is wrong, and do not change the rest.',
  },
  incompleteness: {
    usual: 'section-rewrite',
    about: 'Something that is required is missing. Add it, and keep what is there.',
  },
  'coherence-failure': {
    usual: 'section-rewrite',
    about: 'Parts contradict each other. Decide which one holds and rewrite the others to agree with it.',
  },
  'safety-violation': {
    usual: 'minimal-edit',
    about: 'It holds something that must not be there. Take it out or make it unrecognisable.',
  },
  hallucination: {
    usual: 'minimal-edit',
    about: 'Nothing in the evidence carries a statement. Take it out, or say only what the evidence carries.',
  },
  'retrieval-gap': {
    usual: 'full-regeneration',
    about:
      'The evidence does not answer what the task asks. Use what has been found since, and say what stays unknown.',
  },
  'tool-failure': {
    usual: 'section-rewrite',
    about: 'A tool failed or answered something unexpected. Do not rely on that result: go another way or say so.',
  },
  'capability-limit': {
    usual: 'full-regeneration',
    about: 'Earlier repairs of this did not succeed. Work it out from the beginning.',
  },
  'complexity-exceeded': {
    usual: 'full-regeneration',
    about: 'It is too much for one piece. It has to be divided.',
  },
};

const BY_DIMENSION: Readonly<Record<Exclude<DimensionName, 'correctness'>, RootCause>> = {
  completeness: 'incompleteness',
  coherence: 'coherence-failure',
  safety: 'safety-violation',
};

/**
 * What a defect comes from. A cause that its finder named is believed; else who found it tells most, then its facts,
 * then the dimension it lies in.
 */
export function classify(defect: Defect): RootCause {
  return defect.cause ?? byFacts(defect) ?? byFinder(defect) ?? byDimension(defect);
}

/** Facts that leave no doubt, whoever reports them. */
function byFacts({ facts = {} }: Defect): RootCause | undefined {
  if (facts['finish'] === 'length' || facts['code'] === 'WINDOW_EXCEEDED') return 'complexity-exceeded';
  if (isFilled(facts['tool'])) return 'tool-failure';
  return undefined;
}

function byFinder({ foundBy, facts = {} }: Defect): RootCause | undefined {
  switch (foundBy.split(':', 1)[0]) {
    case 'schema':
      return 'schema-violation';
    case 'claim':
      return facts['verdict'] === 'contradict' || isFilled(facts['evidence']) ? 'factual-error' : 'hallucination';
    case 'test':
      return 'logic-error';
    case 'requirement':
      return 'incompleteness';
    case 'gap':
      return 'retrieval-gap';
    case 'tool':
      return 'tool-failure';
    default:
      return undefined;
  }
}

function byDimension({ dimension, location, facts = {} }: Defect): RootCause {
  if (dimension !== 'correctness') return BY_DIMENSION[dimension];
  const isExecuted = ['stack', 'errorType', 'expected', 'actual', 'at'].some((name) => facts[name] !== undefined);
  return isExecuted || isCode(location?.artefact ?? '') ? 'logic-error' : 'factual-error';
}

const PROSE = /\.(?:md|markdown|txt|rst|adoc|html?)$/i;

/** By its name: anything with an extension that is not one of prose. */
export function isCode(artefact: string): boolean {
  const name = artefact.slice(Math.max(artefact.lastIndexOf('/'), artefact.lastIndexOf('\\')) + 1);
  const dot = name.lastIndexOf('.');
  const hasExtension = /^[a-z]\w*$/i.test(name.slice(dot + 1)) && /[^.]/.test(name.slice(0, Math.max(0, dot)));
  return hasExtension && !PROSE.test(name);
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '';
}
