import { ConfigError } from 'flyball';
import type { Ranked } from 'flyball/retrieval';
import { Bm25Index } from 'flyball/retrieval';
import { GrepIndex } from '../tau2/grep.js';
import { parseJson } from '../tau2/python/json.js';
import { RecordFields } from '../tau2/python/record-fields.js';
import type { PyValue } from '../tau2/python/value.js';
import { pythonPattern } from '../tau2/python-pattern/pattern.js';
import type { Domain } from '../world/environment.js';
import { type Check, checked, type OpenDomain, RECORDED_DOMAIN, recordLines, unlike } from './check.js';

/** Scores agree to this; the last places of a logarithm are the machine's. */
const NEAR = 1e-9;
const TOP = 10;

export async function* verifyBm25(text: string, file: string, open: OpenDomain): AsyncGenerator<Check> {
  const index = new Bm25Index(searched(await open(RECORDED_DOMAIN)));
  let top = TOP;
  for (const record of recordLines(text, file)) {
    if (record.value('query') === null) {
      top = record.numberOrNull('top_k') ?? top;
      continue;
    }
    const query = record.text('query');
    yield checked(query, async () => unlikeRanks(record, index.search(query, top)));
  }
}

export async function* verifyGrep(text: string, file: string, open: OpenDomain): AsyncGenerator<Check> {
  const index = new GrepIndex(searched(await open(RECORDED_DOMAIN)));
  for (const record of recordLines(text, file)) {
    if (record.value('pattern') === null) continue;
    const pattern = record.text('pattern');
    const caseSensitive = record.value('case_sensitive') === true;
    yield checked(`${pattern}${caseSensitive ? '' : ' (any case)'}`, async () => {
      const compiles = record.value('compiles');
      const { valid } = pythonPattern(pattern, { ignoreCase: !caseSensitive });
      return [
        ...(compiles === null ? [] : unlike('whether it is a pattern', compiles, valid)),
        ...unlikeRanks(record, index.search({ pattern, caseSensitive, limit: TOP })),
      ];
    });
  }
}

/** What `KB_search` answers, without its timing. */
export async function* verifySearchTexts(text: string, file: string, open: OpenDomain): AsyncGenerator<Check> {
  const environment = (await open(RECORDED_DOMAIN)).environment({ retrieval: 'bm25' });
  for (const record of recordsIn(text, file)) {
    const query = record.text('query');
    yield checked(query, async () => {
      const call = {
        id: '1',
        name: 'KB_search',
        arguments: new Map([['query', query]]),
        requestor: 'assistant',
      } as const;
      const { content } = await environment.respond(call);
      return unlike(
        'the answer',
        record.text('content_without_timing'),
        content.replace(/\n\n\[Timing: [^\]]*\]$/, ''),
      );
    });
  }
}

function recordsIn(text: string, file: string): readonly RecordFields[] {
  return new RecordFields(new Map<string, PyValue>([['all', parseJson(text)]]), file).each(
    'all',
    (value, path) => new RecordFields(value, path),
  );
}

function searched({ documents, name }: Domain): readonly { readonly id: string; readonly text: string }[] {
  if (documents === undefined) throw new ConfigError(`The domain ${name} has no documents.`);
  return [...documents].map(([id, { content }]) => ({ id, text: content }));
}

function unlikeRanks(record: RecordFields, ours: readonly Ranked[]): readonly string[] {
  const recorded = record.each('results', (value) => value as [string, PyValue]);
  const ids = unlike('the list', recorded.map(([id]) => id).join(' '), ours.map(({ id }) => id).join(' '));
  if (ids.length > 0) return ids;
  return recorded.flatMap(([id, score], at) => {
    const own = ours[at]?.score ?? Number.NaN;
    const theirs = Number(score);
    return Math.abs(own - theirs) <= NEAR * Math.max(1, Math.abs(theirs))
      ? []
      : unlike(`the score of ${id}`, theirs, own);
  });
}
