import { parseJson } from '../tau2/python/json.js';
import { type PyDict, PyError, type PyValue } from '../tau2/python/value.js';
import { verifyCalls } from './calls.js';
import type { Check, OpenDomain } from './check.js';
import { verifyConversations } from './conversations.js';
import { verifyEvaluations } from './evaluations.js';
import { verifyGold } from './gold.js';
import { verifyMetrics } from './metrics.js';
import { verifyPrompts } from './prompts.js';
import { verifyResults } from './results.js';
import { verifyBm25, verifyGrep, verifySearchTexts } from './searches.js';

type Verifier = (text: string, file: string, open: OpenDomain) => AsyncGenerator<Check>;

/** Kinds of recordings: how one is told by its shape, and how it is reproduced. The first that fits counts. */
const KINDS: readonly {
  readonly kind: string;
  readonly form: 'lines' | 'list' | 'object';
  /** Fields that a record of it has, all of them. */
  readonly fields: readonly string[];
  readonly verify: Verifier;
}[] = [
  { kind: 'evaluations', form: 'lines', fields: ['task_id', 'calls', 'termination_reason'], verify: verifyEvaluations },
  { kind: 'gold calls', form: 'lines', fields: ['task_id', 'steps'], verify: verifyGold },
  { kind: 'calls', form: 'lines', fields: ['calls'], verify: verifyCalls },
  { kind: 'word search', form: 'lines', fields: ['query', 'results'], verify: verifyBm25 },
  { kind: 'pattern search', form: 'lines', fields: ['pattern', 'results'], verify: verifyGrep },
  { kind: 'search answers', form: 'list', fields: ['query', 'content_without_timing'], verify: verifySearchTexts },
  { kind: 'conversations', form: 'list', fields: ['agent_script', 'user_script'], verify: verifyConversations },
  { kind: 'prompts', form: 'object', fields: ['user_system_prompts'], verify: verifyPrompts },
  { kind: 'prompts', form: 'object', fields: ['variants'], verify: verifyPrompts },
  { kind: 'metrics', form: 'object', fields: ['pass_hat_k'], verify: verifyMetrics },
  { kind: 'metrics', form: 'object', fields: ['compute_metrics'], verify: verifyMetrics },
  { kind: 'metrics', form: 'object', fields: ['trial_seeds_from_run_seed'], verify: verifyMetrics },
  { kind: 'results', form: 'object', fields: ['info', 'tasks', 'simulations'], verify: verifyResults },
];

/** How well one file is reproduced. */
export interface Verified {
  readonly file: string;
  readonly kind: string;
  readonly agreeing: number;
  readonly differing: readonly Check[];
  readonly skipped: readonly Check[];
}

/** Reproduces a recording. Undefined where a file is none, as its shape shows. */
export async function verifyRecording(text: string, file: string, open: OpenDomain): Promise<Verified | undefined> {
  const found = kindOf(text, file);
  if (found === undefined) return undefined;
  let agreeing = 0;
  const [differing, skipped]: [Check[], Check[]] = [[], []];
  for await (const check of found.verify(text, file, open)) {
    if (check.skipped !== undefined) skipped.push(check);
    else if (check.differs.length > 0) differing.push(check);
    else agreeing++;
  }
  return { file, kind: found.kind, agreeing, differing, skipped };
}

function kindOf(text: string, file: string): (typeof KINDS)[number] | undefined {
  const isLines = /\.jsonl(?:\.gz)?$/.test(file);
  const record = isLines ? firstRecord(text) : parsed(text);
  if (record === undefined) return undefined;
  const form = isLines ? 'lines' : Array.isArray(record) ? 'list' : 'object';
  const sample = Array.isArray(record) ? record[0] : record;
  if (!(sample instanceof Map)) return undefined;
  return KINDS.find((kind) => kind.form === form && kind.fields.every((field) => sample.has(field)));
}

/** The first line that is no header. */
function firstRecord(text: string): PyDict | undefined {
  for (const line of text.split('\n', 3)) {
    const record = parsed(line);
    if (record instanceof Map && !record.has('header')) return record;
  }
  return undefined;
}

function parsed(text: string): PyValue | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof PyError) return undefined;
    throw error;
  }
}
