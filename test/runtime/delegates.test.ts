import { type Agent, done, type Run, type Session, type Tool } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { delegateTo, delegateTool, transferTool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { moving } from './stage.js';

const call = (name: string, args: object, id = 'c1') => ({ id, name, arguments: JSON.stringify(args) });

/** A helper that asks its own model and acts once. */
function staff(made: string[] = []) {
  const model = scriptedModel(
    {
      boss: (request) => {
        const read = request.messages.findLast(({ role }) => role === 'tool')?.content;
        return read === undefined ? { toolCalls: [call('research', { topic: 'tides' })] } : `read: ${read}`;
      },
      helper: () => 'found',
    },
    { repeatedKey: 'same-reply' },
  );
  const session: Session = { name: 'helper', model, setup: 'You search.' };
  const helper: Agent<string, string> = async (run, topic) => {
    const { text } = await run.ask(session, topic);
    await run.step('note', topic, (_given, { key }) => void made.push(key), 'idempotent');
    return done(`${text} ${topic}`);
  };
  const research = delegateTool({
    name: 'research',
    description: 'Researches a topic. Not for arithmetic.',
    input: z.object({ topic: z.string() }),
    delegates: ({ topic }) => delegateTo(helper, topic, { modelCalls: 3 }),
  });
  const boss = toolLoop({
    session: { name: 'boss', model, setup: 'You lead.' },
    tools: [research],
    config: { doubleConfirmation: false },
  });
  return { model, helper, research, boss };
}

describe('an agent as a tool', () => {
  it('works for a model that calls it, under its own part of the budget [R11-N2-AGENT]', async () => {
    const { boss } = staff();
    const stage = moving();
    const outcome = await stage.open(boss).start('q');
    expect(outcome).toMatchObject({ stop: 'done', value: { output: 'read: found tides', toolsUsed: ['research'] } });
    expect(await stage.events('spawn-start')).toMatchObject([{ name: 'helper', slice: { modelCalls: 3 } }]);
    expect(JSON.stringify(await stage.entries())).not.toContain('RUN_INSIDE_EFFECT');
  });

  it('resumes with each effect once, wherever the process is killed [R11-N2-KILLED]', async () => {
    let inChild = 0;
    let lived = false;
    for (let n = 1; !lived; n++)
      for (const when of ['before', 'after'] as const) {
        const made: string[] = [];
        const stage = moving();
        const first = staff(made).boss;
        const life = stage.open(first, { crash: (point) => point.n === n && point.when === when });
        const ended = await Promise.race([life.start('q'), life.crashed.then(() => undefined)]);
        life.die();
        lived = ended !== undefined;
        const known = await stage.engine.get('run');
        if (known === undefined) continue;
        const entries = await stage.entries();
        const isOpen = ({ event }: (typeof entries)[number]): boolean => event.type === 'spawn-start';
        if (!lived && entries.some(isOpen) && !entries.some(({ event }) => event.type === 'spawn-end')) inChild++;
        const next = stage.open(staff(made).boss);
        const outcome = known.status === 'done' ? await next.runtime.handle('run').outcome() : await next.resume();
        expect(outcome).toMatchObject({ stop: 'done', value: { output: 'read: found tides' } });
        expect(new Set(made).size, `${when} write ${n}`).toBe(1);
        expect((await stage.events('spawn-end')).length).toBe(1);
      }
    expect(inChild).toBeGreaterThan(1);
  });

  it('is judged like any call before its agent is spawned, and shows among the calls of the run [R11-N2-GOVERNED]', async () => {
    const { research } = staff();
    const agent = async (run: Run) => {
      const guarded = run.guarded({
        'tool.pre': [
          (next) => async (value, ctx) =>
            JSON.stringify(value.args).includes('secret') ? { allow: false, why: 'not this' } : next(value, ctx),
        ],
        'tool.post': [(next) => async (value, ctx) => next({ ...value, text: `[outside] ${value.text}` }, ctx)],
      });
      const refused = await guarded.call(research, { topic: 'secret' });
      const invalid = await guarded.call(research, { topic: 1 } as never);
      const made = await guarded.call(research, { topic: 'tides' });
      return done([
        refused.ok,
        invalid.ok,
        made.content,
        run.calls().map(({ tool, ok, result }) => [tool, ok, result]),
      ]);
    };
    const stage = moving();
    expect(await stage.open(agent).start()).toMatchObject({
      stop: 'done',
      value: [
        false,
        false,
        '[outside] found tides',
        [
          ['research', false, 'not this'],
          ['research', false, expect.any(String)],
          ['research', true, '[outside] found tides'],
        ],
      ],
    });
    expect(await stage.events('spawn-start')).toHaveLength(1);
  });

  it('hands back what there is in a last turn when its budget ends first [R11-N2-HAND-BACK]', async () => {
    const model = scriptedModel({ helper: (_request, n) => `fact ${n}`, closer: () => 'two facts' });
    const session = (name: string): Session => ({ name, model, setup: 'x' });
    const endless: Agent<string, string> = async (run, topic) => {
      for (;;) await run.ask(session('helper'), topic);
    };
    const closer: Agent<string, string> = async (run, why) => done((await run.ask(session('closer'), why)).text);
    const tool = (last: boolean) =>
      delegateTool({
        name: 'research',
        description: 'Researches.',
        delegates: () =>
          delegateTo(
            endless,
            'x',
            { modelCalls: 2 },
            last ? { handBack: ({ bound }) => delegateTo(closer, bound, { modelCalls: 1 }) } : {},
          ),
      });
    const agent = async (run: Run) => {
      const without = await run.call(tool(false), {});
      const with_ = await run.call(tool(true), {});
      return done([without.ok ? '' : without.failure.code, without.content, with_.content]);
    };
    expect(await moving().open(agent).start()).toMatchObject({
      stop: 'done',
      value: ['BOUND_REACHED', expect.stringContaining('reached its limit (modelCalls, 2)'), 'two facts'],
    });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no closer today');
      },
      'Its handBack failed: no closer today',
    ],
    ['returns nothing', () => undefined as never, 'Its handBack failed: A delegation is an agent'],
    ['gives no part of the budget', () => ({ agent: async () => done('x'), input: 'x' }) as never, 'needs a slice'],
  ])('is refused to its caller, who goes on, where its handBack %s [R11-N2-HAND-BACK]', async (_how, handBack, why) => {
    const session: Session = { name: 'helper', model: scriptedModel({ helper: () => 'a fact' }), setup: 'x' };
    const endless: Agent<string, string> = async (run, topic) => {
      for (;;) run.best((await run.ask(session, topic)).text);
    };
    const research = delegateTool({
      name: 'research',
      description: 'Researches.',
      delegates: () => delegateTo(endless, 'x', { modelCalls: 1 }, { handBack }),
    });
    const agent = async (run: Run) => {
      const result = await run.call(research, {});
      return done([result.ok ? '' : result.failure.code, result.content]);
    };
    expect(await moving().open(agent).start()).toMatchObject({
      stop: 'done',
      value: ['BOUND_REACHED', expect.stringMatching(/reached its limit \(modelCalls, 1\).*So far: "a fact"/)],
    });
    expect(await moving().open(agent).start()).toMatchObject({
      value: [expect.any(String), expect.stringContaining(why)],
    });
  });

  it('is refused where it is no delegation at all [R11-N2-GOVERNED]', async () => {
    const research = delegateTool({ name: 'research', description: 'Researches.', delegates: () => null as never });
    const agent = async (run: Run) => {
      const result = await run.call(research, {});
      return done([result.ok ? '' : result.failure.code, result.content]);
    };
    expect(await moving().open(agent).start()).toMatchObject({
      value: ['CONFIG_INVALID', expect.stringContaining('delegateTo(agent, input, slice)')],
    });
  });

  it('ends a tool loop with the package of a transfer, and makes no call after it [R11-N2-TRANSFER]', async () => {
    const looked: string[] = [];
    const look: Tool = {
      name: 'look',
      description: 'Looks.',
      effect: 'pure',
      execute: async () => looked.push('looked'),
    };
    const handOver = transferTool({
      name: 'to_billing',
      description: 'Hands over to billing.',
      input: z.object({ about: z.string() }),
      transfers: ({ about }) => ({ to: 'billing', about }),
    });
    const model = scriptedModel({
      desk: { toolCalls: [call('to_billing', { about: 'an invoice' }), call('look', {}, 'c2')] },
    });
    const desk = toolLoop({ session: { name: 'desk', model, setup: 'You help.' }, tools: [handOver, look] });
    expect(await moving().open(desk).start('q')).toMatchObject({
      stop: 'blocked',
      because: 'handed over by to_billing',
      reason: { code: 'transfer', data: { tool: 'to_billing', package: { to: 'billing', about: 'an invoice' } } },
      partial: {
        termination: 'transfer',
        transfer: { tool: 'to_billing', package: { to: 'billing', about: 'an invoice' } },
      },
    });
    expect(looked).toEqual([]);
  });
});
