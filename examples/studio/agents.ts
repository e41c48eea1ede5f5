import { type Agent, blocked, done, memoryStore } from 'flyball';
import { defineAgent, workflow } from 'flyball/agents';
import { commitLoop, toolAwarePlan } from 'flyball/loops';
import { type Test, untilApproved, withBudget, zeroShot } from 'flyball/patterns';
import { chooseModel } from './choose-model.js';
import { bookBerth, cancelBerth, checkBerth, lookUpOrder, refund, TOOLS, tideTable, weather, write } from './tools.js';

/**
 * The agents of `npm start`: one for each thing that the studio shows. They are ordinary agents; only their model is a
 * script while there is no real one.
 */
const chosen = await chooseModel(process.env);
const { model } = chosen;

const harborDesk = defineAgent({
  name: 'harbor-desk',
  description: 'Answers questions about tides and wind. Looks things up and never guesses.',
  model,
  tools: [tideTable, weather],
  inputs: {
    question: {
      type: 'string',
      description: 'what you want to know',
      default: 'When is high water in Bergen, and can I sail?',
    },
  },
  outputs: { answer: {} },
  guardrails: ['never name a time that is not in a table'],
  budget: { modelCalls: 10, toolCalls: 10, costUsd: 0.2 },
});

const refundDesk = defineAgent({
  name: 'refund-desk',
  description: 'Handles refund requests. Pays only after a person approves.',
  model,
  tools: [lookUpOrder, refund],
  inputs: {
    request: {
      type: 'string',
      description: 'what the customer wrote',
      default: 'I cancelled order A-17 in time. Please send my money back.',
    },
  },
  outputs: { answer: {} },
  loop: { doubleConfirmation: false },
  budget: { modelCalls: 10, toolCalls: 6, costUsd: 0.2 },
});

/** Every berth with a loose line has to be in the report; where one is missing, it is written again. */
const namesLooseLines: Test<string, string> = async (_run, report, seen) => {
  const missing = [...seen.matchAll(/(berth \d+): a loose line/g)].filter(([, berth = '']) => !report.includes(berth));
  const berths = missing.map(([, berth]) => berth).join(', ');
  return missing.length === 0 ? { ok: true } : { ok: false, because: `These berths are missing: ${berths}.` };
};
const watchReport = untilApproved(
  zeroShot({ name: 'night-watch', model, setup: 'You write the report of the night watch.' }),
  { test: namesLooseLines },
  { maxRounds: 2 },
);

/** A long round: something to watch while it goes on, to pause and to resume. */
const nightWatch: Agent<{ readonly berths?: number }, string> = async (run, input) => {
  const seen: string[] = [];
  run.note({ kind: 'phase', phase: 'round' });
  for (let berth = 1; berth <= (input?.berths ?? 20); berth++) {
    const found = await run.call(checkBerth, { berth });
    seen.push(found.content);
    if (berth % 5 === 0) run.note({ kind: 'progress', berths: berth });
    await run.sleep(400);
  }
  run.note({ kind: 'phase', phase: 'report' });
  return watchReport(run, seen.join('\n'));
};

/** Writes six lines into the books. Killed between any two of them, it goes on with the next. */
const monthEnd: Agent<{ readonly month?: string }, string> = async (run, input) => {
  const month = input?.month ?? 'October';
  run.note({ kind: 'phase', phase: 'book' });
  for (const line of ['berths', 'slipway', 'water', 'power', 'fuel', 'fees']) {
    await run.step(`book-${line}`, { month, line }, bookLine, { class: 'idempotent', timeoutMs: 10_000 });
  }
  run.note({ kind: 'phase', phase: 'close' });
  return done(`${month} is closed: 6 lines in the books, each once.`);
};

async function bookLine(
  entry: { readonly month: string; readonly line: string },
  { key }: { readonly key: string },
): Promise<string> {
  write(key, `${entry.month} ${entry.line}`);
  const slowly = Number(process.env['FLYBALL_BANK_MS'] ?? 1_200); // the bank confirms slowly: the moment to be killed in
  await new Promise((resolve) => setTimeout(resolve, slowly));
  return `${entry.line} is booked`;
}

const planTools = [tideTable, weather, bookBerth, cancelBerth];
const voyage = withBudget(
  toolAwarePlan({
    planner: { session: { name: 'planner', model }, tools: planTools },
    execution: {
      worker: { session: { name: 'worker', model, setup: 'You work in a harbor office.' }, tools: planTools },
      replanner: { session: { name: 'replanner', model }, tools: planTools },
    },
  }),
  { modelCalls: 40, toolCalls: 20 },
);
const voyagePlan: Agent<{ readonly goal?: string }, unknown> = (run, input) =>
  voyage(run, input?.goal ?? 'Get us a berth in Bergen at high water.');

const role = (name: string, setup: string) => ({ name, model, setup });
const writer = commitLoop({
  name: 'notice-writer',
  planner: { session: role('notice-planner', 'You plan what has to be written.'), tools: [] },
  execution: { worker: { session: role('notice-writer', 'You write notices to mariners.'), tools: [] } },
  verification: { judge: { session: role('notice-judge', 'You judge notices.') } },
  critic: { session: role('notice-critic', 'You find what is wrong with notices.') },
  repair: { session: role('notice-editor', 'You correct notices.') },
  exit: { novelty: 1 }, // otherwise the first notice of its kind is shown to a person
  store: memoryStore(),
});
const noticeWriter: Agent<{ readonly about?: string }, unknown> = (run, input) =>
  writer(run, {
    id: `notice-${run.id}`,
    goal: input?.about ?? 'A notice that the north basin is closed on Monday.',
    requirements: ['states the start and end time', 'states where to go instead'],
    taskClass: 'notice',
  });

/** Two agents, one after the other, found by their names. */
const morningRound = workflow(
  {
    name: 'morning-round',
    description: 'A workflow: asks the harbor desk, then has a notice written.',
    inputs: { port: { type: 'string', description: 'where', default: 'Cuxhaven' } },
    budget: { modelCalls: 60, toolCalls: 60, iterations: 200, costUsd: 1 },
  },
  async (run, { port }, { invokeAgent }) => {
    const question = `When is high water in ${port}, and can I sail?`;
    const desk = await invokeAgent(run, 'harbor-desk', { question });
    if (desk.stop !== 'done') return blocked(`the desk stopped: ${desk.stop}`);
    const notice = await invokeAgent(run, 'notice-writer', { about: 'A notice for this morning.' });
    return done({ desk: desk.value, notice: notice.stop });
  },
);

export const agents = {
  'harbor-desk': harborDesk,
  'refund-desk': refundDesk,
  'night-watch': nightWatch,
  'month-end': monthEnd,
  'voyage-plan': voyagePlan,
  'notice-writer': noticeWriter,
  'morning-round': morningRound,
};
export const tools = [...TOOLS];
export const { demonstration } = chosen;
export const modelName = model.id;
