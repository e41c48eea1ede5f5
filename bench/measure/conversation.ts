import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { type Agent, append, createRuntime, done, type Prompt, type Session, type Tool } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { quietModel } from './quiet-model.js';
import { wideBudget } from './wide-budget.js';

/** A step is a user's message and the model's reply; with 'tool-call' also a tool call, its result, and the reply to it. */
export type StepKind = 'talk' | 'tool-call';

export interface Weighed {
  readonly steps: number;
  /** Of the whole database, nothing left in a log. */
  readonly fileBytes: number;
  /** Of the same database before the run. */
  readonly emptyBytes: number;
  /** Of everything that was said, each text once. */
  readonly uniqueBytes: number;
}

const MESSAGE_BYTES = 800;
const RESULT_BYTES = 1_000;

/** Holds a conversation of so many steps in a fresh database file and weighs it. */
export async function weighConversation(path: string, steps: number, kind: StepKind): Promise<Weighed> {
  await (await sqliteEngine({ path })).close();
  const emptyBytes = statSync(path).size;
  const said = new Set<string>();
  const say = (name: string, bytes: number): string => {
    const words = text(name, bytes);
    said.add(words);
    return words;
  };
  let replies = 0;
  const model = quietModel(({ messages }) => {
    const n = replies++;
    const isAnswer = kind === 'talk' || messages.at(-1)?.role === 'tool';
    if (isAnswer) return { text: say(`reply ${n}`, MESSAGE_BYTES) };
    return { toolCalls: [{ id: `call_${n}`, name: 'look', arguments: JSON.stringify({ page: n }) }] };
  });
  const look: Tool<{ page: number }, string> = {
    name: 'look',
    description: 'Reads a page.',
    effect: 'idempotent',
    execute: async ({ page }) => say(`page ${page}`, RESULT_BYTES),
  };
  const session: Session = { name: 'assistant', model, setup: say('setup', MESSAGE_BYTES), tools: [look] };

  const talker: Agent<number, number> = async (run, count) => {
    let prompt: Prompt | undefined;
    for (let step = 0; step < count; step++) {
      let reply = await run.ask(session, append(prompt, { role: 'user', content: say(`user ${step}`, MESSAGE_BYTES) }));
      for (const call of reply.toolCalls) {
        const { content } = await run.call(look, JSON.parse(call.arguments));
        reply = await run.ask(session, append(reply.prompt, { role: 'tool', content, toolCallId: call.id }));
      }
      prompt = reply.prompt;
    }
    return done(count);
  };
  const engine = await sqliteEngine({ path });
  const runtime = createRuntime({ engine, agents: { talker }, options: { worker: false } });
  const outcome = await (await runtime.start('talker', steps, { budget: wideBudget })).outcome();
  if (outcome.stop !== 'done') throw new Error(`The conversation ended ${outcome.stop}.`);
  await runtime.close();
  await engine.close(); // moves everything from the log into the file
  return { steps, emptyBytes, fileBytes: readFileSync(path).length, uniqueBytes: [...said].join('').length };
}

/** What a step costs beyond what was said in it: over the empty database, or over a shorter conversation. */
export function growthPerStep(weighed: Weighed, over?: Weighed): number {
  const beyond = ({ fileBytes, emptyBytes, uniqueBytes }: Weighed): number => fileBytes - emptyBytes - uniqueBytes;
  return (beyond(weighed) - (over === undefined ? 0 : beyond(over))) / (weighed.steps - (over?.steps ?? 0));
}

/** By how much the file grows with a step, contents included: what is linear when nothing is written twice. */
export function fileGrowthPerStep(weighed: Weighed, over: Weighed): number {
  return (weighed.fileBytes - over.fileBytes) / (weighed.steps - over.steps);
}

/** Text that nothing else repeats and no compression shortens much. */
function text(name: string, bytes: number): string {
  let words = '';
  for (let n = 0; words.length < bytes; n++)
    words += `${createHash('sha256').update(`${name} ${n}`).digest('base64url')} `;
  return words.slice(0, bytes);
}
