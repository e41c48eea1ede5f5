import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseJson } from '../../packages/evals/src/tau2/python/json.js';
import { RecordFields } from '../../packages/evals/src/tau2/python/record-fields.js';
import type { PyValue } from '../../packages/evals/src/tau2/python/value.js';
import { scenarioDifferences } from '../../packages/evals/src/verify/conversations.js';
import { historyIn } from '../../packages/evals/src/verify/scripted-scenario.js';
import { benchmarkDomain } from './domains.js';
import { tau2, withTau2 } from './tau2-data.js';

/** How many of a recording's messages are the history that its task began with. */
const HISTORY_LENGTH: Readonly<Record<string, number>> = {
  assistant_text: 1,
  user_text: 2,
  assistant_tool_result: 4,
  user_tool_result: 3,
  user_stop: 2,
  assistant_call: 3,
  missing_result: 4,
};

withTau2('the recorded conversations of the reference', () => {
  const recorded = (parseJson(readFileSync(`${tau2().oracle}/orchestrator.json`, 'utf8')) as PyValue[]).map(
    (scenario) => new RecordFields(scenario, 'orchestrator.json'),
  );

  it.each(recorded.map((scenario) => [scenario.text('scenario'), scenario] as const))(
    '%s [R5-SIM-ORACLE] [R5-SIM-PROTOCOL] [R5-SIM-LIMITS] [R5-SIM-HISTORY]',
    async (_, scenario) => {
      const domain = await benchmarkDomain(scenario.text('domain'));
      expect(await scenarioDifferences(domain, scenario)).toEqual([]);
    },
  );

  it('begin with the history that they name [R5-SIM-HISTORY]', () => {
    for (const scenario of recorded) {
      const name = scenario.fields('options').textOrNull('history');
      expect(historyIn(scenario)).toHaveLength(name === null ? 'none'.length : (HISTORY_LENGTH[name] ?? -1));
      if (name === null) expect(historyIn(scenario)).toBe('none');
    }
  });
});
