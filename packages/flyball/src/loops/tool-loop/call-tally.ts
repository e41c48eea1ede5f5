import type { Failure } from '../../core/errors.js';
import type { ToolCall } from '../../core/model.js';
import type { ToolLoopConfig } from './config.js';
import { type CallReport, classOf } from './execute-calls.js';
import { RepeatMeter, repeatNotice } from './repeats.js';

/** What came of the calls of a loop, and whether they have come to nothing too often. */
export class CallTally {
  /** Calls that were made. */
  made = 0;
  /** Each tool in the order of first use, with how often it was called. */
  readonly tools = new Map<string, number>();
  readonly errorCodes = new Map<string, number>();
  /** The failure that made too many in a row. Stays, also when a call made beside it succeeds. */
  lastStraw: Failure | undefined;
  /** The tool whose calls go round in circles. */
  repeated: string | undefined;
  /** What the model is told beside the result of a call. */
  readonly notices = new Map<ToolCall, string>();
  private errorsInARow = 0;
  private readonly repeats = new RepeatMeter();
  private readonly config: Pick<ToolLoopConfig, 'repeatLimit' | 'maxConsecutiveErrors'>;

  constructor(config: Pick<ToolLoopConfig, 'repeatLimit' | 'maxConsecutiveErrors'>) {
    this.config = config;
  }

  count(report: CallReport): void {
    const { call, end, failure } = report;
    if ('args' in report) {
      this.made++;
      if (end !== 'denied') this.tools.set(call.name, (this.tools.get(call.name) ?? 0) + 1);
      this.countRepeat(report);
    }
    if (end === 'ok') this.errorsInARow = 0;
    if (end === 'failed' && failure !== undefined) this.failed(failure);
  }

  failed(failure: Failure): void {
    this.errorCodes.set(failure.code, (this.errorCodes.get(failure.code) ?? 0) + 1);
    this.errorsInARow++;
    if (this.errorsInARow >= this.config.maxConsecutiveErrors) this.lastStraw ??= failure;
  }

  private countRepeat({ call, args, content, end, tool }: CallReport): void {
    const { repeatLimit } = this.config;
    if (repeatLimit === 'off' || tool?.polls === true) return;
    const changed = end === 'ok' && tool !== undefined && classOf(tool) !== 'pure';
    const times = this.repeats.count({ name: call.name, args, result: content, changed });
    if (times >= repeatLimit) this.repeated ??= call.name;
    else if (times === repeatLimit - 1 && times > 1) this.notices.set(call, repeatNotice(call.name, times));
  }
}
