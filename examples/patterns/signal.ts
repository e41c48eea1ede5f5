import { type Agent, done, type Session } from 'flyball';
import { constraints, probe, shaped, withConstraints, zeroShot } from 'flyball/patterns/signal';
import { scriptedModel } from 'flyball/testing';
import { z } from 'zod';

/** One example of each signal pattern: what the pages about them show. */

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const messages = Array.from({ length: 20 }, (_none, n) => `Message ${n}`); // twenty real ones of yours

// #region zeroShot
const classify = zeroShot(session('classifier', '')); // Agent<Input, string>
// #endregion

// #region probe
const floor = probe(
  {
    answerer: session('classifier', ''),
    instruction: 'Label this message spam or ham.',
    cases: messages,
    fits: (reply) => /^(spam|ham)$/.test(reply) || 'structure',
  },
  { samples: 20 },
); // Agent<unknown, Baseline>: its verdict says whether the bare instruction is enough
// #endregion

// #region constraints
const limits = constraints(
  {
    items: [
      {
        id: 'no-prices',
        forbid: 'Never name a price.',
        instead: 'Link to the price list.',
        reason: 'Prices depend on the contract.',
        check: { kind: 'pattern', pattern: /\$\s?\d/ },
        guarantee: true, // refused here if no code enforced it
      },
    ],
  },
  { version: '7' },
);
// #endregion

// #region withConstraints
const clerk: Agent<string, string> = async (run, question) =>
  done((await run.ask(session('clerk', 'You answer customers.'), question)).text);
const careful = withConstraints(clerk, { constraints: limits }, { maxRetries: 2 });
// #endregion

// #region shaped
const Package = z.strictObject({ name: z.string(), version: z.string(), license: z.string().nullable() });
const reader = shaped(session('reader', 'You read package manifests.'), Package); // Session<{ name, version, license }>
const read = zeroShot(reader); // Agent<Input, { name, version, license }>
// #endregion

export const agents = { read };
export const examples = {
  zeroShot: classify,
  probe: floor,
  constraints: limits,
  withConstraints: careful,
  shaped: reader,
};
