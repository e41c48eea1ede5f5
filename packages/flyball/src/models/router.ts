import { ConfigError } from '../core/errors.js';
import type { Model } from '../core/model.js';
import type { Clock } from '../ports/clock.js';
import { isModelName, parseModelName, roleKey } from './model-name.js';
import { ProviderGate } from './provider-gate.js';
import type { RouteParts, Target } from './routed-call.js';
import { routedModel } from './routed-model.js';
import type { RouterEvent } from './router-event.js';
import { type RouterPolicyOptions, routerPolicy } from './router-policy.js';

/** Stands for every role, and every model, that has no entry of its own. */
export const DEFAULT_ROLE = 'default';

/** What `modelRouter` needs. */
export interface ModelRouterParts extends RouterPolicyOptions {
  /** Makes the model of a `provider/model` name. Asked once a name. */
  resolve(name: string): Model | Promise<Model>;
  /** Model names by role; `default` is for roles without one. */
  readonly roles?: Readonly<Record<string, string>>;
  /** Models that may answer instead, in order: by role, by model name, or `default` for all others. */
  readonly fallback?: Readonly<Record<string, readonly string[]>>;
  readonly clock: Clock;
  /** A number in [0, 1) for the jitter of a retry. `place` names the retry, for those who want it repeatable. */
  readonly random: (place: string) => number;
  /** Hears of attempts, waits, breakers and fallbacks as they happen. */
  readonly observe?: (event: RouterEvent) => void;
  /** Told of an observer that throws; the call goes on. */
  readonly onProblem?: (error: unknown, doing: string) => void;
}

/** Returns models by name or role, with retries and fallbacks. */
export interface ModelRouter {
  /** Model names by role. */
  readonly roles: Readonly<Record<string, string>>;
  /** Names of the models that are loaded. */
  names(): readonly string[];
  /** A loaded model by its name, or by a role. */
  model(nameOrRole: string): Model;
  forRole(role: string): Model;
  /** The same for a model that is not among the roles and fallbacks: those are loaded with the router. */
  load(nameOrRole: string): Promise<Model>;
  /** Closes the loaded models that hold memory, such as those of `llama`, once their calls have ended. */
  close(): Promise<void>;
}

/** Creates a router and loads the models of all roles and fallbacks. */
export async function modelRouter(parts: ModelRouterParts): Promise<ModelRouter> {
  const router = new Router(parts);
  await router.loadAll();
  return router;
}

class Router implements ModelRouter {
  readonly roles: Readonly<Record<string, string>>;
  private readonly parts: ModelRouterParts;
  private readonly route: Omit<RouteParts, 'chain'>;
  private readonly fallback: Readonly<Record<string, readonly string[]>>;
  private readonly resolved = new Map<string, Model>();
  private readonly resolving = new Map<string, Promise<Model>>();
  private readonly gates = new Map<string, ProviderGate>();
  private readonly routed = new Map<string, Model>();

  constructor(parts: ModelRouterParts) {
    this.parts = parts;
    this.roles = byRole(parts.roles ?? {});
    this.fallback = byRole(parts.fallback ?? {});
    const tell = (event: RouterEvent): void => this.tell(event);
    this.route = { policy: routerPolicy(parts), clock: parts.clock, random: parts.random, tell };
  }

  async loadAll(): Promise<void> {
    const names = new Set([...Object.values(this.roles), ...Object.values(this.fallback).flat()]);
    await Promise.all([...names].map((name) => this.resolve(name)));
  }

  names(): readonly string[] {
    return [...this.resolved.keys()];
  }

  model(nameOrRole: string): Model {
    return isModelName(nameOrRole) ? this.chained(nameOrRole, nameOrRole) : this.forRole(nameOrRole);
  }

  forRole(role: string): Model {
    return this.chained(roleKey(role), this.nameOf(role));
  }

  async load(nameOrRole: string): Promise<Model> {
    if (isModelName(nameOrRole)) await this.resolve(nameOrRole);
    return this.model(nameOrRole);
  }

  async close(): Promise<void> {
    await Promise.all([...this.resolved.values()].map((model) => model.close?.()));
  }

  private nameOf(role: string): string {
    const name = own(this.roles, roleKey(role)) ?? own(this.roles, DEFAULT_ROLE);
    if (name !== undefined) return name;
    const known = Object.keys(this.roles);
    throw new ConfigError(
      `No model is set for the role "${role}", and none by default${known.length > 0 ? ` (set: ${known.join(', ')})` : ''}. ` +
        `Set FLYBALL_MODEL_${roleKey(role).toUpperCase().replaceAll('-', '_')} or FLYBALL_MODEL to a provider/model, or pass it in roles.`,
    );
  }

  /** `place` is the role or name that was asked for: fallbacks may differ by role. */
  private chained(place: string, name: string): Model {
    const known = this.routed.get(place);
    if (known !== undefined) return known;
    const others = own(this.fallback, place) ?? own(this.fallback, name) ?? own(this.fallback, DEFAULT_ROLE) ?? [];
    const rest = [...new Set(others)].filter((other) => other !== name).map((other) => this.target(other));
    const model = routedModel({ ...this.route, chain: [this.target(name), ...rest] });
    this.routed.set(place, model);
    return model;
  }

  private target(name: string): Target {
    const model = this.resolved.get(name);
    if (model === undefined)
      throw new ConfigError(`${name} is not loaded. Call \`await router.load('${name}')\` first, outside a run.`);
    const { provider } = parseModelName(name);
    const gate = this.gates.get(provider) ?? new ProviderGate(provider, this.route);
    this.gates.set(provider, gate);
    return { model, provider, gate };
  }

  private async resolve(name: string): Promise<Model> {
    parseModelName(name);
    const work = this.resolving.get(name) ?? Promise.resolve().then(() => this.resolveNow(name));
    this.resolving.set(name, work);
    return work;
  }

  private async resolveNow(name: string): Promise<Model> {
    try {
      const model = await this.parts.resolve(name);
      this.resolved.set(name, model);
      return model;
    } catch (error) {
      this.resolving.delete(name); // a package may be installed and the name asked for again
      throw error;
    }
  }

  private tell(event: RouterEvent): void {
    try {
      this.parts.observe?.(event);
    } catch (error) {
      this.parts.onProblem?.(error, `observing ${event.type}`); // a reply that was paid for outweighs its observer
    }
  }
}

function byRole<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(entries).map(([key, value]) => [isModelName(key) ? key : roleKey(key), value]),
  );
}

function own<T>(entries: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(entries, key) ? entries[key] : undefined;
}
