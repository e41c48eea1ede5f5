import { type Clock, type Outcome, systemClock } from 'flyball';
import { type DefinedAgent, defineAgent } from 'flyball/agents';
import type { ToolLoopResult } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
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
