import type { PatternSpec } from '../types.js';

export const h2: PatternSpec = {
  id: 'H2',
  name: 'Episodic Self-Improvement',
  category: 'humanizer',
  band: 'learning',
  purpose: 'Turns critiques of single tasks into reviewed lessons that age and are read in later sessions.',
  whenNot: 'Not where fewer than a tenth of failures come back, and not without a signal of success.',
  mechanisms: ['M9', 'M10'],
  exports: ['withLessons'],
  kind: 'wrapper',
  seats: {
    agent: {
      tools: 'any',
    },
    extractor: {
      tools: 'none',
      apartFrom: ['agent'],
      otherModel: 'preferred',
    },
  },
  params: {
    maxTokens: {
      default: 1000,
      source: 'catalogue',
    },
    promoteAfter: {
      default: 3,
      source: 'catalogue',
    },
    canonical: {
      default: 200,
      source: 'catalogue',
    },
    provisional: {
      default: 500,
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'agent',
      },
      {
        times: [
          {
            fact: 'critiques',
            least: 0,
            most: {
              param: 'provisional',
            },
          },
          {
            part: 'extractor',
          },
        ],
      },
    ],
  },
  bounds: ['maxTokens', 'canonical', 'provisional'],
  failures: [
    {
      sign: 'Somebody plants a lesson',
      end: 'blocked',
    },
    {
      sign: 'There are too many lessons',
      end: 'flagged',
    },
    {
      sign: 'A lesson fits one case only',
      end: 'flagged',
    },
    {
      sign: 'A lesson is out of date',
      end: 'flagged',
    },
    {
      sign: 'A lesson is used for another kind of task',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['R7'],
      when: 'always',
      why: 'Lessons are made of critiques.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['H1'],
      when: 'always',
      why: 'Lessons belong to somebody.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['K10', 'K12'],
      when: 'always',
      why: 'Lessons need a durable store.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V6'],
      when: 'always',
      why: 'A planted critique would become a lesson.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V1'],
      when: {
        fact: 'promotes-lessons',
      },
      why: 'A person decides what becomes a lasting lesson.',
      table: 'B1',
    },
    {
      kind: 'tension',
      to: ['H4'],
      when: {
        person: 'lessons-and-skills-apart',
      },
      why: 'What worked becomes a skill and what failed a lesson, once each.',
      table: 'B4',
    },
    {
      kind: 'tension',
      to: ['R7'],
      when: {
        person: 'lesson-against-critique',
      },
      why: 'Lessons are advice and not rules.',
      table: 'B4',
    },
    {
      kind: 'tension',
      to: ['H7'],
      when: {
        person: 'style-stored-once',
      },
      why: 'A correction of style is stored once.',
      table: 'B4',
    },
  ],
  clauses: [
    'Only accepted lessons are read.',
    'Each lesson names its session, attempt, signal and model version.',
    'Contradictions are flagged and never dropped.',
    'The session that distills reads critique and signal only.',
    'Distiller and actor are different models where there are two.',
    'A read never returns all lessons.',
    'Every write is in the journal.',
  ],
};
