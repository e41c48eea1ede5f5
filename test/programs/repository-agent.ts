import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Agent, Sandbox, Store, ToolRef } from 'flyball';
import { testHarness } from 'flyball/checks';
import { type CommitLoopOptions, type CommitResult, commitLoop, filesWorkpiece } from 'flyball/loops';
import { type ReplyFunction, type Script, type ScriptedModel, scriptedModel } from 'flyball/testing';
import { filesTools } from 'flyball/toolbox';

/**
 * A small shop with two faults, and a commit loop that mends it. Every reply of the model is made from its prompt alone,
 * so whoever goes on with a killed run is answered as the first process was.
 */

/** A task of the commit loop. */
export type RepositoryTask = Parameters<ReturnType<typeof commitLoop>>[1];

/** Windows line breaks. The first function is wrong, the second right. */
export const PRICE = [
  'export function total(lines) {',
  '  let sum = 0;',
  '  for (const { price, quantity } of lines.items) sum += price * quantity;',
  '  return sum;',
  '}',
  '',
  'export function discounted(cents, percent) {',
  '  const rate = percent.valueOf() / 100;',
  '  return cents - Math.round(cents * rate);',
  '}',
  '',
].join('\r\n');

/** No line break at its end. */
export const FORMAT = `/** Cents as people write them. */
export function money(cents) {
  return (cents / 100).toFixed(1);
}

export function label(name, cents) {
  return \`\${name}: \${typeof cents}\`;
}`;

export const HALF_UP = `/** Two digits, a half upwards. */
export function halfUp(cents) {
  return (Math.round(cents) / 100).toFixed(2);
}
`;

/** Path, content and mode of everything there is. */
export const REPOSITORY: readonly (readonly [path: string, content: string, mode: number])[] = [
  ['package.json', '{ "name": "shop", "type": "module", "private": true }\n', 0o644],
  ['src/price.js', PRICE, 0o644],
  ['src/format.js', FORMAT, 0o640],
  [
    'src/receipt.js',
    "import { label } from './format.js';\n\nexport const receipt = (lines) => lines.map(({ name, price }) => label(name, price));\n",
    0o644,
  ],
  ['bin/shop.sh', '#!/bin/sh\nexec node --test test/*.test.js\n', 0o755],
  [
    'test/price.test.js',
    `import assert from 'node:assert/strict';
import test from 'node:test';
import { discounted, total } from '../src/price.js';
test('adds up what is bought', () => assert.equal(total([{ price: 200, quantity: 3 }]), 600));
test('takes a discount off', () => assert.equal(discounted(200, 10), 180));
`,
    0o644,
  ],
  [
    'test/format.test.js',
    `import assert from 'node:assert/strict';
import test from 'node:test';
import { money } from '../src/format.js';
test('writes two digits', () => assert.equal(money(1250), '12.50'));
`,
    0o644,
  ],
  [
    'test/receipt.test.js',
    `import assert from 'node:assert/strict';
import test from 'node:test';
import { receipt } from '../src/receipt.js';
test('lists every line', () => assert.equal(receipt([{ name: 'tea', price: 2 }]).length, 1));
`,
    0o644,
  ],
];

export function putRepository(root: string): void {
  for (const [path, content, mode] of REPOSITORY) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    chmodSync(join(root, path), mode); // whatever the umask says
  }
}

export const TESTS = REPOSITORY.flatMap(([path]) => (path.startsWith('test/') ? [path] : []));

export const TASK: RepositoryTask = {
  id: 'shop-1',
  goal: 'Make all tests of the shop pass.',
  requirements: ['totals are right', 'prices have two digits'],
  taskClass: 'bug-fix',
};

/** How the scripted repairs turn out: right at once, right for the one test and wrong for another, or never right. */
export type Way = 'right' | 'breaking' | 'hopeless';

const call = (id: string, name: string, args: object) => ({
  toolCalls: [{ id, name, arguments: JSON.stringify(args) }],
});

/** What ACT does, one call after the other. Made twice, the second edit would import the same name twice. */
const ACTIONS = [
  call('a1', 'read_file', { path: 'src/format.js' }),
  call('a2', 'write_file', { path: 'src/rounding/half-up.js', content: HALF_UP }),
  call('a3', 'edit_file', {
    path: 'src/format.js',
    edits: [
      {
        old: '/** Cents as people write them. */',
        new: "import { halfUp } from './rounding/half-up.js';\n\n/** Cents as people write them. */",
      },
    ],
  }),
  call('a4', 'edit_file', {
    path: 'src/format.js',
    edits: [{ old: '(cents / 100).toFixed(1)', new: 'halfUp(cents)' }],
  }),
];

const PLAN = {
  goal: TASK.goal,
  steps: [
    {
      id: 'format',
      description: 'Give prices two digits.',
      stepType: 'tool',
      requiredTools: ['write_file', 'edit_file'],
      toolValidationMode: 'strict',
      expectedOutcome: 'money() writes two digits',
    },
  ],
};

const worker: ReplyFunction = ({ messages }) =>
  ACTIONS[messages.filter(({ role }) => role === 'tool').length] ?? 'Prices have two digits now.';

/** Scores what it is shown; yes to the question whether a defect is gone where nothing wrong is left. */
function judgeFor(way: Way): ReplyFunction {
  return ({ messages, output }) => {
    const shown = messages.map(({ content }) => content).join('\n');
    const isWrong = /lines\.\w+|percent\.value\(/.test(shown);
    const form = output as { readonly properties?: { readonly dimensions?: { readonly properties?: object } } };
    const names = Object.keys(form.properties?.dimensions?.properties ?? {});
    if (names.length === 0) return JSON.stringify({ reasoning: 'Looked again.', yes: !isWrong });
    const scoreOf = (name: string): number => {
      if (!isWrong) return 1;
      if (name === 'correctness') return 0.85;
      return name === 'completeness' && way === 'hopeless' ? 0 : 1;
    };
    const dimensions = names.map((name) => [name, { reasoning: `Looked at ${name}.`, score: scoreOf(name) }]);
    return JSON.stringify({ dimensions: Object.fromEntries(dimensions), missing: [], gaps: [] });
  };
}

/** Writes the lines that it is shown with the fault mended, and sometimes with another one put in. */
function repairerFor(way: Way): ReplyFunction {
  return ({ messages }) => {
    const shown = messages.map(({ content }) => content).join('\n');
    const lines = /\n(?<fence>`{3,})\n(?<text>[\s\S]*?)\n\k<fence>(?:\n|$)/.exec(shown)?.groups?.['text'] ?? '';
    if (way === 'hopeless') return lines.replace(/lines\.(\w+)/, 'lines.more$1');
    const mended = lines.replace('lines.items', 'lines');
    const isFirst = mended !== lines;
    return way === 'breaking' && isFirst
      ? mended.replace('percent.valueOf()', 'percent.value()')
      : mended.replace('percent.value()', 'percent.valueOf()');
  };
}

export function scriptFor(way: Way): Script {
  return {
    planner: () => JSON.stringify(PLAN),
    worker,
    judge: judgeFor(way),
    critic: () => JSON.stringify({ defects: [] }), // what is wrong here, the tests find
    repairer: repairerFor(way),
  };
}

export interface RepositoryLoop {
  readonly root: string;
  /** Where previous versions are kept. In the repository itself where it is absent. */
  readonly undoFolder?: string;
  readonly store: Store;
  readonly sandbox: Sandbox;
  /** What the tests see; the repository where it is absent. */
  readonly mounts?: NonNullable<Parameters<typeof testHarness>[0]['mounts']>;
  readonly way: Way;
  /** How long a tool may take: nobody looks at what a dead process left before that has passed. */
  readonly timeoutMs?: number;
  readonly more?: Partial<CommitLoopOptions>;
}

/** The loop over real files and the real test command; only the model is scripted. */
export function repositoryLoop(given: RepositoryLoop): {
  readonly loop: Agent<RepositoryTask, CommitResult>;
  readonly model: ScriptedModel;
} {
  const { root, undoFolder, sandbox, mounts, way, store, timeoutMs, more } = given;
  const model = scriptedModel(scriptFor(way));
  const session = (name: string) => ({ name, model, setup: `You are the ${name}.` });
  const tools = filesTools({ allow: root, ...(undoFolder === undefined ? {} : { undoFolder }) }).map((each) => ({
    ...each,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }));
  const named = (name: string): ToolRef => tools.find((each) => each.name === name) as unknown as ToolRef;
  const tests = testHarness({
    level: 'unit',
    sandbox,
    command: [process.execPath, '--test', '--test-reporter=tap', ...TESTS],
    cwd: root,
    format: 'node-test-tap',
    ...(mounts === undefined ? {} : { mounts }),
  });
  const loop = commitLoop({
    name: 'shop-keeper',
    planner: { session: session('planner'), tools },
    execution: { worker: { session: session('worker'), tools } },
    verification: { judge: { session: session('judge') }, tests: [tests] },
    critic: { session: session('critic') },
    repair: { session: session('repairer') },
    workpiece: filesWorkpiece({
      paths: ['src/price.js', 'src/format.js', 'src/rounding/half-up.js'],
      read: named('read_file'),
      write: named('write_file'),
      edit: named('edit_file'),
    }),
    exit: { novelty: 1 }, // a first task of its kind asks a person: not what this is about
    store,
    ...more,
  });
  return { loop, model };
}
