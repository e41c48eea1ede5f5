import { regradeResults } from '../grading/regrade.js';
import type { NlJudge } from '../grading/reward.js';
import { readResults, writeResults } from '../results/results-text.js';
import { dumpJson, parseJson } from '../tau2/python/json.js';
import { type Check, checked, type OpenDomain, unlike } from './check.js';

/** Nobody can be asked again what a judge once said: it is taken at its word. */
const agreeing: NlJudge = async (assertions) =>
  assertions.map((assertion) => ({ assertion, met: true, because: 'as recorded' }));

/** A results file: it is read and written back with every value, and its rewards come out the same when graded again. */
export async function* verifyResults(text: string, file: string, open: OpenDomain): AsyncGenerator<Check> {
  const results = readResults(text, file);
  yield checked('read and written back', async () =>
    unlike('the file', dumpJson(parseJson(text)), dumpJson(parseJson(writeResults(results)))),
  );
  const domain = await open(results.info.domain);
  for (const simulation of results.simulations)
    yield checked(`reward of ${simulation.taskId}, trial ${simulation.trial}`, async () => {
      const { simulations } = await regradeResults(
        domain,
        { ...results, simulations: [simulation] },
        { nlJudge: agreeing },
      );
      const reward = simulations[0]?.reward;
      return [
        ...unlike('it', simulation.reward?.reward, reward?.reward),
        ...unlike('whether the databases match', simulation.reward?.db?.match, reward?.db?.match),
      ];
    });
}
