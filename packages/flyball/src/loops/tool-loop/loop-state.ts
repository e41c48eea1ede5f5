import { Reasks } from '../../core/ask-until.js';
import type { Failure } from '../../core/errors.js';
import type { ToolCall } from '../../core/model.js';
import type { Content } from '../../core/parts.js';
import { append, type Prompt } from '../../core/prompt.js';
import type { Instruction } from '../../core/run-state.js';
import type { Reply, Session } from '../../core/session.js';
import type { ObservationDraft } from '../../memory/observe.js';
import { ErrorLines } from '../../tools/error-lines.js';
import { CallTally } from './call-tally.js';
import type { CallReport, Resolved } from './execute-calls.js';
import type { LoopParts } from './loop-parts.js';
import { recallResultTool } from './recall-result.js';
import { malformedNotice } from './text-calls.js';
import type { Fitted, WindowPolicy } from './window-policy.js';

/** What a loop knows of itself. Rebuilt by the same steps on replay: nothing here is a record of its own. */
export class LoopState {
  prompt: Prompt;
  session: Session;
  iterations = 0;
  /** Calls of the worker's model that came to an end. */
  turns = 0;
  tokens = 0;
  readonly calls: CallTally;
  /** The question for confirmation is open. */
  isConfirming = false;
  /** Answers that were asked for again. */
  readonly reasks: Reasks;
  rawText = '';
  model: string;
  readonly errors = new ErrorLines();
  /** Results cleared from the prompt, by the id of their stub. */
  readonly originals = new Map<string, Content>();
  /** A policy that came to nothing is not tried again below this many tokens. */
  readonly notBelow = new Map<WindowPolicy, number>();
  /** Characters of reasoning that go back to the provider: the size of a chain does not count them. */
  reasoningChars = 0;
  /** What autonomy said already: warnings are told once, and a person who agreed is not asked again. */
  readonly told = new Set<string>();
  private redirections = 0;
  private readonly parts: LoopParts<unknown>;
  private readonly recallTool = recallResultTool(this.originals);
  private observations: ObservationDraft[] = [];

  constructor(parts: LoopParts<unknown>, prompt: Prompt) {
    this.parts = parts;
    this.prompt = prompt;
    this.calls = new CallTally(parts.config);
    this.session = parts.session;
    this.reasks = new Reasks(parts.session.name, parts.maxReasks);
    this.model = parts.session.model.id;
  }

  /** Against what this very request carried. Tools in text form stand in the setup, where no seam takes any away. */
  resolve(call: ToolCall, { offered }: Reply<string>): Resolved {
    const isRecall = call.name === this.recallTool.name && this.originals.size > 0;
    const shown = this.parts.textForm === undefined ? offered : undefined;
    return this.parts.resolve(call, isRecall ? [this.recallTool] : [], shown);
  }

  heard(reply: Reply<string>): void {
    const { usage, text, model, finish, toolCalls } = reply;
    this.prompt = reply.prompt;
    this.rawText = text;
    this.model = model;
    this.tokens += usage.input + usage.output;
    const { reasoning } = reply.prompt.segment;
    if (reasoning !== undefined) this.reasoningChars += JSON.stringify(reasoning).length;
    this.observe({
      type: 'llm_response',
      content: text,
      metadata: {
        role: this.session.name,
        model,
        finish,
        tokens: { input: usage.input, output: usage.output },
        ...(toolCalls.length > 0 ? { tools: toolCalls.map(({ name }) => name) } : {}),
      },
    });
  }

  /** Takes a report into account; false when the errors in a row are too many to go on with the other calls. */
  count(report: CallReport): boolean {
    this.calls.count(report);
    this.observeCall(report);
    return this.calls.lastStraw === undefined;
  }

  observeCall({ call, end, content, failure }: CallReport): void {
    const code = failure === undefined ? {} : { code: failure.code };
    const metadata = { tool: call.name, callId: call.id, ok: end === 'ok', ...code };
    this.observe({ type: 'tool_call', content, metadata });
  }

  /** A failure that no tool call reports. */
  observeFailure({ message, code }: Failure): void {
    this.observe({ type: 'error', content: message, metadata: { role: this.session.name, code } });
  }

  /** What people told the run since the last time; in a new loop all of it, because it stands for the rest of the run. */
  redirect(instructions: readonly Instruction[]): void {
    for (const { by, text } of instructions.slice(this.redirections)) {
      const content = `${by} follows this work and says: ${text}\nHold to it from now on.`;
      // protected: it stands for the rest of the run, so no summary may take its place
      this.prompt = append(this.prompt, { role: 'user', content, owner: 'person', trust: 'user', protect: true });
      this.isConfirming = false; // an answer given before it is not an answer to it
    }
    this.redirections = instructions.length;
  }

  /** Somebody has spoken, and the model has not read it yet. */
  hasUnheard(instructions: readonly Instruction[]): boolean {
    return instructions.length > this.redirections;
  }

  confirm(question: string): void {
    this.isConfirming = true;
    this.tell(question);
  }

  malformed(problem: string): void {
    const failure: Failure = { code: 'INPUT_INVALID', message: problem, retryable: false };
    this.calls.failed(failure);
    this.observeFailure(failure);
    this.tell(malformedNotice(problem));
  }

  private tell(content: string): void {
    this.prompt = append(this.prompt, { role: 'user', content, owner: 'loop', trust: 'system' });
  }

  /** Goes on with what a policy made of the conversation. */
  fit(policy: WindowPolicy, { shorter, notBelow, spent = 0 }: Fitted): void {
    this.tokens += spent;
    if (notBelow !== undefined) this.notBelow.set(policy, notBelow);
    if (shorter === undefined) return;
    this.prompt = shorter.prompt;
    for (const [id, content] of shorter.originals) this.originals.set(id, content);
    if (shorter.originals.size > 0) this.offerRecall();
  }

  /** From now on the model may ask for what was cleared. In text form the stubs say how: the setup does not change. */
  private offerRecall(): void {
    const tools = this.session.tools ?? [];
    if (tools.some(({ name }) => name === this.recallTool.name) || this.parts.textForm !== undefined) return;
    this.session = { ...this.session, tools: [...tools, this.recallTool] };
  }

  takeObservations(): readonly ObservationDraft[] {
    const taken = this.observations;
    this.observations = [];
    return taken;
  }

  private observe(draft: ObservationDraft): void {
    if (this.parts.capture === undefined) return;
    this.observations.push({ ...draft, metadata: { iteration: this.iterations, ...draft.metadata } });
  }
}
