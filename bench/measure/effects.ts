import { done, type Model, type Run, type Session, type Tool } from 'flyball';
import { quietModel } from './quiet-model.js';

/** The kinds of effects that benchmarks make, each as cheap as it can be: what is measured is what surrounds it. */
export const EFFECTS = {
  'pure step': (run: Run, n: number) => run.step('work', n, (input) => input + 1, 'pure'),
  'idempotent step': (run: Run, n: number) => run.step('work', n, (input) => input + 1, 'idempotent'),
  'tool call': (run: Run, n: number) => run.call(addOne, { x: n }),
  ask: (run: Run, n: number) => run.ask(answerer, `question ${n}`),
  spawn: (run: Run, n: number) => run.spawn(child, n, { modelCalls: 1 }),
} as const;
export type EffectName = keyof typeof EFFECTS;

export const addOne: Tool<{ x: number }, string> = {
  name: 'add_one',
  description: 'Adds one.',
  effect: 'idempotent',
  inputJsonSchema: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
  execute: plusOne,
};

export async function plusOne({ x }: { readonly x: number }): Promise<string> {
  return String(x + 1);
}

export const answerer: Session = { name: 'answerer', model: quietModel(() => ({ text: 'yes' })), setup: 'You answer.' };

async function child(_run: Run, n: number) {
  return done(n);
}

/** The model of a tool loop: asks for a tool `calls` times, then says that it is done. */
export function loopModel(calls: number): Model {
  return quietModel(({ messages }) => {
    const made = messages.filter(({ role }) => role === 'tool').length;
    if (made >= calls) return { text: 'done' };
    return { toolCalls: [{ id: `call_${made}`, name: 'add_one', arguments: JSON.stringify({ x: made }) }] };
  });
}
