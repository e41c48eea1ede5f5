/** Programs whose job is to run others. To allow one is to allow everything, so rules have to say it twice. */
const LAUNCHERS: Readonly<Record<string, string>> = {
  'is a shell':
    'sh bash rbash dash ash zsh ksh mksh fish csh tcsh elvish nu xonsh pwsh powershell cmd busybox toybox eval exec source command builtin coproc trap alias',
  'runs the program it is given':
    'env nice nohup timeout setsid stdbuf ionice chrt taskset setarch linux32 linux64 xargs parallel watch time flock script scriptreplay unbuffer expect tmux screen dtach strace ltrace gdb lldb perf valgrind chroot unshare nsenter setpriv runuser su sudo doas pkexec capsh bwrap firejail proot fakeroot systemd-run at batch crontab start-stop-daemon run-parts entr direnv faketime prlimit choom numactl cgexec ssh-agent dbus-run-session xvfb-run envdir chpst ld.so ld-linux.so ld-linux-x86-64.so logsave',
  'lets its user run commands from inside':
    'vi vim nvim view vimdiff ex ed red emacs nano pico joe mcedit mc less more most pg man info pinfo ftp sftp telnet gnuplot dc sqlite3 mysql psql mongo redis-cli irb ghci jshell iex erl',
  'runs what a project’s files say':
    'make gmake cmake ninja deno bun npm npx pnpm pnpx yarn bunx cargo go gradle gradlew mvn ant rake bundle gem pip pipx uv uvx poetry composer tox nox just task ansible ansible-playbook terraform vagrant docker podman nerdctl kubectl helm docker-compose lxc',
  'opens connections of its own': 'nc ncat netcat socat openssl',
};

/** Programs with subcommands, some of which run other programs or load what a file names: allowed by subcommand only. */
const WITH_SUBCOMMANDS = new Set(
  (
    'hg svn jj fossil bzr darcs gh glab ip systemctl busctl loginctl machinectl apt apt-get dpkg rpm dnf yum apk pacman ' +
    'brew snap flatpak nix nix-env nix-shell guix conda mamba rustup pyenv rbenv nodenv asdf mise heroku aws gcloud az ' +
    'doctl flyctl fly vercel netlify wrangler firebase supabase dvc dotnet swift zig stack cabal mix rebar3 lein sbt bazel ' +
    'buck pants nx turbo lerna rush pre-commit minikube kind skaffold tilt pulumi packer consul nomad vault virsh multipass'
  ).split(' '),
);

export function needsSubcommands(name: string): boolean {
  return WITH_SUBCOMMANDS.has(name) || WITH_SUBCOMMANDS.has(familyOf(name));
}

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries(LAUNCHERS).flatMap(([why, names]) => names.split(' ').map((name) => [name, why] as const)),
);

/** Versions and flavors of a program share its ways out: `python3.12` is python, `gawk` is awk. */
const ALIASES: Readonly<Record<string, string>> = {
  nodejs: 'node',
  gawk: 'awk',
  mawk: 'awk',
  nawk: 'awk',
  gsed: 'sed',
  gtar: 'tar',
  bsdtar: 'tar',
  gfind: 'find',
  fdfind: 'fd',
  egrep: 'grep',
  fgrep: 'grep',
  luajit: 'lua',
  pypy: 'python',
  'g++': 'gcc',
  cc: 'gcc',
  clang: 'gcc',
  'clang++': 'gcc',
};

export function familyOf(name: string): string {
  const bare = name.replace(/\.exe$/i, '').replace(/(?<=[A-Za-z])-?\d+(?:\.\d+)*$/, '');
  const known = Object.hasOwn(ALIASES, bare) ? ALIASES[bare] : undefined;
  return known ?? bare;
}

/** Why a program is never run because a list names it alone. */
export function launcherReason(name: string): string | undefined {
  return REASONS.get(name) ?? REASONS.get(familyOf(name));
}
