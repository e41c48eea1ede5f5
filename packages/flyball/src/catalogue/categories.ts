import type { CategorySpec } from './types.js';

/** The seven categories, and what pulls in different directions in each. */
export const categories: readonly CategorySpec[] = [
  {
    id: 'signal',
    letter: 'S',
    about: 'How one prompt is framed.',
    forces: [
      'A model brings general habits and knows nothing about this task.',
      'Every token of a prompt is paid for on every call, so each addition has to earn its place.',
      'A prompt makes things likely and guarantees none: what must always hold is code.',
    ],
  },
  {
    id: 'knowledge',
    letter: 'K',
    about: 'What goes into the window, and what stays in memory.',
    forces: [
      'The window is finite, its cost grows faster than its length, and its middle is read badly.',
      'What is needed lives outside the model.',
      'A model does not know what it lacks: grounding has to be built and cannot be asked for.',
    ],
  },
  {
    id: 'reasoning',
    letter: 'R',
    about: 'What happens between a question and its answer.',
    forces: [
      'Thinking is paid for in tokens, and a loop that sends its growing history again pays more each time.',
      'One pass is fluent and unreliable, and a model elaborates a wrong step instead of taking it back.',
      'What adapts to every result costs more than what decides once.',
    ],
  },
  {
    id: 'orchestration',
    letter: 'O',
    about: 'How several agents add up.',
    forces: [
      'Every boundary costs time and money and is a place for errors to hide.',
      'Code that decides is cheap and can be tested; a model that decides adapts and cannot be predicted.',
      'Work is independent when its state is: only then does it run side by side.',
      'Coordination needs bounds: no loop, spawn or delegation without them.',
    ],
  },
  {
    id: 'reliability',
    letter: 'V',
    about: 'What keeps an agent within limits, and shows that it stayed there.',
    forces: [
      'The model is the part to trust least, and its errors are a rate: what enforces is code that it cannot reach.',
      'Every safeguard costs time, tokens or ability: cheap checks come first.',
      'What was not recorded cannot be defended.',
    ],
  },
  {
    id: 'integration',
    letter: 'I',
    about: 'Where the line between model and code runs, and how calls cross it.',
    forces: [
      'Letting a model route costs time, tokens and certainty.',
      'The ability exists elsewhere: reach it, do not rebuild it.',
      'Standard connections can be reused, and widen what an attacker reaches.',
    ],
  },
  {
    id: 'humanizer',
    letter: 'H',
    about: 'What an agent keeps from one session to the next, and who controls it.',
    forces: [
      'A model without memory has to act as an agent with one: all that stays is text that is read again.',
      'Staying the same and adapting pull apart: each pattern fixes one surface and frees another.',
      'Changing oneself is the most dangerous ability: the closer to values, the stricter the control.',
    ],
  },
];
