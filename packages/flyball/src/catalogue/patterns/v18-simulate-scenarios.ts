import type { PatternSpec } from '../types.js';

export const v18: PatternSpec = {
  id: 'V18',
  name: 'Agent Simulation',
  category: 'reliability',
  band: 'observation and evaluation',
  purpose: 'Plays the whole agent against simulated people, tools and faults, and judges the full course.',
  whenNot: 'Not for tasks of one or two turns.',
  mechanisms: ['M7'],
  exports: ['simulateScenarios'],
  kind: 'beside',
  seats: {
    user: {
      tools: 'none',
      apartFrom: ['agent'],
    },
    agent: {
      tools: 'any',
    },
    judge: {
      tools: 'none',
      apartFrom: ['agent'],
    },
  },
  params: {
    maxTurns: {
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'turns',
            least: 1,
            most: {
              param: 'maxTurns',
            },
          },
          {
            sum: [
              {
                part: 'user',
              },
              {
                part: 'agent',
              },
              {
                times: [
                  {
                    fact: 'simulated',
                    least: 0,
                    most: 1,
                  },
                  {
                    part: 'tools',
                  },
                ],
              },
            ],
          },
        ],
      },
      {
        part: 'judge',
      },
    ],
  },
  bounds: ['maxTurns'],
  failures: [
    {
      sign: 'Simulated people stop being like real ones',
      end: 'flagged',
    },
    {
      sign: 'The agent is stuck',
      end: 'bounded',
    },
    {
      sign: 'The simulated user helps',
      end: 'failed',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'The course is the evidence.',
      table: 'B5',
    },
  ],
  clauses: [
    'A simulated user never sees what is expected, the state of the agent or the rubric.',
    'Goal and persona open the context of a simulated user.',
    'A fault that never fires makes the run invalid.',
    'Only the agent that is in production is simulated.',
    'Nothing that the agent sees tells that it is simulated.',
    'A violation in the middle fails a conversation that ends well, and the span is cited.',
    'Safety has no tolerance.',
    'A verdict of a judge that is not the pinned one does not count.',
    'Turns and money are scored.',
    'A suite of happy paths only is refused.',
  ],
};
