import { budget, type Model, type Outcome, type Run, type Waiting } from 'flyball';
import { type ToolLoopResult, toolLoop } from 'flyball/loops';
import { type ScriptedModel, scriptedModel } from 'flyball/testing';
import { type DefinedTool, tool, toolRegistry } from 'flyball/tools';
import type { Answer, Journey } from '../crash/carry-on.js';
import { type Doomed, type Lives, throughLives } from '../crash/lives.js';
import { answerOf, StableWorld } from '../crash/mixed-agent.js';
import { call, proposes, proposesAll } from './stage-loop.js';

/** What outlives the processes of a crash test: the world, the provider of the model, and what they were asked for. */
export class LoopWorld extends StableWorld {
  /** How often the model was asked, by key: each time costs money. */
  readonly asked = new Map<string, number>();
  /** How often a tool's body ran, by key. */
  readonly ran = new Map<string, number>();
  readonly scripted: ScriptedModel = scriptedModel(
    { worker: SCRIPT, 'worker-summarizer': () => SUMMARY },
    // what a provider says to a call repeated after a crash is what it said before
    { repeatedKey: 'same-reply', capabilities: { window: 3000, maxOutputTokens: 300 } },
  );

  get model(): Model {
    const generate: Model['generate'] = (request, how) => {
      this.asked.set(how.key, (this.asked.get(how.key) ?? 0) + 1);
      return this.scripted.generate(request, how);
    };
    return { ...this.scripted, generate };
  }

  /** A call of a tool's body; a dead process makes none. */
  async perform(name: string, key: string, dedupe: boolean): Promise<string> {
    if (!this.isDead()) this.ran.set(key, (this.ran.get(key) ?? 0) + 1);
    return this.act(name, key, dedupe);
  }
}

const ALOUD = `I go on with ledger_2041 and look for INV-7731. ${'More words of thought. '.repeat(40)}`;
const SUMMARY = 'Looked through ledger_2041 for INV-7731; saved and booked what was found.';
const look = (n: number) => call('look', { n }, `look${n}`);

/** Pure calls side by side, idempotent and undoable ones, failures, a text that is questioned, clearing, compaction. */
const SCRIPT = [
  { text: ALOUD, ...proposesAll(look(0), look(1), look(2)) },
  { text: ALOUD, ...proposesAll(call('save', { n: 1 }, 's1'), look(3), look(4), call('book', { n: 1 }, 'b1')) },
  proposes('nobody'),
  { text: ALOUD, ...proposesAll(look(5), look(6)) },
  { text: ALOUD, ...proposes('book', { n: 2 }, 'b2') },
  'I think I am done.',
  { text: ALOUD, ...proposes('save', { n: 2 }, 's2') },
  { text: ALOUD, ...proposesAll(look(7), look(8)) },
  { text: ALOUD, ...proposes('look', { n: 9 }, 'look9') },
  { text: ALOUD, ...proposes('look', '{"n": 9,}', 'bad') },
  { text: ALOUD, ...proposes('save', { n: 3 }, 's3') },
  'Done?',
  'Done.',
];

const NUMBERED = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;

function toolsOf(world: LoopWorld): readonly DefinedTool[] {
  const rest = { timeoutMs: 1000, input: NUMBERED, description: 'Does one thing. Not for anything else.' };
  const verify = async (_args: unknown, { key }: { readonly key: string }) =>
    world.made.has(key) ? ({ happened: 'yes', result: answerOf('book') } as const) : ({ happened: 'no' } as const);
  return [
    tool({
      ...rest,
      name: 'look',
      effect: 'pure',
      execute: async ({ n }, { key }) =>
        `${await world.perform('look', key, true)} ${String(n)}: ${`line ${String(n)} `.repeat(90)}`,
    }),
    tool({
      ...rest,
      name: 'save',
      effect: 'idempotent',
      execute: (_args, { key }) => world.perform('save', key, true),
    }),
    tool({
      ...rest,
      name: 'book',
      effect: 'undoable',
      execute: (_args, { key }) => world.perform('book', key, false),
      verify,
      compensate: (_args, _result, { key }) => world.undo(key),
    }),
  ] as unknown as readonly DefinedTool[];
}

export interface LoopLives extends Omit<Lives, 'outcome'> {
  readonly world: LoopWorld;
  readonly outcome: Outcome<ToolLoopResult>;
}

/** Takes one loop to its end, in as many lives as it takes. */
export async function liveLoop(runId: string, lifeOf: (life: number) => Doomed): Promise<LoopLives> {
  const world = new LoopWorld();
  const agents = { worker: agentFor(world) };
  const lived = await throughLives({ journey: journeyOf(runId, world), agents, world, lifeOf });
  return { ...lived, world, outcome: lived.outcome as Outcome<ToolLoopResult> };
}

function agentFor(world: LoopWorld) {
  const loop = toolLoop({
    session: { name: 'worker', model: world.model, setup: 'You work with tools.' },
    tools: toolRegistry(toolsOf(world)).toolset(),
    config: { window: { keepRecent: 2 } },
  });
  return (run: Run, input: unknown) => loop(run, String(input));
}

function journeyOf(runId: string, world: LoopWorld): Journey {
  return {
    runId,
    start: (runtime) => runtime.start('worker', 'Find it.', { id: runId, budget: budget({ wallMs: 1e12 }) }),
    answer: (waiting) => answer(waiting, world),
  };
}

/** People answer truthfully. */
function answer(waiting: Waiting, world: LoopWorld): Answer {
  const id = `answer to ${waiting.effect}`;
  if (waiting.kind !== 'doubt') return { id, payload: { verdict: 'approve' } };
  const { key, action } = waiting.request as { readonly key: string; readonly action: string };
  const happened = world.made.has(key);
  return { id: `${id} ${happened}`, payload: happened ? { happened, result: answerOf(action) } : { happened } };
}
