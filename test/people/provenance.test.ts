import {
  type ApprovalRequest,
  budget,
  createRuntime,
  done,
  memoryEngine,
  memoryStore,
  type Outcome,
  type Run,
  type ToolRef,
} from 'flyball';
import { toolLoop } from 'flyball/loops';
import { approvalInbox } from 'flyball/people';
import { scriptedModel } from 'flyball/testing';
import { delegateTo, delegateTool, tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { proposes } from '../loops/stage-loop.js';
import { eventsOf, type Life, moving, RUN } from '../runtime/stage.js';
import '@cfworker/json-schema'; // loaded now: with a clock that moves by itself, loading takes hours

const lookUp = tool({
  name: 'look_up',
  description: 'Looks an order up. Not for anything else.',
  effect: 'pure',
  input: { type: 'object', properties: { order: { type: 'string' } } },
  execute: async () => '{"order":"A17","paid":120,"iban":"NO93 8601 1117 947"}',
}) as unknown as ToolRef;

function refunds() {
  const paid: unknown[] = [];
  const refund = tool({
    name: 'refund',
    description: 'Pays back. Not for anything else.',
    effect: 'irreversible',
    why: 'money leaves',
    input: {
      type: 'object',
      properties: { order: { type: 'string' }, euros: { type: 'number' }, iban: { type: 'string' } },
      required: ['order', 'euros'],
    },
    review: ({ order, euros }) =>
      Number(euros) > 100
        ? { recommendation: 'modify', recommended: { order, euros: 100 }, risk: 'high' }
        : Number(euros) === 13
          ? { recommended: { euros: 'none' } }
          : {},
    execute: async (args) => {
      paid.push(args);
      return 'paid';
    },
  }) as unknown as ToolRef;
  return { refund, paid };
}

async function asked(args: unknown) {
  const { refund, paid } = refunds();
  const model = scriptedModel({
    clerk: [proposes('look_up', { order: 'A17' }, 'c1'), proposes('refund', args, 'c2'), 'It is paid.'],
  });
  const session = { name: 'clerk', model, setup: 'You look after refunds of the shop in Bergen.' };
  const agent = toolLoop({ session, tools: [lookUp, refund], config: { doubleConfirmation: false } });
  const stage = moving();
  const life = stage.open((run: Run) => agent(run, 'Please refund order A17.'));
  const outcome = await life.start();
  if (outcome.stop !== 'suspended') throw new Error(`Nobody was asked: ${JSON.stringify(outcome)}`);
  const [waiting] = outcome.waiting;
  return { stage, life, paid, waiting, request: waiting?.request as ApprovalRequest, model };
}

/** Answers what was asked last, by its token. */
async function decide({ runtime }: Life, verdict: object, from: string): Promise<unknown> {
  const asked = eventsOf(await runtime.entries(RUN), 'wait-start').at(-1);
  return runtime.signal(RUN, asked?.token ?? '', verdict, { from });
}

describe('a request for approval', () => {
  it('says which reply proposed the act, what that model had read, and where each value stands [F-P2]', async () => {
    const { request, stage } = await asked({ order: 'A17', euros: 120, iban: 'DE00 6666' });
    const { provenance } = request;
    expect(provenance?.by).toMatchObject({ kind: 'model', session: 'clerk', model: expect.any(String) });
    const asks = await stage.events('ask-start');
    expect(provenance?.by).toMatchObject({ effect: asks[1]?.id, prompt: asks[1]?.tip });
    const call = (await stage.events('complete')).find(({ name }) => name === 'look_up');
    expect(provenance?.sources).toMatchObject([
      { what: 'message', trust: 'user', excerpt: 'Please refund order A17.' },
      {
        what: 'result',
        trust: 'outside',
        tool: 'look_up',
        effect: call?.id,
        excerpt: expect.stringContaining('"paid":120'),
      },
    ]);
    expect(provenance?.values.filter(({ path }) => path !== '$.order')).toEqual([
      { path: '$.euros', sources: [2] },
      { path: '$.iban', sources: [] }, // nobody said it but the model
    ]);
    expect(provenance?.values.find(({ path }) => path === '$.order')?.sources).toContain(1);
  });

  it('keeps what it rests on when another process asks again, and in the inbox [F-P2]', async () => {
    const { stage, life, request } = await asked({ order: 'A17', euros: 120 });
    await life.die();
    const { runtime } = stage.open(async () => done(null));
    const inbox = approvalInbox({ runtime, store: memoryStore(), clock: stage.clock });
    await inbox.sync();
    const { items } = await inbox.list();
    expect(items).toMatchObject([{ request: { provenance: request.provenance } }]);
    expect(JSON.stringify(request.provenance).length).toBeLessThan(3_000);
  });

  it('of an act that code makes names the input of the run [F-P2]', async () => {
    const { refund } = refunds();
    const stage = moving();
    const agent = async (run: Run, input: { readonly order: string }): Promise<Outcome<unknown>> =>
      done(await run.call(refund, { order: input.order, euros: 7 }));
    const { runtime } = stage.open(agent as never);
    const handle = await runtime.start('agent', { order: 'B2' }, { id: RUN, budget: budget({}) });
    expect(await handle.outcome()).toMatchObject({
      waiting: [
        {
          request: {
            provenance: {
              by: { kind: 'code' },
              sources: [{ what: 'input', trust: 'user', excerpt: '{"order":"B2"}' }],
              values: [
                { path: '$.order', sources: [1] },
                { path: '$.euros', sources: [] },
              ],
            },
          },
        },
      ],
    });
  });
});

describe('a recommendation to modify', () => {
  it('has the arguments, and is taken in one go: they pass every check, and nobody is asked again [F-P2]', async () => {
    const { life, paid, request, waiting } = await asked({ order: 'A17', euros: 120 });
    expect(request).toMatchObject({ recommendation: 'modify', recommended: { order: 'A17', euros: 100 } });
    await life.runtime.signal(RUN, waiting?.token ?? '', { verdict: 'approve', recommended: true }, { from: 'cleo' });
    expect(await life.resume()).toMatchObject({ stop: 'done' });
    expect(paid).toEqual([{ order: 'A17', euros: 100 }]);
  });

  it('is taken by one of several people, and the others are asked about it [F-P2]', async () => {
    const { refund, paid } = refunds();
    const two = { ...refund, approval: { people: 2 } } as ToolRef;
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done(await run.call(two, { order: 'A17', euros: 300 }));
    const life = stage.open(agent);
    await life.start();
    await decide(life, { verdict: 'approve', recommended: true }, 'cleo');
    const second = await life.resume();
    expect(second).toMatchObject({
      waiting: [{ request: { input: { euros: 100 }, history: [{ by: 'cleo', recommended: true }] } }],
    });
    await expect(decide(life, { verdict: 'approve' }, 'cleo')).rejects.toMatchObject({ code: 'DENIED' });
    await decide(life, { verdict: 'approve' }, 'dora');
    expect(await life.resume()).toMatchObject({ stop: 'done' });
    expect(paid).toEqual([{ order: 'A17', euros: 100 }]);
  });

  it('survives the process that asked [F-P2]', async () => {
    const { refund, paid } = refunds();
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done(await run.call(refund, { order: 'A17', euros: 300 }));
    const first = stage.open(agent);
    await first.start();
    await first.die();
    const changed = { ...refund, review: () => ({}) } as ToolRef; // another version recommends nothing: what was asked stands
    const life = stage.open(async (run: Run) => done(await run.call(changed, { order: 'A17', euros: 300 })));
    await decide(life, { verdict: 'approve', recommended: true }, 'cleo');
    expect(await life.resume()).toMatchObject({ stop: 'done' });
    expect(paid).toEqual([{ order: 'A17', euros: 100 }]);
  });

  it('is refused by the guards like every other edit [F-P2]', async () => {
    const { refund, paid } = refunds();
    const stage = moving();
    const life = stage.open(async (run: Run) => done(await run.call(refund, { order: 'A17', euros: 300 })), {
      seams: {
        'tool.pre': [
          (next) => async (value, context) =>
            (value.args as { readonly euros: number }).euros === 100
              ? { allow: false, why: 'not 100' }
              : next(value, context),
        ],
      },
    });
    await life.start();
    await decide(life, { verdict: 'approve', recommended: true }, 'cleo');
    expect(await life.resume()).toMatchObject({ value: { ok: false, failure: { code: 'DENIED' } } });
    expect(paid).toEqual([]);
  });

  it('can come from a guard that asks [F-P2]', async () => {
    const { paid, refund } = refunds();
    const stage = moving();
    const life = stage.open(async (run: Run) => done(await run.call(refund, { order: 'A17', euros: 50 })), {
      seams: {
        'tool.pre': [
          (next) => async (value, context) => {
            const verdict = await next(value, context);
            const { euros } = value.args as { readonly euros: number };
            return verdict.allow && euros > 20
              ? { ...verdict, approval: 'above 20', recommended: { order: 'A17', euros: 20 } }
              : verdict;
          },
        ],
      },
    });
    expect(await life.start()).toMatchObject({
      waiting: [{ request: { recommendation: 'modify', recommended: { order: 'A17', euros: 20 } } }],
    });
    await decide(life, { verdict: 'approve', recommended: true }, 'cleo');
    await life.resume();
    expect(paid).toEqual([{ order: 'A17', euros: 20 }]);
  });

  it('that does not fit the tool is not made, and what is not recommended cannot be taken [F-P2]', async () => {
    const { refund, paid } = refunds();
    const stage = moving();
    const life = stage.open(async (run: Run) => done(await run.call(refund, { order: 'A17', euros: 13 })));
    const outcome = await life.start();
    expect(outcome.stop === 'suspended' ? outcome.waiting[0]?.request : undefined).not.toHaveProperty('recommended');
    await expect(decide(life, { verdict: 'approve', recommended: true }, 'cleo')).rejects.toMatchObject({
      code: 'SIGNAL_INVALID',
      message: expect.stringContaining('there is no recommendation'),
    });
    expect(paid).toEqual([]);
  });
});

describe('work that is handed on', () => {
  const refundTask = 'Refund order A17 to NO93 8601 1117 947.';

  /** What a person is told about the task of whoever proposes the refund. */
  async function taskShown(by: 'delegate' | 'start' | 'spawn', input: string): Promise<unknown> {
    const { refund } = refunds();
    const model = scriptedModel({
      boss: [proposes('look_up', { order: 'A17' }, 'c1'), proposes('hand_over', { task: refundTask }, 'c2')],
      clerk: [proposes('refund', { order: 'A17', euros: 120, iban: 'NO93 8601 1117 947' }, 'c3')],
    });
    const config = { doubleConfirmation: false } as const;
    const clerk = toolLoop({ session: { name: 'clerk', model, setup: '' }, tools: [refund], config });
    const handOver = delegateTool({
      name: 'hand_over',
      description: 'Hands a task to the clerk. Not for questions.',
      input: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] },
      delegates: ({ task }) => delegateTo(clerk, String(task), { share: 0.5 }),
    });
    const boss = toolLoop({ session: { name: 'boss', model, setup: '' }, tools: [lookUp, handOver], config });
    const agents = {
      clerk,
      delegate: boss,
      start: async (run: Run) => run.join(await run.start('clerk', refundTask, { slice: { share: 0.5 } })),
      spawn: (run: Run, task: string) => run.spawn(clerk, task, { share: 0.5 }),
    };
    const runtime = createRuntime({ engine: memoryEngine(), agents, options: { worker: false } });
    await (await runtime.start(by, input, { budget: budget(), id: RUN })).outcome();
    const waiting = async () => (await runtime.list({ status: 'suspended' })).runs;
    await expect.poll(async () => (await waiting()).length).toBe(by === 'start' ? 2 : 1);
    const runs = await waiting();
    const entries = await Promise.all(runs.map(({ id }) => runtime.entries(id)));
    await runtime.close();
    const requests = eventsOf(entries.flat(), 'wait-start').flatMap(({ request }) => request ?? []);
    const { sources } = (requests as ApprovalRequest[]).find(({ action }) => action === 'refund')?.provenance ?? {};
    return sources?.find(({ what }) => what === 'message');
  }

  it.each(['delegate', 'start'] as const)('is not shown as the words of the user: %s [F-P2]', async (by) => {
    expect(await taskShown(by, 'What is in my mail?')).toMatchObject({ trust: 'outside', excerpt: refundTask });
  });

  it('is, where the user said it word for word [F-P2]', async () => {
    expect(await taskShown('spawn', refundTask)).toMatchObject({ trust: 'user', excerpt: refundTask });
    expect(await taskShown('delegate', `Hello. ${refundTask}`)).toMatchObject({ trust: 'user' });
  });
});
