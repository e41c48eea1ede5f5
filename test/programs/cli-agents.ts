import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Agent,
  blocked,
  ConfigError,
  done,
  type EffectContext,
  type EffectRules,
  FlyballError,
  type Seams,
} from 'flyball';
import { ledger, scriptedModel } from 'flyball/testing';

/** The agents of the command line's tests. What they do to the world is a line in a ledger file, so that a kill cannot hide it. */

interface Job {
  /** A folder of the test: ledger and marks are kept there. */
  readonly folder: string;
}

const model = scriptedModel({ writer: (_request, n) => `draft ${n}` }, { id: 'scripted/writer' });
const writer = { name: 'writer', model, setup: 'You write one line.', sampling: { maxOutputTokens: 10 } };

const ledgerOf = (folder: string) => ledger(join(folder, 'ledger.jsonl'));

const greet: Agent<{ readonly name: string }, string> = async (run, { name }) => {
  run.note({ kind: 'phase', phase: 'greeting' });
  const reply = await run.ask(writer, `Greet ${name}.`);
  return done(`${name}: ${reply.text}`);
};

/** Asks three times: a budget of two model calls stops it. */
const chatter: Agent<null, readonly string[]> = async (run) => {
  const said: string[] = [];
  for (const turn of [1, 2, 3]) said.push((await run.ask(writer, `Turn ${turn}.`)).text);
  return done(said.map((text) => text.slice(0, 5)));
};

/** Waits for a form that its schema describes. */
const form: Agent<null, unknown> = async (run) => {
  const jsonSchema = {
    type: 'object',
    required: ['age'],
    properties: { age: { type: 'integer' } },
    additionalProperties: false,
  };
  return done(await run.wait({ name: 'form', jsonSchema, request: { question: 'How old are you?' } }));
};

const pay: Agent<Job, string> = async (run, { folder }) => {
  const paid = await run.step(
    'pay',
    { folder, amount: 120 },
    (input, { key }) => {
      ledgerOf(input.folder).record(key, { paid: input.amount });
      return 'paid';
    },
    { class: 'irreversible', why: 'money leaves the account' },
  );
  return done(paid);
};

/** Nothing in doubt is looked at before its time has passed, and until then the test has to have killed it: test/patience.ts. */
const PATIENCE = Number(process.env['FLYBALL_PATIENCE'] ?? 1);

/** Charges, then hangs once before it can say so: that is where it is killed. */
function charging(verify: EffectRules<string, string>['verify']): Agent<Job, string> {
  return async (run, { folder }) => {
    await run.step('prepare', folder, () => 'ready', 'pure');
    const rules = {
      timeoutMs: 1500 * PATIENCE,
      compensate: async () => undefined,
      ...(verify === undefined ? {} : { verify }),
    };
    return done(await run.step('charge', folder, chargeAndHang, { class: 'undoable', ...rules }));
  };
}

function chargeAndHang(folder: string, { key }: EffectContext): Promise<string> | string {
  ledgerOf(folder).record(key, { charged: 1 });
  if (existsSync(join(folder, 'hung'))) return 'charged';
  writeFileSync(join(folder, 'hung'), '');
  console.error('charged, and hanging'); // tells the test that now is the time
  return new Promise(() => {
    setInterval(() => undefined, 1000);
  });
}

const hang = charging(async (folder, { key }) =>
  ledgerOf(folder).has(key) ? { happened: 'yes', result: 'charged' } : { happened: 'no' },
);
/** The same without a way to find out. */
const blind = charging(undefined);

/** Writes a file it can take away again, then waits. */
const draft: Agent<Job, string> = async (run, { folder }) => {
  const file = await run.step(
    'write-file',
    join(folder, 'draft.txt'),
    (path) => {
      writeFileSync(path, 'a draft');
      return path;
    },
    { class: 'undoable', compensate: async (path) => rmSync(path, { force: true }), simulate: (path) => path },
  );
  const answer = await run.wait<string>({ name: 'publish' });
  return done(`${file.length > 0 ? 'file' : ''} ${String(answer)}`);
};

/** Far more steps than anyone waits for, so that there is time to pause or interrupt it; at once done when the file is there. */
const walk: Agent<{ readonly steps: number; readonly hurry: string }, number> = async (run, { steps, hurry }) => {
  const step = async (n: number) => {
    if (!existsSync(hurry)) await pause(150);
    return n;
  };
  for (let n = 0; n < steps; n++) await run.step('walk', n, step, 'idempotent');
  return done(steps);
};

/** Listens while it is busy, so that its process stays the owner until the file is there. */
const ear: Agent<{ readonly gate: string }, unknown> = async (run, { gate }) => {
  const busy = async (file: string) => {
    while (!existsSync(file)) await pause(10);
    return 0;
  };
  const [heard] = await Promise.all([
    run.scope('ear').wait({ name: 'word' }),
    run.scope('hands').step('busy', gate, busy, 'pure'),
  ]);
  return done(heard);
};

const nap: Agent<{ readonly ms: number }, string> = async (run, { ms }) => {
  await run.sleep(ms);
  return done('rested');
};

const stuck: Agent<null, never> = async () => blocked('the archive is closed');
const broken: Agent<null, never> = async () => {
  throw new Error('the pump is broken');
};

export const agents = {
  greet,
  chatter,
  form,
  pay,
  hang,
  blind,
  draft,
  walk,
  ear,
  nap,
  stuck,
  broken,
};

/** A guard on the way in: what does not fit is refused before a run exists. */
const typed: NonNullable<Seams['input']>[number] = (next) => (value, ctx) => {
  if (typeof value === 'string') {
    throw new FlyballError('INPUT_INVALID', `The input must be an object or null, got the text "${value}".`);
  }
  if (typeof value === 'number') throw new ConfigError('Numbers are not taken.');
  return next(value, ctx);
};

export const runtime = {
  prices: { 'scripted/writer': { input: 1000, output: 1000 } },
  seams: { input: [typed] },
};
