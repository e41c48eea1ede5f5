import { broken } from './contracts/contract-sentences.js';
import { failingContract } from './contracts/dispatcher-failing.js';
import { type DeclareDispatcherTest, DispatcherStage, type OpenDispatcher } from './contracts/dispatcher-fixture.js';
import { handingContract } from './contracts/dispatcher-handing.js';
import { restingContract } from './contracts/dispatcher-resting.js';
import { type ContractSuite, publicTitle } from './contracts/suite.js';

/** Opening and closing take their time as well, and each promise may wait for a few things one after the other. */
const WAITS = 6;

/**
 * What every dispatcher with `attend` promises, as tests, with real runtimes on one engine in memory:
 * `dispatcherContract({ describe, it }, 'mine', async () => ({ process, close }))`. Every test opens a dispatching system
 * of its own and has several processes on it. Time is real; `withinMs` is how long anything may take, by default 30
 * seconds.
 */
export function dispatcherContract(
  suite: ContractSuite,
  name: string,
  open: () => Promise<OpenDispatcher>,
  { withinMs = 30_000 }: { readonly withinMs?: number } = {},
): void {
  const test: DeclareDispatcherTest = (title, body) => {
    const required = publicTitle(title);
    const tested = async (): Promise<void> => {
      const stage = new DispatcherStage(await open(), withinMs);
      try {
        await body(stage);
      } catch (error) {
        throw broken('dispatcher', required, error);
      } finally {
        await stage.close();
      }
    };
    suite.it(required, tested, WAITS * withinMs);
  };
  suite.describe(`dispatcher contract: ${name}`, () => {
    suite.describe('what it is handed', () => handingContract(test));
    suite.describe('runs that rest', () => restingContract(test));
    suite.describe('calls that fail', () => failingContract(test));
  });
}
