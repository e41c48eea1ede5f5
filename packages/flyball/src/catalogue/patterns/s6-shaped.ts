import type { PatternSpec } from '../types.js';

export const s6: PatternSpec = {
  id: 'S6',
  name: 'Output Template',
  category: 'signal',
  band: 'setup framing',
  purpose: 'Hands the model the shape of the answer, so that it only fills in content.',
  whenNot: 'Not for free prose.',
  mechanisms: ['M7'],
  exports: ['shaped'],
  kind: 'framing',
  seats: {
    session: {
      tools: 'none',
    },
  },
  params: {
    mode: {
      default: 'auto',
      source: 'ours',
    },
    maxRepairs: {
      default: 1,
      source: 'ours',
    },
    fields: {
      range: [1, 10],
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      1,
      {
        fact: 'repairs',
        least: 0,
        most: {
          param: 'maxRepairs',
        },
      },
    ],
  },
  bounds: ['maxRepairs'],
  failures: [
    {
      sign: 'Values are invented because a field is required',
      end: 'flagged',
    },
    {
      sign: 'Too many replies need repair',
      end: 'flagged',
    },
    {
      sign: 'Skeleton and parser drift apart',
      end: 'failed',
    },
    {
      sign: 'The reply still does not fit after repair',
      end: 'failed',
    },
  ],
  relations: [
    {
      kind: 'upgrades-to',
      to: ['*native'],
      when: {
        fact: 'native-output',
      },
      why: "The provider's own structured output is better than a template.",
      table: 'B3',
    },
  ],
  clauses: [
    'Skeleton, provider schema and parser share one schema hash, and a prompt made for another one is refused.',
    '`auto` lets the provider enforce the schema where it can, and uses a form where prose is mixed in.',
    'Unknown, missing, mistyped, reordered and echoed fields are refused, never returned in part.',
    'Replies are checked in native mode too.',
    'Required fields are explicit, and a field that forces an invention is reported.',
    'A repair sees the bad reply, the schema and the problem, and never happens in native mode.',
  ],
};
