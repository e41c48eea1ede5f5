import type { MakeCommand } from './command.js';

/** In the order in which the help lists them. A command brings along what it works with, and most need little of it. */
const COMMANDS: Readonly<Record<string, () => Promise<MakeCommand>>> = {
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
  hold: async () => (await import('./commands/hold.js')).holdCommand,
  operations: async () => (await import('./commands/operations.js')).operationsCommand,
  bulk: async () => (await import('./commands/bulk.js')).bulkCommand,
  owner: async () => (await import('./commands/owner.js')).ownerCommand,
  skills: async () => (await import('./commands/skills.js')).skillsCommand,
  evals: async () => (await import('./commands/evals.js')).evalsCommand,
  serve: async () => (await import('./commands/serve.js')).serveCommand,
  keys: async () => (await import('./commands/keys.js')).keysCommand,
  mcp: async () => (await import('./commands/mcp.js')).mcpCommand,
  completions: async () => (await import('./commands/completions.js')).completionsCommand,
  demo: async () => (await import('./commands/demo.js')).demoCommand,
};

/** The command that the words call, or all of them where they call none: help, completion and the search for what was meant. */
export async function commandsFor(words: readonly string[]): Promise<readonly MakeCommand[]> {
  const [name = ''] = words;
  if (name === '--version') return [];
  if (name === 'evals') return [await evals()];
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load !== undefined) return [await load()];
  const isDeep = words.includes('evals');
  return Promise.all(Object.entries(COMMANDS).map(([each, one]) => (each === 'evals' && isDeep ? evals() : one())));
}

/** With its own commands, which bring the whole harness. */
async function evals(): Promise<MakeCommand> {
  const [{ evalsCommand }, { EVALS_COMMANDS }] = await Promise.all([
    import('./commands/evals.js'),
    import('./commands/evals-commands.js'),
  ]);
  return (perform) => evalsCommand(perform, EVALS_COMMANDS);
}
