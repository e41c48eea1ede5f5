import type { ToolSeams } from 'flyball';
import { FlyballError } from 'flyball';
import { mersenneTwister } from '../metrics/mersenne-twister.js';

/** The kinds of faults that a simulated tool can have. */
export const FAULT_KINDS = ['timeout', '4xx', '5xx', 'rate-limit', 'malformed', 'injected', 'partial'] as const;
/** A kind of fault of a simulated tool. */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** One thing that goes wrong on purpose: at a certain call of a certain tool. */
export interface Fault {
  readonly id: string;
  readonly tool: string;
  readonly kind: FaultKind;
  /** Which call of the tool, from 1. */
  readonly onCall: number;
  /** How many of the runtime's own tries of that call fail: all of them where it is absent. */
  readonly tries?: number;
  /** Status of the answer: 404 for 4xx, 503 for 5xx, 429 for a rate limit. */
  readonly status?: number;
  /** The call takes place and only its answer is lost. For timeouts and 5xx. */
  readonly tookPlace?: boolean;
  /** What is slipped into the result, for `injected`. */
  readonly text?: string;
  /** Drawn at a rate: a call that never comes does not make the run invalid. */
  readonly drawn?: true;
}

/** Under this name the journal of a simulation says that a fault fired. The agent never reads it. */
export const FAULT_GUARD = 'fault';

/**
 * Guards around one call that make it fail as configured, and write down that they did. A fault in the result is only
 * written down here and made by `spoiltBy`: the journal keeps what the tool really answered, so that the world can be
 * built again after a crash.
 */
export function faultSeams(fault: Fault): ToolSeams {
  const why = `${fault.kind} on call ${fault.onCall} of ${fault.tool}`;
  const decision = { guard: FAULT_GUARD, verdict: 'warned', rule: fault.id, why } as const;
  if (isInResult(fault.kind) || fault.tookPlace === true)
    return {
      'tool.post': [
        (next) => async (value, ctx) => {
          ctx.decide(decision);
          if (fault.tookPlace === true) throw failureFor(fault);
          return next(value, ctx);
        },
      ],
    };
  let tries = 0;
  return {
    'tool.exec': [
      (next) => async (value, ctx) => {
        if (fault.tries !== undefined && ++tries > fault.tries) return next(value, ctx);
        ctx.decide(decision);
        throw failureFor(fault);
      },
    ],
  };
}

/** What is left of a result's text. */
export function spoiltBy({ kind, text = '' }: Fault, result: string): string {
  const half = result.slice(0, Math.ceil(result.length / 2));
  switch (kind) {
    case 'injected':
      return `${result}\n${text}`;
    case 'partial':
      return half;
    case 'malformed':
      return `${half}\uFFFD{"`;
    default:
      return result;
  }
}

function isInResult(kind: FaultKind): boolean {
  return kind === 'malformed' || kind === 'injected' || kind === 'partial';
}

/** In the words of a service that is really down: nothing in them says that it is a simulation. */
function failureFor({ kind, status, tool }: Fault): FlyballError {
  switch (kind) {
    case 'timeout':
      return new FlyballError('EFFECT_TIMEOUT', `${tool} did not answer in time.`, { retryable: true });
    case 'rate-limit':
      return answer(status ?? 429, 'Too Many Requests', true);
    case '5xx':
      return answer(status ?? 503, 'Service Unavailable', true);
    default:
      return answer(status ?? 404, 'Not Found', false);
  }
}

function answer(status: number, words: string, retryable: boolean): FlyballError {
  const told = status === 404 || status === 429 || status === 503 ? ` ${words}` : '';
  return new FlyballError('EFFECT_FAILED', `HTTP ${status}${told}`, { retryable, detail: { status } });
}

export function faultProblems(faults: readonly Fault[]): readonly string[] {
  const ids = faults.map(({ id }) => id);
  const places = faults.map(({ tool, onCall }) => `call ${onCall} of ${tool}`);
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `fault "${id}" is there twice`),
    ...places.filter((place, index) => places.indexOf(place) !== index).map((place) => `two faults are on ${place}`),
    ...faults.flatMap(problemOf),
  ];
}

function problemOf({ id, kind, onCall, tries = 1, status, text = '', tookPlace }: Fault): readonly string[] {
  const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1;
  const range = kind === '5xx' ? [500, 599] : [400, 499];
  return [
    ...(FAULT_KINDS.includes(kind) ? [] : [`fault "${id}" is not one of ${FAULT_KINDS.join(', ')}`]),
    ...(isCount(onCall) && isCount(tries) ? [] : [`fault "${id}": onCall and tries count from 1`]),
    ...(status === undefined || (status >= (range[0] ?? 0) && status <= (range[1] ?? 0))
      ? []
      : [`fault "${id}": ${status} is not a status of ${kind}`]),
    ...(kind === 'injected' && text.trim() === '' ? [`fault "${id}" slips in no text`] : []),
    ...(tookPlace === true && kind !== 'timeout' && kind !== '5xx'
      ? [`fault "${id}": only a timeout or a 5xx can hide that the call took place`]
      : []),
  ];
}

/** Faults at a rate over the first `calls` calls of some tools: the observed rate first, then twice as many. */
export function faultsAtRate(given: {
  readonly tools: readonly string[];
  readonly kind: FaultKind;
  readonly rate: number;
  readonly calls: number;
  readonly seed: number;
  readonly text?: string;
}): readonly Fault[] {
  const random = mersenneTwister(given.seed);
  return given.tools.flatMap((tool) =>
    Array.from({ length: given.calls }, (_, index) => index + 1)
      .filter(() => random() < given.rate)
      .map(
        (onCall): Fault => ({
          id: `${given.kind}-${tool}-${onCall}`,
          tool,
          kind: given.kind,
          onCall,
          drawn: true,
          ...(given.text === undefined ? {} : { text: given.text }),
        }),
      ),
  );
}
