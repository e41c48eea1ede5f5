import type { PatternSpec } from '../types.js';

export const k13: PatternSpec = {
  id: 'K13',
  name: 'Retrieval Bundle',
  category: 'knowledge',
  band: 'retrieval',
  purpose: 'Names every field that a workflow needs and collects them all before anyone thinks.',
  whenNot: 'Not where needs differ from case to case.',
  mechanisms: ['M2', 'M5', 'M9'],
  exports: ['fromBundle'],
  kind: 'agent',
  seats: {
    worker: {
      tools: 'any',
    },
  },
  params: {
    width: {
      default: 8,
      source: 'ours',
    },
    share: {
      default: 0.3,
      source: 'catalogue',
    },
  },
  calls: {
    part: 'worker',
  },
  bounds: ['width'],
  failures: [
    {
      sign: 'A source is down',
      end: 'failed',
    },
    {
      sign: 'Two sources disagree',
      end: 'flagged',
    },
    {
      sign: 'The workflow needs more than the bundle names',
      end: 'flagged',
    },
    {
      sign: 'Collecting takes too long',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'A bundle with a field that lacks its source, shape, time to live, roles or what happens when it is missing is refused when fromBundle is built.',
    'A field whose shape does not fit the way it is fetched is refused.',
    'A field that the roles may not see is not fetched.',
    'Each field of a bundle has its own time to live; an expired value is fetched again and never shown.',
    'Every field is shown with its source, its authority and its age.',
    'fromBundle shows nothing that its specification does not name.',
    'No field is left out silently: a missing one is replaced by a marked substitute or said to be unknown.',
    'A worker does not fetch a field of the bundle again, and what the specification lacks is recorded in the journal.',
  ],
};
