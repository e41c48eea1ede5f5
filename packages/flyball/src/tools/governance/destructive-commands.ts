/**
 * Commands that destroy, or that hide what they do: these a supervised agent does not run by itself. Errs towards
 * asking: any word that names such a program counts, wherever it stands, because `xargs`, `sudo` and `env` run it too.
 * What a command may do at all is decided by the command rules, not here.
 */
const PROGRAMS = new Set([
  ...['rm', 'rmdir', 'unlink', 'shred', 'srm', 'dd', 'truncate', 'wipefs', 'fdisk', 'sfdisk', 'parted', 'blkdiscard'],
  ...['kill', 'killall', 'pkill', 'shutdown', 'reboot', 'halt', 'poweroff', 'userdel', 'groupdel', 'dropdb', 'eval'],
]);

/** Programs of which only some uses destroy: the words that make the difference. */
const USES: readonly { readonly program: RegExp; readonly words: RegExp }[] = [
  {
    program: /^git$/,
    words: /^(?:--force.*|-f|-[a-z]*[df]|--delete|--mirror|--hard|--prune.*|clean|filter-branch|drop|clear)$/i,
  },
  { program: /^find$/, words: /^-(?:delete|exec|execdir|ok|okdir|fprint.*|fls)$/ },
  { program: /^(?:chmod|chown|chgrp)$/, words: /^(?:-[a-z]*r[a-z]*|--recursive)$/i },
  { program: /^rsync$/, words: /^--(?:delete.*|remove-source-files)$/ },
  { program: /^(?:docker|podman|nerdctl)$/, words: /^(?:rmi?|prune|kill|down|stop)$/ },
  { program: /^(?:kubectl|oc|helm)$/, words: /^(?:delete|drain|uninstall|rollback|replace)$/ },
  { program: /^(?:terraform|tofu|pulumi)$/, words: /^(?:destroy|apply|up)$/ },
  { program: /^(?:npm|pnpm|yarn|cargo|gem|twine)$/, words: /^(?:publish|unpublish|yank|upload|deprecate)$/ },
  { program: /^(?:systemctl|service)$/, words: /^(?:stop|disable|mask|restart)$/ },
  { program: /^crontab$/, words: /^-[a-z]*r$/ },
  { program: /^curl$/, words: /^(?:-X?DELETE|DELETE|--request=DELETE)$/i },
  // code in an argument: what it does cannot be read off the command line
  { program: /^(?:ba|z|da|k|a)?sh$/, words: /^-[a-z]*c$/ },
  { program: /^(?:python[\d.]*|perl|ruby|node|php|deno|bun)$/, words: /^(?:-c|-e|-r|--eval|-p|--print)$/ },
];

const SQL = /\b(?:drop\s+(?:table|database|schema|index|view)|truncate\s+table|delete\s+from)\b/i;

/** The word that destroys, or undefined. */
export function destructiveCommand(command: string | readonly string[]): string | undefined {
  const text = typeof command === 'string' ? command : command.join(' ');
  const sql = SQL.exec(text);
  if (sql !== null) return sql[0].toLowerCase();
  // quotes and backslashes are how a name is hidden from a reader: r\m is rm
  const words = text.replace(/["'\\]/g, '').split(/[\s;|&()`<>{}$]+/);
  const names = words.map((word) => word.slice(word.lastIndexOf('/') + 1));
  const program = names.find((name) => PROGRAMS.has(name) || name.startsWith('mkfs'));
  if (program !== undefined) return program;
  for (const { program: runs, words: does } of USES) {
    const at = names.findIndex((name) => runs.test(name));
    const word = at === -1 ? undefined : words.slice(at + 1).find((each) => does.test(each));
    if (word !== undefined) return `${names[at]} ${word}`;
  }
  return undefined;
}
