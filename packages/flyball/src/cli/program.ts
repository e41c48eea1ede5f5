import { Command, CommanderError } from 'commander';
import type { Call, MakeCommand, Perform, Subject } from './command.js';
import { commandsFor } from './commands.js';
import { EXIT, EXIT_MEANINGS, type ExitCode } from './exit-codes.js';
import { placeFor, placeOf, shownPlace } from './place.js';
import { printable, printableLines } from './printable.js';
import { problemOf } from './problem.js';
import { type Screen, type Streams, screenOn } from './screen.js';
import { closing } from './see-also.js';
import { versionOf } from './version.js';

/** Parses and performs one command; answers how the process ends. Never throws. */
export async function runProgram(words: readonly string[], streams: Streams): Promise<ExitCode> {
  let ended: ExitCode = EXIT.ok;
  const perform: Perform = async (options, subject, work) => {
    const screen = screenOn(streams, options.json === true);
    const place = placeOf(options.db, streams.env);
    ended = await performing({ screen, place, env: streams.env }, subject, async (call) =>
      work({ ...call, place: await placeFor(options.db, streams.env) }),
    );
  };
  const commands = await commandsFor(words).catch((error: unknown) => {
    ended = explain(error, screenOn(streams, words.includes('--json')), {
      about: shownPlace(streams.env),
      env: streams.env,
    });
    return undefined;
  });
  if (commands === undefined) return ended;
  const program = buildProgram(perform, streams, commands);
  if (words[0] === COMPLETE) return offer(program, words.slice(words[1] === '--' ? 2 : 1), streams);
  try {
    await program.parseAsync(words, { from: 'user' });
    return ended;
  } catch (error) {
    return parsingFailed(error, screenOn(streams, words.includes('--json')), { words, program, env: streams.env });
  }
}

/** Asked by the shell, with the words so far. */
const COMPLETE = '__complete';

async function offer(program: Command, typed: readonly string[], { out, env }: Streams): Promise<ExitCode> {
  // in the middle of a line nobody wants to hear what is wrong with a file: the command itself says so
  const place = await placeFor(undefined, env).catch(() => placeOf(undefined, {}));
  const { complete } = await import('./completion/complete.js'); // opens databases, which others may not need
  const { words, files } = await complete(program, typed, place);
  for (const { word, about } of words) out.write(`${word}\t${about.split('\n')[0] ?? ''}\n`);
  if (files) out.write(':files\n');
  return EXIT.ok;
}

async function performing(call: Call, subject: Subject, work: (call: Call) => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await work(call);
  } catch (error) {
    const { command, database } = call.place;
    call.screen.status('');
    return explain(error, call.screen, { about: { command, database, ...subject }, env: call.env });
  }
}

function explain(
  error: unknown,
  screen: Screen,
  { about, env }: { readonly about: Parameters<typeof problemOf>[1]; readonly env: Streams['env'] },
): ExitCode {
  const problem = problemOf(error, about);
  screen.data({ kind: 'error', ...problem });
  screen.complain(`${screen.paint('red', 'flyball:')} ${printableLines(problem.message, '  ')}`);
  screen.complain(`  ${printableLines(problem.next, '  ')}`);
  if ((env['FLYBALL_DEBUG'] ?? '') !== '') screen.complain(printableLines(stackOf(error), '  '));
  return problem.exitCode;
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

/** Help and version are no failures; what cannot be parsed is bad usage, told in two lines like any other error. */
function parsingFailed(
  error: unknown,
  screen: Screen,
  {
    words,
    program,
    env,
  }: { readonly words: readonly string[]; readonly program: Command; readonly env: Streams['env'] },
): ExitCode {
  if (!(error instanceof CommanderError)) {
    return explain(error, screen, { about: { command: shownPlace(env).command }, env });
  }
  if (error.exitCode === 0) return EXIT.ok;
  if (error.code === 'commander.help') return EXIT.usage; // no command was given: the help has just been shown
  const message = error.message.replace(/^error: /, '').replace(/\n\((.*)\)$/, ' ($1)');
  const known = program.commands.find((one) => one.name() === words[0]);
  const named = [known, known?.commands.find((one) => one.name() === words[1])].flatMap((one) => one?.name() ?? []);
  const command = ['flyball', ...named].join(' ');
  const see = `Run ${command} --help for usage and examples.`;
  const next = isAboutDatabase(error, known)
    ? `To choose a database, use --db: ${command} --db <database>. ${see}`
    : see;
  screen.data({ kind: 'error', code: 'USAGE', message, next, exitCode: EXIT.usage, retryable: false });
  screen.complain(`${screen.paint('red', 'flyball:')} ${printable(message)}`);
  screen.complain(`  ${next}`);
  return EXIT.usage;
}

/** A word too many for a command that takes none but works on a database: it is most likely the name of one. */
function isAboutDatabase({ code }: CommanderError, command: Command | undefined): boolean {
  return (
    code === 'commander.excessArguments' &&
    command?.registeredArguments.length === 0 &&
    command.options.some(({ long }) => long === '--db')
  );
}

export function buildProgram(perform: Perform, streams: Streams, commands: readonly MakeCommand[]): Command {
  const program = new Command('flyball')
    .description(
      'Runs LLM agents that stay within a budget, survive crashes, and wait for people without keeping a process.',
    )
    .version(versionOf(), '--version', 'print the version')
    .helpCommand(false)
    .helpOption('-h, --help', 'show help; flyball <command> --help shows examples')
    .addHelpText('after', help());
  for (const make of commands) program.addCommand(make(perform));
  for (const command of program.commands)
    for (const each of allOf(command)) each.addHelpText('after', closing(command.name()));
  for (const command of allOf(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => void streams.out.write(text),
      writeErr: (text) => void streams.error.write(text),
      outputError: () => undefined, // told in our own two lines
    });
  }
  return program;
}

/** Commands of commands too: all of them write where this program writes. */
function allOf(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

function help(): string {
  const codes = EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return `
Create an agent:
  $ flyball init my-agent                                 create a project with an agent, a tool and a test
  $ flyball doctor                                        check models, sandboxes and the database
  $ flyball chat agent.yaml                               chat with the agent; Ctrl-C pauses, --resume continues

Run it:
  $ flyball run agent.yaml --input '{"topic":"tides"}'    start a run; returns when it is done or has to wait
  $ flyball runs                                          list runs
  $ flyball show <run>                                    show what happened, and how to answer open requests
  $ flyball inbox                                         list open requests from all runs
  $ flyball approve <run>                                 approve from any terminal; the run continues
  $ flyball resume <run>                                  continue after a crash, a pause or a limit

Run it as a service:
  $ flyball serve agent.yaml                              HTTP API and studio on http://127.0.0.1:4747/studio
  $ flyball keys create --name ci --scope agents:invoke   create an API key
  $ flyball mcp agent.yaml                                serve agents and tools to an MCP client over stdio

FLYBALL_MODEL sets the model, for example ollama/llama3.2 or openai/gpt-4.1-mini. API keys come from variables such as OPENAI_API_KEY.
Runs are stored in .flyball/flyball.db. To use another file, or a PostgreSQL server (postgres://…), set --db, FLYBALL_DB, or db in the FLYBALL_CONFIG file. Several processes can share it.
FLYBALL_DEBUG=1 adds stack traces to errors, NO_COLOR=1 turns off colors.

Exit codes:
${codes.join('\n')}`;
}
