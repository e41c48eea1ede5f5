import { FlyballError } from '../core/errors.js';
import type { Sandbox, SandboxJob } from '../ports/sandbox.js';
import type { CommandRules } from '../tools/rules/commands.js';
import { familyOf } from '../tools/rules/commands-launchers.js';

/** Pagers, prompts and colors off; nobody's own settings, which can name programs. */
const QUIET = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};
/** Files in a folder are no repository because they look like one, and the file watcher is a program. */
const ALWAYS = { 'safe.bareRepository': 'explicit', 'core.fsmonitor': 'false' };
/** What a git that only reads has no use for. */
const READING = {
  'core.hooksPath': '/dev/null',
  'core.pager': 'cat',
  'core.attributesFile': '/dev/null',
  'log.showSignature': 'false',
  'gpg.program': 'false',
  'gpg.openpgp.program': 'false',
  'gpg.x509.program': 'false',
  'gpg.ssh.program': 'false',
  'diff.submodule': 'short',
  'submodule.recurse': 'false',
  'status.submoduleSummary': 'false',
  // newer versions let settings say what this one means
  'alias.whatchanged': 'log --raw --no-merges',
};
/** No remote is asked, not even for objects that a partial copy lacks: a remote can be a program. */
const ALONE = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' };

/** Settings under names that a repository chooses; each takes the value with which nothing of the repository runs. */
const NAMED: readonly (readonly [setting: RegExp, value: string])[] = [
  [/^filter\..*\.(?:clean|smudge|process)$/s, ''],
  [/^filter\..*\.required$/s, 'false'],
  [/^merge\..*\.driver$/s, 'false'],
  [/^diff\..*\.textconv$/s, 'cat'],
  [/^diff\..*\.command$/s, 'true'],
  [/^diff\.external$/, 'true'],
];
const MAX_SETTINGS = 1000;

export function quietEnvironment(rules: CommandRules): Readonly<Record<string, string>> {
  const reads = readsOnly(rules);
  return {
    ...QUIET,
    ...(reads ? ALONE : {}),
    ...settings(Object.entries({ ...ALWAYS, ...(reads ? READING : {}) }), 0),
  };
}

function settings(pairs: readonly (readonly [name: string, value: string])[], start: number): Record<string, string> {
  const numbered = pairs.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${start + index}`, name] as const,
    [`GIT_CONFIG_VALUE_${start + index}`, value] as const,
  ]);
  return { ...Object.fromEntries(numbered), GIT_CONFIG_COUNT: String(start + pairs.length) };
}

/** Rules under which git changes nothing, and so must not run what a repository names. */
function readsOnly({ programs }: CommandRules): boolean {
  const gits = Object.entries(programs).filter(([name]) => familyOf(name) === 'git');
  return gits.length > 0 && gits.every(([, rule]) => rule.readOnly === true);
}

/**
 * The job, with every program taken out of the repository's settings. `git status` already runs filters, under names
 * that only the repository knows, and no flag turns them off: so its settings are read first, which runs nothing.
 */
export async function withPlainGit(
  sandbox: Sandbox,
  rules: CommandRules,
  job: SandboxJob,
  signal: AbortSignal,
): Promise<SandboxJob> {
  const program = job.stages.map(gitOf).find((name) => name !== undefined);
  if (program === undefined || !readsOnly(rules)) return job;
  const stages = [[program, 'config', '--list', '--name-only', '-z']];
  const { end, stdout, stderr } = await sandbox.run({ ...job, stages }, { signal });
  if (end.how === 'not-started' || end.how === 'aborted') return job;
  if (end.how !== 'exit' || end.code !== 0 || stdout.elidedBytes > 0)
    throw new FlyballError(
      'DENIED',
      `git is not run: the settings of the repository cannot be checked for programs. ${stderr.head.trim()}`.trim(),
    );
  return { ...job, env: { ...job.env, ...overrides(new Set(stdout.head.split('\0')), job.env ?? {}) } };
}

/** A line that a shell runs may hold a git too. */
function gitOf([program = '']: readonly string[]): string | undefined {
  if (program === '/bin/sh') return 'git';
  return familyOf(program.slice(program.lastIndexOf('/') + 1)) === 'git' ? program : undefined;
}

function overrides(found: ReadonlySet<string>, env: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = [...found].flatMap((name) => {
    const known = NAMED.find(([setting]) => setting.test(name));
    return known === undefined ? [] : [[name, known[1]] as const];
  });
  if (pairs.length > MAX_SETTINGS)
    throw new FlyballError('DENIED', 'git is not run: the settings of the repository name too many programs.');
  return settings(pairs, Number(env['GIT_CONFIG_COUNT'] ?? 0));
}
