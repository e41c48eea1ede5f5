import type { FlagStyle } from './commands-flags.js';

/** A way in which an allowed program does more than its name says. */
export interface Hatch {
  /** Separated by blanks. */
  readonly flags: string;
  readonly why: string;
}

export interface ProgramTraits extends FlagStyle {
  readonly hatches?: readonly Hatch[];
  /**
   * Interpreters: flags that may stand before the script; everything else there could bring code along. Without a script
   * code is read from standard input, unless one of the flags in `alone` is given.
   */
  readonly interpreter?: { readonly flags: string; readonly alone: string };
  /** Flags that are complete, although a forbidden one begins like them. */
  readonly wholeFlags?: string;
  /** Refused wherever it occurs in an argument. */
  readonly values?: readonly { readonly pattern: RegExp; readonly why: string }[];
  /** What every operand has to be like. */
  readonly operands?: { readonly pattern: RegExp; readonly why: string };
  /** Files beyond this many operands are written to. */
  readonly maxOperands?: { readonly count: number; readonly why: string };
}

const RUNS = 'it runs another program';
const WRITES = 'it writes a file';
const READS_FILE = 'it sends the contents of a file';
const SETTINGS = 'it reads settings that can name programs';

const writesSecond = { count: 1, why: 'a second file name is written to' };
const plain = { flags: '', alone: '--version --help' };

export const TRAITS: Readonly<Record<string, ProgramTraits>> = {
  find: {
    wholeWords: true,
    hatches: [
      { flags: '-exec -execdir -ok -okdir', why: RUNS },
      { flags: '-delete', why: 'it deletes files' },
      { flags: '-fprint -fprint0 -fprintf -fls', why: WRITES },
    ],
  },
  fd: { valueLetters: 'dEetSojcC', hatches: [{ flags: '-x -X --exec --exec-batch', why: RUNS }] },
  rg: {
    valueLetters: 'ABCdeEfgjmMrtT',
    hatches: [{ flags: '--pre --hostname-bin -z --search-zip', why: RUNS }],
  },
  ag: { valueLetters: 'Gmp', hatches: [{ flags: '--pager -z --search-zip', why: RUNS }] },
  sort: {
    valueLetters: 'koStT',
    hatches: [
      { flags: '--compress-program', why: RUNS },
      { flags: '-o --output', why: WRITES },
      { flags: '-T --temporary-directory', why: WRITES },
    ],
  },
  uniq: { valueLetters: 'fsw', maxOperands: writesSecond },
  // no letter of tree holds its value: `-Lo 2 x` is read as -L 2 -o x
  tree: { hatches: [{ flags: '-o -R', why: WRITES }] },
  shuf: { valueLetters: 'in', hatches: [{ flags: '-o --output', why: WRITES }] },
  split: { valueLetters: 'abClnt', hatches: [{ flags: '--filter', why: RUNS }] },
  diff: { valueLetters: 'CDFILSUWxX', hatches: [{ flags: '-l --paginate', why: RUNS }] },
  file: {
    valueLetters: 'emFfP',
    hatches: [
      { flags: '-C --compile', why: WRITES },
      { flags: '-z -Z --uncompress --uncompress-noreport', why: RUNS },
    ],
  },
  date: {
    valueLetters: 'dfr',
    attachedLetters: 'I',
    hatches: [{ flags: '-s --set', why: 'it sets the clock' }],
    operands: { pattern: /^\+/, why: 'only a format, which begins with +, does not set the clock' },
  },
  hostname: {
    hatches: [{ flags: '-F --file -b --boot', why: 'it would rename the machine' }],
    maxOperands: { count: 0, why: 'it would rename the machine' },
  },
  tar: {
    valueLetters: 'fCTXbgHKLNV',
    hatches: [
      {
        flags: '--checkpoint-action --to-command -I --use-compress-program -F --info-script --new-volume-script',
        why: RUNS,
      },
      { flags: '--rsh-command --rmt-command', why: RUNS },
      { flags: '-P --absolute-names', why: 'it leaves the folder' },
      { flags: '--index-file --volno-file --listed-incremental -g', why: WRITES },
    ],
    values: [
      { pattern: /^(?:--f[a-z]*=)?[^/=]*:/, why: 'a name with a colon is on another machine, reached by running rsh' },
    ],
  },
  cpio: {
    valueLetters: 'CFEHIMOR',
    hatches: [
      { flags: '--rsh-command', why: RUNS },
      { flags: '-F -O --file', why: WRITES },
    ],
  },
  zip: { hatches: [{ flags: '-T -TT --test --unzip-command', why: RUNS }] },
  unzip: { hatches: [{ flags: '-:', why: 'it leaves the folder' }] },
  rsync: {
    wholeFlags: '--backup --partial',
    hatches: [
      { flags: '-e --rsh --rsync-path --daemon --config', why: RUNS },
      { flags: '--log-file --write-batch --only-write-batch --partial-dir --backup-dir', why: WRITES },
    ],
  },
  ssh: {
    hatches: [
      { flags: '-o -F', why: 'options such as ProxyCommand run programs here' },
      { flags: '-J -L -R -D -W -w', why: 'it opens a tunnel' },
      { flags: '-E -I', why: SETTINGS },
    ],
  },
  scp: { hatches: [{ flags: '-o -F -S -D -J', why: 'options such as ProxyCommand run programs here' }] },
  curl: {
    wholeFlags: '--data --url --cookie',
    valueLetters: 'AbcCdDeEFhHKmoPQrtTuUwxXyYz',
    hatches: [
      {
        flags: '-o -O -J --output --output-dir --remote-name --remote-name-all --create-dirs -c --cookie-jar',
        why: WRITES,
      },
      { flags: '-D --dump-header --trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc', why: WRITES },
      { flags: '-T --upload-file --data-urlencode --url-query', why: READS_FILE },
      { flags: '-K --config --engine -n --netrc --netrc-file --netrc-optional', why: SETTINGS },
      {
        flags: '--unix-socket --abstract-unix-socket -x --proxy --preproxy --socks4 --socks5 --connect-to --resolve',
        why: 'it leads the request elsewhere',
      },
    ],
    values: [
      { pattern: /^(?:-[A-Za-z]+)?@|=@|^<|=</, why: READS_FILE },
      { pattern: /%output\{/, why: WRITES },
      {
        pattern: /^(?:file|gopher|dict|ldaps?|smbs?|tftp|scp|sftp):/i,
        why: 'only http and https addresses are fetched',
      },
    ],
  },
  wget: {
    valueLetters: 'OoaiPBtTwQeUlADIRX',
    hatches: [
      { flags: '-O --output-document -P --directory-prefix -o --output-file -a --append-output', why: WRITES },
      { flags: '--post-file --body-file -i --input-file', why: READS_FILE },
      { flags: '-e --execute --config --use-askpass', why: SETTINGS },
    ],
  },
  tcpdump: {
    hatches: [
      { flags: '-z --postrotate-command', why: RUNS },
      { flags: '-w', why: WRITES },
    ],
  },
  install: { hatches: [{ flags: '--strip-program -s --strip', why: RUNS }] },
  cp: { valueLetters: 'tS', hatches: [{ flags: '-t --target-directory', why: 'the target has to be the last word' }] },
  mv: { valueLetters: 'tS', hatches: [{ flags: '-t --target-directory', why: 'the target has to be the last word' }] },
  ln: {
    valueLetters: 'tS',
    hatches: [{ flags: '-t --target-directory', why: 'the target has to be the last word' }],
    values: [{ pattern: /^\/|(?:^|\/)\.\.(?:\/|$)/, why: 'a link must not lead out of its folder' }],
  },
  chmod: {
    values: [
      {
        pattern: /^[0-7]*[2-7][0-7]{3}$|(?:^|,)[ugoa]*[+=][rwxXt]*s/,
        why: 'setuid and setgid programs are not made here',
      },
    ],
  },
  rm: {
    hatches: [{ flags: '--no-preserve-root', why: 'it would delete the whole system' }],
    values: [{ pattern: /^(?:\/+|\/\*|\.\.?\/*|\/[^/]+\/?|~.*)$/, why: 'it names a whole tree' }],
  },
  dd: { values: [{ pattern: /^of=\/dev\//, why: 'it writes to a device' }] },
  gcc: { hatches: [{ flags: '-wrapper -B -fplugin -specs --specs', why: RUNS }] },
  jq: { valueLetters: 'Lf', hatches: [{ flags: '-L --library-path', why: 'it loads code' }] },
  node: {
    interpreter: {
      flags: '--check --no-warnings --enable-source-maps --trace-warnings',
      alone: '--version -v --help -h --test',
    },
  },
  python: { interpreter: { flags: '-B -E -I -O -OO -s -S -u -v -b -bb -q', alone: '--version -V --help -h' } },
  perl: { interpreter: { flags: '-w -W -t -T -c', alone: '--version -v' } },
  ruby: { interpreter: { flags: '-w -c', alone: '--version -v' } },
  Rscript: { interpreter: { flags: '--vanilla', alone: '--version' } },
  java: { interpreter: { flags: '-jar', alone: '-version --version' } },
  php: { interpreter: plain },
  lua: { interpreter: plain },
  tclsh: { interpreter: plain },
  julia: { interpreter: plain },
  guile: { interpreter: plain },
  osascript: { interpreter: plain },
};
