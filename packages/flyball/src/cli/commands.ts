import type { LoadCommand } from '../command.js';
import { FlyballError } from '../core/errors.js';
import type { MakeCommand } from './command.js';
import { commandPackage, PACKAGE_OF, searchPackages } from './command-packages.js';

/** In the order in which the help lists them. A command brings along what it works with, and most need little of it. */
const COMMANDS: Readonly<Record<string, LoadCommand>> = {
  init: async () => (await import('./commands/init.js')).initCommand,
  doctor: async () => (await import('./commands/doctor.js')).doctorCommand,
  chat: async () => (await import('./commands/chat.js')).chatCommand,
  run: async () => (await import('./commands/run.js')).runCommand,
  fix: async () => (await import('./commands/fix.js')).fixCommand,
  runs: async () => (await import('./commands/runs.js')).runsCommand,
  show: async () => (await import('./commands/show.js')).showCommand,
  inbox: async () => (await import('./commands/inbox.js')).inboxCommand,
  answer: async () => (await import('./commands/answer.js')).answerCommand,
  approve: async () => (await import('./commands/approve.js')).approveCommand,
  reject: async () => (await import('./commands/approve.js')).rejectCommand,
  modify: async () => (await import('./commands/approve.js')).modifyCommand,
  escalate: async () => (await import('./commands/approve.js')).escalateCommand,
  signal: async () => (await import('./commands/signal.js')).signalCommand,
  redirect: async () => (await import('./commands/redirect.js')).redirectCommand,
  pause: async () => (await import('./commands/pause.js')).pauseCommand,
  resume: async () => (await import('./commands/resume.js')).resumeCommand,
  cancel: async () => (await import('./commands/cancel.js')).cancelCommand,
  fork: async () => (await import('./commands/fork.js')).forkCommand,
  export: async () => (await import('./commands/export.js')).exportCommand,
  verify: async () => (await import('./commands/verify.js')).verifyCommand,
  check: async () => (await import('./commands/check.js')).checkCommand,
  backup: async () => (await import('./commands/backup.js')).backupCommand,
  restore: async () => (await import('./commands/backup.js')).restoreCommand,
  prune: async () => (await import('./commands/prune.js')).pruneCommand,
  erase: async () => (await import('./commands/prune.js')).eraseCommand,
  archive: async () => (await import('./commands/archive.js')).archiveCommand,
  hold: async () => (await import('./commands/hold.js')).holdCommand,
  operations: async () => (await import('./commands/operations.js')).operationsCommand,
  bulk: async () => (await import('./commands/bulk.js')).bulkCommand,
  owner: async () => (await import('./commands/owner.js')).ownerCommand,
  workers: async () => (await import('./commands/workers.js')).workersCommand,
  patterns: async () => (await import('./commands/patterns.js')).patternsCommand,
  skills: async () => (await import('./commands/skills.js')).skillsCommand,
  completions: async () => (await import('./commands/completions.js')).completionsCommand,
  demo: async () => (await import('./commands/demo.js')).demoCommand,
};

/** The command that the words call, or all of them where they call none: help, completion and the search for what was meant. */
export async function commandsFor(words: readonly string[]): Promise<readonly MakeCommand[]> {
  const [name = ''] = words;
  if (name === '--version') return [];
  const own = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (own !== undefined) return [await own(words)];
  const home = Object.hasOwn(PACKAGE_OF, name) ? (PACKAGE_OF[name] ?? '') : '';
  if (home !== '') return [await commandIn(home, words)];
  const { found, problems } = await searchPackages();
  const packages = [...found.values()];
  for (const { commands } of packages) {
    const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (load !== undefined) return [await load(words)];
  }
  const isCall = name !== '' && !name.startsWith('-') && name !== '__complete';
  if (isCall && problems.length > 0) throw problems[0]; // the command may be one of a package that cannot be loaded
  const loads = [...Object.values(COMMANDS), ...packages.flatMap(({ commands }) => Object.values(commands))];
  return Promise.all(loads.map((load) => load(words)));
}

async function commandIn(home: string, words: readonly string[]): Promise<MakeCommand> {
  const [name = ''] = words;
  const load = (await commandPackage(home))?.commands[name];
  if (load !== undefined) return load(words);
  throw new FlyballError(
    'DRIVER_MISSING',
    `flyball ${name} comes with the package ${home}, which is not installed. Run: npm install ${home}`,
    { detail: { missing: [home] } },
  );
}
