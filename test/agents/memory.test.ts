import { type Clock, done, memoryStore, type Run, type Store, systemClock } from 'flyball';
import { defineAgent } from 'flyball/agents';
import { type Memory, memory } from 'flyball/memory';
import { hashEmbedder } from 'flyball/retrieval';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import type { ScriptEntry } from '../../packages/flyball/src/testing/script.js';
import { smallTools } from '../loops/small-tools.js';
import { proposes } from '../loops/stage-loop.js';
import { Stage } from '../runtime/stage.js';
import { gained, runAgent } from './stage-agent.js';

const CLERK = { name: 'clerk', description: 'You serve tea.' };

/** A memory with eight facts about teas, and one that came from outside. */
async function teaMemory(store: Store = memoryStore()): Promise<Memory> {
  const of = memory({ store, embedder: hashEmbedder() });
  const facts = async (run: Run) => {
    for (let n = 1; n <= 8; n++)
      await of.remember(run, 'semantic', {
        about: `tea.${n}`,
        content: `Green tea number ${n} is brewed at ${60 + n} degrees.`,
        source: 'the tea book',
        confidence: 0.9,
        trust: n === 1 ? 'outside' : 'user',
      });
    return done(null);
  };
  await new Stage<Clock>(systemClock()).open(facts).start();
  return of;
}

describe('an agent with a memory', () => {
  it('is reminded of the index of the best five before its inputs, and nothing of it is in its setup [R3-MEM-RECALL]', async () => {
    const model = scriptedModel({ clerk: ['Hot.'] });
    const agent = defineAgent({ ...CLERK, model, memory: await teaMemory() });
    await runAgent(agent.invoke, 'How is green tea brewed?');
    const [system, reminder, task] = model.requests[0]?.messages ?? [];
    expect(system).toEqual({ role: 'system', content: agent.setup });
    expect(task).toEqual({ role: 'user', content: 'How is green tea brewed?' });
    expect(reminder?.role).toBe('user');
    expect(reminder?.content.match(/^- \[semantic\/tea\.\d\]/gm)).toHaveLength(5);
    expect(reminder?.content).not.toContain('recall_memory'); // one shot: there is no tool to read more with
  });

  it('labels what it is reminded of as little trusted as the least trusted part [R3-MEM-RECALL]', async () => {
    const model = scriptedModel({ clerk: ['Hot.'] });
    const agent = defineAgent({ ...CLERK, model, memory: await teaMemory() });
    const { stage } = await runAgent(agent.invoke, 'green tea number 1 degrees');
    const [start] = await stage.events('ask-start');
    const links = await stage.engine.links('default', start?.tip ?? '');
    const [band, role, owner, trust] = links[1]?.header.split('\u001f') ?? [];
    expect([band, role, owner, trust]).toEqual(['stable', 'user', 'memory', 'outside']);
  });

  it('reads on by level where it works with tools [R3-MEM-RECALL]', async () => {
    const tools = smallTools();
    const replies: ScriptEntry[] = [
      (request) => {
        const id = /\[(semantic\/tea\.\d)\]/.exec(request.messages[1]?.content ?? '')?.[1];
        return proposes('recall_memory', { id, level: 'full' }, 'r');
      },
      'It is brewed warm.',
      'It is brewed warm, I am sure.',
    ];
    const model = scriptedModel({ clerk: replies });
    const agent = defineAgent({ ...CLERK, model, tools: tools.all, memory: await teaMemory() });
    const { outcome } = await runAgent(agent.invokeIterative, 'How is green tea brewed?');
    expect(gained(outcome)).toMatchObject({ termination: 'completed', toolsUsed: ['recall_memory'] });
    expect(model.requests[0]?.messages[1]?.content).toContain('Call recall_memory');
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual([
      'add_one',
      'next',
      'write',
      'fail',
      'recall_memory',
    ]);
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/is brewed at 6\d degrees\./);
  });

  it('stays a single shot without other tools [R3-LOOP-SINGLE]', async () => {
    const model = scriptedModel({ clerk: ['Hot.'] });
    const agent = defineAgent({ ...CLERK, model, memory: await teaMemory() });
    const { outcome } = await runAgent(agent.invokeIterative, 'How is green tea brewed?');
    expect(gained(outcome)).toMatchObject({ iterations: 1 });
    expect(model.requests[0]?.tools).toEqual([]);
  });

  it('is not reminded of what does not fit, and then there is no section at all [R3-MEM-RECALL]', async () => {
    const model = scriptedModel({ clerk: ['Hm.'] });
    const agent = defineAgent({ ...CLERK, model, memory: memory({ store: memoryStore() }) });
    await runAgent(agent.invoke, 'Anything?');
    expect(model.requests[0]?.messages).toHaveLength(2);
  });

  it('searches with the beginning of a long input only [R3-MEM-RECALL]', async () => {
    const model = scriptedModel({ clerk: ['Hot.'] });
    const asked: string[] = [];
    const tea = await teaMemory();
    const recall: Memory['recall'] = (run, query) => {
      asked.push(query.query ?? '');
      return tea.recall(run, query);
    };
    await runAgent(defineAgent({ ...CLERK, model, memory: { ...tea, recall } }).invoke, 'green tea '.repeat(1000));
    expect(asked.map(({ length }) => length)).toEqual([2000]);
  });

  it('is reminded in a conversation as well [R3-MEM-RECALL]', async () => {
    const model = scriptedModel({ clerk: ['Hot.'] });
    const agent = defineAgent({ ...CLERK, model, memory: await teaMemory() });
    await runAgent(async (run) => (await agent.converse(run, 'How is green tea brewed?')).outcome);
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'user']);
  });
});
