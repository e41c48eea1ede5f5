import { Command, CommanderError } from 'commander';
import type { Call, Perform, Subject } from './command.js';
import { answerCommand } from './commands/answer.js';
import { approveCommand, escalateCommand, modifyCommand, rejectCommand } from './commands/approve.js';
import { backupCommand, restoreCommand } from './commands/backup.js';
import { bulkCommand } from './commands/bulk.js';
import { cancelCommand } from './commands/cancel.js';
import { chatCommand } from './commands/chat.js';
import { checkCommand } from './commands/check.js';
import { completionsCommand } from './commands/completions.js';
import { demoCommand } from './commands/demo.js';
import { doctorCommand } from './commands/doctor.js';
import { evalsCommand, type MakeCommand } from './commands/evals.js';
import { exportCommand } from './commands/export.js';
import { fixCommand } from './commands/fix.js';
import { forkCommand } from './commands/fork.js';
import { holdCommand } from './commands/hold.js';
import { inboxCommand } from './commands/inbox.js';
import { initCommand } from './commands/init.js';
import { keysCommand } from './commands/keys.js';
import { mcpCommand } from './commands/mcp.js';
import { operationsCommand } from './commands/operations.js';
import { ownerCommand } from './commands/owner.js';
import { pauseCommand } from './commands/pause.js';
import { eraseCommand, pruneCommand } from './commands/prune.js';
import { redirectCommand } from './commands/redirect.js';
import { resumeCommand } from './commands/resume.js';
import { runCommand } from './commands/run.js';
import { runsCommand } from './commands/runs.js';
import { serveCommand } from './commands/serve.js';
import { showCommand } from './commands/show.js';
import { signalCommand } from './commands/signal.js';
import { skillsCommand } from './commands/skills.js';
import { verifyCommand } from './commands/verify.js';
import { complete } from './completion/complete.js';
import { EXIT, EXIT_MEANINGS, type ExitCode } from './exit-codes.js';
import { printable } from './printable.js';
import { problemOf } from './problem.js';
import { type Screen, type Streams, screenOn } from './screen.js';
import { closing } from './see-also.js';
import { versionOf } from './version.js';
import { placeFor, placeOf } from './workplace.js';

const COMMANDS = [
  initCommand,
  doctorCommand,
  chatCommand,
  runCommand,
  fixCommand,
  runsCommand,
  showCommand,
  inboxCommand,
  answerCommand,
  approveCommand,
  rejectCommand,
  modifyCommand,
  escalateCommand,
  signalCommand,
  redirectCommand,
  pauseCommand,
  resumeCommand,
  cancelCommand,
  forkCommand,
  exportCommand,
  verifyCommand,
  checkCommand,
  backupCommand,
  restoreCommand,
  pruneCommand,
  eraseCommand,
  holdCommand,
  operationsCommand,
  bulkCommand,
  ownerCommand,
  skillsCommand,
  evalsCommand,
  serveCommand,
  keysCommand,
  mcpCommand,
  completionsCommand,
  demoCommand,
] as const;

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
  const isCompleting = words[0] === COMPLETE;
  const evals =
    words[0] === 'evals' || (isCompleting && words.includes('evals'))
      ? (await import('./commands/evals-commands.js')).EVALS_COMMANDS
      : [];
  const program = buildProgram(perform, streams, evals);
  if (isCompleting) return offer(program, words.slice(words[1] === '--' ? 2 : 1), streams);
  try {
    await program.parseAsync(words, { from: 'user' });
    return ended;
  } catch (error) {
    return parsingFailed(error, screenOn(streams, words.includes('--json')), { words, env: streams.env });
  }
}

/** Asked by the shell, with the words so far. */
const COMPLETE = '__complete';

async function offer(program: Command, typed: readonly string[], { out, env }: Streams): Promise<ExitCode> {
  // in the middle of a line nobody wants to hear what is wrong with a file: the command itself says so
  const { database } = await placeFor(undefined, env).catch(() => placeOf(undefined, env));
  const { words, files } = await complete(program, typed, database);
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
  screen.complain(`${screen.paint('red', 'flyball:')} ${printable(problem.message).replaceAll('\n', '\n  ')}`);
  screen.complain(`  ${problem.next}`);
  if ((env['FLYBALL_DEBUG'] ?? '') !== '') screen.complain(stackOf(error));
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
  { words, env }: { readonly words: readonly string[]; readonly env: Streams['env'] },
): ExitCode {
  if (!(error instanceof CommanderError)) {
    return explain(error, screen, { about: { command: placeOf(undefined, env).command }, env });
  }
  if (error.exitCode === 0) return EXIT.ok;
  if (error.code === 'commander.help') return EXIT.usage; // no command was given: the help has just been shown
  const message = error.message.replace(/^error: /, '');
  const command = words[0] === undefined || words[0].startsWith('-') ? '' : `${words[0]} `;
  const known = COMMANDS.map((make) => make(async () => undefined)).find((one) => one.name() === command.trim());
  const see = `See flyball ${known === undefined ? '' : command}--help for what it takes, with examples.`;
  const next = isAboutDatabase(error, known)
    ? `A database is named with --db: flyball ${command}--db <file>. ${see}`
    : see;
  screen.data({ kind: 'error', code: 'USAGE', message, next, exitCode: EXIT.usage, retryable: false });
  screen.complain(`${screen.paint('red', 'flyball:')} ${message}`);
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

export function buildProgram(perform: Perform, streams: Streams, evals: readonly MakeCommand[] = []): Command {
  const program = new Command('flyball')
    .description(
      'Runs LLM agents that stay within a budget, survive a crash at any instant and wait for people without a process.',
    )
    .version(versionOf(), '--version', 'print the version')
    .helpCommand(false)
    .helpOption('-h, --help', 'show help; flyball <command> --help shows examples')
    .addHelpText('after', help());
  for (const make of COMMANDS) program.addCommand(make === evalsCommand ? evalsCommand(perform, evals) : make(perform));
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
A first agent:
  $ flyball init my-agent                                 a project with one agent, one tool and one test
  $ flyball doctor                                        which models answer, what confines tools
  $ flyball chat agent.yaml                               talk with it; Ctrl-C pauses, --resume goes on

A first run:
  $ flyball run agent.yaml --input '{"topic":"tides"}'    start it; it stops when it is done or has to wait
  $ flyball runs                                          which runs are there
  $ flyball show <run>                                    what happened, what it waits for, how to answer
  $ flyball inbox                                         what runs ask of people, over all runs
  $ flyball approve <run>                                 answer, from any terminal; the run goes on
  $ flyball resume <run>                                  go on after a crash, a pause or a bound

A service:
  $ flyball serve agent.yaml                              HTTP API and studio on http://127.0.0.1:4747/studio
  $ flyball keys create --name ci --scope agents:invoke   a key for somebody else
  $ flyball mcp agent.yaml                                agents and tools for an MCP client, over stdio

FLYBALL_MODEL chooses the model, as in ollama/llama3.2 or openai/gpt-4.1-mini; keys come from OPENAI_API_KEY and the like.
Runs are kept in .flyball/flyball.db; --db, FLYBALL_DB or db in the file of FLYBALL_CONFIG choose another file. Several processes may share it.
FLYBALL_DEBUG=1 adds stack traces to errors, NO_COLOR=1 leaves out colours.

Exit codes:
${codes.join('\n')}`;
}
