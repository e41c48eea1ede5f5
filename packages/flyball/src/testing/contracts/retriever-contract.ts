import assert from 'node:assert/strict';
import { evidenceId } from '../../core/evidence-id.js';
import type { Evidence } from '../../core/work.js';
import type { Retriever } from '../../ports/retriever.js';
import type { ContractSuite } from './suite.js';

/** A retriever, and what can be asked of it. */
export interface RetrieverUnderTest {
  readonly retriever: Retriever;
  /** Finds at least two pieces. */
  readonly finds: string;
  /** Finds one of the pieces that `finds` finds. */
  readonly findsAlso: string;
  /** Finds nothing. */
  readonly findsNothing: string;
}

type RetrieverTest = (given: RetrieverUnderTest) => Promise<void>;

const signal = new AbortController().signal;
const MANY = { limit: 20, signal };

/** Contract tests for retrievers. `open` creates one that contains documents. */
export function retrieverContract(
  suite: ContractSuite,
  name: string,
  open: () => Promise<RetrieverUnderTest> | RetrieverUnderTest,
): void {
  suite.describe(`retriever contract: ${name}`, () => {
    const test = (title: string, body: RetrieverTest): void => {
      suite.it(title, async () => body(await open()));
    };
    provenanceContract(test);
    orderContract(test);
  });
}

function provenanceContract(test: (title: string, body: RetrieverTest) => void): void {
  test('says of every piece where it comes from, what found it and how far it is trusted', async (given) => {
    assert.ok(given.retriever.name.trim() !== '');
    for (const piece of await severalOf(given)) {
      for (const field of ['id', 'text', 'source', 'place'] as const) assert.ok(piece[field].trim() !== '', field);
      assert.equal(piece.query, given.finds);
      assert.ok(['system', 'user', 'model', 'outside'].includes(piece.trust), `trust is ${piece.trust}`);
      assert.equal(typeof piece.authority, 'boolean');
    }
  });

  test('names a piece by its source, place and text', async (given) => {
    for (const { id, source, place, text } of await severalOf(given)) assert.equal(id, evidenceId(source, place, text));
  });

  test('gives the same piece the same id, whatever found it', async (given) => {
    const pieces = await severalOf(given);
    assert.deepEqual(await severalOf(given), pieces);
    const also = await given.retriever.retrieve(given.findsAlso, MANY);
    assert.ok(
      also.some(({ id, query }) => query === given.findsAlso && pieces.some((piece) => piece.id === id)),
      'no piece has the id it has under the other query',
    );
  });

  test('answers in values that a journal can hold', async (given) => {
    const pieces = await severalOf(given);
    assert.deepEqual(JSON.parse(JSON.stringify(pieces)), pieces);
  });
}

function orderContract(test: (title: string, body: RetrieverTest) => void): void {
  test('gives the best first, each piece once', async (given) => {
    const pieces = await severalOf(given);
    const scores = pieces.map(({ score }) => score);
    assert.ok(scores.every((score) => Number.isFinite(score)));
    assert.deepEqual(
      [...scores].sort((a, b) => b - a),
      scores,
    );
    assert.equal(new Set(pieces.map(({ id }) => id)).size, pieces.length);
  });

  test('gives no more than the limit, and those are the best', async (given) => {
    const [best] = await severalOf(given);
    assert.deepEqual(await given.retriever.retrieve(given.finds, { limit: 1, signal }), [best]);
  });

  test('gives nothing for a query that finds nothing', async ({ retriever, findsNothing }) => {
    assert.deepEqual(await retriever.retrieve(findsNothing, MANY), []);
  });

  test('looks for nothing for a caller who has gone', async ({ retriever, finds }) => {
    const gone = AbortSignal.abort(new Error('gone'));
    await assert.rejects(async () => retriever.retrieve(finds, { limit: 5, signal: gone }));
  });
}

async function severalOf({ retriever, finds }: RetrieverUnderTest): Promise<readonly Evidence[]> {
  const pieces = await retriever.retrieve(finds, MANY);
  assert.ok(pieces.length >= 2, `"${finds}" found ${pieces.length} pieces, and two are needed to tell anything`);
  return pieces;
}
