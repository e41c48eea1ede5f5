import { type CodeSandbox, done, type Run, type Tool } from 'flyball';
import { quickJsSandbox } from 'flyball/adapters/sandbox-quickjs';
import { runCode } from 'flyball/loops';
import { type AutoClock, autoClock } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { RUN, Stage } from '../runtime/stage.js';

/** Evaluations under way: virtual time stands still meanwhile. */
let busy = 0;
const quickJs = quickJsSandbox();
const sandbox: CodeSandbox = {
  ...quickJs,
  evaluate: async (job, how) => {
    busy++;
    try {
      return await quickJs.evaluate(job, how);
    } finally {
      busy--;
    }
  },
};
const moving = (): Stage<AutoClock> => new Stage(autoClock({ isBusy: () => busy > 0 }));

function toolsOf(made: string[]): readonly Tool<{ readonly n: number }>[] {
  return [
    { name: 'look', description: 'Looks.', effect: 'pure', execute: async ({ n }) => n * 10 },
    {
      name: 'book',
      description: 'Books.',
      effect: 'idempotent',
      execute: async ({ n }, { key }) => {
        made.push(key);
        return { booked: n };
      },
    },
    {
      name: 'fail',
      description: 'Fails.',
      effect: 'pure',
      retry: { retries: 0 },
      execute: async () => {
        throw new Error('not today');
      },
    },
  ];
}

const CODE = `
  const seen = [];
  for (const n of input) seen.push(await look({ n }));
  const [one, two] = await Promise.all([book({ n: 1 }), book({ n: 2 })]);
  let said = '';
  try { await fail({ n: 0 }); } catch (error) { said = error.message; }
  return { seen, one, two, said };
`;

const agentOf =
  (made: string[], code = CODE) =>
  async (run: Run) =>
    done((await runCode(run, { sandbox, code, input: [1, 2], tools: toolsOf(made) })).end);

const END = {
  how: 'value',
  value: { seen: [10, 20], one: { booked: 1 }, two: { booked: 2 }, said: 'fail failed: not today' },
};

describe('code that calls tools', () => {
  it('makes each of its calls a governed call of the run [R11-N11-CALLS]', async () => {
    const made: string[] = [];
    const stage = moving();
    const judged: string[] = [];
    const agent = async (run: Run) => {
      const guarded = run.guarded({
        'tool.pre': [
          (next) => (value, ctx) => {
            judged.push(value.tool.name);
            return next(value, ctx);
          },
        ],
      });
      const { end } = await runCode(guarded, { sandbox, code: CODE, input: [1, 2], tools: toolsOf(made) });
      return done([end, run.calls().map(({ tool, ok }) => `${tool} ${ok}`)]);
    };
    expect(await stage.open(agent).start()).toMatchObject({
      stop: 'done',
      value: [END, ['look true', 'look true', 'book true', 'book true', 'fail false']],
      usage: { toolCalls: 5 },
    });
    expect(judged).toEqual(['look', 'look', 'book', 'book', 'fail']);
    expect(made).toHaveLength(2);
  });

  it('goes on after a crash at any write, with each call made once [R11-N11-REPLAY]', async () => {
    let lived = false;
    for (let n = 2; !lived; n += 2) {
      const made: string[] = [];
      const stage = moving();
      const life = stage.open(agentOf(made), { crash: (point) => point.n === n && point.when === 'after' });
      const ended = await Promise.race([life.start(), life.crashed.then(() => undefined)]);
      life.die();
      lived = ended !== undefined;
      const known = await stage.engine.get(RUN);
      if (known === undefined) continue;
      const next = stage.open(agentOf(made));
      const outcome = known.status === 'done' ? next.runtime.handle(RUN).outcome() : next.resume();
      expect(await outcome, `crash ${n}`).toMatchObject({ stop: 'done', value: END });
      expect(new Set(made).size, `crash ${n}`).toBe(2);
    }
  });

  it('holds no process while a call waits for a person, and stops at a limit [R11-N11-WAITS]', async () => {
    const wire: Tool<object> = {
      name: 'wire',
      description: 'Wires.',
      effect: { class: 'irreversible' },
      execute: async () => 'wired',
    };
    const agent = async (run: Run) => {
      const code = "return 'it is ' + (await wire({}));";
      const paid = await runCode(run, { sandbox, code, tools: [wire], limits: { wallMs: 1000 } });
      const endless = await runCode(run, { sandbox, code: 'for (;;);', tools: [wire], limits: { wallMs: 300 } });
      return done([paid.end, endless.end]);
    };
    const stage = moving();
    const life = stage.open(agent);
    const rest = await life.start();
    expect(rest).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval' }] });
    expect(life.runtime.loaded()).toBe(0);
    const token = rest.stop === 'suspended' ? (rest.waiting[0]?.token ?? '') : '';
    await life.runtime.signal(RUN, token, { verdict: 'approve' }, { from: 'rita' });
    expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject({
      stop: 'done',
      value: [
        { how: 'value', value: 'it is wired' },
        { how: 'limit', limit: 'wallMs' },
      ],
    });
  });

  it('gives code the clock and the random numbers of the run, so that it does the same again [R11-N11-CLOCK]', async () => {
    const code = `
      const asked = [];
      const ask = async () => {
        const n = Date.now() + Math.random();
        asked.push([n, await look({ n })]);
        asked.push(new Date().getTime());
      };
      await ask();
      await Promise.all([ask(), fail({ n: Math.random() }).catch(ask), look({ n: Math.random() }).then(ask)]);
      return asked;`;
    const agent = async (run: Run) => done((await runCode(run, { sandbox, code, tools: toolsOf([]) })).end);
    const stage = moving();
    const outcome = await stage.open(agent).start();
    expect(outcome).toMatchObject({ stop: 'done', value: { how: 'value' } });
    const { value: asked } = (outcome as { readonly value: { readonly value: readonly unknown[] } }).value;
    expect(asked).toHaveLength(8);
    expect(new Set(asked.map(String)).size).toBeGreaterThan(4); // time passes and no two numbers are the same
  });

  it('ends code that does something else when it is run again [R11-N11-DETERMINISTIC]', async () => {
    let nth = 0;
    const fickle = {
      ...sandbox,
      evaluate: (job: Parameters<typeof sandbox.evaluate>[0], how: Parameters<typeof sandbox.evaluate>[1]) =>
        sandbox.evaluate({ ...job, code: `await look({ n: ${++nth} }); return await look({ n: 0 });` }, how),
    };
    const agent = async (run: Run) =>
      done((await runCode(run, { sandbox: fickle, code: 'x', tools: toolsOf([]) })).end);
    expect(await moving().open(agent).start()).toMatchObject({
      stop: 'done',
      value: { how: 'error', name: 'NotDeterministic' },
    });
  });
});
