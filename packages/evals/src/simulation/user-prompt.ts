import { strip } from '../tau2/python/text.js';
import type { PyDict, PyValue } from '../tau2/python/value.js';
import type { Domain } from '../world/environment.js';
import type { Task } from '../world/task.js';

/** What a simulated user is told: how to behave, and who it is and what it wants. */
export function userPrompt(domain: Pick<Domain, 'userGuidelines'>, task: Task, withTools: boolean): string {
  return `${domain.userGuidelines(withTools)}\n\n<scenario>\n${scenarioText(task)}\n</scenario>`;
}

/** The scenario of a task, as the simulated user reads it. */
export function scenarioText(task: Pick<Task, 'persona' | 'instructions'>): string {
  const persona = task.persona === null ? [] : ['Persona:', indented(textOf(task.persona))];
  return [...persona, 'Instructions:', indented(textOf(task.instructions))].join('\n');
}

/** Some domains give instructions as a record of named parts. */
const PARTS: readonly (readonly [field: string, title: string])[] = [
  ['reason_for_call', 'Reason for call'],
  ['known_info', 'Known info'],
  ['unknown_info', 'Unknown info'],
  ['task_instructions', 'Task instructions'],
];

function textOf(value: PyValue): string {
  if (value instanceof Map) return structuredText(value);
  return typeof value === 'string' ? value : String(value);
}

function structuredText(instructions: PyDict): string {
  const parts = PARTS.flatMap(([field, title]) => {
    const text = instructions.get(field) ?? null;
    return text === null ? [] : [`${title}:\n${indented(textOf(text))}`];
  });
  return [`Domain: ${textOf(instructions.get('domain') ?? '')}`, ...parts].join('\n');
}

/** A tab before every line that is not blank. */
function indented(text: string): string {
  return text
    .split(/(?<=\n)/)
    .map((line) => (strip(line) === '' ? line : `\t${line}`))
    .join('');
}
