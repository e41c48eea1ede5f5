import { type Agent, done } from 'flyball';
import { itemOf, solving } from '../arms.js';
import type { Arm, Claim } from '../claim.js';
import { always, chanceOf } from '../exactly.js';
import { draw } from '../simulated.js';
import { arithmetic } from '../worlds/arithmetic.js';

/** What the claims need of `@flyball/server`, which builds on this package and so is handed in. */
export interface CardFunctions {
  agentCard(directory: { list(): readonly never[] }, meta: never): object;
  discover(
    origin: string,
    need: { readonly skill: string; readonly input: object },
    options: { readonly fetch: typeof fetch },
  ): Promise<{ readonly verified: boolean }>;
}

interface Offered {
  readonly servers: number;
  /** Probability that a server takes what will be sent. */
  readonly fits: number;
  /** Share of cards that promise what their server does not do. */
  readonly lies: number;
}

const INPUT = { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] } as const;
const NARROW = { type: 'object', properties: { code: { type: 'integer' } }, required: ['code'] } as const;

const originOf = (n: number): string => `https://server-${n}.example`;

/** Sends a task to the first server whose card offers it, or to the first one there is. */
function sent({ agentCard, discover }: CardFunctions, { servers, fits, lies }: Offered, byCard: boolean): Arm {
  return solving(`I5 ${servers} ${fits} ${lies} ${byCard}`, {
    questions: arithmetic,
    families: {},
    agent: (_model, { seed }): Agent<string, boolean> => {
      const does = (item: number, n: number): boolean => draw(seed, 'fits', item, n) < fits;
      const promises = (item: number, n: number): boolean => does(item, n) || draw(seed, 'lies', item, n) < lies;
      const cardOf = (item: number, n: number): object =>
        agentCard(
          {
            list: () => [
              {
                name: 'solve',
                description: 'Solves a task and returns the number.',
                kind: 'agent',
                inputs: promises(item, n) ? INPUT : NARROW,
                outputs: { type: 'string' },
              } as never,
            ],
          },
          { name: 'desk', description: 'A desk.', version: '1', origin: originOf(n), open: true } as never,
        );
      return async (run, ask) => {
        const item = itemOf(ask);
        const web = (async (url: string | URL | Request) =>
          new Response(JSON.stringify(cardOf(item, Number(/server-(\d+)/.exec(String(url))?.[1]))))) as typeof fetch;
        if (!byCard) return done(does(item, 0));
        for (let n = 0; n < servers; n++) {
          const need = { skill: 'solve', input: INPUT };
          const found = await run.step('discover', { n }, () => discover(originOf(n), need, { fetch: web }), 'pure');
          if (found.verified) return done(does(item, n));
        }
        return done(false);
      };
    },
    isRight: (_item, answer) => answer === true,
  });
}

const sentClaim = (server: CardFunctions, given: Offered): Omit<Claim, 'id' | 'side' | 'says'> => {
  const { servers, fits, lies } = given;
  const promised = fits + (1 - fits) * lies;
  return {
    pattern: 'I5',
    world: 'W10',
    family: 'faults',
    parameters: { ...given },
    formula: 'q / c · (1 - (1 - c)^n) with c = q + (1 - q) · l, against q',
    arm: sent(server, given, true),
    baseline: sent(server, given, false),
    expected: () => ({ value: chanceOf((fits / promised) * (1 - (1 - promised) ** servers)), calls: always(0) }),
    expectedBaseline: () => ({ value: chanceOf(fits) }),
    weight: 2,
  };
};

/** Claims about agent cards (I5). */
export function cardClaims(server: CardFunctions): readonly Claim[] {
  return [
    {
      ...sentClaim(server, { servers: 3, fits: 0.5, lies: 0 }),
      id: 'I5-fits',
      side: 'gains',
      says: 'Three servers that take the input in 50% each, asked by what their cards say. Scores are tasks that were done.',
    },
    {
      ...sentClaim(server, { servers: 3, fits: 0.5, lies: 1 }),
      id: 'I5-lies',
      side: 'loses',
      says: 'Cards that promise everything: a card grants nothing, and reading it gains nothing.',
    },
  ];
}
