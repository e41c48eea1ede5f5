import { FlyballError } from '../../core/errors.js';
import type { ToolSeams } from '../../core/seams.js';
import { mersenneTwister } from '../metrics/mersenne-twister.js';

export const FAULT_KINDS = ['timeout', '4xx', '5xx', 'rate-limit', 'malformed', 'injected', 'partial'] as const;
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

/** Guards around one call that make it fail as configured, and write down that they did. */
export function faultSeams(fault: Fault): ToolSeams {
  let tries = 0;
  const isNow = (): boolean => fault.tries === undefined || tries <= fault.tries;
  const why = `${fault.kind} on call ${fault.onCall} of ${fault.tool}`;
  if (isInResult(fault.kind))
    return {
      'tool.post': [
        (next) => async (value, ctx) => {
          const observed = await next(value, ctx);
          ctx.decide({ guard: FAULT_GUARD, verdict: 'warned', rule: fault.id, why });
          return { value: spoilt(fault, observed.value), text: spoiltText(fault, observed.text) };
        },
      ],
    };
  if (fault.tookPlace === true)
    return {
      'tool.post': [
        () => async (_value, ctx) => {
          ctx.decide({ guard: FAULT_GUARD, verdict: 'warned', rule: fault.id, why });
          throw failureFor(fault); // after the fact: the journal keeps that it took place
        },
      ],
    };
  return {
    'tool.exec': [
      (next) => async (value, ctx) => {
        tries += 1;
        if (!isNow()) return next(value, ctx);
        ctx.decide({ guard: FAULT_GUARD, verdict: 'warned', rule: fault.id, why });
        throw failureFor(fault);
      },
    ],
  };
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

function spoilt(fault: Fault, value: unknown): unknown {
  if (typeof value === 'string') return spoiltText(fault, value);
  if (fault.kind === 'injected') return value; // the text that a model reads carries it
  if (fault.kind === 'malformed') return spoiltText(fault, JSON.stringify(value) ?? '');
  if (Array.isArray(value)) return value.slice(0, Math.ceil(value.length / 2));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.slice(0, Math.ceil(members.length / 2)));
}

function spoiltText({ kind, text = '' }: Fault, result: string): string {
  const half = result.slice(0, Math.ceil(result.length / 2));
  if (kind === 'injected') return `${result}\n${text}`;
  return kind === 'partial' ? half : `${half}\uFFFD{"`;
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
    ...(FAULT_KINDS.includes(kind) ? [] : [`fault "${id}" is none of ${FAULT_KINDS.join(', ')}`]),
    ...(isCount(onCall) && isCount(tries) ? [] : [`fault "${id}": onCall and tries count from 1`]),
    ...(status === undefined || (status >= (range[0] ?? 0) && status <= (range[1] ?? 0))
      ? []
      : [`fault "${id}": ${status} is no status of ${kind}`]),
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
