import { PassThrough } from 'node:stream';
import { agentCard, discover } from '@flyball/server';
import { type McpOffer, serveMcpStdio } from '@flyball/server/mcp';
import type { Sandbox } from 'flyball';
import { type McpServerSpec, openMcpPool } from 'flyball/adapters/mcp-client';
import { shellTool } from 'flyball/toolbox';

/** One example of each pattern of integration that needs a package or a program of its own: what the pages show. */

const settings: readonly McpServerSpec[] = []; // { name: 'shop', transport: { kind: 'http', url }, pin: '1.2.0' }

// #region openMcpPool
const pool = await openMcpPool(settings, { maxResultChars: 20_000 });
const tools = pool.tools(); // for an agent: defineAgent({ …, tools })
await pool.close();
// #endregion

const [input, output] = [new PassThrough(), new PassThrough()]; // process.stdin and process.stdout where they are absent

// #region serveMcpStdio
const offer: McpOffer = {
  tools: () => [
    { name: 'stock', description: 'Says how many there are. Not for prices.', inputSchema: { type: 'object' } },
  ],
  call: async () => ({ ok: true, text: '3 left' }),
}; // or runtimeOffer: every call is a run in the journal
const served = await serveMcpStdio(offer, { name: 'warehouse', version: '1.2.0', input, output });
// #endregion
await served.close();

const held = { confined: true, by: 'bubblewrap' };
const sandbox: Sandbox = {
  name: 'bubblewrap', // await bubblewrapSandbox(), from flyball/adapters/sandbox-bubblewrap
  describe: () => ({
    name: 'bubblewrap',
    files: held,
    network: held,
    memory: held,
    processes: held,
    cpu: held,
    disk: held,
  }),
  run: () => Promise.reject(new Error('This example is only read.')),
};

// #region shellTool
const shell = shellTool({
  sandbox,
  cwd: process.cwd(),
  rules: { programs: { git: { subcommands: ['log', 'status'] }, grep: {} } },
  timeoutMs: 10_000,
}); // { argv: ['git', 'log', '-3'] } runs; other programs are refused before they start
// #endregion

// #region agentCard
const directory = { list: () => [] }; // of a server: the agents that it publishes
const card = agentCard(directory, {
  name: 'desk',
  description: 'Answers customers.',
  version: '1',
  origin: 'https://desk.example.com',
  open: false,
}); // openServer serves it at /.well-known/agent-card.json
// #endregion

// #region discover
const found = await discover('http://127.0.0.1:9', { skill: 'refunds', input: { type: 'object' } });
const use = found.verified ? found.interface.url : `not used: ${found.because}`; // found.code says why
// #endregion

export const shown = { tools, use };
export const examples = {
  openMcpPool: pool,
  serveMcpStdio: served,
  shellTool: shell,
  agentCard: card,
  discover: found,
};
