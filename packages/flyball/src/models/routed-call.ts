import { FlyballError, failureOf } from '../core/errors.js';
import type { ModelCallContext, ModelDelta, ModelReply, ModelRequest, TokenUsage } from '../core/model.js';
import { retryAfterOf } from '../core/retry.js';
import type { Clock } from '../ports/clock.js';
import { chainError, type Ended } from './chain-error.js';
import { explained, lessonOf, nextMove, whyUnfit } from './next-move.js';
import { oneTry } from './one-try.js';
import { pause } from './pause.js';
import type { ProviderGate } from './provider-gate.js';
import type { AttemptResult, RouterEvent } from './router-event.js';
import type { RouterPolicy } from './router-policy.js';
import { type Candidate, replyFrom, requestFor } from './stand-in.js';
import { addUsage, wasteOf } from './waste.js';

export interface Target extends Candidate {
  readonly gate: ProviderGate;
}

export interface RouteParts {
  /** The model that is asked, then those that may answer in its place. */
  readonly chain: readonly [Target, ...Target[]];
  readonly policy: RouterPolicy;
  readonly clock: Clock;
  readonly random: (place: string) => number;
  readonly tell: (event: RouterEvent) => void;
}

/**
 * One `generate`, over as many tries and models as the policy allows.
 *
 * 1. A try that may be paid for starts only while at most `maxPaidFailures` have failed: no more than
 *    1 + maxPaidFailures of them are ever paid.
 * 2. A place in line is held during a try, never during a wait.
 * 3. The caller's abort ends whatever is under way with the signal's own reason, and is never retried.
 */
export class RoutedCall {
  private readonly parts: RouteParts;
  private readonly request: ModelRequest;
  private readonly how: ModelCallContext;
  private readonly asked: Target;
  private readonly ended: Ended[] = [];
  private attempts = 0;
  private paidFailures = 0;
  private wasted: TokenUsage | undefined;
  private exceededWindow = 0;
  private hasStreamed = false;

  constructor(parts: RouteParts, request: ModelRequest, how: ModelCallContext) {
    this.parts = parts;
    this.request = request;
    this.asked = parts.chain[0];
    const { onDelta } = how;
    this.how = onDelta === undefined ? how : { ...contextOf(how), onDelta: (delta) => this.stream(delta, onDelta) };
  }

  async reply(): Promise<ModelReply> {
    for (const target of this.parts.chain) {
      if (!this.mayTurnTo(target)) continue;
      const reply = await this.ask(target);
      if (reply !== undefined) return this.finished(target, reply);
    }
    throw chainError(this.ended, this.wasted);
  }

  /** Asks one model until it answers or is left; undefined when another one may be asked. */
  private async ask(target: Target): Promise<ModelReply | undefined> {
    const before = this.attempts;
    for (let retries = 0; ; retries++) {
      const paidBefore = this.paidFailures;
      const tried = await this.attempt(target);
      if (!(tried instanceof FlyballError)) return tried;
      const { paidFailures } = this;
      const next = nextMove(
        tried,
        {
          retries,
          paidFailures,
          wasPaid: paidFailures > paidBefore,
          hasStandIn: this.hasStandIn(target),
          uniform: this.parts.random(`${this.how.key}~${this.attempts}`),
        },
        this.parts.policy.retry,
      );
      if (next.move === 'retry') {
        this.restart(tried);
        await this.waitBefore(target, { retry: retries + 1, waitMs: next.waitMs, error: tried });
        continue;
      }
      this.ended.push({ model: target.model.id, error: tried, tries: this.attempts - before });
      if (next.move === 'give-up') throw chainError(this.ended, this.wasted);
      if (tried.code === 'WINDOW_EXCEEDED') this.exceededWindow = target.model.capabilities.window;
      return undefined;
    }
  }

  /** One try, in line and past the breaker. A failure is an answer here; only the caller's abort is thrown. */
  private async attempt(target: Target): Promise<ModelReply | FlyballError> {
    const { gate, model } = target;
    const { key, signal } = this.how;
    try {
      await gate.line.enter(signal, (ahead) => this.parts.tell({ type: 'line-wait', key, model: model.id, ahead }));
    } catch (error) {
      signal.throwIfAborted();
      return explained(error, model);
    }
    try {
      const report = gate.admit();
      return await this.measured(target, report);
    } catch (error) {
      signal.throwIfAborted();
      return explained(error, model);
    } finally {
      gate.line.leave();
    }
  }

  private async measured(target: Target, report: ReturnType<ProviderGate['admit']>): Promise<ModelReply> {
    const { clock, policy, tell } = this.parts;
    const request = requestFor(target, this.asked, this.request);
    const about = { key: this.how.key, model: target.model.id, attempt: ++this.attempts };
    const began = clock.monotonic();
    const end = (result: AttemptResult): void =>
      tell({ type: 'attempt-end', ...about, ms: clock.monotonic() - began, ...result });
    tell({ type: 'attempt-start', ...about });
    try {
      const reply = await oneTry(target.model, request, this.how, { clock, timeoutMs: policy.timeoutMs });
      report('succeeded');
      end({ ok: true, usage: reply.usage });
      return reply;
    } catch (error) {
      if (this.how.signal.aborted) {
        report('undecided');
        end({ ok: false, cancelled: true });
        throw error;
      }
      const failure = explained(error, target.model);
      report(lessonOf(failure), failure.message);
      const wasted = wasteOf(failure, target.model, request);
      this.charge(wasted);
      end({ ok: false, failure: failureOf(failure), ...(wasted === undefined ? {} : { wasted }) });
      throw failure;
    }
  }

  private charge(wasted: TokenUsage | undefined): void {
    if (wasted === undefined) return;
    this.paidFailures++;
    this.wasted = addUsage(this.wasted, wasted);
  }

  private async waitBefore(
    target: Target,
    at: { readonly retry: number; readonly waitMs: number; readonly error: FlyballError },
  ): Promise<void> {
    const { clock, tell } = this.parts;
    const askedMs = retryAfterOf(at.error);
    const about = { key: this.how.key, model: target.model.id, retry: at.retry, waitMs: at.waitMs };
    tell({ type: 'retry-wait', ...about, ...(askedMs === undefined ? {} : { askedMs }) });
    await pause(clock, { ms: at.waitMs, signal: this.how.signal });
  }

  /** Whether this one is asked next: the first always, a stand-in where it can answer. */
  private mayTurnTo(target: Target): boolean {
    const last = this.ended.at(-1);
    if (last === undefined) return true;
    const { key } = this.how;
    const why = whyUnfit(target.model, this.request, this.exceededWindow);
    if (why !== undefined) {
      this.parts.tell({ type: 'fallback-skip', key, model: target.model.id, why });
      return false;
    }
    this.restart(last.error);
    const [from, to] = [last.model, target.model.id];
    this.parts.tell({ type: 'fallback-use', key, from, to, because: failureOf(last.error) });
    return true;
  }

  private hasStandIn(target: Target): boolean {
    const { chain } = this.parts;
    const rest = chain.slice(chain.indexOf(target) + 1);
    return rest.some(({ model }) => whyUnfit(model, this.request, this.exceededWindow) === undefined);
  }

  private stream(delta: ModelDelta, onDelta: (delta: ModelDelta) => void): void {
    this.hasStreamed = delta.type !== 'restart';
    onDelta(delta);
  }

  /** Voids what a failed try has streamed, as soon as it is known that another one follows. */
  private restart(error: FlyballError): void {
    if (this.hasStreamed) this.how.onDelta?.({ type: 'restart', why: error.message });
  }

  private finished(target: Target, reply: ModelReply): ModelReply {
    const wasted = addUsage(this.wasted, reply.wasted);
    return { ...replyFrom(target, this.asked, reply), ...(wasted === undefined ? {} : { wasted }) };
  }
}

/** Reads the signal once: a run makes it with the first look. */
function contextOf(how: ModelCallContext): ModelCallContext {
  return { key: how.key, signal: how.signal };
}
