import type { PatternSpec } from '../types.js';

export const o10: PatternSpec = {
  id: 'O10',
  name: 'Swarm / Mesh',
  category: 'orchestration',
  band: 'agentic',
  purpose: 'Lets peers pass a conversation along declared lines; the holder works and routes.',
  whenNot: 'Not where one result has to be put together, and not before a hierarchy was tried.',
  mechanisms: ['M6'],
  exports: ['swarm'],
  kind: 'agent',
  isLoop: true,
  seats: {
    peers: {
      tools: 'any',
    },
  },
  params: {
    peers: {
      range: [2, 8],
      source: 'catalogue',
    },
    maxTurns: {
      source: 'catalogue',
    },
    maxHandoffs: {
      source: 'catalogue',
    },
    cycleWindow: {
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'handoffs',
            least: 0,
            most: {
              param: 'maxHandoffs',
            },
          },
          {
            part: 'peers',
          },
        ],
      },
      {
        part: 'peers',
      },
    ],
  },
  bounds: ['maxTurns', 'maxHandoffs', 'cycleWindow'],
  failures: [
    {
      sign: 'Control goes in circles',
      end: 'person',
    },
    {
      sign: 'One peer keeps everything or becomes a hub',
      end: 'flagged',
    },
    {
      sign: 'The history grows',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['O7'],
      when: {
        person: 'swarm-over-hierarchy',
      },
      why: 'Prefer the hierarchy.',
      table: 'B4',
    },
    {
      kind: 'requires',
      to: ['O15'],
      when: 'always',
      why: 'Peers hand over with a package.',
      table: 'B5',
    },
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'Circles have to be found.',
      table: 'B5',
    },
  ],
  clauses: [
    'Exactly one peer holds the conversation.',
    "A peer's tools name only its own lines.",
    'An undeclared target is refused and the holder stays.',
    'A ninth peer is refused.',
    'Handing over is the only way between peers.',
    'The next holder reads the shared history and the package.',
    'Each turn records holder, action, target, brief and reason.',
    'Circles are found whatever the caps on turns say.',
  ],
};
