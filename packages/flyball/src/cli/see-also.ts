/** What somebody who reads the help of a command may look for next: other commands, and the page about them. */
const SEE_ALSO: Readonly<Record<string, readonly string[]>> = {
  init: ['doctor', 'chat', 'docs/cli.md'],
  doctor: ['init', 'run', 'docs/models.md'],
  chat: ['run', 'show', 'docs/agents.md'],
  run: ['show', 'resume', 'serve', 'docs/cli.md'],
  fix: ['run', 'show', 'docs/commit-loop.md'],
  runs: ['show', 'run'],
  show: ['export', 'fork', 'docs/events.md'],
  inbox: ['answer', 'approve', 'docs/people.md'],
  answer: ['inbox', 'show', 'docs/people.md'],
  approve: ['reject', 'modify', 'escalate', 'inbox', 'docs/people.md'],
  reject: ['approve', 'modify', 'inbox', 'docs/people.md'],
  modify: ['approve', 'reject', 'inbox', 'docs/people.md'],
  escalate: ['approve', 'reject', 'inbox', 'docs/people.md'],
  signal: ['show', 'answer'],
  redirect: ['pause', 'signal', 'docs/people.md'],
  pause: ['resume', 'redirect'],
  resume: ['pause', 'show'],
  cancel: ['pause', 'show'],
  fork: ['show', 'export', 'docs/guide.md'],
  export: ['verify', 'show'],
  verify: ['export'],
  check: ['backup', 'restore', 'docs/operation.md'],
  backup: ['restore', 'check', 'docs/operation.md'],
  restore: ['backup', 'check', 'docs/operation.md'],
  prune: ['erase', 'hold', 'docs/operation.md'],
  erase: ['prune', 'hold', 'docs/operation.md'],
  archive: ['prune', 'operations', 'docs/operation.md'],
  hold: ['prune', 'operations', 'docs/operation.md'],
  operations: ['hold', 'check', 'docs/operation.md'],
  bulk: ['runs', 'resume', 'cancel', 'docs/operation.md'],
  owner: ['runs', 'operations', 'docs/operation.md'],
  workers: ['runs', 'owner', 'docs/many-machines.md'],
  skills: ['run', 'docs/skills.md'],
  evals: ['serve', 'docs/evals.md'],
  patterns: ['lab', 'run', 'docs/catalogue.md'],
  lab: ['patterns', 'evals', 'docs/laboratory.md'],
  serve: ['keys', 'mcp', 'docs/server.md'],
  keys: ['serve', 'docs/access.md'],
  mcp: ['serve', 'docs/mcp.md'],
  completions: ['docs/cli.md'],
  demo: ['init', 'serve'],
};

/** The end of a command's help: how it may end, what changes it from outside, and where to read on. */
export function closing(command: string): string {
  const next = (SEE_ALSO[command] ?? []).map((name) => (name.includes('/') ? name : `flyball ${name} --help`));
  return `
Environment: FLYBALL_DB sets the database, NO_COLOR=1 turns off colors, FLYBALL_DEBUG=1 adds stack traces to errors.
Exit codes: 0 means success; flyball --help lists the others.${next.length === 0 ? '' : `\nSee also: ${next.join(', ')}`}`;
}

/** Names that have somewhere to go from. */
export const KNOWN: readonly string[] = Object.keys(SEE_ALSO);
