import type { PatternSpec } from '../types.js';

export const o14: PatternSpec = {
  id: 'O14',
  name: 'Single Information Environment',
  category: 'orchestration',
  band: 'mechanisms',
  purpose: 'Gives each dataset an owner and asks those who own the answer, as far as this user may.',
  whenNot: 'Not where handlers share their data.',
  mechanisms: ['M1', 'M6'],
  exports: ['dataOwners'],
  kind: 'agent',
  seats: {
    classifier: {
      tools: 'none',
      apartFrom: ['owners'],
    },
    owners: {
      tools: 'any',
    },
    editor: {
      tools: 'none',
    },
  },
  params: {
    maxOwners: {
      range: [2, 10],
      source: 'catalogue',
    },
    maxReroutes: {
      default: 1,
      source: 'ours',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'routed',
            least: 1,
            most: {
              sum: [
                1,
                {
                  param: 'maxReroutes',
                },
              ],
            },
          },
          {
            part: 'classifier',
          },
        ],
      },
      {
        times: [
          {
            fact: 'asked',
            least: 0,
            most: {
              param: 'maxOwners',
            },
          },
          {
            part: 'owners',
          },
        ],
      },
      {
        times: [
          {
            fact: 'edited',
            least: 0,
            most: 1,
          },
          {
            part: 'editor',
          },
        ],
      },
    ],
  },
  bounds: ['maxOwners', 'maxReroutes'],
  failures: [
    {
      sign: 'The wrong owner is asked',
      end: 'retried',
    },
    {
      sign: 'The question is too broad',
      end: 'flagged',
    },
    {
      sign: 'The list of owners is out of date',
      end: 'refused',
    },
  ],
  relations: [],
  clauses: [
    'An owner can look up its own data and nothing else.',
    'Access is decided before the coordinator is asked, forbidden owners are neither named nor accepted, and owners check again.',
    'Coordinator and editor cannot look anything up.',
    'Owners share an identical prefix.',
    'Fragments say whose they are, and contradictions show.',
    'The list of owners is declared, versioned and recorded.',
    'An owner refuses what is not its own.',
  ],
};
