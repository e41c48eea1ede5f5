import { FlyballError } from 'flyball';
import { TAU2_AGENT_INSTRUCTION } from '../../domains/agent-instruction.js';
import { fileIn, guidelinesIn, jsonIn, taskSetsOf } from '../../domains/data-files.js';
import { loggedReads } from '../../domains/discovery/logged-reads.js';
import { readToolData } from '../../domains/discovery/tool-specs.js';
import { Tables } from '../../world/database.js';
import type {
  Compliance,
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
import { parseJson } from '../python/json.js';
import { PyError } from '../python/value.js';
import { tableNames } from './bank.js';
import { type Knowledge, loadKnowledge, type RetrievalTool } from './knowledge/index.js';
import { type BankSides, bankSides, type SidesRequest } from './sides.js';
import type { OtherTool } from './toolkit.js';

const FOLDER = 'domains/banking_knowledge';

/** The benchmark's bank: what an agent may do is found in its documents, and most of its tools have to be unlocked. */
export const bankingKnowledge: DomainSource = {
  name: 'banking_knowledge',
  summary: 'Customer service of a bank with 698 documents and tools that the agent must discover in them.',
  builtIn: false,
  load: loadBank,
};

/** What counts as a write, and which gold paths make one before anybody is verified. */
const compliance: Compliance = {
  writes: new Set([
    'apply_for_credit_card',
    'call_discoverable_agent_tool',
    'call_discoverable_user_tool',
    'change_user_email',
    'give_discoverable_user_tool',
    'request_human_agent_transfer',
    'submit_referral',
    'submit_transaction',
  ]),
  verification: 'log_verification',
  exempt: new Set(['task_015', 'task_032', 'task_033', 'task_035']),
};

async function loadBank(data: DataFolder, services?: DomainServices): Promise<Domain> {
  const tables = Tables.read(await jsonIn(data, `${FOLDER}/db.json`), tableNames);
  const open = bankSides(readToolData(await jsonIn(data, `${FOLDER}/tools.json`), `${FOLDER}/tools.json`));
  const knowledge = await loadKnowledge(data, services);
  const { tasks, leftOut } = await readTasks(data);
  return {
    name: 'banking_knowledge',
    tasks,
    leftOut,
    taskSets: taskSetsOf(
      undefined,
      tasks.map(({ id }) => id),
    ),
    retrievals: knowledge.retrievals,
    defaultRetrieval: knowledge.defaultRetrieval,
    environment: (options) => openEnvironment({ tables, open, knowledge }, options),
    agentInstruction: TAU2_AGENT_INSTRUCTION,
    userGuidelines: await guidelinesIn(data),
    documents: new Map(knowledge.documents.map((document) => [document.id, document])),
    compliance,
    close: () => knowledge.close(),
  };
}

/** One file a task, by name. A file that cannot be read as one is left out, and said to be. */
async function readTasks(data: DataFolder): Promise<{ tasks: readonly Task[]; leftOut: readonly string[] }> {
  const names = (await data.list(`${FOLDER}/tasks`)).filter((name) => name.endsWith('.json'));
  const tasks: Task[] = [];
  const leftOut: string[] = [];
  for (const name of names) {
    const path = `${FOLDER}/tasks/${name}`;
    try {
      tasks.push(readTask(parseJson(await fileIn(data, path)), path));
    } catch (error) {
      if (!(error instanceof PyError) && !(error instanceof FlyballError)) throw error;
      leftOut.push(`${path}: ${error.message}`);
    }
  }
  return { tasks, leftOut };
}

interface LoadedBank {
  readonly tables: Tables;
  readonly open: (request: SidesRequest) => BankSides;
  readonly knowledge: Knowledge;
}

function openEnvironment({ tables, open, knowledge }: LoadedBank, options: EnvironmentOptions): Environment {
  const { task, retrieval, retrievalOptions, solo } = options;
  const logged = options.loggedReads ?? loggedReads(task);
  const setup = knowledge.setup({
    ...(retrieval === undefined ? {} : { retrieval }),
    ...(retrievalOptions === undefined ? {} : { options: retrievalOptions }),
    ...(task === undefined ? {} : { task }),
  });
  const search = setup.tools.map(otherTool);
  const { agent, user } = open({ tables, loggedReads: logged, toolkit: setup.toolkit, search });
  const environment = makeEnvironment({
    domain: 'banking_knowledge',
    policy: setup.policy,
    agent,
    user,
    ...(solo === undefined ? {} : { solo }),
  });
  return Object.assign(environment, { close: () => setup.close() });
}

function otherTool(tool: RetrievalTool): OtherTool {
  const parameters = tool.parameters.map(({ name, default: standard }) =>
    standard === undefined ? { name, required: true } : { name, required: false, default: standard },
  );
  return { name: tool.name, parameters, call: (args) => tool.call(args) };
}
