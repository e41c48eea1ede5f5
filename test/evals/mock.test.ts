import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { domainSource } from '../../packages/evals/src/domains/domain-registry.js';
import { ModelDatabase } from '../../packages/evals/src/domains/mock/model-database.js';
import { dataFolder } from '../../packages/evals/src/files/data-folder.js';
import { parseJson } from '../../packages/evals/src/tau2/python/json.js';
import { type PyDict, PyError, type PyValue } from '../../packages/evals/src/tau2/python/value.js';
import type { Domain, Environment } from '../../packages/evals/src/world/environment.js';
import { render } from '../../packages/evals/src/world/render.js';
import type { Task } from '../../packages/evals/src/world/task.js';
import { changesBetween } from './changes.js';
import { tau2, withTau2 } from './tau2-data.js';

const strict = { strict: true };

withTau2('the mock domain', () => {
  let mock: Domain;
  const recorded = recordings();

  beforeAll(async () => {
    mock = await domainSource('mock').load(dataFolder(tau2().data));
  });

  it('has its ten tasks, its schemas in order and both policies [R5-DOMAIN-MOCK]', () => {
    expect(mock.tasks.map(({ id }) => id)).toEqual(recorded.map((line) => line.get('task_id')));
    expect(mock.taskSets.get('base')).toHaveLength(10);
    const environment = mock.environment({});
    expect(environment.agent.schemas.map(({ name }) => name)).toEqual([
      'create_task',
      'get_users',
      'update_task_status',
      'transfer_to_human_agents',
    ]);
    expect(environment.user?.schemas.map(({ name }) => name)).toEqual(['check_notifications', 'dismiss_notification']);
    expect(mock.environment({ solo: true }).policy).not.toBe(environment.policy);
    expect(environment.policy).not.toBe('');
    expect(mock.userGuidelines(true)).not.toBe(mock.userGuidelines(false));
  });

  it('refuses a field that no model has, whatever its name [R5-DOMAIN-MOCK]', async () => {
    for (const name of ['extra', 'constructor', 'toString']) {
      const patch = new Map([['users', new Map([['user_1', new Map([[name, 'x']])]])]]) as PyDict;
      const state = { agentData: patch, userData: null, actions: null, history: null };
      await expect(mock.environment({}).setState(state, strict), name).rejects.toThrow(
        'Extra inputs are not permitted',
      );
    }
  });

  it.each(recorded.map((line) => [String(line.get('task_id')), line] as const))(
    'reproduces the recording of %s [R5-DOMAIN-MOCK]',
    async (id, line) => {
      const task = taskOf(mock, id);
      const environment = mock.environment({ task });
      expect(plain(environment.hashes())).toEqual(line.get('hash_file'));
      const file = dumps(environment);
      await environment.setState(task.initialState, strict);
      expect(plain(environment.hashes())).toEqual(line.get('hash_initial'));
      const initial = dumps(environment);
      expect(sharesDatabase(environment)).toBe(line.get('same_db_object'));
      expect(changes(file, initial)).toEqual(line.get('changes_init_vs_file'));
      expect(await goldSteps(environment, task)).toEqual(line.get('steps'));
      expect(plain(environment.hashes())).toEqual(line.get('hash_final'));
      expect(changes(initial, dumps(environment))).toEqual(line.get('changes_final_vs_init'));
    },
  );

  it.each(recorded.map((line) => [String(line.get('task_id')), line] as const))(
    'ends %s live as recorded, its assertions too [R5-DOMAIN-MOCK]',
    async (id, line) => {
      const task = taskOf(mock, id);
      const environment = mock.environment({ task });
      await environment.setState(task.initialState, strict);
      for (const action of task.criteria?.actions ?? []) await environment.respond({ ...action, id: action.actionId });
      expect(plain(environment.hashes())).toEqual(line.get('live_hash_final'));
      const met: PyValue[] = [];
      for (const assertion of task.criteria?.envAssertions ?? []) {
        met.push((await environment.run(assertion)) === assertion.assertValue);
      }
      expect(met).toEqual(line.get('env_assertions_live') ?? []);
    },
  );

  it.each([
    ['create_task', '{"user_id": "zz", "title": "t"}', 'Error: User zz not found'],
    ['create_task', '{"user_id": ["x"], "title": 5}', "Error: unhashable type: 'list'"],
    ['create_task', '{"bogus": 1}', "Error: MockTools.create_task() got an unexpected keyword argument 'bogus'"],
    [
      'create_task',
      '{"user_id": "user_1", "title": 5}',
      'Error: 1 validation error for Task\ntitle\n  Input should be a valid string [type=string_type, input_value=5, ' +
        'input_type=int]\n    For further information visit https://errors.pydantic.dev/2.13/v/string_type',
    ],
    [
      'create_task',
      `{"user_id": "user_1", "title": null, "description": ["${'long '.repeat(20)}"]}`,
      'Error: 2 validation errors for Task\ntitle\n  Input should be a valid string [type=string_type, input_value=None, ' +
        'input_type=NoneType]\n    For further information visit https://errors.pydantic.dev/2.13/v/string_type\n' +
        "description\n  Input should be a valid string [type=string_type, input_value=['long long long long lon...g long " +
        "long long long '], input_type=list]\n    For further information visit https://errors.pydantic.dev/2.13/v/string_type",
    ],
    ['update_task_status', '{"task_id": null, "status": "completed"}', 'Error: Task None not found'],
    ['check_notifications', '{}', "Error: Tool 'check_notifications' not found."],
  ])('answers %s %s with its error [R5-DOMAIN-MOCK]', async (name, args, content) => {
    const answer = await respond(mock.environment({}), name, args);
    expect(answer).toMatchObject({ content, error: true });
  });

  it('shows models with their own values, and sides their own tools [R5-DOMAIN-MOCK]', async () => {
    const environment = mock.environment({});
    expect((await respond(environment, 'get_users', '{}')).content).toBe(
      '[{"user_id": "user_1", "name": "Test User", "tasks": ["task_1"]}]',
    );
    expect((await respond(environment, 'dismiss_notification', '{"notification_id": "zz"}', 'user')).content).toBe(
      'Error: Notification zz not found',
    );
    await respond(environment, 'dismiss_notification', '{"notification_id": "notif_1"}', 'user');
    const args = parseJson('{"notification_id": "notif_1", "expected_status": "read"}') as PyDict;
    expect(await environment.run({ side: 'user', name: 'assert_notification_status', arguments: args })).toBe(true);
  });

  it('takes what the other side lacks for an error once its data were shared [R5-DOMAIN-MOCK]', async () => {
    const environment = mock.environment({});
    await environment.setState(taskOf(mock, 'update_task_with_initialization_data').initialState, strict);
    expect((await respond(environment, 'check_notifications', '{}', 'user')).content).toBe(
      "Error: 'MockDB' object has no attribute 'notifications'",
    );
  });

  it('refuses initial data that are no data of the domain, and changes nothing [R5-DOMAIN-MOCK]', async () => {
    const environment = mock.environment({});
    const before = environment.hashes();
    const state = (text: string) => ({ agentData: parseJson(text), userData: null, actions: null, history: null });
    for (const text of ['{"cards": {}}', '{"tasks": {"task_1": {"status": "lost"}}}', '{"tasks": {"task_9": {}}}']) {
      await expect(environment.setState(state(text), strict)).rejects.toThrow(PyError);
    }
    expect(environment.hashes()).toEqual(before);
  });

  it('lets the agent alone use the tools of both sides [R5-DOMAIN-MOCK]', async () => {
    const environment = mock.environment({ solo: true });
    expect((await respond(environment, 'check_notifications', '{}')).error).toBe(false);
    expect((await respond(environment, 'check_notifications', '{}', 'user')).content).toBe(
      'Error: User tool calls are not allowed in solo mode',
    );
  });
});

function recordings(): readonly PyDict[] {
  const lines = readFileSync(`${tau2().oracle}/mock.jsonl`, 'utf8').trim().split('\n');
  return lines.map((line) => parseJson(line) as PyDict);
}

function taskOf(domain: Domain, id: string): Task {
  const task = domain.tasks.find((each) => each.id === id);
  if (task === undefined) throw new Error(`no task ${id}`);
  return task;
}

function plain(hashes: ReturnType<Environment['hashes']>): PyDict {
  return new Map(Object.entries(hashes));
}

type Dumps = Readonly<Record<'agent' | 'user', PyDict>>;

function dumps({ agent, user }: Environment): Dumps {
  const dump = (database: unknown): PyDict =>
    parseCopy(database instanceof ModelDatabase ? database.dump() : new Map<string, PyValue>());
  return { agent: dump(agent.database), user: dump(user?.database) };
}

/** A copy without models, as a reader of the dump has it. */
function parseCopy(value: PyValue): PyDict {
  const copy = (item: PyValue): PyValue => {
    if (item instanceof Map) return new Map([...item].map(([key, each]) => [key, copy(each)]));
    return Array.isArray(item) ? item.map(copy) : item;
  };
  return copy(value) as PyDict;
}

function changes(before: Dumps, after: Dumps): PyDict {
  return new Map<string, PyValue>([
    ['agent', changesBetween(before.agent, after.agent)],
    ['user', changesBetween(before.user, after.user)],
  ]);
}

function sharesDatabase({ agent, user }: Environment): boolean {
  return agent.database === user?.database;
}

/** As the evaluator replays them: without synchronising, each result rendered. */
async function goldSteps(environment: Environment, task: Task): Promise<PyDict[]> {
  const steps: PyDict[] = [];
  for (const action of task.criteria?.actions ?? []) {
    const content = render(await environment.make(action));
    steps.push(
      new Map<string, PyValue>([
        ['action_id', action.actionId],
        ['requestor', action.requestor],
        ['name', action.name],
        ['arguments', action.arguments],
        ['content', content],
        ['error', false],
      ]),
    );
  }
  return steps;
}

function respond(
  environment: Environment,
  name: string,
  args: string,
  requestor: 'assistant' | 'user' = 'assistant',
): ReturnType<Environment['respond']> {
  return environment.respond({ id: 'call', name, arguments: parseJson(args) as PyDict, requestor });
}
