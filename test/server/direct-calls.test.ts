import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentGroup } from '@flyball/server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { memoryEngine, type ToolRef } from 'flyball';
import { defineAgent } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { type AutonomyLevel, tool, toolRegistry } from 'flyball/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadAgentModule } from '../../packages/flyball/src/cli/agent-module.js';
import '../../packages/flyball/src/cli/yaml-agent.js'; // loaded here, not within the time of the first test
import { offerFiles } from '../../packages/server/src/cli/mcp/offer-agents.js';
import { type ServerStage, serverStage } from './stage-server.js';

const ENV = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1', FLYBALL_MODEL: 'openai-compatible/test' };
const wiped = (): number => (globalThis as { wiped?: number }).wiped ?? 0;

/** An agent file with a tool that acts, as the command line loads it. */
async function yamlModule(line: string) {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-direct-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'tools.yaml'),
    'tools:\n  - { name: wipe, description: Wipes., input: { type: object }, effect: undoable, run: { module: ./act.mjs, compensate: ./act.mjs#undo } }\n',
  );
  writeFileSync(
    join(folder, 'act.mjs'),
    "export default async () => { globalThis.wiped = (globalThis.wiped ?? 0) + 1; return 'wiped'; };\nexport const undo = async () => undefined;\n",
  );
  const head = 'name: helper\ndescription: You help.\nprice: { input: 1, output: 2 }\ntools: [wipe]\n';
  writeFileSync(join(folder, 'agent.yaml'), `${head}${line}`);
  return loadAgentModule(join(folder, 'agent.yaml'), ENV);
}

function typedGroup(levels: readonly (AutonomyLevel | undefined)[], acted: () => void): AgentGroup {
  const wipe = tool({
    name: 'wipe',
    description: 'Wipes.',
    input: { type: 'object', properties: {} },
    effect: 'undoable',
    compensate: async () => undefined,
    execute: async () => {
      acted();
      return 'wiped';
    },
  });
  const agents = levels.map((autonomy, index) =>
    defineAgent({
      name: `a${index}`,
      description: 'Helps.',
      model: scriptedModel({}),
      tools: [wipe as ToolRef],
      ...(autonomy === undefined ? {} : { autonomy }),
    }),
  );
  return { agents: Object.fromEntries(agents.map((each) => [each.name, each])), tools: toolRegistry([wipe]) };
}

async function staged(group: AgentGroup): Promise<ServerStage> {
  const stage = await serverStage({ groups: [group] });
  onTestFinished(() => stage.close());
  return stage;
}

async function overMcp(stage: ServerStage): Promise<{ readonly isError: boolean; readonly text: string }> {
  const key = await stage.keyFor('ada', ['tools:execute']);
  const client = new Client({ name: 'tester', version: '1' });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${stage.url}/mcp`), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  const { content, isError } = await client.callTool({ name: 'wipe', arguments: {} });
  return { isError: isError === true, text: JSON.stringify(content) };
}

describe('a direct call of a tool', () => {
  it.each(['read-only', 'supervised'] as const)(
    'is held to the level %s that a YAML definition names, over HTTP, /mcp and flyball mcp [F-S2]',
    async (level) => {
      const before = wiped();
      const module = await yamlModule(`autonomy: ${level}\n`);
      const stage = await staged(module.group);
      const { status, body } = await stage.call('POST', '/v1/tools/wipe/execute', { body: { args: {} } });
      expect({ status, ok: body.ok }).toEqual({ status: level === 'read-only' ? 200 : 202, ok: false });
      expect((await overMcp(stage)).isError).toBe(level === 'read-only');
      const own = await offerFiles([module], memoryEngine(), 'ada');
      onTestFinished(() => own.close());
      const ctx = { who: undefined, signal: new AbortController().signal, progress: () => undefined };
      expect(await own.offer.call('wipe', {}, ctx)).not.toMatchObject({ ok: true, text: 'wiped' });
      expect(wiped() - before).toBe(0);
    },
  );

  it.each([
    { levels: ['read-only'], status: 200, ran: 0 },
    { levels: ['supervised'], status: 202, ran: 0 },
    { levels: ['autonomous'], status: 200, ran: 1 },
    { levels: ['autonomous', 'supervised'], status: 202, ran: 0 },
    { levels: ['autonomous', 'read-only'], status: 200, ran: 0 },
    { levels: [undefined, 'read-only'], status: 200, ran: 0 },
  ] as const)(
    'is held to the strictest of the agents that have it: $levels [F-S2]',
    async ({ levels, status, ran }) => {
      let acts = 0;
      const stage = await staged(typedGroup(levels, () => acts++));
      const answer = await stage.call('POST', '/v1/tools/wipe/execute', { body: { args: {} } });
      expect({ status: answer.status, acts }).toEqual({ status, acts: ran });
      await overMcp(stage);
      expect(acts).toBe(ran * 2);
    },
  );
});
