import type { AgentSpec } from '../../agents/agent-spec.js';
import { checkAgentSpec } from '../../agents/check-agent-spec.js';
import { type Read, type SpecPath, SpecReader, type SpecSource } from '../../agents/spec-reader.js';
import { TEST_FORMATS, type TestFormat } from '../../checks/harness/report.js';
import { exitSettings, type GivenExitSettings } from '../../loops/commit/exit/index.js';
import { readGlob } from '../../tools/rules/glob.js';

export const COMMIT_LOOP = 'commit-loop';
const TEST_LEVELS = ['unit', 'integration', 'behavioral', 'regression'] as const;

/** A commit loop as a YAML file holds it. */
export interface CommitFile extends Pick<AgentSpec, (typeof SHARED)[number]> {
  readonly kind: typeof COMMIT_LOOP;
  /** The folder that is worked on, relative to the file. */
  readonly workspace: string;
  /** What is worked on, relative to the workspace; what git says has changed where it is absent. */
  readonly files?: readonly string[];
  readonly tests: readonly TestSpec[];
  readonly exit?: GivenExitSettings;
  /** Whether somebody is asked about what does not pass by itself; `ask` where absent. */
  readonly whenUnsure?: 'ask' | 'fail';
  /** Globs below the workspace that may be read and not changed. */
  readonly protect?: readonly string[];
  /** A file in which a test stood before, as the report names it, may not be changed by what goes to a branch. */
  readonly protectTests?: boolean;
  /** Whether tests run where there is no sandbox; `if-available` where absent, with a warning. */
  readonly sandbox?: 'required' | 'if-available';
  /** The repository that the workspace is a work tree of, made for one run: both folders go once that run has ended. */
  readonly workTreeOf?: string;
  /** Commits what passed to a new branch of the workspace's git repository. */
  readonly branch?: string;
}

export interface TestSpec {
  readonly level: (typeof TEST_LEVELS)[number];
  /** Program and arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly format: TestFormat | 'auto';
  /** Further folders that the tests read. */
  readonly read?: readonly string[];
}

/** Fields that mean what they mean for any agent. */
const SHARED = [
  'name',
  'version',
  'description',
  'model',
  'price',
  'prices',
  'sampling',
  'budget',
  'autonomy',
  'instructions',
] as const;

const text: Read = (reader, value, path) => reader.text(value, path);
const names: Read = (reader, value, path) => reader.names(value, path);

const OWN: Readonly<Record<string, Read>> = {
  kind: (reader, value, path) => reader.oneOf(value, path, [COMMIT_LOOP]),
  workspace: text,
  files: names,
  tests: (reader, value, path) => reader.list(value, path, (entry, at) => readTest(reader, entry, at)),
  exit: readExit,
  whenUnsure: (reader, value, path) => reader.oneOf(value, path, ['ask', 'fail']),
  branch: readBranch,
  protect: (reader, value, path) => reader.list(value, path, (entry, at) => readGlobText(reader, entry, at)),
  protectTests: (reader, value, path) => reader.yesOrNo(value, path),
  sandbox: (reader, value, path) => reader.oneOf(value, path, ['required', 'if-available']),
  workTreeOf: text,
};

export function isCommitFile(value: unknown): boolean {
  return (Object(value) as { readonly kind?: unknown }).kind === COMMIT_LOOP;
}

/** Checked to its last field; mistakes are told with their line. */
export function checkCommitFile(value: unknown, source: SpecSource): CommitFile {
  const reader = new SpecReader(source);
  const given = reader.mapping(value, [], [...SHARED, ...Object.keys(OWN)]) ?? {};
  const own = reader.members(given, [], OWN);
  for (const name of ['workspace', 'tests']) if (given[name] === undefined) reader.wrong([name], 'is missing');
  if (Array.isArray(given['tests']) && given['tests'].length === 0)
    reader.wrong(['tests'], 'is empty; at least one test is required to verify the work');
  reader.finish();
  const shared = Object.fromEntries(SHARED.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
  return { ...checkAgentSpec(shared, source), ...own } as unknown as CommitFile;
}

function readTest(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const given = reader.mapping(value, path, ['level', 'command', 'format', 'read']);
  if (given === undefined) return undefined;
  const command = given['command'];
  if (!Array.isArray(command) || command.length === 0)
    return reader.wrong([...path, 'command'], 'must be a list: a program and its arguments');
  const read = reader.members(given, path, {
    level: (of, level, at) => of.oneOf(level, at, TEST_LEVELS),
    command: (of, words, at) => of.texts(words, at),
    format: (of, format, at) => of.oneOf(format, at, ['auto', ...TEST_FORMATS]),
    read: names,
  });
  return { level: 'unit', format: 'auto', ...read };
}

function readExit(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const given = reader.mapping(value, path);
  if (given !== undefined) reader.holds(path, () => exitSettings(given as GivenExitSettings));
  return given;
}

function readGlobText(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const glob = reader.text(value, path);
  if (glob !== undefined && readGlob(glob) === undefined) return reader.wrong(path, 'is not a valid glob');
  return glob;
}

/** As git takes it, and nothing that a command could mistake for an option. */
function readBranch(reader: SpecReader, value: unknown, path: SpecPath): unknown {
  const branch = reader.text(value, path);
  if (branch === undefined || (/^[\w][\w./-]{0,200}$/.test(branch) && !/\.\.|\/\/|\/$|\.lock$|\.$/.test(branch)))
    return branch;
  return reader.wrong(path, 'is not a valid branch name');
}
