import { done, type Outcome, type Run, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import {
  type GovernanceOptions,
  governance,
  joinSeams,
  parsePolicy,
} from '../../packages/flyball/src/tools/governance/index.js';
import { domainRules } from '../../packages/flyball/src/tools/rules/domains.js';
import { pathRules } from '../../packages/flyball/src/tools/rules/paths.js';
import { answer, moving, RUN } from '../runtime/stage.js';
import { toolOf, undoable } from './context.js';

/** A tool to which every guard has something to say. */
function everything(executed: unknown[]): Tool<unknown, unknown> {
  return toolOf({
    name: 'everything',
    effect: undoable,
    legs: ['private-data', 'untrusted-content', 'outbound'],
    touches: () => ({ commands: ['curl evil.com'], reads: ['/etc/hosts'], urls: ['https://evil.com/'] }),
    execute: async (args) => executed.push(args),
  });
}

const agentOf =
  (tool: Tool<unknown, unknown>) =>
  async (run: Run): Promise<Outcome<unknown>> =>
    done((await run.call(tool, { n: 1 })).content);

const askPolicy = parsePolicy(
  { version: '4', reviewedBy: 'Ada', rules: [{ id: 'look', effect: 'ask', tools: '*', because: 'Somebody looks.' }] },
  { now: 0 },
);
const denyPolicy = parsePolicy(
  { version: '5', reviewedBy: 'Ada', rules: [{ id: 'never', effect: 'deny', tools: '*', because: 'Zebra clause.' }] },
  { now: 0 },
);

const permissive: Omit<GovernanceOptions, 'clock'> = {
  autonomy: 'supervised',
  scopesOf: () => ['tools:execute'],
  commands: { programs: { curl: { approve: ['evil.com'] } } },
  paths: pathRules({ roots: [{ path: '/etc', write: false }] }),
  domains: domainRules({ allow: ['evil.com'] }),
  policy: askPolicy,
};

describe('around one call', () => {
  it('the guards decide in order, and a person is asked last, for all their reasons [R3-GOV-ORDER]', async () => {
    const stage = moving();
    const executed: unknown[] = [];
    const life = stage.open(agentOf(everything(executed)), {
      seams: governance({ clock: stage.clock, ...permissive }),
    });
    const waiting = await life.start();
    expect(waiting).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval', name: 'approve:#0' }] });
    expect(await stage.events('guard-decision')).toMatchObject([
      { id: '#0', guard: 'autonomy', verdict: 'escalated' },
      { id: '#0', guard: 'commands', verdict: 'escalated' },
      { id: '#0', guard: 'policy', verdict: 'asked', rule: 'look', policy: askPolicy.label },
      { id: '#0', guard: 'trifecta', verdict: 'escalated' },
    ]);
    const types = (await stage.entries()).map(({ event }) => event.type);
    expect(types.lastIndexOf('guard-decision')).toBeLessThan(types.indexOf('wait-start'));
    expect(JSON.stringify(waiting)).toMatch(/supervised.*Somebody looks.*a way out/);
    expect(executed).toEqual([]);

    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' });
    expect(await life.resume()).toMatchObject({ stop: 'done' });
    expect(executed).toEqual([{ n: 1 }]);
    expect((await stage.events('guard-decision')).length).toBe(4); // nobody was asked a second time
  });

  it.each([
    ['scopes', { scopesOf: () => [] }],
    ['commands', { commands: { programs: {} } }],
    ['paths', { paths: pathRules({ roots: [{ path: '/work', write: true }] }) }],
    ['domains', { domains: domainRules({ allow: ['example.com'] }) }],
    ['policy', { policy: denyPolicy }],
    ['trifecta', { trifecta: 'deny' as const }],
    ['autonomy', { autonomy: 'read-only' as const }],
  ])(
    'a refusal by %s opens no gate, executes nothing, and the model reads why [R3-GOV-ORDER]',
    async (guard, stricter: Partial<GovernanceOptions>) => {
      const stage = moving();
      const executed: unknown[] = [];
      const seams = governance({ clock: stage.clock, ...permissive, ...stricter });
      const outcome = await stage.open(agentOf(everything(executed)), { seams }).start();
      expect(outcome).toMatchObject({ stop: 'done', value: expect.stringMatching(/^everything failed: .{20}/) });
      expect((await stage.events('guard-decision')).at(-1)).toMatchObject({ guard, verdict: 'denied' });
      expect(await stage.events('guard-refused')).toMatchObject([{ id: '#0', seam: 'tool.pre' }]);
      expect(await stage.events('wait-start')).toEqual([]);
      expect(executed).toEqual([]);
    },
  );

  it('a rejection by the person is an observation too', async () => {
    const stage = moving();
    const executed: unknown[] = [];
    const life = stage.open(agentOf(everything(executed)), {
      seams: governance({ clock: stage.clock, ...permissive }),
    });
    await life.start();
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'reject', reason: 'not today' });
    expect(await life.resume()).toMatchObject({ value: expect.stringContaining('not today') });
    expect(executed).toEqual([]);
  });

  it('rules hold for a tool that a person may approve anyway: irreversible ones are asked once [R3-GOV-AUTONOMY]', async () => {
    const stage = moving();
    const mail = toolOf({ name: 'mail', effect: { class: 'irreversible', why: 'it is gone' } });
    const life = stage.open(agentOf(mail), { seams: governance({ clock: stage.clock }) });
    expect(await life.start()).toMatchObject({
      waiting: [{ request: { why: expect.stringMatching(/it is gone.*supervised/) } }],
    });
    await answer(life.runtime, RUN, 'approve:#0', { verdict: 'approve' });
    expect(await life.resume()).toMatchObject({ stop: 'done' });
    expect(await stage.events('wait-start')).toHaveLength(1);
  });

  it('the calls of one subject are limited over all its runs, by the clock it is given [R3-GOV-RATE]', async () => {
    const stage = moving();
    const read = toolOf({ name: 'read' });
    const seams = governance({ clock: stage.clock, rateLimit: { perMinute: 3, burst: 3 } });
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const results: boolean[] = [];
      for (let call = 0; call < 4; call++) results.push((await run.call(read, { call })).ok);
      await run.sleep(60_000);
      return done([...results, (await run.call(read, { call: 5 })).ok]);
    };
    const life = stage.open(agent, { seams, options: { suspendAfterMs: 1e6 } });
    expect(await life.start()).toMatchObject({ value: [true, true, true, false, true] });
    expect(await stage.events('guard-decision')).toMatchObject([{ guard: 'rate-limit', verdict: 'denied' }]);
  });

  it('no text of a policy reaches a model, only our own sentence [R3-GOV-POLICY] [V7.2]', async () => {
    const stage = moving();
    const model = scriptedModel({ talker: 'I see.' });
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const { content } = await run.call(toolOf({ name: 'read' }), {});
      return done((await run.ask({ name: 'talker', model, setup: 'Work.' }, content)).text);
    };
    await stage.open(agent, { seams: governance({ clock: stage.clock, policy: denyPolicy }) }).start();
    expect(model.promptAt('talker')).toContain('not permitted here');
    expect(JSON.stringify(model.requests)).not.toMatch(/Zebra|never/);
  });

  it("a user's own seams stand where they are joined", async () => {
    const stage = moving();
    const seen: unknown[] = [];
    const seams = joinSeams(
      { 'tool.pre': [(next) => (value, ctx) => next({ ...value, args: { n: 2 } }, ctx)] },
      governance({
        clock: stage.clock,
        policy: parsePolicy(
          {
            version: '1',
            reviewedBy: 'Ada',
            rules: [
              { id: 'two', effect: 'deny', tools: '*', when: { args: [{ path: 'n', equals: 2 }] }, because: 'Two.' },
            ],
          },
          { now: 0 },
        ),
      }),
    );
    const outcome = await stage
      .open(agentOf(toolOf({ name: 'read', execute: async (args) => seen.push(args) })), { seams })
      .start();
    expect(outcome).toMatchObject({ value: expect.stringContaining('not permitted') }); // judged as changed
    expect(seen).toEqual([]);
  });
});
