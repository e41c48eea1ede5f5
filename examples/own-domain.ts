import assert from 'node:assert';
import {
  type Domain,
  goldAgentSide,
  type KitTool,
  makeEnvironment,
  makeToolkit,
  PyError,
  parseJson,
  readTask,
  runExperiment,
  scriptedUser,
  silentAgentSide,
  Tables,
} from '@flyball/evals';
import { memoryEngine, nodeHost, systemClock } from 'flyball';

// #region tools
const id = { name: 'book_id', required: true };
const tools: readonly KitTool<Tables>[] = [
  {
    name: 'get_book',
    type: 'read',
    parameters: [id],
    run: (tables, args) => {
      const book = tables.get('books', String(args.get('book_id')));
      if (book === undefined) throw new PyError('ValueError', 'There is no such book.'); // the caller gets this message
      return new Map(book);
    },
  },
  {
    name: 'lend_book',
    type: 'write', // a replay makes these calls again
    parameters: [id, { name: 'reader', required: true }],
    run: (tables, args) => {
      const isLent = tables.add('loans', String(args.get('book_id')), { reader: args.get('reader') ?? null });
      if (!isLent) throw new PyError('ValueError', 'It is lent already.');
      return 'Lent.';
    },
  },
];
const text = { type: 'string' };
const schemas = [
  {
    name: 'get_book',
    description: 'Shows a book.',
    parameters: { type: 'object', properties: { book_id: text }, required: ['book_id'] },
  },
  {
    name: 'lend_book',
    description: 'Lends a book to a reader.',
    parameters: { type: 'object', properties: { book_id: text, reader: text }, required: ['book_id', 'reader'] },
  },
];
// #endregion

// #region domain
const start = Tables.read(parseJson('{"books": {"data": {"b1": {"title": "Tides"}}}}'), ['books', 'loans']);
const task = readTask(
  parseJson(`{
    "id": "lend_1",
    "user_scenario": { "instructions": "You are Ida. Borrow the book b1." },
    "evaluation_criteria": {
      "actions": [{ "action_id": "1", "name": "lend_book", "arguments": { "book_id": "b1", "reader": "Ida" } }],
      "reward_basis": ["DB"]
    }
  }`),
);
const library: Domain = {
  name: 'library',
  tasks: [task],
  taskSets: new Map([['base', [task.id]]]),
  retrievals: [],
  defaultRetrieval: undefined,
  environment: () =>
    makeEnvironment({
      domain: 'library',
      policy: 'Lend what is there.',
      agent: makeToolkit({ className: 'Library', schemas, tools, database: start.copy() }), // fresh for every simulation
    }),
  userGuidelines: () => 'You are a reader. Say ###STOP### when you have what you want.',
  compliance: { writes: new Set(['lend_book']), verification: undefined, exempt: new Set() },
};
// #endregion

const { results } = await runExperiment({
  domain: library,
  tasks: library.tasks,
  trials: 1,
  seed: 300,
  conditions: ['gold', 'silent'].map((agent) => ({ name: agent, agent, user: 'reader' })),
  agents: { gold: goldAgentSide, silent: silentAgentSide },
  users: { reader: scriptedUser([{ text: 'I would like b1. I am Ida.' }, { text: '###STOP###' }]) },
  runtime: { engine: memoryEngine(), clock: systemClock(), host: nodeHost() },
  concurrency: 2,
});
assert.deepEqual(
  [...results].map(([name, { simulations }]) => [name, simulations[0]?.reward?.reward]),
  [
    ['gold', 1],
    ['silent', 0],
  ],
);
console.log('A domain of two tools: gold is right, silence is not.');
