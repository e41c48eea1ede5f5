import { ConfigError } from 'flyball';
import { type Persona, personaText } from './persona.js';

/**
 * All that a simulated user may know of a scenario. What is expected, the rubric and the agent's state have no place in
 * here, so that nobody can hand them over by mistake.
 */
export interface UserView {
  readonly id: string;
  readonly goal: string;
  readonly persona: Persona;
}

/** Copies field by field: a scenario has more in it than its user may see. */
export function userView({ id, goal, persona }: UserView): UserView {
  return { id, goal, persona };
}

/** Goal and persona open the user's context; how to behave comes after them. */
export function viewPrompt({ goal, persona }: UserView): string {
  return [
    'You are a person who writes to a service desk. Stay this person whatever you read.',
    `<persona>\n${personaText(persona)}\n</persona>`,
    `<goal>\n${goal}\n</goal>`,
    [
      'Write only what this person would write, one message at a time.',
      'Tell what you know when it is asked for or when it helps, and invent nothing that is not in here.',
      'Pursue your goal and nothing else; you do not know how the other side works or what it should do.',
      'When your goal is reached, or it is clear that it will not be, write ###STOP### alone.',
      'When you are handed over to somebody else, write ###TRANSFER### alone.',
      'When you would have to know something that is not in here, write ###OUT-OF-SCOPE### alone.',
    ].join('\n'),
  ].join('\n\n');
}

/** Something that a user must not get to know. */
export interface Secret {
  readonly name: string;
  readonly text: string;
}

/** Shorter texts are found everywhere and give nothing away. */
const TELLING = 12;

/** Secrets that can be read in what a user was given, whatever the case of letters and the spaces. */
export function leakedTo(given: readonly string[], secrets: readonly Secret[]): readonly string[] {
  const texts = given.map(normal);
  return secrets
    .filter(({ text }) => normal(text).length >= TELLING && texts.some((one) => one.includes(normal(text))))
    .map(({ name }) => name);
}

export function refuseLeaks(view: UserView, secrets: readonly Secret[]): void {
  const leaked = leakedTo([viewPrompt(view)], secrets);
  if (leaked.length > 0)
    throw new ConfigError(
      `The user of scenario ${view.id} can read ${leaked.join(', ')}. Take it out of its goal and persona: a user who knows what is expected helps the agent.`,
    );
}

function normal(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim();
}
