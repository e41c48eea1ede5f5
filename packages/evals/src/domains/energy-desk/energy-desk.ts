import { ConfigError } from 'flyball';
import { type Knowledge, loadKnowledge } from '../../tau2/banking-knowledge/knowledge/index.js';
import { Tables } from '../../world/database.js';
import type {
  DataFolder,
  Domain,
  DomainServices,
  DomainSource,
  Environment,
  EnvironmentOptions,
} from '../../world/environment.js';
import { makeEnvironment } from '../../world/live-environment.js';
import { readTask } from '../../world/read-task.js';
import type { Task } from '../../world/task.js';
import { fileIn, jsonIn } from '../data-files.js';
import { loggedReads } from '../discovery/logged-reads.js';
import { readToolData } from '../discovery/tool-specs.js';
import { compliance } from './compliance.js';
import { TABLES } from './desk.js';
import { deskSides } from './sides.js';

const NAME = 'energy_desk';
const FOLDER = `domains/${NAME}`;

/** Needs no key and no embedder, so that the domain runs on a machine that has nothing but the package. */
const DEFAULT_RETRIEVAL = 'bm25_grep';

/** Those whose templates ship with the domain. The reference's named embedding services are not among them. */
const RETRIEVALS = [
  'no_knowledge',
  'full_kb',
  'golden_retrieval',
  'grep_only',
  'bm25',
  'bm25_grep',
  'bm25_reranker',
  'bm25_reranker_grep',
  'dense',
  'hybrid',
  'terminal_use',
  'terminal_use_write',
  'alltools-local',
] as const;

/** `alltools` means whichever embedder there is. */
const ALIASES: Readonly<Record<string, string>> = { alltools: 'alltools-local' };

/** The customer desk of an invented supplier of electricity and gas. Ships with the package. */
export const energyDesk: DomainSource = {
  name: NAME,
  summary:
    'Customer desk of an invented energy supplier: 36 tasks in four levels of difficulty, with tools that must be discovered in documents.',
  builtIn: true,
  load: loadDesk,
};

async function loadDesk(data: DataFolder, services?: DomainServices): Promise<Domain> {
  const tables = Tables.read(await jsonIn(data, `${FOLDER}/db.json`), TABLES);
  const open = deskSides(readToolData(await jsonIn(data, `${FOLDER}/tools.json`), `${FOLDER}/tools.json`));
  const knowledge = await loadKnowledge(data, services, FOLDER);
  const tasks = await readTasks(data);
  const guidelines = await guidelinesOf(data);
  return {
    name: NAME,
    tasks,
    taskSets: setsOf(tasks),
    retrievals: RETRIEVALS,
    defaultRetrieval: DEFAULT_RETRIEVAL,
    environment: (options) => openEnvironment({ tables, open, knowledge }, options),
    userGuidelines: (withTools) => (withTools ? guidelines.withTools : guidelines.plain),
    documents: new Map(knowledge.documents.map((document) => [document.id, document])),
    compliance,
    close: () => knowledge.close(),
  };
}

async function readTasks(data: DataFolder): Promise<readonly Task[]> {
  const names = (await data.list(`${FOLDER}/tasks`)).filter((name) => name.endsWith('.json'));
  return Promise.all(
    names.map(async (name) => readTask(await jsonIn(data, `${FOLDER}/tasks/${name}`), `${FOLDER}/tasks/${name}`)),
  );
}

async function guidelinesOf(data: DataFolder): Promise<{ readonly plain: string; readonly withTools: string }> {
  return {
    plain: await fileIn(data, `${FOLDER}/user_guidelines.md`),
    withTools: await fileIn(data, `${FOLDER}/user_guidelines_tools.md`),
  };
}

/** All tasks, and each tier by itself. */
function setsOf(tasks: readonly Task[]): ReadonlyMap<string, readonly string[]> {
  const sets = new Map<string, string[]>([['base', tasks.map(({ id }) => id)]]);
  for (const { id, record } of tasks) {
    const name = `tier-${String(record.get('tier'))}`;
    sets.set(name, [...(sets.get(name) ?? []), id]);
  }
  return sets;
}

interface LoadedDesk {
  readonly tables: Tables;
  readonly open: ReturnType<typeof deskSides>;
  readonly knowledge: Knowledge;
}

function openEnvironment({ tables, open, knowledge }: LoadedDesk, options: EnvironmentOptions): Environment {
  const { task, retrieval, retrievalOptions, solo } = options;
  const setup = knowledge.setup({
    retrieval: configured(retrieval ?? DEFAULT_RETRIEVAL),
    ...(retrievalOptions === undefined ? {} : { options: retrievalOptions }),
    ...(task === undefined ? {} : { task }),
  });
  const sides = open({
    tables,
    loggedReads: options.loggedReads ?? loggedReads(task),
    toolkit: setup.toolkit,
    search: setup.tools,
  });
  const parts = { domain: NAME, policy: setup.policy, ...sides, ...(solo === undefined ? {} : { solo }) };
  return Object.assign(makeEnvironment(parts), { close: () => setup.close() });
}

function configured(retrieval: string): string {
  const name = ALIASES[retrieval] ?? retrieval;
  if (RETRIEVALS.some((known) => known === name)) return name;
  throw new ConfigError(`${NAME} has no retrieval configuration '${retrieval}'. There are ${RETRIEVALS.join(', ')}.`);
}
