import { type Clock, type Outcome, systemClock } from 'flyball';
import { type AgentSpec, type DefinedAgent, defineAgent } from 'flyball/agents';
import type { ToolLoopResult } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { autonomyBudget, tool } from 'flyball/tools';
import { expect, it } from 'vitest';
import { Stage } from '../runtime/stage.js';

const written: string[] = [];
const write = tool({
  name: 'write_note',
  description: 'Writes a note.',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  effect: 'undoable',
  execute: async ({ text }) => {
    written.push(String(text));
    return 'written';
  },
  compensate: async () => undefined,
});

function noteTaker(autonomy: 'read-only' | 'supervised' | 'autonomous'): DefinedAgent {
  const call = { id: 'c', name: 'write_note', arguments: '{"text":"hello"}' };
  const model = scriptedModel({ notes: [{ toolCalls: [call] }, 'Done.', 'Done.'] });
  return defineAgent({
    name: 'notes',
    description: 'You take notes.',
    autonomy,
    model,
    tools: [write],
  }) as DefinedAgent;
}

async function started(agent: DefinedAgent): Promise<Outcome<ToolLoopResult>> {
  const life = new Stage<Clock>(systemClock()).open(agent);
  return (await life.start('Note hello.')) as Outcome<ToolLoopResult>;
}

it('a defined agent is held to its autonomy level by whatever runtime runs it [R3-GOV-AUTONOMY] [R3-AGENT-DEFINE]', async () => {
  expect(await started(noteTaker('read-only'))).toMatchObject({ stop: 'done', value: { toolsUsed: [] } });
  expect(written).toEqual([]);
  expect(await started(noteTaker('supervised'))).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval' }] });
  expect(written).toEqual([]);
  expect(await started(noteTaker('autonomous'))).toMatchObject({ stop: 'done', value: { toolsUsed: ['write_note'] } });
  expect(written).toEqual(['hello']);
});

function profiled(autonomyProfile: AgentSpec['autonomyProfile']): DefinedAgent {
  const call = (id: string) => ({ id, name: 'write_note', arguments: `{"text":"${id}"}` });
  const model = scriptedModel({
    notes: ({ messages }) => {
      const made = messages.filter(({ role }) => role === 'tool').length;
      return made < 3 ? { toolCalls: [call(`n${made + 1}`)] } : 'Done.';
    },
  });
  const spec = { name: 'notes', description: 'You take notes.', ...(autonomyProfile && { autonomyProfile }) };
  return defineAgent({ ...spec, model, tools: [write], loop: { doubleConfirmation: false } }) as DefinedAgent;
}

it('a profile that a definition names holds wherever the agent runs: limits and stop conditions [F-E5]', async () => {
  written.length = 0;
  await started(profiled({ limits: { toolCalls: 1 } }));
  expect(written).toEqual(['n1']);
  written.length = 0;
  const asked = await started(profiled({ limits: { toolCalls: 1 }, modes: { 'tool-calls': 'escalate' } }));
  expect(asked).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'approval' }] });
  written.length = 0;
  const stopped = await started(profiled({ stopWhen: [{ kind: 'toolCalled', tool: 'write_note', times: 2 }] }));
  expect(written).toEqual(['n1', 'n2']);
  expect(JSON.stringify(stopped)).toContain('calls of write_note');
});

it('a profile and an autonomy budget beside it are one too many [F-E5]', () => {
  const definition = { name: 'notes', description: 'x', model: scriptedModel({}), autonomyProfile: { warnAt: 0.5 } };
  expect(() => defineAgent({ ...definition, autonomyBudget: autonomyBudget() })).toThrow('Keep one of them');
});
