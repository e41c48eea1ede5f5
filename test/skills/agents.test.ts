import { type Clock, done, type Run, systemClock } from 'flyball';
import { loadSkills, watchSkills } from 'flyball/adapters/skill-folder';
import { type AgentDefinition, bindAgent, conversation, defineAgent, MESSAGE, withSkills } from 'flyball/agents';
import { toolLoop } from 'flyball/loops';
import { type SkillLibrary, useSkills } from 'flyball/skills';
import { type Script, type ScriptedModel, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { provenanceOf, verifyProvenance } from 'flyball/views';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gained, runAgent } from '../agents/stage-agent.js';
import { smallTools } from '../loops/small-tools.js';
import { call, proposes, proposesAll } from '../loops/stage-loop.js';
import { at, RUN, Stage } from '../runtime/stage.js';
import { type SkillDesk, skillDesk } from './skill-desk.js';

const CLERK = { name: 'clerk', description: 'You work.' };
const NO_QUESTIONS = { doubleConfirmation: false };
const activate = (name: string, id = `a_${name}`) => proposes('activate_skill', { name }, id);

/** Two skills, of which one narrows what may be called. */
async function library(prepare?: (desk: SkillDesk) => void): Promise<{ desk: SkillDesk; skills: SkillLibrary }> {
  const desk = skillDesk();
  desk.skill('counting', {
    description: 'Counts <sheep> & other things.\n Use for numbers.',
    head: 'metadata:\n  version: "1.2"\nallowed-tools: add_one',
    body: 'Add one, and only one.',
    files: { 'references/numbers.md': 'One comes before two.' },
  });
  desk.skill('writing', { description: 'Writes letters.', body: 'Write politely.' });
  prepare?.(desk);
  return { desk, skills: await loadSkills(desk.root) };
}

async function ran(script: Script[string], definition: Partial<AgentDefinition>, input: unknown = 'Count.') {
  const model = scriptedModel({ clerk: script });
  const agent = defineAgent({ ...CLERK, loop: NO_QUESTIONS, ...definition, model });
  const { outcome, stage } = await runAgent(agent.agent, input);
  return { outcome, stage, model, agent };
}

const lastOf = (model: ScriptedModel, n: number) => model.requests[n]?.messages.at(-1)?.content ?? '';

describe('an agent with skills', () => {
  it('is always told their metadata, reads instructions on activation and files on demand [R5-SKILL-DISCLOSURE] [R5-SKILL-ACTIVATE-EXPLICIT]', async () => {
    const { skills } = await library();
    const tools = smallTools();
    const { outcome, model, agent } = await ran(
      [
        activate('counting'),
        proposes('read_skill_resource', { skill: 'counting', path: 'references/numbers.md' }, 'r'),
        proposes('add_one', { x: 1 }, 'x'),
        'It is 2.',
      ],
      { tools: tools.all, skills },
    );
    expect(gained(outcome)).toMatchObject({ toolsUsed: ['activate_skill', 'read_skill_resource', 'add_one'] });
    const setups = model.requests.map(({ messages }) => messages[0]?.content);
    expect(new Set(setups)).toEqual(new Set([agent.setup])); // what is cached stays as it is
    expect(agent.setup).toContain(
      '<name>counting</name>\n    <description>Counts &lt;sheep&gt; &amp; other things. Use for numbers.</description>',
    );
    expect(agent.setup).toContain('<name>writing</name>');
    expect(agent.setup).not.toContain('Add one, and only one.');
    expect(JSON.stringify(model.requests[0])).not.toContain('Add one, and only one.');
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual([
      'add_one',
      'next',
      'write',
      'fail',
      'activate_skill',
      'read_skill_resource',
    ]);
    expect(lastOf(model, 1)).toMatch(
      /^<skill name="counting" version="1\.2" hash="[0-9a-f]{12}">\nAdd one, and only one\.\n/,
    );
    expect(lastOf(model, 1)).toContain('- references/numbers.md (21 bytes)');
    expect(lastOf(model, 1)).toContain('you may call only: add_one');
    expect(lastOf(model, 2)).toBe('One comes before two.');
  });

  it('activates by name only what there is, once, and reads files of active skills only [R5-SKILL-ACTIVATE-EXPLICIT]', async () => {
    const { skills } = await library();
    const { model, stage } = await ran(
      [
        proposes('read_skill_resource', { skill: 'counting', path: 'references/numbers.md' }, 'r'),
        proposes('activate_skill', { name: 'countin' }, 'a'),
        activate('writing', 'w1'),
        activate('writing', 'w2'),
        'Done.',
      ],
      { skills, loop: { ...NO_QUESTIONS, maxConsecutiveErrors: 9 } },
    );
    expect(lastOf(model, 1)).toContain('The skill counting is not active. Call activate_skill');
    expect(lastOf(model, 2)).toContain('Did you mean counting?');
    expect(lastOf(model, 3)).toContain('Write politely.');
    expect(lastOf(model, 4)).toBe('The skill writing is active already; its instructions stand above.');
    expect((await stage.events('note')).filter(({ event }) => event.kind === 'skill-active')).toHaveLength(1);
  });

  it('has skills activated by its caller before it begins, and their version and hash in its provenance [R5-SKILL-ACTIVATE-EXPLICIT] [R5-SKILL-PROVENANCE]', async () => {
    const { skills } = await library();
    const model = scriptedModel({ clerk: [activate('writing'), 'Done.'] });
    const agent = defineAgent(
      withSkills({ ...CLERK, model, loop: NO_QUESTIONS, tools: smallTools().all }, skills, { activate: ['counting'] }),
    );
    const { stage } = await runAgent(agent.agent, 'Count.');
    const [, guidance, task] = model.requests[0]?.messages ?? [];
    expect(guidance?.content).toContain('Add one, and only one.');
    expect(task).toEqual({ role: 'user', content: 'Count.' });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual([
      'add_one',
      'activate_skill',
      'read_skill_resource',
    ]); // narrowed at once
    const record = provenanceOf(RUN, await stage.entries());
    expect(record.skills).toEqual([
      { name: 'counting', version: '1.2', hash: skills.get('counting')?.hash },
      { name: 'writing', version: '', hash: skills.get('writing')?.hash },
    ]);
    expect(verifyProvenance(record)).toBe(true);
    expect(verifyProvenance({ ...record, skills: [] })).toBe(false);
    const notes = (await stage.events('note')).filter(({ event }) => event.kind === 'skill-active');
    expect(notes.map(({ event }) => [event['name'], event['by']])).toEqual([
      ['counting', 'caller'],
      ['writing', 'model'],
    ]);
    expect(() => defineAgent(withSkills({ ...CLERK, model }, skills, { activate: ['count'] }))).toThrow(
      /Agent "clerk": There is no skill "count"/,
    );
  });

  it('finds skills for its input by itself, in one shot too [R5-SKILL-MATCH]', async () => {
    const { skills } = await library();
    const model = scriptedModel({ clerk: ['Dear Ann,'] });
    const agent = defineAgent(withSkills({ ...CLERK, model }, skills, { match: { lexical: { limit: 1 } } }));
    const { stage } = await runAgent(agent.invoke, 'Please write a letter.');
    const messages = model.requests[0]?.messages.map(({ content }) => content) ?? [];
    expect(messages[1]).toContain('Write politely.');
    expect(messages[0]).toContain('Those that fit are given to you');
    expect(messages[0]).not.toContain('activate_skill'); // there is no such tool in one shot
    expect((await stage.events('note')).map(({ event }) => event.kind)).toContain('skill-match');
    expect(provenanceOf(RUN, await stage.entries()).skills?.map(({ name }) => name)).toEqual(['writing']);
  });

  it('is told nothing about skills where it may not activate any, and nothing at all where there are none [R5-SKILL-DISCLOSURE]', async () => {
    const { skills } = await library();
    const silent = await ran(['Done.'], { skills: { library: skills, byModel: false, activate: ['writing'] } });
    expect(silent.model.requests[0]?.messages[0]?.content).not.toContain('available_skills');
    expect(silent.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['read_skill_resource']);
    const none = await ran(['Done.'], { skills: await loadSkills(skillDesk().root) });
    expect(none.agent.setup).not.toContain('# Skills');
    expect(none.model.requests[0]?.tools).toEqual([]);
  });

  it('keeps the instructions when the window is cleared [R5-SKILL-DISCLOSURE]', async () => {
    const { skills } = await library();
    let times = 0;
    const loud = tool({
      name: 'loud',
      description: 'Says much.',
      effect: 'pure',
      execute: async () => `${++times} ${'noise '.repeat(900)}`,
    });
    const model = scriptedModel(
      {
        clerk: [activate('writing'), ...Array.from({ length: 9 }, (_, n) => proposes('loud', {}, `l${n}`)), 'Done.'],
        'clerk-summarizer': () => 'short',
      },
      { capabilities: { window: 9000, maxOutputTokens: 500 } },
    );
    const loop = { ...NO_QUESTIONS, repeatLimit: 99, window: { keepRecent: 2 } };
    const { outcome } = await runAgent(defineAgent({ ...CLERK, model, loop, tools: [loud], skills }).agent, 'Write.');
    expect(gained(outcome)).toMatchObject({ termination: 'completed' });
    const last = JSON.stringify(model.requestsOf('clerk').at(-1)?.messages);
    expect(last).toContain('[cleared: result of loud');
    expect(last).toContain('Write politely.');
  });
});

describe('a model without tool calls of its own', () => {
  it('activates skills in text, is held to them, and keeps their instructions [R5-SKILL-ACTIVATE-EXPLICIT] [R5-SKILL-NARROW]', async () => {
    const { skills } = await library();
    const tools = smallTools();
    const block = (name: string, args: object) =>
      `\`\`\`tool_calls\n${JSON.stringify([{ name, arguments: args }])}\n\`\`\``;
    const model = scriptedModel(
      { clerk: [block('activate_skill', { name: 'counting' }), block('write', { text: 'x' }), 'Done.'] },
      { capabilities: { tools: false } },
    );
    const loop = { ...NO_QUESTIONS, textCalls: 'json' as const };
    const agent = defineAgent({ ...CLERK, model, loop, tools: tools.all, skills });
    const { stage } = await runAgent(agent.agent, 'Count.');
    expect(model.requests[0]?.messages[0]?.content).toContain('"name":"activate_skill"');
    expect(lastOf(model, 1)).toContain('Add one, and only one.');
    expect(lastOf(model, 2)).toContain('write is not allowed now');
    expect(tools.done).toEqual([]);
    const [, second] = await stage.events('ask-start');
    const headers = (await stage.engine.links('default', second?.tip ?? '')).map(
      ({ header }) => header.split('\u001f')[4],
    );
    expect(headers.at(-1)).toBe('protect');
    const silent = defineAgent({
      ...CLERK,
      model: scriptedModel({ clerk: ['Hm.'] }, { capabilities: { tools: false } }),
      skills,
    });
    const { outcome } = await runAgent(silent.agent, 'Count.'); // no way to call anything: it is told so
    expect(gained(outcome)).toMatchObject({ rawText: 'Hm.' });
  });
});

describe('an active skill', () => {
  it('narrows what is called, whatever was offered: also in the reply that activates it [R5-SKILL-NARROW]', async () => {
    const { skills } = await library();
    const tools = smallTools();
    const { model, stage } = await ran(
      [
        proposes('write', { text: 'before' }, 'w0'),
        proposesAll(
          call('activate_skill', { name: 'counting' }, 'a'),
          call('write', { text: 'in the same reply' }, 'w1'),
        ),
        proposesAll(call('write', { text: 'after' }, 'w2'), call('add_one', { x: 1 }, 'x')),
        'Done.',
      ],
      { tools: tools.all, skills },
    );
    expect(tools.done).toEqual(['write before', 'add_one 1']);
    expect(lastOf(model, 2)).toBe(
      'Denied, not executed: write is not allowed now. The skill counting allows only add_one.',
    );
    const decisions = await stage.events('guard-decision');
    expect(decisions).toMatchObject([
      { guard: 'skill', verdict: 'denied', rule: 'counting' },
      { guard: 'skill', verdict: 'denied', rule: 'counting' },
    ]);
  });

  it('narrows to the intersection with the next one, minus what either disallows, for children too [R5-SKILL-NARROW]', async () => {
    const { skills } = await library((desk) => {
      desk.skill('first', { head: 'allowed-tools: add_one write next' });
      desk.skill('second', { head: 'allowed-tools: next write\nmetadata:\n  flyball-disallowed-tools: write' });
    });
    const { addOne, next, write, done: made } = smallTools();
    const results: string[] = [];
    await runAgent(async (run: Run) => {
      const used = await useSkills(run, skills);
      for (const name of ['first', 'second']) await used.activate(name);
      await used.run.spawn(
        async (child: Run) => {
          for (const [of, args] of [
            [addOne, { x: 1 }],
            [next, {}],
            [write, { text: 'x' }],
          ] as const)
            results.push((await child.call(of, args)).ok ? of.name : `no ${of.name}`);
          return done(null);
        },
        null,
        { share: 0.5 },
      );
      return done(null);
    });
    expect(results).toEqual(['no add_one', 'next', 'no write']);
    expect(made).toEqual(['next']);
  });

  it('narrows from wherever it was activated: a scope, a branch or a child [R5-SKILL-NARROW]', async () => {
    const { skills } = await library();
    const { write, done: made } = smallTools();
    for (const place of ['scope', 'branch', 'child', 'guarded'] as const)
      await runAgent(async (run: Run) => {
        const used = await useSkills(run, skills);
        const [activating] = used.tools();
        const work = async (inside: Run) => {
          await inside.call(activating ?? write, { name: 'counting' });
          return done(null);
        };
        if (place === 'scope') await work(used.run.scope('inside'));
        if (place === 'branch') await used.run.all([work], 1);
        if (place === 'child') await used.run.spawn(work, null, { share: 0.5 });
        if (place === 'guarded') await work(used.run.guarded({}));
        expect(used.active.list(), place).toMatchObject([{ name: 'counting' }]);
        expect(await used.run.call(write, { text: place })).toMatchObject({ ok: false, failure: { code: 'DENIED' } });
        return done(null);
      });
    expect(made).toEqual([]);
  });

  it('still narrows after a crash, although the activation is not made again and the folder has changed [R5-SKILL-NARROW] [R5-SKILL-RELOAD]', async () => {
    const { desk, skills } = await library();
    const tools = smallTools();
    const script = {
      clerk: [
        activate('counting'),
        proposes('add_one', { x: 1 }, 'x'),
        proposes('write', { text: 'after' }, 'w'),
        'Done.',
      ],
    };
    const model = scriptedModel(script, { repeatedKey: 'same-reply' });
    const stage = new Stage<Clock>(systemClock());
    const define = (from: SkillLibrary) =>
      defineAgent({ ...CLERK, model, loop: NO_QUESTIONS, tools: tools.all, skills: from }).agent;
    const agent = define(skills);
    await stage.crashed((run: Run, input: unknown) => agent(run, input), at('after', 'complete', 4), {
      input: 'Count.',
    });
    const { hash } = skills.get('counting') ?? {};
    desk.skill('counting', { description: 'Quite another thing.', body: 'Do what you like.' });
    desk.skill('new-one');
    const later = define(await loadSkills(desk.root));
    const outcome = await stage.open((run: Run, input: unknown) => later(run, input)).resume();
    expect(outcome).toMatchObject({ stop: 'done' });
    expect(tools.done.filter((what) => what.startsWith('write'))).toEqual([]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Denied, not executed: write');
    expect(model.requests.at(-1)?.messages[0]?.content).toContain('Counts &lt;sheep&gt;'); // what the run began with
    expect(provenanceOf(RUN, await stage.entries()).skills).toEqual([{ name: 'counting', version: '1.2', hash }]);
  });

  it('holds the run to its autonomy level; the stricter level wins, whoever names it [R5-SKILL-GOVERNANCE]', async () => {
    const { skills } = await library((desk) => {
      desk.skill('looking', { head: 'metadata:\n  flyball-autonomy: read-only' });
      desk.skill('careful', { head: 'metadata:\n  flyball-autonomy: supervised' });
      desk.skill('free', { head: 'metadata:\n  flyball-autonomy: autonomous' });
    });
    const book = tool({
      name: 'book',
      description: 'Books.',
      effect: 'undoable',
      execute: async () => 'booked',
      compensate: async () => undefined,
    });
    const with_ = (names: readonly string[], autonomy?: 'read-only' | 'supervised') =>
      ran([proposes('book', {}, 'b'), 'Done.'], {
        tools: [book],
        skills: { library: skills, activate: names },
        ...(autonomy === undefined ? {} : { autonomy }),
      });
    expect((await with_([])).outcome).toMatchObject({ stop: 'done', value: { toolsUsed: ['book'] } });
    expect((await with_(['free'])).outcome).toMatchObject({ stop: 'done', value: { toolsUsed: ['book'] } });
    expect((await with_(['careful'])).outcome).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval' }] });
    expect((await with_(['careful', 'looking', 'free'])).outcome).toMatchObject({
      stop: 'done',
      value: { toolsUsed: [] },
    });
    expect((await with_(['free'], 'read-only')).outcome).toMatchObject({ stop: 'done', value: { toolsUsed: [] } });
    expect((await with_(['looking'], 'supervised')).outcome).toMatchObject({ stop: 'done', value: { toolsUsed: [] } });
  });

  it('has its calls approved by as many people, with such scopes, as the strictest of them asks for [R5-SKILL-GOVERNANCE]', async () => {
    const { skills } = await library((desk) => {
      desk.skill('one', { head: 'metadata:\n  flyball-approval: write\n  flyball-approval-scopes: letters:approve' });
      desk.skill('two', { head: 'metadata:\n  flyball-approval: write next\n  flyball-approval-people: "2"' });
    });
    const tools = smallTools();
    const model = scriptedModel({ clerk: [proposes('write', { text: 'x' }, 'w'), 'Done.'] });
    const agent = defineAgent({
      ...CLERK,
      model,
      loop: NO_QUESTIONS,
      tools: tools.all,
      skills: { library: skills, activate: ['one', 'two'] },
    });
    const stage = new Stage<Clock>(systemClock());
    const life = stage.open(agent);
    const waiting = await life.start('Write.');
    expect(waiting).toMatchObject({
      stop: 'suspended',
      waiting: [{ kind: 'approval', request: { action: 'write', people: 2 } }],
    });
    const approval = 'waiting' in waiting ? (waiting.waiting[0]?.token ?? '') : '';
    expect(tools.done).toEqual([]);
    await expect(
      life.runtime.signal(RUN, approval, { verdict: 'approve' }, { from: 'bob', scopes: ['letters:read'] }),
    ).rejects.toThrow(/letters:approve/);
    await life.runtime.signal(RUN, approval, { verdict: 'approve' }, { from: 'ada', scopes: ['letters:approve'] });
    const again = await life.resume();
    expect(again).toMatchObject({ stop: 'suspended' });
    const second = 'waiting' in again ? (again.waiting[0]?.token ?? '') : '';
    await life.runtime.signal(RUN, second, { verdict: 'approve' }, { from: 'eve', scopes: ['letters:approve'] });
    expect(await life.resume()).toMatchObject({ stop: 'done' });
    expect(tools.done).toEqual(['write x']);
  });
});

describe('a conversation with skills', () => {
  it('offers from its first turn on what skills leave that are active then [R5-SKILL-NARROW]', async () => {
    const { skills } = await library();
    const model = scriptedModel({ clerk: ['Hello.'] });
    const use = withSkills({ ...CLERK, model, tools: smallTools().all }, skills, { activate: ['counting'] });
    await new Stage<Clock>(systemClock()).open(conversation(defineAgent(use))).start('Hello.');
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual([
      'add_one',
      'activate_skill',
      'read_skill_resource',
    ]);
  });

  it('keeps them active in later turns, after a restart too, and finds further ones by what is said [R5-SKILL-NARROW] [R5-SKILL-MATCH]', async () => {
    const { desk, skills } = await library();
    const tools = smallTools();
    const model = scriptedModel({
      clerk: [activate('counting'), 'Ready.', proposes('write', { text: 'no' }, 'w'), 'I may not.', 'Dear Ann,'],
    });
    const define = (from: SkillLibrary) =>
      conversation(
        defineAgent(withSkills({ ...CLERK, model, tools: tools.all }, from, { match: { lexical: { limit: 1 } } })),
      );
    const stage = new Stage<Clock>(systemClock());
    const first = stage.open(define(skills));
    await first.start('Hello.');
    first.die();
    desk.skill('writing', { description: 'Writes letters, in another way.', body: 'Write briefly.' });
    const second = stage.open(define(await loadSkills(desk.root)));
    for (const text of ['Put it down.', 'A letter!']) {
      await second.runtime.signal(RUN, MESSAGE, { text });
      await second.resume();
    }
    expect(tools.done).toEqual([]);
    const last = model.requests.at(-1)?.messages ?? [];
    expect(last[0]).toEqual(model.requests[0]?.messages[0]); // one setup for the whole conversation
    expect(JSON.stringify(last)).toContain('Denied, not executed: write');
    expect(last.at(-1)?.content).toContain('Write briefly.'); // after the words that it was found by
    expect(last.at(-2)?.content).toBe('A letter!');
    expect(last.filter(({ content }) => content.includes('This skill is active.'))).toHaveLength(1);
    expect(provenanceOf(RUN, await stage.entries()).skills?.map(({ name }) => name)).toEqual(['counting', 'writing']);
  });
});

describe('skills without a definition', () => {
  it('serve a tool loop of one’s own: block, tools and guard [R5-SKILL-DISCLOSURE] [R5-SKILL-NARROW]', async () => {
    const { skills } = await library();
    const tools = smallTools();
    const model = scriptedModel({ worker: [activate('counting'), proposes('write', { text: 'x' }, 'w'), 'Done.'] });
    const { outcome } = await runAgent(async (run: Run) => {
      const used = await useSkills(run, skills);
      const session = { name: 'worker', model, setup: `You work.\n\n${skills.disclose()}` };
      return toolLoop({ session, tools: [...tools.all, ...used.tools()], config: NO_QUESTIONS })(used.run, 'Go.');
    });
    expect(gained(outcome)).toMatchObject({ toolsUsed: ['activate_skill'] });
    expect(tools.done).toEqual([]);
  });

  it.each<[string, (run: Run, work: (run: Run) => Promise<unknown>) => Promise<unknown>]>([
    ['scope', (run, work) => work(run.scope('inner'))],
    ['within', (run, work) => run.within({ modelCalls: 4, toolCalls: 4 }, work)],
    ['enter', (run, work) => run.enter({ pattern: 'R4', params: {} }, work)],
    ['all', (run, work) => run.all([work], 1)],
    ['first', (run, work) => run.first([work])],
    ['some', (run, work) => run.some([work], { need: 1, width: 1 })],
    [
      'each',
      async (run, work) => {
        for await (const _ of run.each([work], { width: 1 }));
      },
    ],
  ])('hold what is done inside run.%s too [R5-SKILL-NARROW]', async (_way, open) => {
    const { skills } = await library();
    const tools = smallTools();
    const model = scriptedModel({ worker: [activate('counting'), proposes('write', { text: 'x' }, 'w'), 'Done.'] });
    const { outcome } = await runAgent(async (run: Run) => {
      const used = await useSkills(run, skills);
      const session = { name: 'worker', model, setup: skills.disclose() };
      const loop = toolLoop({ session, tools: [...tools.all, ...used.tools()], config: NO_QUESTIONS });
      await open(used.run, (inner) => loop(inner, 'Go.'));
      return done(used.active.list().map(({ name }) => name));
    });
    expect(gained(outcome)).toEqual(['counting']);
    expect(tools.done).toEqual([]);
  });

  it('are counted from the next run on where the folder is watched [R5-SKILL-RELOAD]', async () => {
    const { desk } = await library();
    const watched = await watchSkills(desk.root, () => undefined, { debounceMs: 10 });
    onTestFinished(() => watched.close());
    const model = scriptedModel({ clerk: ['One.', 'Two.'] });
    const agent = defineAgent({ ...CLERK, model, loop: NO_QUESTIONS, skills: watched.library });
    await runAgent(agent.agent, 'x');
    desk.skill('tides', { description: 'Knows the tides.' });
    await watched.reload();
    await runAgent(agent.agent, 'x');
    const [before, after] = model.requests.map(({ messages }) => messages[0]?.content ?? '');
    expect(before).not.toContain('tides');
    expect(after).toContain('Knows the tides.');
  });

  it('are bound to a definition that came from YAML [R5-SKILL-DISCLOSURE]', async () => {
    const { skills } = await library();
    const model = scriptedModel({ clerk: ['Done.'] });
    const agent = bindAgent({ ...CLERK, skills: ['./skills'], model: 'm/x' }, { model: () => model, skills });
    expect(agent.spec.skills).toEqual(['counting', 'writing']);
    expect(agent.setup).toContain('<name>counting</name>');
    expect(agent.setup).not.toContain('./skills');
  });
});
