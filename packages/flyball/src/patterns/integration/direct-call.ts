import { ConfigError, FlyballError } from '../../core/errors.js';
import { blocked, done, failed, type Outcome } from '../../core/outcome.js';
import type { Agent } from '../../core/run.js';
import { jsonSchemaOf, type StandardSchema } from '../../core/schema.js';
import type { EffectClass, EffectContext, InvocationPolicy, Tool } from '../../core/tool.js';
import type { Described } from '../../core/use.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { pattern } from '../../kit/pattern.js';

/** What `directCall` calls. */
export interface DirectCallParts<P, R> {
  /** Every caller is checked by it, our own code too. It describes fields, not text to pick them from. */
  readonly input: StandardSchema<unknown, P>;
  /** Makes the request. Credentials are its own; what it returns is what the journal keeps: data, not a response. */
  readonly send: (params: P, how: EffectContext) => Promise<R>;
  readonly effect: EffectClass<P, R>;
  /** What guards, policies, breakers and the trace call it. */
  readonly name?: string;
  /** What is wrong with parameters that fit the schema. Nothing is sent then. */
  readonly check?: (params: P) => string | undefined;
}

/** Options of `directCall`: how patient it is. */
export interface DirectCallOptions extends Partial<Omit<InvocationPolicy, 'retries'>> {
  /** The first try included. Only what is pure or idempotent is tried again. */
  readonly maxTries?: number;
}

/** Codes of calls that somebody did not let happen. */
const REFUSED: ReadonlySet<string> = new Set(['DENIED', 'APPROVAL_REJECTED', 'NO_ANSWER']);

/**
 * Calls a service with no model in the path.
 *
 * Model calls: none. The call is governed, journaled, retried with growing waits and stopped by a circuit breaker like any
 * tool call. Equal inputs make equal requests. A refused call ends `blocked`, a failed one `failed`, with its code. Not
 * where a model has to choose what to call: that is a tool.
 *
 * @pattern I1
 * @example
 * ```ts
 * const charge = directCall({ name: 'charge', input: Charge, send: payments.charge, effect: 'idempotent' }, { maxTries: 3 });
 * const outcome = await charge(run, { customer: 'c-7', cents: 1_200 });
 * ```
 */
export function directCall<P, R>(
  { input, send, effect, name = 'directCall', check }: DirectCallParts<P, R>,
  { maxTries = 3, ...patience }: DirectCallOptions = {},
): Described<Agent<P, R>> {
  checkGiven('directCall (I1)', { input, send, effect });
  checkCounts('directCall (I1)', { maxTries });
  if (jsonSchemaOf(input)?.['type'] === 'string')
    throw new ConfigError('directCall (I1) needs an input with fields: parameters are not picked out of text.');
  const service: Tool<P, R> = {
    name,
    description: `Calls ${name} from code. Not offered to models.`,
    effect,
    input,
    retry: { retries: maxTries - 1, ...patience },
    execute: async (params, how) => {
      const wrong = check?.(params);
      if (wrong !== undefined) throw new FlyballError('INPUT_INVALID', wrong);
      return plain(name, await send(params, how));
    },
  };
  const about = { id: 'I1', name: 'directCall', params: { name, maxTries }, parts: {}, calls: 0 } as const;
  return pattern(about, async (run, params: P): Promise<Outcome<R>> => {
    const result = await run.call<R>(service as Tool<never, R>, params as never);
    if (result.ok) return done(result.value);
    const { failure } = result;
    return REFUSED.has(failure.code)
      ? blocked(failure.message, { reason: { code: 'unapproved', data: {} } })
      : failed(failure);
  });
}

/** Headers carry credentials, and what is returned here is kept for ever. */
function plain<R>(name: string, value: R): R {
  if (typeof value === 'object' && value !== null && 'headers' in value)
    throw new FlyballError('EFFECT_FAILED', `${name} returned a response with its headers. Return the data in it.`);
  return value;
}
