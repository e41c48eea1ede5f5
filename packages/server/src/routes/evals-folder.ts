import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Results } from '@flyball/evals';
import { conditionOf, type DomainFacts, type Summary, summaryOf } from '@flyball/evals';
import { readResultsFile } from '@flyball/evals/files';
import { rowOrder } from '@flyball/evals/internal';
import { FlyballError } from 'flyball';
import { bytesBeside, MOST_BYTES, type ResultsAt, resultsBelow, unlessMissing } from './evals-files.js';

/** Figures of one condition that need no data of its domain. */
export interface Figures
  extends Pick<
    Summary,
    | 'label'
    | 'domain'
    | 'model'
    | 'agent'
    | 'retrieval'
    | 'simulations'
    | 'tasks'
    | 'infrastructureErrors'
    | 'unscored'
    | 'pass1'
    | 'passHat'
    | 'dbMatch'
    | 'cacheShare'
    | 'turns'
    | 'modelCalls'
    | 'toolCalls'
    | 'seconds'
    | 'costPerTask'
    | 'promptTokens'
    | 'completionTokens'
  > {
  /** The file it is from, below the folder. */
  readonly file: string;
}

export interface Evaluation {
  /** A hash: it is looked up among those that were found and never read as a path. */
  readonly id: string;
  readonly name: string;
  readonly updatedAt: number;
  readonly files: readonly ResultsAt[];
}

export interface Read {
  readonly summaries: readonly Figures[];
  /** What is no results file, or too large: told, not hidden. */
  readonly unread: readonly { readonly file: string; readonly why: string }[];
}

const MOST_KEPT = 400;

/**
 * The results under a folder: `results.json` in it, in its folders (an experiment or a condition), and in theirs. Links
 * that lead out of it are not followed. Figures are kept for as long as a file does not change.
 */
export class EvalsFolder {
  private readonly folder: string;
  private readonly kept = new Map<string, Promise<Summary>>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Newest first; none where there is no such folder. */
  async list(): Promise<readonly Evaluation[]> {
    const root = await unlessMissing(() => realpath(this.folder));
    const found = root === undefined ? [] : await resultsBelow(root);
    const groups = new Map<string, ResultsAt[]>();
    for (const one of found) {
      const [top = '.'] = dirname(one.file).split('/');
      groups.set(top, [...(groups.get(top) ?? []), one]);
    }
    return [...groups]
      .map(([top, files]) => evaluationOf(top === '.' ? basename(this.folder) : top, top, files))
      .sort((a, b) => b.updatedAt - a.updatedAt || (a.name < b.name ? -1 : 1));
  }

  async read({ files }: Evaluation): Promise<Read> {
    const summaries: Figures[] = [];
    const unread: { file: string; why: string }[] = [];
    // one after the other: each may fill much memory for a moment
    for (const at of files) {
      try {
        summaries.push(figuresOf(await this.summary(at), at.file));
      } catch (error) {
        unread.push({ file: at.file, why: whyUnread(error, at) });
      }
    }
    return { summaries: uniquelyNamed([...summaries].sort(rowOrder())), unread };
  }

  /** One file with its conversations; undefined where the evaluation has no such file. They are not kept in memory. */
  async results({ files }: Evaluation, file: string): Promise<Results | undefined> {
    const at = files.find((one) => one.file === file);
    return at === undefined ? undefined : resultsIn(at);
  }

  private summary(at: ResultsAt): Promise<Summary> {
    const key = `${at.path} ${at.bytes} ${at.changedAt}`;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const made = summarised(at);
    this.kept.set(key, made);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST_KEPT && oldest !== undefined) this.kept.delete(oldest);
    return made;
  }
}

async function summarised(at: ResultsAt): Promise<Summary> {
  const results = await resultsIn(at);
  return summaryOf(conditionOf(results, withoutDomain(results.info.domain)));
}

async function resultsIn({ path, bytes }: ResultsAt): Promise<Results> {
  const all = bytes + (await bytesBeside(path));
  if (all > MOST_BYTES)
    throw new FlyballError(
      'INPUT_INVALID',
      `It has ${Math.round(all / 1_048_576)} MB; the studio reads up to ${MOST_BYTES / 1_048_576} MB. Use flyball evals report.`,
    );
  return readResultsFile(path);
}

/** What is measured about the rules of a domain needs its data, and is left out here. */
export function withoutDomain(name: string): DomainFacts {
  return { name, compliance: { writes: new Set(), verification: undefined, exempt: new Set() } };
}

function figuresOf(summary: Summary, file: string): Figures {
  const { label, domain, model, agent, retrieval, simulations, tasks, infrastructureErrors, unscored } = summary;
  const { pass1, passHat, dbMatch, cacheShare, turns, modelCalls, toolCalls, seconds } = summary;
  const { costPerTask, promptTokens, completionTokens } = summary;
  return {
    file,
    ...{ label, domain, model, agent, retrieval, simulations, tasks, infrastructureErrors, unscored },
    ...{ pass1, passHat, dbMatch, cacheShare, turns, modelCalls, toolCalls, seconds },
    ...{ costPerTask, promptTokens, completionTokens },
  };
}

function uniquelyNamed(summaries: readonly Figures[]): readonly Figures[] {
  const seen = new Map<string, number>();
  return summaries.map((one) => {
    const times = (seen.get(one.label) ?? 0) + 1;
    seen.set(one.label, times);
    return times === 1 ? one : { ...one, label: `${one.label} (${times})` };
  });
}

/** Where the folder lies is nobody's business; the words of the system would name it. */
function whyUnread(error: unknown, { path, file }: ResultsAt): string {
  return error instanceof FlyballError ? error.message.replaceAll(path, file) : 'It cannot be read.';
}

function evaluationOf(name: string, top: string, files: readonly ResultsAt[]): Evaluation {
  const id = createHash('sha256').update(top).digest('hex').slice(0, 16);
  return { id, name, updatedAt: Math.max(...files.map(({ changedAt }) => changedAt)), files: inOrder(files) };
}

function inOrder(files: readonly ResultsAt[]): readonly ResultsAt[] {
  return [...files].sort((a, b) => (a.file < b.file ? -1 : 1));
}
