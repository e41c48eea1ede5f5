import type { Evidence } from '../../core/work.js';
import type { Retriever } from '../../ports/retriever.js';
import type { ReplyParts } from '../script.js';
import { draw } from './draw.js';
import { type Family, itemIn, type SimulatedCall } from './simulated-model.js';

/** F7: writes the plan that code made, or something that is no plan. */
export function planner(parts: {
  readonly plan: (call: SimulatedCall) => string;
  /** Share of replies that are no plan. */
  readonly malformed: number;
}): Family {
  return (call) => (call.chance('malformed') < parts.malformed ? 'I would look around first.' : parts.plan(call));
}

/** F7, the other side: a step that fails with probability `error`. */
export function stepper(parts: { readonly error: number; readonly done: Family; readonly failed: Family }): Family {
  return (call) => (call.chance('error') < parts.error ? parts.failed(call) : parts.done(call));
}

/** F7 for forms: a reply that does not fit with probability `malformed`. */
export function writer(parts: { readonly malformed: number; readonly fits: Family; readonly misfits: Family }): Family {
  return (call) => (call.chance('malformed') < parts.malformed ? parts.misfits(call) : parts.fits(call));
}

/** Parameters of `families.retriever`. */
export interface RetrieverParameters {
  readonly seed: string | number;
  /** Probability that a search brings the right piece. */
  readonly recall: number;
  readonly right: (item: number) => string;
  /** Pieces that have nothing to do with it. */
  readonly distractors?: number;
  /** Share of right pieces that are out of date. */
  readonly stale?: { readonly share: number; readonly text: (item: number) => string };
}

/** F10: a retriever that finds the right piece with probability `recall`, by the query. */
export function retriever({ seed, recall, right, distractors = 2, stale }: RetrieverParameters): Retriever {
  return {
    name: 'simulated',
    retrieve: async (query, { limit }) => {
      const item = itemIn(query);
      const isStale = stale !== undefined && draw(seed, 'stale', query) < stale.share;
      const found = draw(seed, 'recall', query) < recall ? [isStale ? stale.text(item) : right(item)] : [];
      const others = Array.from({ length: distractors }, (_none, n) => `Nothing about it, page ${n + 1}.`);
      return [...found, ...others].slice(0, limit).map((text, n) => pieceOf(query, text, n));
    },
  };
}

function pieceOf(query: string, text: string, n: number): Evidence {
  return {
    id: `${n}`,
    text,
    source: `page ${n}`,
    place: 'whole',
    query,
    score: 1 / (n + 1),
    authority: false,
    trust: 'outside',
  };
}

/** F11: names each true fact with probability `recall`, and adds a false one with probability `false`. */
export function extractor(parts: {
  readonly facts: (call: SimulatedCall) => readonly string[];
  readonly recall: number;
  readonly invents: number;
  readonly invented: (call: SimulatedCall) => string;
}): Family {
  return (call) => {
    const found = parts.facts(call).filter((_fact, n) => call.chance(`fact ${n}`) < parts.recall);
    const made = call.chance('invents') < parts.invents ? [parts.invented(call)] : [];
    return [...found, ...made].join('\n');
  };
}

/** F12: another family from an item on. Items are its time. */
export function drifter(
  first: Family,
  ...steps: readonly { readonly from: number; readonly family: Family }[]
): Family {
  return (call) => (steps.findLast(({ from }) => call.item >= from)?.family ?? first)(call);
}

/** Parameters of `families.bargainer`. */
export interface BargainerParameters {
  readonly role: 'buyer' | 'seller';
  /** The most a buyer pays, the least a seller takes. */
  readonly reserve: number;
  readonly opening: number;
  /** Share of the way to its reserve that it goes with each round. */
  readonly concession: number;
}

/** F13: offers a price that moves towards its reserve; takes any offer in `Offer: <number>` that is better than its own next one. */
export function bargainer({ role, reserve, opening, concession }: BargainerParameters): Family {
  return ({ text }) => {
    const round = Number(/Round (\d+)/.exec(text)?.[1] ?? 1);
    const own = reserve + (opening - reserve) * (1 - concession) ** (round - 1);
    const offered = /Offer: ([\d.]+)/.exec(text)?.[1];
    const isGood = offered !== undefined && (role === 'buyer' ? Number(offered) <= own : Number(offered) >= own);
    return isGood ? `ACCEPT ${offered}` : `Offer: ${own.toFixed(2)}`;
  };
}

/** F14: any family, with a latency: the same each time, or exponential with this mean. */
export function slow(family: Family, law: { readonly fixedMs: number } | { readonly meanMs: number }): Family {
  return (call): ReplyParts => {
    const said = family(call);
    const latencyMs = 'fixedMs' in law ? law.fixedMs : Math.ceil(-law.meanMs * Math.log(1 - call.chance('latency')));
    return { ...(typeof said === 'string' ? { text: said } : said), latencyMs };
  };
}
