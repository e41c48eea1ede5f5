import { ConfigError } from '../../core/errors.js';
import type { ToolCall } from '../../core/model.js';
import type { Run } from '../../core/run.js';
import type { Reply } from '../../core/session.js';
import type {
  ConversationPolicy,
  HeardOrMade,
  HeardTurn,
  Move,
  MoveNote,
  Setting,
  Speaker,
} from './conversation-policy.js';
import { judgeTogether } from './gate.js';
import { checkedRules, type GateRules } from './gate-rules.js';
import type { Refusal } from './refusal.js';
import { setupText } from './setup-text.js';
import { type PromptSkill, skillsBlock } from './skills-block.js';
import { MoveCost, sessionUnder, Transcript } from './transcript.js';
import { Witness } from './witness.js';

/** What the governed policy needs. */
export interface GovernedParts {
  readonly skills: readonly PromptSkill[];
  readonly gate: GateRules;
  /** Times in one turn that the model is told of refused calls; then it has to answer in words. 3 where absent. */
  readonly maxRefusals?: number;
}

/** Said where a model that has to answer in words has none. */
const NO_WORDS = 'I am not able to do that at this point. Could you tell me again what you need, and who you are?';
const WITHHELD = 'Not called: another call of the same reply was refused. Make this call again if it is still right.';

/**
 * Skills in the prompt, and a gate behind it. Every tool is offered in every turn, as to the baseline: nothing is taken
 * from what the model may choose, only from what reaches the world. Whether a call may pass is decided from the results
 * that came back, so neither a phase nor a claim of the model opens anything.
 *
 * A refused call is told to the model at once, in the same turn, and never leaves it: the other side, the environment
 * and the trajectory do not see it. A reply with one refused call is held back whole: its calls were chosen together,
 * and half of a plan is not what the model decided.
 */
export function governed(parts: GovernedParts): ConversationPolicy {
  const { maxRefusals = 3 } = parts;
  if (!(Number.isSafeInteger(maxRefusals) && maxRefusals >= 1))
    throw new ConfigError(`maxRefusals must be a whole number of at least 1, got ${maxRefusals}.`);
  const block = skillsBlock(parts.skills);
  const gate = checkedRules(parts.gate);
  return (setting) => new GovernedSpeaker(setting, { block, gate, maxRefusals });
}

interface Fittings {
  readonly block: string;
  readonly gate: GateRules;
  readonly maxRefusals: number;
}

class GovernedSpeaker implements Speaker {
  readonly policy = 'governed';
  readonly setup: string;
  private readonly setting: Setting;
  private readonly fittings: Fittings;
  private readonly transcript = new Transcript();
  private readonly witness: Witness;
  private readonly offered: ReadonlySet<string>;

  constructor(setting: Setting, fittings: Fittings) {
    this.setting = setting;
    this.fittings = fittings;
    this.setup = `${setupText(setting)}\n${fittings.block}`;
    this.witness = new Witness(fittings.gate, [setting.policy]);
    this.offered = new Set(setting.tools.map(({ name }) => name));
  }

  open(history: readonly HeardOrMade[]): void {
    this.transcript.recall(history);
    this.witness.recall(history);
  }

  async take(run: Run, heard: HeardTurn): Promise<Move> {
    this.transcript.hear(heard);
    this.witness.hears(heard);
    const session = sessionUnder(this.setting, this.setup);
    const cost = new MoveCost();
    const inside: MoveNote[] = [];
    for (let told = 0; told < this.fittings.maxRefusals; told++) {
      const reply = await this.transcript.ask(run, session);
      cost.add(reply);
      this.transcript.replied(reply);
      const refusals = judgeTogether(this.fittings.gate, reply.toolCalls, this.witness, this.offered);
      if (refusals.size === 0) {
        if (reply.toolCalls.length === 0) this.witness.tells(reply.text); // words beside calls reach nobody
        this.witness.expects(reply.toolCalls);
        return cost.move(reply.text, reply.toolCalls, inside);
      }
      inside.push(...this.tell(reply.toolCalls, refusals));
    }
    const words = await this.transcript.ask(run, { ...session, toolChoice: 'none' });
    cost.add(words);
    return cost.move(this.wordsOf(words), [], inside);
  }

  private tell(calls: readonly ToolCall[], refusals: ReadonlyMap<ToolCall, Refusal>): readonly MoveNote[] {
    return calls.map((call) => {
      const refusal = refusals.get(call);
      this.transcript.answer(call, refusal === undefined ? WITHHELD : `Refused: ${refusal.because}`);
      return refusal === undefined ? { kind: 'withheld', call } : { kind: 'refused', call, ...refusal };
    });
  }

  /** Calls that come although none were asked for are dropped: they were not even offered a way out. */
  private wordsOf(reply: Reply<string>): string {
    const text = reply.text.trim() === '' ? NO_WORDS : reply.text;
    this.transcript.made(text, []);
    this.witness.tells(text);
    this.witness.expects([]);
    return text;
  }
}
