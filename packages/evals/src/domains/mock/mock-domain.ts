import { ConfigError } from 'flyball';
import { RecordFields } from '../../tau2/python/record-fields.js';
import type { PyValue } from '../../tau2/python/value.js';
import type { DataFolder, Domain, DomainSource, Environment, ToolSchema } from '../../world/environment.js';
import { makeEnvironment } from '../../world/live-environment.js';
import { readTask } from '../../world/read-task.js';
import { readToolSchema } from '../../world/tool-schema.js';
import { makeToolkit } from '../../world/toolkit.js';
import { TAU2_AGENT_INSTRUCTION } from '../agent-instruction.js';
import { fileIn, guidelinesIn, jsonIn, optionalJsonIn, taskSetsOf } from '../data-files.js';
import { AGENT_FUNCTIONS, AGENT_TOOLS } from './agent-kit.js';
import { ModelDatabase } from './model-database.js';
import { NOTIFICATION, TASK, USER } from './models.js';
import { USER_FUNCTIONS, USER_TOOLS } from './user-kit.js';

const FOLDER = 'domains/mock';

/** The benchmark's small domain for tests: tasks of users, and a user's notifications. */
export const mockDomain: DomainSource = {
  name: 'mock',
  summary: 'Tasks of users and their notifications: ten small cases to try a set-up with.',
  builtIn: false,
  load: loadMock,
};

async function loadMock(data: DataFolder): Promise<Domain> {
  const world = await readWorld(data);
  const tasks = new RecordFields(new Map([['tasks', await jsonIn(data, `${FOLDER}/tasks.json`)]]), '').each(
    'tasks',
    readTask,
  );
  const splits = await optionalJsonIn(data, `${FOLDER}/split_tasks.json`);
  return {
    name: 'mock',
    tasks,
    taskSets: taskSetsOf(
      splits,
      tasks.map(({ id }) => id),
    ),
    retrievals: [],
    defaultRetrieval: undefined,
    environment: ({ solo }) => openWorld(world, solo === true),
    agentInstruction: TAU2_AGENT_INSTRUCTION,
    userGuidelines: await guidelinesIn(data),
    compliance: { writes: new Set(['create_task', 'update_task_status']), verification: undefined, exempt: new Set() },
  };
}

interface MockWorld {
  readonly database: ModelDatabase;
  readonly userDatabase: ModelDatabase;
  readonly policy: string;
  readonly soloPolicy: string;
  readonly agentSchemas: readonly ToolSchema[];
  readonly userSchemas: readonly ToolSchema[];
}

async function readWorld(data: DataFolder): Promise<MockWorld> {
  const tools = new RecordFields(await jsonIn(data, `${FOLDER}/tools.json`), 'tools.json');
  return {
    database: new ModelDatabase('MockDB', { tasks: TASK, users: USER }, await jsonIn(data, `${FOLDER}/db.json`)),
    userDatabase: new ModelDatabase('MockUserDB', { notifications: NOTIFICATION }, await userData(data)),
    policy: await fileIn(data, `${FOLDER}/policy.md`),
    soloPolicy: await fileIn(data, `${FOLDER}/policy_solo.md`),
    agentSchemas: schemasOf(tools, 'assistant', AGENT_TOOLS),
    userSchemas: schemasOf(tools, 'user', USER_TOOLS),
  };
}

async function userData(data: DataFolder): Promise<PyValue> {
  return jsonIn(data, `${FOLDER}/user_db.json`);
}

/** Code and data must know the same tools: anything else is another revision. */
function schemasOf(
  tools: RecordFields,
  side: string,
  implemented: readonly { readonly name: string }[],
): readonly ToolSchema[] {
  const schemas = tools.each(side, readToolSchema);
  const names = (list: readonly { readonly name: string }[]): string =>
    list
      .map(({ name }) => name)
      .sort()
      .join(', ');
  if (names(schemas) === names(implemented)) return schemas;
  throw new ConfigError(
    `tools.json of the mock domain names ${names(schemas)} for the ${side}, this version knows ${names(implemented)}. ` +
      'Fetch the pinned data.',
  );
}

function openWorld(world: MockWorld, solo: boolean): Environment {
  const agent = makeToolkit({
    className: 'MockTools',
    schemas: world.agentSchemas,
    tools: AGENT_TOOLS,
    functions: AGENT_FUNCTIONS,
    database: world.database.copy(),
  });
  const user = makeToolkit({
    className: 'MockUserTools',
    schemas: world.userSchemas,
    tools: USER_TOOLS,
    functions: USER_FUNCTIONS,
    database: world.userDatabase.copy(),
  });
  return makeEnvironment({ domain: 'mock', policy: solo ? world.soloPolicy : world.policy, agent, user, solo });
}
