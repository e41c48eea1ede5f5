import { ConfigError } from '../../core/errors.js';
import type { ToolChoice } from '../../core/model.js';
import type { Run } from '../../core/run.js';
import type { ToolRef } from '../../core/tool.js';
import { matchesAny } from '../../tools/governance/text-glob.js';
import type { HeardOrMade, HeardTurn, Move, MoveNote, Setting, Speaker } from './conversation-policy.js';
import { checkedMachine, type Machine, type Phase } from './machine.js';
import { exhausted, FRESH_STATE, type MachineState, nextPhase, updatedState } from './machine-state.js';
import { askExpecting } from './response-type.js';
import { setupText } from './setup-text.js';
import { orderTasks } from './task-order.js';
import { queueHint, taskBlockIn } from './task-queue.js';
import { MoveCost, sessionUnder, Transcript } from './transcript.js';

/** What a phase machine lets others see of itself. */
export interface ImperativeSpeaker extends Speaker {
  readonly phase: string;
  readonly state: MachineState;
}

/**
 * A phase machine around the model: code decides in which phase a turn is, and the model gets that phase's instruction
 * and tools. The restriction lies in what is offered and nowhere else: a call to a tool that was not offered is passed
 * on, as in the paper, whose measurements show what that is worth (see `governed`).
 */
export function imperative(machine: Machine): (setting: Setting) => ImperativeSpeaker {
  const checked = checkedMachine(machine);
  return (setting) => new PhaseMachine(checked, setting);
}

class PhaseMachine implements ImperativeSpeaker {
  readonly policy = 'imperative';
  readonly setup: string;
  phase: string;
  state: MachineState = FRESH_STATE;
  private readonly machine: Machine;
  private readonly setting: Setting;
  private readonly transcript = new Transcript();
  private turns = 0;

  constructor(machine: Machine, setting: Setting) {
    this.machine = machine;
    this.setting = setting;
    this.phase = machine.start;
    this.setup = this.setupIn(this.current());
  }

  open(history: readonly HeardOrMade[]): void {
    for (const turn of history) {
      if (turn.by === 'other') this.advance(turn.heard);
      else {
        this.transcript.made(turn.text, turn.calls);
        this.ended(turn.text);
      }
    }
  }

  /** The eight steps of a turn, in the paper's order. */
  async take(run: Run, heard: HeardTurn): Promise<Move> {
    const inside = this.advance(heard); // 1 append, 2 update the state, 3 determine the phase, 4 take it
    const phase = this.current();
    const tools = this.offered(phase); // 5 tools, instruction and queue
    const toolChoice = this.choice(phase, tools); // 6 tool choice
    const session = sessionUnder(this.setting, this.setupIn(phase), { tools, toolChoice });
    const cost = new MoveCost();
    // a call cannot be forced out of a phase whose tools this setting does not have
    const expect = phase.expect === 'tool_call' && tools.length === 0 ? 'either' : phase.expect;
    const parts = { transcript: this.transcript, session, phase: this.phase, expect, cost };
    const { reply, violations } = await askExpecting(run, parts); // 7 ask, and enforce the type of the reply
    const { expectViolationCount } = this.state;
    this.state = { ...this.state, expectViolationCount: expectViolationCount + violations.length };
    this.transcript.replied(reply); // 8 append the reply
    const { text, notes } = this.ended(reply.text);
    return cost.move(text, reply.toolCalls, [...inside, ...violations, ...notes]);
  }

  /** Steps 1 to 4: flags are refreshed from results before the phase is determined. */
  private advance(heard: HeardTurn): MoveNote[] {
    this.transcript.hear(heard);
    const { machine, phase, turns } = this;
    this.state = updatedState(machine, { state: this.state, phase, turns, heard });
    const to = nextPhase(machine, { state: this.state, phase, turns, heard });
    return to === phase ? [] : this.enter(to);
  }

  private enter(to: string): MoveNote[] {
    const from = this.phase;
    const used = exhausted(this.machine, this.state);
    const leftUnplanned = this.current().plans === true && this.state.pendingTasks.length === 0;
    if (leftUnplanned && this.machine.phases[to]?.showsQueue === true)
      this.state = { ...this.state, pendingTasks: [this.machine.wholeTask] };
    this.phase = to;
    this.turns = 0;
    const escalated: MoveNote[] =
      used?.phase === to ? [{ kind: 'escalated', tool: used.tool, failures: used.failures }] : [];
    return [{ kind: 'phase', from, to }, ...escalated];
  }

  /** After a reply: its plan becomes the queue, and the block is not for the customer's eyes. */
  private ended(text: string): { readonly text: string; readonly notes: readonly MoveNote[] } {
    this.turns += 1;
    const block = this.current().plans === true ? taskBlockIn(text) : undefined;
    if (block === undefined) return { text, notes: [] };
    const { ordered, cyclic } = orderTasks(block.tasks, this.machine.precedence);
    this.state = { ...this.state, pendingTasks: ordered };
    const words = block.rest === '' ? `I will take care of the following: ${ordered.join('; ')}.` : block.rest;
    return { text: words, notes: [{ kind: 'tasks', ordered, cyclic }] };
  }

  private current(): Phase {
    const phase = this.machine.phases[this.phase];
    if (phase === undefined)
      throw new ConfigError(`The machine for ${this.machine.domain} has no phase "${this.phase}".`);
    return phase;
  }

  private offered({ tools }: Phase): readonly ToolRef[] {
    return this.setting.tools.filter(({ name }) => matchesAny(tools, name));
  }

  private choice({ expect }: Phase, tools: readonly ToolRef[]): ToolChoice {
    if (tools.length === 0 || expect === 'text') return 'none';
    return this.setting.toolChoice ?? 'auto';
  }

  private setupIn(phase: Phase): string {
    const queue = phase.showsQueue === true ? queueHint(this.state) : '';
    return `${setupText(this.setting)}\n<phase name="${this.phase}">\n${phase.instruction}${queue}\n</phase>`;
  }
}
