import type { Command } from 'commander';
import {
  type Call,
  type CommonOptions,
  EXIT,
  type ExitCode,
  handleUncaughtOf,
  newCommand,
  type Perform,
  printable,
} from 'flyball/internal';

const ABOUT =
  'Serve agents and tools to an MCP client over standard input and output. ' +
  'An agent appears as agent__<name>. Every call is a run with a journal, a budget and the guards from the file. ' +
  'A call that waits for a person returns the id of its run; flyball inbox shows the request. ' +
  'Only the protocol is written to standard output. The process ends when the client disconnects.';

const CONFIGURATION = `
In the configuration of a client:
  { "mcpServers": { "desk": { "command": "flyball", "args": ["mcp", "/path/to/agent.yaml"] } } }

flyball serve does the same over HTTP, at /mcp.`;

export function mcpCommand(perform: Perform): Command {
  return newCommand('mcp <files...>', ABOUT, [
    'flyball mcp agent.yaml',
    'flyball mcp desk.yaml research.ts --db runs.db',
    'npx @modelcontextprotocol/inspector flyball mcp agent.yaml',
  ])
    .addHelpText('after', CONFIGURATION)
    .action((files: readonly string[], options: CommonOptions) => perform(options, {}, (call) => serve(call, files)));
}

/** Loaded when it is needed: no other command has to read a protocol. */
async function serve({ screen, place, env }: Call, files: readonly string[]): Promise<ExitCode> {
  const [{ serveMcpStdio }, { openDatabase }, { offerFiles }, { quietStdout }] = await Promise.all([
    import('../../mcp/stdio.js'),
    import('flyball/command'),
    import('../mcp/offer-agents.js'),
    import('../mcp/quiet-stdout.js'),
  ]);
  const { filesOf, loadAgentModule, versionOf, whoAmI } = await import('flyball/internal');
  const quiet = quietStdout(); // before the files are loaded: they may print
  try {
    const modules = [];
    for (const file of files) modules.push(await loadAgentModule(file, env, [...files, ...filesOf(place)]));
    const engine = await openDatabase(place, { mustWrite: true });
    const offered = await offerFiles(modules, engine, whoAmI());
    const server = await serveMcpStdio(offered.offer, {
      name: 'flyball',
      version: versionOf(),
      output: quiet.output,
      onProblem: (error, doing) =>
        screen.complain(printable(`${doing}: ${error instanceof Error ? error.message : String(error)}`)),
    });
    screen.complain(`flyball serves ${offered.names.join(', ')} over MCP; runs are stored in ${place.database}`);
    const stopHandling = handleUncaughtOf(() => offered.runtimes);
    const ended = await Promise.race([server.closed, interrupted()]);
    await server.close();
    await offered.close();
    await engine.close();
    stopHandling();
    return ended ?? EXIT.ok;
  } finally {
    quiet.restore();
  }
}

/** The second time it ends at once, which the journal survives too. */
function interrupted(): Promise<ExitCode> {
  return new Promise((resolve) => {
    const ends = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hungUp } as const;
    for (const [signal, code] of Object.entries(ends)) process.once(signal, () => resolve(code));
  });
}
