/**
 * Flyball's side of the crash test: flyball-crash.js <folder> <scenario> run|resume. The first life dies of SIGKILL
 * inside a tool (or ends while it waits), the second goes on. What happened to the world stands in a ledger file.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Agent, append, createRuntime, done, type EffectClass, type Outcome, type Run, type Tool } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { ledger } from 'flyball/testing';
import { quietModel } from '../measure/quiet-model.js';
import { wideBudget } from '../measure/wide-budget.js';

const [folder = '', scenario = '', phase] = process.argv.slice(2);
const RUN = 'crash-test';
const world = ledger(join(folder, 'ledger.jsonl'));

/** Once in the life of the folder. */
function die(): void {
  const marker = join(folder, 'died');
  if (existsSync(marker)) return;
  writeFileSync(marker, '');
  process.kill(process.pid, 'SIGKILL');
}

/** Neither repeatable nor harmless: it can be undone, and asked about where a `verify` is declared. */
function undoable(canVerify: boolean): EffectClass<unknown, string> {
  return {
    class: 'undoable',
    timeoutMs: 1_000,
    compensate: async (_input, _result, { key }) => world.record(key, 'refund'),
    ...(canVerify
      ? {
          verify: async (_input: unknown, { key }: { readonly key: string }) =>
            world.has(key) ? { happened: 'yes' as const, result: 'ok' } : { happened: 'no' as const },
        }
      : {}),
  };
}

function tool(name: string, execute: Tool<unknown, string>['execute'], canVerify = true): Tool<unknown, string> {
  return { name, description: name, effect: undoable(canVerify), execute };
}

const tools: Readonly<Record<string, Tool<unknown, string>>> = {
  charge: tool('charge', async (_, { key }) => {
    world.record(key, 'charge');
    return 'ok';
  }),
  'charge-and-die': tool(
    'charge-and-die',
    async (_, { key }) => {
      world.record(key, 'charge');
      die();
      return 'ok';
    },
    scenario !== 'inside-unverified',
  ),
  'die-late': tool('die-late', async (_, { key }) => {
    await pause(300); // its sibling is done by now
    die();
    world.record(key, 'late');
    return 'ok';
  }),
};
const CALLS: Readonly<Record<string, readonly string[]>> = {
  inside: ['charge-and-die'],
  'inside-unverified': ['charge-and-die'],
  parallel: ['charge', 'die-late'],
  wait: ['charge'],
};

const model = quietModel(({ messages }) => {
  if (messages.at(-1)?.role === 'tool') return { text: 'done' };
  return { toolCalls: (CALLS[scenario] ?? []).map((name) => ({ id: `call_${name}`, name, arguments: '{}' })) };
});
const session = { name: 'cashier', model, setup: 'You charge cards.', tools: Object.values(tools) };

async function callOne(run: Run, name: string): Promise<string> {
  const found = tools[name];
  if (found === undefined) throw new Error(`There is no tool ${name}.`);
  return (await run.call(found, {})).content;
}

const cashier: Agent<null, string> = async (run) => {
  const asked = await run.ask(session, 'go');
  const results = await run.all(
    asked.toolCalls.map((call) => (branch: Run) => callOne(branch, call.name)),
    8,
  );
  if (scenario === 'wait') await run.wait({ name: 'approve' });
  let { prompt } = asked;
  asked.toolCalls.forEach(({ id }, index) => {
    const settled = results[index];
    prompt = append(prompt, { role: 'tool', toolCallId: id, content: settled?.ok === true ? settled.value : 'failed' });
  });
  return done((await run.ask(session, prompt)).text);
};

/** What it rests as, once it does nothing by itself any more: a doubt is examined after the INTENT's deadline. */
async function settled(outcome: () => Promise<Outcome<unknown>>): Promise<Outcome<unknown>> {
  for (;;) {
    const found = await outcome();
    if (found.stop !== 'suspended' || found.waiting.some(({ kind }) => kind === 'signal' || kind === 'doubt'))
      return found;
    await pause(50);
  }
}

const engine = await sqliteEngine({ path: join(folder, 'runs.db') });
const runtime = createRuntime({ engine, agents: { cashier } });
if (phase === 'run') await runtime.start('cashier', null, { id: RUN, budget: wideBudget });
else if (scenario === 'wait') await runtime.signal(RUN, 'approve', true);
else await runtime.resume(RUN);
const handle = runtime.handle(RUN);
const outcome =
  phase === 'resume' && scenario === 'wait' ? await handle.finished() : await settled(() => handle.outcome());
const doubts = (await runtime.entries(RUN)).filter(({ event }) => event.type === 'doubt').length;
await runtime.close();
await engine.close();
console.log(JSON.stringify({ stop: outcome.stop, doubts }));
