import { describe, expect, it } from 'vitest';
import { definition, modelDesk, proposes } from '../cli/model-desk.js';
import { WORKSHOP } from './stage.js';

const servers = (command: string) =>
  JSON.stringify({
    mcpServers: {
      workshop: {
        command,
        args: [WORKSHOP],
        flyball: { include: ['echo', 'say'], pin: '1.0.0', effects: { echo: 'pure' } },
      },
    },
  });

describe('an agent in YAML', () => {
  it('works with the tools of an MCP server that it names [R6-MCP-CONSUME]', async () => {
    const desk = await modelDesk([proposes('workshop__echo', { text: 'oak' }), 'Measured.', 'Measured.']);
    desk.file('mcp.json', servers(process.execPath));
    desk.file('agent.yaml', definition('mcp: mcp.json\ntools: [workshop__echo]\n'));
    const { code, error } = await desk.flyball('run', 'agent.yaml', '--input', '"How long is the plank?"');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(desk.heard(2).some((text) => text.startsWith('tool: '))).toBe(true);
  });

  it('is refused with its line when a server cannot be reached, or a tool is not one of theirs [R6-MCP-CONSUME]', async () => {
    const desk = await modelDesk([]);
    desk.file('mcp.json', servers('/nowhere/node'));
    desk.file('agent.yaml', definition('mcp: mcp.json\ntools: [workshop__echo]\n'));
    const { code, error } = await desk.flyball('run', 'agent.yaml', '--input', '"x"');
    expect(code).not.toBe(0);
    expect(error).toContain('agent.yaml:');
    expect(error).toContain('workshop');
  });
});
