import type { Entry, EventOf } from '../../../flyball/src/core/events.js';
import { type Effect, EffectFold } from '../../../flyball/src/views/effects.js';
import { GuardFold } from '../../../flyball/src/views/guard-decisions.js';
import { baseOf, loopPathOf, scopeOf } from '../../../flyball/src/views/paths.js';
import { PhaseFold } from '../../../flyball/src/views/phases.js';
import { ApprovalFold } from '../gates/fold-approvals.js';
import { fieldsOf, textIn } from '../plan/fields.js';
import { loopScopeOf } from './join-calls.js';
import { type GrowingTurn, keyOf, type Turn, turnOf } from './turn.js';

/** All model calls of a run in their order, each with the tool calls that followed from its reply. */
export function turnsOf(entries: readonly Entry[]): readonly Turn[] {
  const fold = new TurnFold();
  for (const entry of entries) fold.apply(entry);
  return fold.turns();
}

/** Takes entries one by one. */
export class TurnFold {
  private readonly guards = new GuardFold();
  private readonly approvals = new ApprovalFold();
  private readonly effects = new EffectFold();
  private readonly phases = new PhaseFold();
  private readonly byAsk = new Map<Effect, GrowingTurn>();
  private readonly lastIn = new Map<string, GrowingTurn>();
  private readonly tips = new Map<string, string>();
  private readonly placed = new Set<Effect>();
  private isEnded = false;

  apply(entry: Entry): void {
    this.phases.apply(entry);
    this.guards.apply(entry);
    this.approvals.apply(entry);
    const effect = this.effects.apply(entry);
    const { event } = entry;
    if (event.type === 'ask-start' && effect !== undefined) this.asked(effect, event);
    if (effect?.verb === 'call' && !this.placed.has(effect)) this.called(effect);
    if (event.type === 'wait-start' && event.id.endsWith('!gate')) this.gated(event);
    if (event.type === 'generation-start') this.closeAll();
    if (event.type === 'run-end') this.isEnded = true;
    if (event.type === 'run-resume') this.isEnded = false; // it goes on where it was
    if (event.type === 'note' && event.event.kind === 'loop-end') this.close(loopPathOf(event));
  }

  turns(): readonly Turn[] {
    const decisions = byEffect(this.guards.all(), ({ generation, effect }) => keyOf(generation, effect));
    const approvals = byEffect(this.approvals.all(), ({ generation, id }) => keyOf(generation, baseOf(id)));
    return [...this.byAsk.values()].map((turn, index) => {
      const made = turn.final ?? turnOf(turn, index + 1, { decisions, approvals, isEnded: this.isEnded });
      if (turn.isOver && turn.ask.end !== undefined && turn.calls.every(({ end }) => end !== undefined))
        turn.final = made;
      return made;
    });
  }

  private asked(ask: Effect, start: EventOf<'ask-start'>): void {
    if (this.byAsk.has(ask)) return; // another attempt at the same call
    this.close(ask.scope);
    const previousTip = this.tips.get(start.session);
    this.tips.set(start.session, start.tip);
    const turn = { ask, start, phase: this.phases.at(ask.scope), previousTip, calls: [], gates: [], isOver: false };
    this.byAsk.set(ask, turn);
    this.lastIn.set(ask.scope, turn);
  }

  private called(call: Effect): void {
    this.placed.add(call);
    this.lastIn.get(loopScopeOf(call.scope))?.calls.push(call);
  }

  private gated({ id, request }: EventOf<'wait-start'>): void {
    const turn = this.lastIn.get(loopScopeOf(scopeOf(id)));
    const tool = textIn(fieldsOf(request), 'action');
    const base = baseOf(id);
    if (tool !== undefined && turn?.gates.every((gate) => gate.id !== base) === true)
      turn.gates.push({ id: base, tool });
  }

  private close(scope: string): void {
    const turn = this.lastIn.get(scope);
    if (turn !== undefined) turn.isOver = true;
    this.lastIn.delete(scope);
  }

  private closeAll(): void {
    for (const scope of [...this.lastIn.keys()]) this.close(scope);
  }
}

function byEffect<T>(all: readonly T[], key: (each: T) => string): ReadonlyMap<string, readonly T[]> {
  const map = new Map<string, T[]>();
  for (const each of all) {
    const known = map.get(key(each));
    if (known === undefined) map.set(key(each), [each]);
    else known.push(each);
  }
  return map;
}
