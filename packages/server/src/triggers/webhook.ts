import type { RecordKey } from 'flyball';
import { ConfigError, FlyballError } from 'flyball';
import { failureOf, sha256 } from 'flyball/internal';
import { Problem } from '../problem.js';
import { type Signed, signedBy } from './signature.js';
import { startedBefore } from './start-failure.js';
import type { WebhookTrigger } from './trigger.js';
import type { TriggerParts, TriggerState } from './trigger-parts.js';
import { RecordOfTrigger, runIdOf, TRIGGER_OWNER } from './trigger-record.js';
import { inputFrom } from './webhook-input.js';

export interface HookRequest {
  readonly headers: Pick<Headers, 'get'>;
  /** As it came: a signature is over bytes, and JSON that was read and written again has others. */
  readonly body: Uint8Array;
  /** Told whose hook it is once the signature is known to be good, before anything is done. Throws to refuse it. */
  readonly onSigned?: (tenant: string) => void;
}

export interface HookAnswer {
  readonly runId: string;
  /** It was delivered before: nothing was started this time. */
  readonly repeated: boolean;
}

const SHORTEST_SECRET = 16;
const LONGEST_DELIVERY = 200;

/**
 * Starts a run for a signed request.
 *
 * Invariants:
 * 1. Nothing of a request is read but its signature until the signature is known to be good.
 * 2. A message starts at most one run: its id is made of what was signed, so a replay gets the run of the first.
 * 3. A sender that names its deliveries may sign one again with a new time: the delivery is bound to the first run
 *    before that is started. The name is not signed, so it stands for the body that it came with and for no other: who
 *    replays a message under the name of the next one does not keep that from starting its run.
 */
export class Webhook {
  private readonly parts: TriggerParts;
  private readonly trigger: WebhookTrigger;
  private readonly secrets: readonly string[];
  private readonly kept: RecordOfTrigger;
  private told: Pick<TriggerState, 'last' | 'lastRun' | 'failure'> = {};

  constructor(parts: TriggerParts, trigger: WebhookTrigger) {
    this.parts = parts;
    this.trigger = trigger;
    this.secrets = trigger.secrets.map((name) => secretOf(trigger, name, parts.env[name]));
    this.kept = new RecordOfTrigger(parts.store, trigger);
  }

  async state(): Promise<TriggerState> {
    const { name, agent, tenant = 'default', style } = this.trigger;
    return { name, kind: 'webhook', agent, tenant, style, ...this.told };
  }

  async take(request: HookRequest): Promise<HookAnswer> {
    const { clock, log } = this.parts;
    const { name, style, map, tenant = 'default' } = this.trigger;
    const signed = signedBy(this.secrets, style, request);
    if (signed === undefined) {
      log.warn('a hook was called with an invalid signature', { trigger: name });
      throw unsigned();
    }
    this.requireFresh(signed);
    request.onSigned?.(tenant);
    const input = inputFrom(map, request.body, request.headers);
    const { record } = await this.kept.read(clock.now());
    const runId = await this.bound(request, runIdOf(record, sha256(Buffer.from(signed.content).toString('latin1'))));
    return this.start(runId, input);
  }

  private requireFresh({ at }: Signed): void {
    if (at === undefined) return;
    const { toleranceMs } = this.trigger;
    const age = this.parts.clock.now() - at;
    if (Math.abs(age) <= toleranceMs) return;
    const way = age > 0 ? 'too long ago' : 'in the future';
    throw new Problem(401, 'UNAUTHENTICATED', `The message was signed ${way}.`, {
      next: `Sign it within ${Math.round(toleranceMs / 1000)} seconds of sending it, and check your clock.`,
    });
  }

  /** The run that this delivery belongs to: that of its first message, where the sender names deliveries. */
  private async bound({ headers, body }: HookRequest, runId: string): Promise<string> {
    const { store, clock } = this.parts;
    const { name, style, tenant = 'default' } = this.trigger;
    const delivery = headers.get(style === 'github' ? 'x-github-delivery' : 'flyball-delivery');
    if (delivery === null || delivery === '') return runId;
    if (delivery.length > LONGEST_DELIVERY)
      throw new Problem(
        400,
        'REQUEST_INVALID',
        `The id of a delivery can have at most ${LONGEST_DELIVERY} characters.`,
      );
    const key = `${name}/${sha256(`${sha256(delivery)} ${Buffer.from(body).toString('latin1')}`)}`;
    const at: RecordKey = { tenant, owner: TRIGGER_OWNER, collection: 'deliveries', key };
    try {
      await store.propose(at, { id: runId, over: 0, value: { runId }, now: clock.now() });
      await store.commit(at, runId, clock.now());
    } catch (error) {
      if (!(error instanceof FlyballError) || error.code !== 'RECORD_CONFLICT') throw error;
    }
    const { value } = (await store.get(at)) ?? {};
    return (value as { readonly runId?: string } | undefined)?.runId ?? runId;
  }

  private async start(id: string, input: unknown): Promise<HookAnswer> {
    const { clock, log } = this.parts;
    const { name, agent, budget, tenant = 'default' } = this.trigger;
    const options = { id, tenant, subject: `trigger:${name}`, ...(budget === undefined ? {} : { budget }) };
    try {
      const { id: runId } = await this.parts.start(agent, input, options);
      log.info('a trigger started a run', { trigger: name, run: runId });
      this.told = { last: clock.now(), lastRun: runId };
      return { runId, repeated: false };
    } catch (error) {
      const before = startedBefore(error, id);
      if (before !== undefined) return { runId: before, repeated: true };
      this.told = { ...this.told, failure: failureOf(error).message };
      throw error;
    }
  }
}

/** The same for a hook that is not there, so that nobody learns the names of those that are. */
export function unsigned(): Problem {
  return new Problem(401, 'UNAUTHENTICATED', 'There is no hook with this name, or the signature is not valid.', {
    next: 'Check the name and the secret, and sign exactly the bytes you send.',
  });
}

function secretOf({ name }: WebhookTrigger, variable: string, secret: string | undefined): string {
  if (secret !== undefined && secret.length >= SHORTEST_SECRET) return secret;
  const why = secret === undefined || secret === '' ? 'is not set' : `is shorter than ${SHORTEST_SECRET} characters`;
  throw new ConfigError(
    `Trigger "${name}": the environment variable ${variable} ${why}. Set it to a secret, such as the output of: openssl rand -hex 32`,
  );
}
