import type { Amounts } from '../core/budget.js';
import type { Failure } from '../core/errors.js';
import type { ToolCall } from '../core/model.js';
import { append, type Prompt } from '../core/prompt.js';
import type { Reply, Session } from '../core/session.js';
import { ErrorDigest } from './error-digest.js';
import type { CallReport, Resolved } from './execute-calls.js';
import type { LoopObservation, LoopParts } from './loop-parts.js';
import { recallResultTool } from './recall-result.js';
import { RepeatMeter, repeatNotice } from './repeats.js';
import { malformedNotice } from './text-calls.js';

/** What a loop knows of itself. Rebuilt by the same steps on replay: nothing here is a record of its own. */
export class LoopState {
  prompt: Prompt;
  session: Session;
  iterations = 0;
  tokens = 0;
  toolCalls = 0;
  readonly toolsUsed = new Set<string>();
  consecutiveErrors = 0;
  lastFailure: Failure | undefined;
  /** The tool whose calls go round in circles. */
  repeatedCall: string | undefined;
  /** The question for confirmation is open. */
  isConfirming = false;
  repairs = 0;
  rawText = '';
  model: string;
  readonly digest = new ErrorDigest();
  readonly notices = new Map<ToolCall, string>();
  /** Results cleared from the prompt, by the id of their stub. */
  readonly originals = new Map<string, string>();
  private readonly parts: LoopParts<unknown>;
  private readonly repeats = new RepeatMeter();
  private readonly recallTool = recallResultTool(this.originals);
  private observations: LoopObservation[] = [];

  constructor(parts: LoopParts<unknown>, prompt: Prompt) {
    this.parts = parts;
    this.prompt = prompt;
    this.session = parts.session;
    this.model = parts.session.model.id;
  }

  readonly resolve = (call: ToolCall): Resolved => {
    const isRecall = call.name === this.recallTool.name && this.originals.size > 0;
    return this.parts.resolve(call, isRecall ? [this.recallTool] : []);
  };

  heard(reply: Reply<string>): void {
    this.prompt = reply.prompt;
    this.rawText = reply.text;
    this.model = reply.model;
    this.tokens += reply.usage.input + reply.usage.output;
    this.observe('llm_response', reply.text, {
      model: reply.model,
      finish: reply.finish,
      tokens: reply.usage.input + reply.usage.output,
      ...(reply.toolCalls.length > 0 ? { calls: reply.toolCalls.map(({ name }) => name) } : {}),
    });
  }

  /** Takes a report into account; false when the errors in a row are too many to go on with the other calls. */
  count(report: CallReport): boolean {
    const { call, end, failure } = report;
    if ('args' in report) {
      this.toolCalls++;
      if (end !== 'denied') this.toolsUsed.add(call.name);
      this.countRepeat(report);
    }
    if (end === 'ok') this.consecutiveErrors = 0;
    if (end === 'failed' && failure !== undefined) this.failed(failure);
    this.observe('tool_call', report.content, { tool: call.name, arguments: call.arguments, end });
    return this.consecutiveErrors < this.parts.config.maxConsecutiveErrors;
  }

  private countRepeat({ call, args, content }: CallReport): void {
    const { repeatLimit } = this.parts.config;
    const times = this.repeats.count(call.name, args, content);
    if (times >= repeatLimit) this.repeatedCall = call.name;
    else if (times === repeatLimit - 1 && times > 1) this.notices.set(call, repeatNotice(call.name, times));
  }

  failed(failure: Failure): void {
    this.consecutiveErrors++;
    this.lastFailure = failure;
    this.observe('error', failure.message, { code: failure.code, retryable: failure.retryable });
  }

  confirm(question: string): void {
    this.isConfirming = true;
    this.tell(question);
  }

  /** The answer does not fit: what is wrong is the last thing the model reads. */
  repair(problem: string): void {
    this.repairs++;
    this.tell(`That answer does not fit the required format. Give it again, corrected. ${problem}`);
  }

  malformed(problem: string): void {
    this.failed({ code: 'INPUT_INVALID', message: problem, retryable: false });
    this.tell(malformedNotice(problem));
  }

  private tell(content: string): void {
    this.prompt = append(this.prompt, { role: 'user', content, owner: 'loop', trust: 'system' });
  }

  /** From now on the model may ask for what was cleared. */
  offerRecall(): void {
    const tools = this.session.tools ?? [];
    if (tools.some(({ name }) => name === this.recallTool.name) || this.parts.textForm !== undefined) return;
    this.session = { ...this.session, tools: [...tools, this.recallTool] };
  }

  takeObservations(): readonly LoopObservation[] {
    const taken = this.observations;
    this.observations = [];
    return taken;
  }

  private observe(type: LoopObservation['type'], content: string, metadata: LoopObservation['metadata']): void {
    if (this.parts.observes)
      this.observations.push({ type, content, metadata: { iteration: this.iterations, ...metadata } });
  }

  /** What stop conditions are asked about. */
  facts(spent: Amounts): {
    readonly spent: Amounts;
    readonly toolsUsed: readonly string[];
    readonly reply: string;
    readonly errorCode: string | undefined;
  } {
    return { spent, toolsUsed: [...this.toolsUsed], reply: this.rawText, errorCode: this.lastFailure?.code };
  }
}
