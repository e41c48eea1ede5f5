import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readYaml } from '../../adapters/definitions/yaml-source.js';
import { sqliteEngine } from '../../adapters/engine-sqlite/engine.js';
import { systemClock } from '../../adapters/host-node/system-clock.js';
import { bubblewrapSandbox } from '../../adapters/sandbox-bubblewrap/bubblewrap-sandbox.js';
import { detectBubblewrap } from '../../adapters/sandbox-bubblewrap/detect.js';
import { processSandbox } from '../../adapters/sandbox-process/process-sandbox.js';
import type { Fields } from '../../agents/agent-spec.js';
import { schemaOfFields } from '../../agents/fields.js';
import { WORKFLOW, type WorkflowMark } from '../../agents/workflows/workflow-mark.js';
import { testHarness } from '../../checks/harness/test-harness.js';
import { ConfigError } from '../../core/errors.js';
import { joinSeams } from '../../core/join-seams.js';
import type { Model } from '../../core/model.js';
import type { Agent } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import type { ToolRef } from '../../core/tool.js';
import type { TaskSpec } from '../../core/work.js';
import { commitLoop } from '../../loops/commit/commit-loop.js';
import type { CommitResult } from '../../loops/commit/contracts.js';
import { filesWorkpiece } from '../../loops/commit/repair/files-workpiece.js';
import type { Sandbox } from '../../ports/sandbox.js';
import { filesTools } from '../../toolbox/files.js';
import { governance } from '../../tools/governance/governance.js';
import { injectionShield } from '../../tools/governance/shield/injection-shield.js';
import { type PathRules, pathRules } from '../../tools/rules/paths.js';
import { makeFolder } from '../make-folder.js';
import { modelFor, pricesFor } from '../yaml-model.js';
import { type CommitFile, checkCommitFile } from './commit-file.js';
import { removeFixFolder } from './fix-folder.js';
import { changedFiles, git } from './git.js';
import { lazyStore } from './lazy-store.js';
import { onBranch } from './on-branch.js';

type Env = Readonly<Record<string, string | undefined>>;

/** What a task of a commit loop holds, for whoever starts one over the command line or HTTP. */
const TASK: Fields = {
  id: { type: 'string', description: 'The same task under the same id is done once.' },
  goal: { type: 'string', description: 'What is to be done.' },
  requirements: {
    type: 'array',
    description: 'What the result has to cover, one text each.',
    items: { type: 'string' },
  },
  taskClass: { type: 'string', description: 'Tasks of one class learn from each other.' },
  context: { type: 'string', description: 'What else is known.', required: false },
};

/** A whole loop takes more turns than an agent. */
const BUDGET = { iterations: 200, modelCalls: 200, toolCalls: 500 } as const;

/** A commit loop in a YAML file, with models from the environment and its tests in a sandbox. */
export async function loadCommitLoop(path: string, env: Env): Promise<Readonly<Record<string, unknown>>> {
  const source = await readYaml(path);
  const file = checkCommitFile(source.value, source.at);
  const folder = realpathSync(dirname(path));
  const root = workspaceOf(file, folder);
  const model = await modelFor(file, env);
  const paths = pathRules({ roots: [{ path: root, write: true }], denyWrite: file.protect ?? [] });
  const kept = join(folder, '.flyball');
  const sandbox = await sandboxFor(file, await detectBubblewrap());
  const tools = filesTools({ allow: paths, undoFolder: join(kept, 'undo') });
  const loop = loopOf(file, { root, kept, model, tools: tools as readonly ToolRef[], sandbox });
  const agent = await branched(file, loop, { root, kept, paths, sandbox });
  const mark: WorkflowMark = {
    description: file.description,
    fields: TASK,
    inputs: schemaOfFields(TASK, 'refuse'),
    budget: { ...BUDGET, ...file.budget },
  };
  const { autonomy = 'supervised', name, version = '1' } = file;
  return {
    ...(file.workTreeOf === undefined ? {} : { afterEnd: removalOf(file.workTreeOf, folder) }),
    default: { name, version, agent: Object.assign(agent, { [WORKFLOW]: mark }) },
    runtime: {
      prices: pricesFor(file, model),
      seams: joinSeams(
        governance({ clock: systemClock(), tools: () => tools as readonly ToolRef[], autonomy, paths }),
        injectionShield({ secret: randomBytes(24).toString('base64url'), trusted: [] }),
      ),
    },
  };
}

function workspaceOf({ workspace }: CommitFile, folder: string): string {
  try {
    return realpathSync(resolve(folder, workspace));
  } catch {
    throw new ConfigError(`workspace names ${workspace}, but ${resolve(folder, workspace)} does not exist.`);
  }
}

async function branched(
  { branch, tests, protectTests = false }: CommitFile,
  loop: Agent<TaskSpec, CommitResult>,
  { root, kept, paths, sandbox }: Pick<Around, 'root' | 'kept' | 'sandbox'> & { readonly paths: PathRules },
): Promise<Agent<TaskSpec, CommitResult>> {
  if (branch === undefined) return loop;
  const checkFolder = join(kept, 'check');
  const cwd = join(checkFolder, (await git(root, ['rev-parse', '--show-prefix'])).trimEnd());
  const again = tests.map((test) =>
    harness(test, { cwd, mount: checkFolder, sandbox, name: `commit-tests:${test.level}` }),
  );
  return onBranch(loop, { root, branch, paths, checkFolder, tests: again, protectTests });
}

/** What `flyball fix` made for one run, once that has ended. */
function removalOf(repository: string, folder: string) {
  return (): Promise<void> => removeFixFolder(repository, folder);
}

interface Around {
  readonly root: string;
  /** Where undo records and results are kept. */
  readonly kept: string;
  readonly model: Model;
  readonly tools: readonly ToolRef[];
  readonly sandbox: Sandbox;
}

const ROLES = {
  planner: 'You plan a change to the files of a project, in few steps.',
  worker: 'You change the files of a project, one step of a plan at a time. Read before you write.',
  judge: 'You judge a change to the files of a project, strictly.',
  critic: 'You look for what is wrong in a change to the files of a project.',
  repairer: 'You repair what is wrong in a file, and change nothing else.',
} as const;

function loopOf(file: CommitFile, { root, kept, model, tools, sandbox }: Around): Agent<TaskSpec, CommitResult> {
  const session = (role: keyof typeof ROLES): Session => ({
    name: role,
    model,
    setup: [ROLES[role], ...(file.instructions === undefined ? [] : [file.instructions])].join('\n\n'),
    ...(file.sampling === undefined ? {} : { sampling: file.sampling }),
  });
  const named = (name: string): ToolRef => {
    const found = tools.find((tool) => tool.name === name);
    if (found === undefined) throw new ConfigError(`There is no tool ${name}.`);
    return found;
  };
  return commitLoop({
    name: file.name,
    planner: { session: session('planner'), tools },
    execution: { worker: { session: session('worker'), tools } },
    verification: {
      judge: { session: session('judge') },
      tests: file.tests.map((test) => harness(test, { cwd: root, mount: root, sandbox })),
    },
    critic: { session: session('critic') },
    repair: { session: session('repairer') },
    workpiece: filesWorkpiece({
      paths: file.files ?? ((run) => run.step('changed-files', null, () => changedFiles(root), 'pure')),
      newIn: ['.'],
      read: named('read_file'),
      write: named('write_file'),
      edit: named('edit_file'),
    }),
    ...(file.exit === undefined ? {} : { exit: file.exit }),
    ...(file.whenUnsure === undefined ? {} : { whenUnsure: file.whenUnsure }),
    store: lazyStore(async () => {
      makeFolder(kept);
      return (await sqliteEngine({ path: join(kept, 'commits.db') })).store;
    }),
  });
}

interface TestPlace {
  readonly cwd: string;
  readonly mount: string;
  readonly sandbox: Sandbox;
  readonly name?: string;
}

/** Tests read the workspace and change nothing in it, where a sandbox can hold them to that. */
function harness({ level, command, format, read = [] }: CommitFile['tests'][number], place: TestPlace) {
  const { cwd, mount, sandbox, name } = place;
  const program = command[0] === 'node' ? [process.execPath, ...command.slice(1)] : command;
  const mounts = [mount, process.execPath, ...read].map((path) => ({ path, access: 'read-only' as const }));
  const env = { PYTHONDONTWRITEBYTECODE: '1', CI: '1' };
  return testHarness({
    level,
    sandbox,
    command: program,
    cwd,
    format,
    mounts,
    env,
    ...(name === undefined ? {} : { name }),
  });
}

export async function sandboxFor(
  { sandbox = 'if-available' }: Pick<CommitFile, 'sandbox'>,
  found: Awaited<ReturnType<typeof detectBubblewrap>>,
): Promise<Sandbox> {
  if (found.available) return bubblewrapSandbox({ path: found.path });
  if (sandbox === 'required')
    throw new ConfigError(
      `Tests would run code written by a model without isolation: ${found.why}. Install bubblewrap, or use --unsandboxed on a disposable machine.`,
    );
  process.emitWarning(`Tests run without isolation: ${found.why}.`);
  return processSandbox();
}
